within Couplet;
package Multibody "Mechanisms as equations without direction (section 4): mbs.lib of the paper"
  import Couplet.Interfaces.{Coordinate, RealInput, RealOutput, BooleanOutput};

  record Frame "Motion of a cut; all but r in its own axes"
    Real T[3, 3] "From the frame to the inertial one (0Ta)";
    Real r[3](each unit = "m") "From the inertial origin, in inertial axes";
    Real v[6] "Angular and linear velocity, eq. (1)";
    Real a[6] "Angular and linear acceleration, the latter without gravity";

    function equalityConstraint "What closes a loop that no cut joint closes"
      input Frame f1;
      input Frame f2;
      output Real residue[6];
    algorithm
      residue := cat(1, {f1.T[:, 3]*f2.T[:, 2], f1.T[:, 1]*f2.T[:, 3], f1.T[:, 2]*f2.T[:, 1]},
        f2.r - f1.r);
    end equalityConstraint;
  end Frame;

  connector Cut "Mechanical interface: 0T, 0r, v, a / f"
    Frame frame;
    flow Real f[6] "Torque and force on the element, in the axes of the cut";
  end Cut;

  connector Ext = Couplet.Interfaces.Axis "Drive of a joint: q, qd, qdd / lambda";

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
  equation
    Connections.branch(a.frame, b.frame);
    // (4) with R = E and a constant r.
    b.frame.T = a.frame.T;
    b.frame.r = a.frame.r + a.frame.T*r;
    b.frame.v = a.frame.v + cat(1, zeros(3), cross(w, r));
    b.frame.a = a.frame.a + cat(1, zeros(3), cross(a.frame.a[1:3], r) + cross(w, cross(w, r)));
    zeros(3) = a.f[4:6] + b.f[4:6];
    zeros(3) = a.f[1:3] + b.f[1:3] + cross(r, b.f[4:6]);
  end Bar;

  model Body "Newton and Euler, eq. (10) and (11)"
    extends OneCut;
    extends JointShapes.Mass;
  protected
    Real w[3] = a.frame.v[1:3] "Angular velocity";
    Real z[3] = a.frame.a[1:3] "Angular acceleration";
  equation
    a.f[1:3] = Ia*z + m*cross(r, a.frame.a[4:6]) + cross(w, Ia*w);
    a.f[4:6] = m*(a.frame.a[4:6] + cross(z, r) + cross(w, cross(w, r)));
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
    b.f = cat(1, R*M, R*F);
    a.f = cat(1, -M - cross(r, F), -F);  // (4h)
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
    a.f = -cat(1, transpose(a.frame.T)*torque, transpose(a.frame.T)*force);
  end AppliedForce;

  model Sensor "Measures the motion of b seen from a, in a"
    extends Interact;
    RealOutput position[3] = r;
    RealOutput velocity[3] = v;
    RealOutput acceleration[3] = v_dot;
    RealOutput angular_velocity[3] = w;
    RealOutput angular_acceleration[3] = w_dot;
  equation
    a.f = zeros(6);
    b.f = zeros(6);
  end Sensor;

  partial model Joint "Relative motion by coordinates, eq. (4), (6); locking, eq. (8), (9)"
    extends JointShapes.Joint;
    extends TwoCuts;
    Ext ext[dofs] "Drives, one for each coordinate";
    input Boolean locked[dofs] = fill(false, dofs) "Holds a coordinate that is at rest (9)";
    Real lambda_a[dofs] "Generalised applied forces";
    Real lambda_l[dofs] "Generalised forces that hold locked coordinates";
  protected
    Real v[6] "Relative velocity (6), in b";
    Real va[6] "Velocity of a, in b";
    Real aa[6] "Acceleration of a, in b";
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
    // (4a), (4e), (4f), (4g) with C of (5b) and xi of (5c), all in b.
    b.frame.T = a.frame.T*transpose(R);
    b.frame.r = a.frame.r + b.frame.T*r;
    b.frame.v = va + cat(1, zeros(3), cross(va[1:3], r)) + v;
    b.frame.a = aa + cat(1, cross(va[1:3], v[1:3]), cross(aa[1:3], r)
      + cross(va[1:3], cross(va[1:3], r) + 2*v[4:6])) + Phi*qdd + zeta;
    // (4h)
    a.f[1:3] = -transpose(R)*(b.f[1:3] + cross(r, b.f[4:6]));
    a.f[4:6] = -transpose(R)*b.f[4:6];
    // (8a), (8b)
    zeros(dofs) = lambda_a + lambda_l + transpose(Phi)*b.f;
    for i in 1:dofs loop
      0 = if locked[i] then qdd[i] else lambda_l[i];
    end for;
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
      ext[i].f = lambda_a[i];
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

  partial model CutJoint "Closes a loop, eq. (13): m constraints decide m coordinates of the rest"
    extends Interact;
    parameter Integer m(min = 1) "Number of constraints" annotation(Evaluate = true);
    Ext rest[m] "To be connected to the joints whose coordinates follow from the others";
    Real g[m] "(13b)";
    Real gd[m] "Derivative of g (13c)";
    Real gdd[m] "Second derivative of g (13d)";
    Real lambda_c[m] "Generalised constraint forces";
    Real F[3] "Force on the element at b, in a: linear in lambda_c";
    Real M[3] "Torque on the element at b, in a: linear in lambda_c";
  equation
    g = zeros(m);
    gd = zeros(m);
    gdd = zeros(m);
    for i in 1:m loop
      Connections.root(rest[i].x);
      rest[i].f = 0;
    end for;
    b.f = cat(1, R*M, R*F);
    a.f = cat(1, -M - cross(r, F), -F);  // (4h)
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
    ext.f = J*ext.x.qdd;
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
    0 = i*a.f + b.f;
  end Gear;

  model Drive "Where a shaft drives a joint"
    Couplet.Interfaces.Axis axis "Shaft";
    Ext ext "Joint";
  equation
    Connections.branch(axis.x, ext.x);
    axis.x.q = ext.x.q;
    axis.x.qd = ext.x.qd;
    axis.x.qdd = ext.x.qdd;
    0 = axis.f + ext.f;
  end Drive;

  model Torque "Generalised force from a signal"
    RealInput tau "On the joint";
    Ext ext;
  equation
    ext.f = -tau;
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
    ext.f = law.tau;
  end Friction;
end Multibody;
