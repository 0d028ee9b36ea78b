within Couplet;
package MultibodyRecursive "Mechanisms by the recursive O(n) algorithm (section 6): mbssim.lib of the paper"
  import Couplet.Interfaces.{Coordinate, RealInput, RealOutput, BooleanOutput};

  constant Integer at[6, 6] = {{1, 2, 3, 4, 5, 6}, {2, 7, 8, 9, 10, 11}, {3, 8, 12, 13, 14, 15},
    {4, 9, 13, 16, 17, 18}, {5, 10, 14, 17, 19, 20}, {6, 11, 15, 18, 20, 21}}
    "Where elements of a symmetric matrix are among its 21";

  record Frame "Motion of a cut; all but r in its own axes"
    Real T[3, 3] "From the frame to the inertial one (0Ta)";
    Real r[3](each unit = "m") "From the inertial origin, in inertial axes";
    Real v[6] "Angular and linear velocity, eq. (1)";
    Real a[6] "Angular and linear acceleration, the latter without gravity";

    function equalityConstraint "Never needed: loops are closed by cut joints"
      input Frame f1;
      input Frame f2;
      output Real residue[27];
    algorithm
      assert(false, "close loops of MultibodyRecursive with a cut joint");
      residue := zeros(27);
    end equalityConstraint;
  end Frame;

  connector Cut "Mechanical interface: 0T, 0r, v, a / I, b with f = I a + b, eq. (14)"
    Frame frame;
    flow Real I[21] "Articulated inertia of the element: rows of its upper triangle";
    flow Real b[6] "Force on the element at zero acceleration";
  end Cut;

  connector Ext "Drive of a joint: q, qd, qdd / J, h with lambda = J qdd + h, (14) in one dimension"
    Coordinate x;
    flow Real J "Inertia of the element";
    flow Real h "Force on the element at zero acceleration";
  end Ext;

  partial model OneCut "MbsOneCut"
    Cut a;
  end OneCut;

  partial model TwoCuts "MbsTwoCut"
    Cut a;
    Cut b;
  end TwoCuts;

  model Inertial "Inertial system with uniform gravity"
    parameter Real g(unit = "m/s2") = 9.81 "Gravity";
    parameter Real ng[3] = {0, 0, -1} "Its direction" annotation(Evaluate = true);
    Cut b;
  equation
    Connections.root(b.frame);
    b.frame.T = identity(3);
    b.frame.r = zeros(3);
    b.frame.v = zeros(6);
    // A system at rest in gravity moves like one that is accelerated against it.
    b.frame.a = cat(1, zeros(3), -g*ng/sqrt(ng*ng));
  end Inertial;

  model Bar "Massless bar from a to b"
    extends TwoCuts;
    parameter Real r[3](each unit = "m") = zeros(3) "From a to b, in the home position";
  protected
    Real w[3] = a.frame.v[1:3] "Angular velocity";
    Real c[3] = cross(w, cross(w, r)) "Acceleration that the velocity makes (5c)";
    Shift shift(N11 = {{b.I[at[i, j]] for j in 1:3} for i in 1:3},
      N12 = {{b.I[at[i, j]] for j in 4:6} for i in 1:3},
      N22 = {{b.I[at[i, j]] for j in 4:6} for i in 4:6}, b = b.b, eta1 = zeros(3), eta2 = c, r = r);
  equation
    Connections.branch(a.frame, b.frame);
    // (4) with R = E and a constant r.
    b.frame.T = a.frame.T;
    b.frame.r = a.frame.r + a.frame.T*r;
    b.frame.v = a.frame.v + cat(1, zeros(3), cross(w, r));
    b.frame.a = a.frame.a + cat(1, zeros(3), cross(a.frame.a[1:3], r) + c);
    // (19) without a coordinate.
    for i in 1:3 loop
      for j in i:3 loop
        a.I[at[i, j]] = -shift.I11[i, j];
        a.I[at[i + 3, j + 3]] = -b.I[at[i + 3, j + 3]];
      end for;
      for j in 1:3 loop
        a.I[at[i, j + 3]] = -shift.I12[i, j];
      end for;
    end for;
    a.b = -cat(1, shift.b1, shift.b2);
  end Bar;

  model Shift "From b to a without turning: X' N X and X' (b + N eta) with X = [E 0; -skew(r) E]"
    input Real N11[3, 3] "Symmetric, at b";
    input Real N12[3, 3] "At b";
    input Real N22[3, 3] "Symmetric, at b and at a";
    input Real b[6] "Force at b";
    input Real eta1[3] "Angular acceleration";
    input Real eta2[3] "Linear acceleration";
    input Real r[3] "From a to b";
    Real I11[3, 3] = N11 - I12*S + S*transpose(N12) "At a";
    Real I12[3, 3] = N12 + S*N22 "At a";
    Real b1[3] = b[1:3] + N11*eta1 + N12*eta2 + S*b2 "Torque at a";
    Real b2[3] = b[4:6] + transpose(N12)*eta1 + N22*eta2 "Force at a";
  protected
    Real S[3, 3] = skew(r);
  end Shift;

  model Body "Newton and Euler in the form of (14): I of (11a), b of (11b)"
    extends OneCut;
    extends JointShapes.Mass;
  protected
    Real w[3] = a.frame.v[1:3] "Angular velocity";
    Real I[6, 6] = [Ia, m*skew(r); -m*skew(r), m*identity(3)] "(11a)";
  equation
    for i in 1:6 loop
      for j in i:6 loop
        a.I[at[i, j]] = I[i, j];
      end for;
    end for;
    a.b = cat(1, cross(w, Ia*w), m*cross(w, cross(w, r)));
  end Body;

  partial model Interact "Relative motion of two cuts, eq. (2) to (5)"
    extends TwoCuts;
    Real R[3, 3] "From a to b (4a)";
    Real r[3] "From a to b, in a (4b)";
    Real w[3] "Relative angular velocity, in a (4c, 4f)";
    Real v[3] "Derivative of r (4c, 4f)";
    Real w_dot[3] "Derivative of w (4d, 4g)";
    Real v_dot[3] "Derivative of v (4d, 4g)";
  protected
    Real wa[3] = a.frame.v[1:3] "Angular velocity of a";
  equation
    R = transpose(b.frame.T)*a.frame.T;
    r = transpose(a.frame.T)*(b.frame.r - a.frame.r);
    w = transpose(R)*b.frame.v[1:3] - wa;
    v = transpose(R)*b.frame.v[4:6] - a.frame.v[4:6] - cross(wa, r);
    w_dot = transpose(R)*b.frame.a[1:3] - a.frame.a[1:3] - cross(wa, w);
    v_dot = transpose(R)*b.frame.a[4:6] - a.frame.a[4:6] - cross(a.frame.a[1:3], r)
      - cross(wa, cross(wa, r) + 2*v);
  end Interact;

  partial model Force "Force element: F and M are functions of the relative motion"
    extends Interact;
    Real F[3](each unit = "N") "Force on the element at b, in a";
    Real M[3](each unit = "N.m") "Torque on the element at b, in a";
  equation
    b.I = zeros(21);
    a.I = zeros(21);
    b.b = cat(1, R*M, R*F);
    a.b = cat(1, -M - cross(r, F), -F);  // (4h)
  end Force;

  model Spring "Spring and damper along the line from a to b"
    extends Force;
    parameter Real c(unit = "N/m") = 0 "Stiffness";
    parameter Real d(unit = "N.s/m") = 0 "Damping";
    parameter Real s0(unit = "m") = 0 "Length without force";
    Real s(unit = "m") "Length";
    Real tension(unit = "N") "Pulls at both ends";
  equation
    s = sqrt(r*r);
    tension = c*(s - s0) + d*(r*v)/s;
    F = tension*r/s;
    M = zeros(3);
  end Spring;

  model Bushing "Six springs and dampers; for small angles"
    extends Force;
    parameter Real c[3](each unit = "N/m") = zeros(3) "Stiffness along the axes of a";
    parameter Real d[3](each unit = "N.s/m") = zeros(3) "Damping along the axes of a";
    parameter Real ct[3](each unit = "N.m/rad") = zeros(3) "Stiffness about the axes of a";
    parameter Real dt[3](each unit = "N.m.s/rad") = zeros(3) "Damping about the axes of a";
  equation
    F = c.*r + d.*v;
    M = ct.*{R[2, 3] - R[3, 2], R[3, 1] - R[1, 3], R[1, 2] - R[2, 1]}/2 + dt.*w;
  end Bushing;

  model AppliedForce "Force and torque from signals, in inertial axes"
    extends OneCut;
    RealInput force[3] "On what is connected to a";
    RealInput torque[3] "On what is connected to a";
  equation
    a.I = zeros(21);
    a.b = -cat(1, transpose(a.frame.T)*torque, transpose(a.frame.T)*force);
  end AppliedForce;

  model Sensor "Measures the motion of b seen from a, in a"
    extends Interact;
    RealOutput position[3] = r;
    RealOutput velocity[3] = v;
    RealOutput acceleration[3] = v_dot;
    RealOutput angular_velocity[3] = w;
    RealOutput angular_acceleration[3] = w_dot;
  equation
    a.I = zeros(21);
    a.b = zeros(6);
    b.I = zeros(21);
    b.b = zeros(6);
  end Sensor;

  partial model Joint "Recursion across a joint, eq. (16) to (19); locking, eq. (9)"
    extends JointShapes.Joint;
    extends TwoCuts;
    Ext ext[dofs] "Drives, one for each coordinate";
    input Boolean locked[dofs] = fill(false, dofs) "Holds a coordinate that is at rest (9)";
    Real lambda_l[dofs] "Generalised forces that hold locked coordinates (16a)";
    Real L[dofs] "Diagonal of L (9)";
    Real M[dofs, dofs] "Inertia felt by the coordinates (19d)";
    Real K[dofs, dofs] "inverse(M) (E - L*)";
    Real h[dofs] "Generalised forces at qdd = 0 (17a)";
    Real f[6] "Torque and force on the joint at b (16d)";
  protected
    Real U[6, dofs] "Ib Phi";
    Real W[6, dofs] "Ib Phi K";
    Real u[dofs] "Part of h that is known before accelerations";
    Real v[6] "Relative velocity (6), in b";
    Real va[6] "Velocity of a, in b";
    Real aa[6] "Acceleration of a, in b";
    Real ac[6] "C times the acceleration of a";
    Real eta[6] "xi + zeta (17c)";
    Real N11[3, 3] "Of (19c)";
    Real N12[3, 3] "Of (19c)";
    Real N22[3, 3] "Of (19c)";
    Shift shift(N11 = N11, N12 = N12, N22 = N22, b = b.b - W*u, eta1 = eta[1:3], eta2 = eta[4:6],
      r = r) "(19) in the axes of b";
  initial equation
    for i in 1:dofs loop
      if fixed and Connections.isRoot(ext[i].x) then
        q[i] = q_start[i];
        qd[i] = qd_start[i];
      end if;
    end for;
  equation
    Connections.branch(a.frame, b.frame);
    v = Phi*qd;
    va = cat(1, R*a.frame.v[1:3], R*a.frame.v[4:6]);
    aa = cat(1, R*a.frame.a[1:3], R*a.frame.a[4:6]);
    // (4a), (4e), (4f)
    b.frame.T = a.frame.T*transpose(R);
    b.frame.r = a.frame.r + b.frame.T*r;
    b.frame.v = va + cat(1, zeros(3), cross(va[1:3], r)) + v;
    // Towards the root: (9), (19)
    eta = zeta + cat(1, cross(va[1:3], v[1:3]), cross(va[1:3], cross(va[1:3], r) + 2*v[4:6]));
    for i in 1:6 loop
      U[i, :] = {{b.I[at[i, j]] for j in 1:6}*Phi[:, k] for k in 1:dofs};
      f[i] = {b.I[at[i, j]] for j in 1:6}*b.frame.a + b.b[i];
    end for;
    L = {if locked[i] then 1 else 0 for i in 1:dofs};
    M = transpose(Phi)*U + diagonal(ext.J);
    if dofs == 1 then
      K = {{(1 - L[1])/M[1, 1]}};  // (17d): L* = L
    else
      // K = inverse(M) (E - L*) and L K = 0 are, together, one regular system.
      (diagonal(ones(dofs) - L)*M + diagonal(L))*K = diagonal(ones(dofs) - L);
    end if;
    W = U*K;
    u = ext.h + transpose(Phi)*b.b;
    for i in 1:3 loop
      for j in i:3 loop
        N11[i, j] = b.I[at[i, j]] - W[i, :]*U[j, :];
        N22[i, j] = b.I[at[i + 3, j + 3]] - W[i + 3, :]*U[j + 3, :];
      end for;
      for j in 1:i - 1 loop
        N11[i, j] = N11[j, i];
        N22[i, j] = N22[j, i];
      end for;
      for j in 1:3 loop
        N12[i, j] = b.I[at[i, j + 3]] - W[i, :]*U[j + 3, :];
      end for;
    end for;
    for i in 1:3 loop
      for j in i:3 loop
        a.I[at[i, j]] = -R[:, i]*(shift.I11*R[:, j]);  // (19a)
        a.I[at[i + 3, j + 3]] = -R[:, i]*(N22*R[:, j]);
      end for;
      for j in 1:3 loop
        a.I[at[i, j + 3]] = -R[:, i]*(shift.I12*R[:, j]);
      end for;
    end for;
    a.b = -cat(1, transpose(R)*shift.b1, transpose(R)*shift.b2);  // (19b)
    // Towards the tips: (16), (17)
    ac = aa + cat(1, zeros(3), cross(aa[1:3], r));
    h = transpose(U)*(ac + eta) + u;
    qdd = -K*h;
    lambda_l = if dofs == 1 then -L.*h else -(h + M*qdd);
    b.frame.a = ac + Phi*qdd + eta;
    // Cut ext: of all that is tied to a coordinate, one integrates it.
    for i in 1:dofs loop
      Connections.potentialRoot(ext[i].x, 0);
      if Connections.isRoot(ext[i].x) then
        der(q[i]) = qd[i];
        der(qd[i]) = qdd[i];
      end if;
      ext[i].x.q = q[i];
      ext[i].x.qd = qd[i];
      ext[i].x.qdd = qdd[i];
    end for;
  end Joint;

  model Revolute "Turns about n"
    extends Joint(final dofs = 1);
    extends JointShapes.Revolute;
  end Revolute;

  model Prismatic "Slides along n"
    extends Joint(final dofs = 1);
    extends JointShapes.Prismatic;
  end Prismatic;

  model Cylindrical "Turns about n and slides along it"
    extends Joint(final dofs = 2);
    extends JointShapes.Cylindrical;
  end Cylindrical;

  model Universal "Turns about n1 and n2"
    extends Joint(final dofs = 2);
    extends JointShapes.Universal;
  end Universal;

  model Planar "Slides in a plane and turns about its normal"
    extends Joint(final dofs = 3);
    extends JointShapes.Planar;
  end Planar;

  model Spherical "Turns about x, y, z by Cardan angles"
    extends Joint(final dofs = 3);
    extends JointShapes.Spherical;
  end Spherical;

  model Free "Six freedoms: position, Cardan angles"
    extends Joint(final dofs = 6);
    extends JointShapes.Free;
  end Free;

  partial model CutJoint "Closes a loop, eq. (20): m constraints decide m coordinates of the rest"
    extends Interact;
    parameter Integer m(min = 1) "Number of constraints" annotation(Evaluate = true);
    Ext rest[m] "To be connected to the joints whose coordinates follow from the others";
    Real g[m] "(20a)";
    Real gd[m] "Derivative of g (20b)";
    Real gdd[m] "Second derivative of g leads to (20c)";
    Real lambda_c[m] "Generalised constraint forces";
    Real F[3] "Force on the element at b, in a: linear in lambda_c";
    Real M[3] "Torque on the element at b, in a: linear in lambda_c";
  equation
    g = zeros(m);
    gd = zeros(m);
    gdd = zeros(m);
    for i in 1:m loop
      Connections.root(rest[i].x);
      rest[i].J = 0;
      rest[i].h = 0;
    end for;
    b.I = zeros(21);
    a.I = zeros(21);
    b.b = cat(1, R*M, R*F);
    a.b = cat(1, -M - cross(r, F), -F);  // (4h)
  end CutJoint;

  model CutSpherical "Keeps a and b together"
    extends CutJoint(final m = 3);
  equation
    g = r;
    gd = v;
    gdd = v_dot;
    F = lambda_c;
    M = zeros(3);
  end CutSpherical;

  model CutPlanar "Keeps a and b together along n1 and n2: revolute joint of a plane mechanism"
    extends CutJoint(final m = 2);
    parameter Real n1[3] = {1, 0, 0} "Direction in the plane, in a" annotation(Evaluate = true);
    parameter Real n2[3] = {0, 1, 0} "Other direction in the plane, in a" annotation(Evaluate = true);
  equation
    g = {n1*r, n2*r};
    gd = {n1*v, n2*v};
    gdd = {n1*v_dot, n2*v_dot};
    F = n1*lambda_c[1] + n2*lambda_c[2];
    M = zeros(3);
  end CutPlanar;

  model CutRevolute "Keeps a and b together and their axes n parallel"
    extends CutJoint(final m = 5);
    parameter Real n[3] = {0, 0, 1} "Axis, in the home position" annotation(Evaluate = true);
    parameter Real n1[3] = {1, 0, 0} "Any direction that is not parallel to n"
      annotation(Evaluate = true);
    final parameter Real e1[3] = cross(n, n1)/sqrt(cross(n, n1)*cross(n, n1))
      "At right angles to n" annotation(Evaluate = true);
    final parameter Real e2[3] = cross(n, e1)/sqrt(cross(n, e1)*cross(n, e1))
      "At right angles to both" annotation(Evaluate = true);
    Real nb[3] "Axis of b, in a";
    Real nb_d[3] "Its derivative";
    Real nb_dd[3] "Its second derivative";
  equation
    nb = transpose(R)*n/sqrt(n*n);
    nb_d = cross(w, nb);
    nb_dd = cross(w_dot, nb) + cross(w, nb_d);
    g = cat(1, r, {e1*nb, e2*nb});
    gd = cat(1, v, {e1*nb_d, e2*nb_d});
    gdd = cat(1, v_dot, {e1*nb_dd, e2*nb_dd});
    F = lambda_c[1:3];
    M = cross(nb, e1)*lambda_c[4] + cross(nb, e2)*lambda_c[5];
  end CutRevolute;

  model CutRod "Keeps a and b at a distance: massless rod between two spherical joints"
    extends CutJoint(final m = 1);
    parameter Real length(unit = "m") = 1 "Length of the rod";
  equation
    g = {(r*r - length^2)/2};
    gd = {r*v};
    gdd = {r*v_dot + v*v};
    F = r*lambda_c[1];
    M = zeros(3);
  end CutRod;

  model Rotor "Inertia that turns with a coordinate"
    parameter Real J(unit = "kg.m2") = 0 "Moment of inertia";
    Ext ext;
  equation
    ext.J = J;
    ext.h = 0;
  end Rotor;

  model Gear "a turns i times as far as b"
    parameter Real i = 1 "Gear ratio";
    Ext a;
    Ext b;
  equation
    Connections.branch(a.x, b.x);
    a.x.q = i*b.x.q;
    a.x.qd = i*b.x.qd;
    a.x.qdd = i*b.x.qdd;
    b.J = -i^2*a.J;
    b.h = -i*a.h;
  end Gear;

  model Drive "Where a shaft drives a joint; its torque must not depend on qdd"
    Couplet.Interfaces.Axis axis "Shaft";
    Ext ext "Joint";
  equation
    Connections.branch(axis.x, ext.x);
    axis.x.q = ext.x.q;
    axis.x.qd = ext.x.qd;
    axis.x.qdd = ext.x.qdd;
    ext.J = 0;
    ext.h = -axis.f;
  end Drive;

  model Torque "Generalised force from a signal"
    RealInput tau "On the joint";
    Ext ext;
  equation
    ext.J = 0;
    ext.h = -tau;
  end Torque;

  model Friction "Coulomb friction of a joint, which it locks: eq. (8) and (9)"
    parameter Real tau0 = 0 "Friction at speed 0";
    parameter Real tau1 = 0 "More friction with the speed";
    parameter Real peak(min = 1) = 1 "It breaks loose at peak tau0";
    input Real lambda_l "Of the joint";
    Ext ext;
    Rotational.StickSlip law(w = ext.x.qd, a = ext.x.qdd, lambda = lambda_l, tau0 = tau0,
      tau1 = tau1, tau_max = peak*tau0);
    BooleanOutput locked = law.locked "For the joint";
    Integer mode = law.mode;
  equation
    ext.J = 0;
    ext.h = law.tau;
  end Friction;
  annotation(Documentation(info = "
Cut a of a joint is nearer to the inertial system than cut b. Motions cannot be prescribed: what is known and what is
not is built in, as in the paper. For inverse problems use <code>Multibody</code>."));
end MultibodyRecursive;
