within Couplet;
package JointShapes "Relative motion of joints as functions of their coordinates, eq. (6)"
  partial model Joint "R(q), r(q), Phi(q), zeta(q, qd)"
    parameter Integer dofs(min = 1) "Number of freedoms" annotation(Evaluate = true);
    parameter Real q_start[dofs] = zeros(dofs) "Coordinates at the start, or the guess for them";
    parameter Real qd_start[dofs] = zeros(dofs) "Speeds at the start, or the guess for them";
    parameter Boolean fixed = true "Start from q_start, qd_start; otherwise something else decides"
      annotation(Evaluate = true);
    Real q[dofs](start = q_start) "Coordinates; 0 in the home position";
    Real qd[dofs](start = qd_start) "Their derivatives";
    Real qdd[dofs] "Their second derivatives";
    Real R[3, 3] "From frame a to frame b (bTa of the paper)";
    Real r[3] "From a to b, in b";
    Real Phi[6, dofs] "Relative velocity Phi qd in b, angular part first";
    Real zeta[6] "Relative acceleration Phi qdd + zeta in b";
  end Joint;

  partial model Revolute "Turns about n"
    extends Joint(final dofs = 1);
    parameter Real n[3] = {0, 0, 1} "Axis, in the home position" annotation(Evaluate = true);
    final parameter Real e[3] = n/sqrt(n*n) "Unit vector" annotation(Evaluate = true);
  equation
    R = [e]*transpose([e]) + (identity(3) - [e]*transpose([e]))*cos(q[1]) - skew(e)*sin(q[1]);
    r = zeros(3);
    Phi = [e; zeros(3)];
    zeta = zeros(6);
  end Revolute;

  partial model Prismatic "Slides along n"
    extends Joint(final dofs = 1);
    parameter Real n[3] = {0, 0, 1} "Axis, in the home position" annotation(Evaluate = true);
    final parameter Real e[3] = n/sqrt(n*n) "Unit vector" annotation(Evaluate = true);
  equation
    R = identity(3);
    r = e*q[1];
    Phi = [zeros(3); e];
    zeta = zeros(6);
  end Prismatic;

  partial model Cylindrical "Turns about n by q[1] and slides along it by q[2]"
    extends Joint(final dofs = 2);
    parameter Real n[3] = {0, 0, 1} "Axis, in the home position" annotation(Evaluate = true);
    final parameter Real e[3] = n/sqrt(n*n) "Unit vector" annotation(Evaluate = true);
  equation
    R = [e]*transpose([e]) + (identity(3) - [e]*transpose([e]))*cos(q[1]) - skew(e)*sin(q[1]);
    r = e*q[2];
    Phi = [e, zeros(3); zeros(3), e];
    zeta = zeros(6);
  end Cylindrical;

  partial model Universal "Turns about n1, which a carries, and n2, which b carries"
    extends Joint(final dofs = 2);
    parameter Real n1[3] = {1, 0, 0} "First axis, in the home position" annotation(Evaluate = true);
    parameter Real n2[3] = {0, 1, 0} "Second axis, in the home position" annotation(Evaluate = true);
    final parameter Real e1[3] = n1/sqrt(n1*n1) "Unit vector" annotation(Evaluate = true);
    final parameter Real e2[3] = n2/sqrt(n2*n2) "Unit vector" annotation(Evaluate = true);
    Real R1[3, 3] "About the first axis";
    Real R2[3, 3] "About the second axis";
  equation
    R1 = [e1]*transpose([e1]) + (identity(3) - [e1]*transpose([e1]))*cos(q[1]) - skew(e1)*sin(q[1]);
    R2 = [e2]*transpose([e2]) + (identity(3) - [e2]*transpose([e2]))*cos(q[2]) - skew(e2)*sin(q[2]);
    R = R2*R1;
    r = zeros(3);
    Phi = [R2*e1, e2; zeros(3, 2)];
    zeta = cat(1, R2*cross(e1, e2)*qd[1]*qd[2], zeros(3));
  end Universal;

  partial model Planar "Slides along e1 by q[1], along e2 by q[2] and turns about n by q[3]"
    extends Joint(final dofs = 3);
    parameter Real n[3] = {0, 0, 1} "Normal of the plane, in the home position"
      annotation(Evaluate = true);
    parameter Real n1[3] = {1, 0, 0} "Direction of q[1], at right angles to n"
      annotation(Evaluate = true);
    final parameter Real e[3] = n/sqrt(n*n) "Unit vector" annotation(Evaluate = true);
    final parameter Real e1[3] = n1/sqrt(n1*n1) "Unit vector" annotation(Evaluate = true);
    final parameter Real e2[3] = cross(e, e1) "Direction of q[2]" annotation(Evaluate = true);
  equation
    assert(abs(n*n1) < 1e-10, "n1 must be at right angles to n");
    R = [e]*transpose([e]) + (identity(3) - [e]*transpose([e]))*cos(q[3]) - skew(e)*sin(q[3]);
    r = R*(e1*q[1] + e2*q[2]);
    Phi = [zeros(3, 2), e; R*e1, R*e2, zeros(3)];
    zeta = zeros(6);
  end Planar;

  model CardanAngles "Three turns, about x, y and z, as columns of W"
    input Real angle[3] "About x, then the new y, then the new z";
    input Real speed[3] "Their derivatives";
    Real R[3, 3] "All three";
    Real W[3, 3] "Angular velocity W speed, in b";
    Real w_dot[3] "Angular acceleration but for W times the second derivatives, in b";
  protected
    Real Rx[3, 3];
    Real Ry[3, 3];
    Real Rz[3, 3];
  equation
    Rx = [1, 0, 0; 0, cos(angle[1]), sin(angle[1]); 0, -sin(angle[1]), cos(angle[1])];
    Ry = [cos(angle[2]), 0, -sin(angle[2]); 0, 1, 0; sin(angle[2]), 0, cos(angle[2])];
    Rz = [cos(angle[3]), sin(angle[3]), 0; -sin(angle[3]), cos(angle[3]), 0; 0, 0, 1];
    R = Rz*Ry*Rx;
    W = [Rz*Ry*{1, 0, 0}, Rz*{0, 1, 0}, {0, 0, 1}];
    w_dot = cross(W[:, 1], W[:, 2])*speed[1]*speed[2] + cross(W[:, 1], W[:, 3])*speed[1]*speed[3]
      + cross(W[:, 2], W[:, 3])*speed[2]*speed[3];
  end CardanAngles;

  partial model Spherical "Turns about x, y, z by Cardan angles; singular at q[2] = 90 deg"
    extends Joint(final dofs = 3);
    CardanAngles cardan(angle = q, speed = qd);
  equation
    R = cardan.R;
    r = zeros(3);
    Phi = [cardan.W; zeros(3, 3)];
    zeta = cat(1, cardan.w_dot, zeros(3));
  end Spherical;

  partial model Free "Position q[1:3] and Cardan angles q[4:6]; singular at q[5] = 90 deg"
    extends Joint(final dofs = 6);
    CardanAngles cardan(angle = q[4:6], speed = qd[4:6]);
  equation
    R = cardan.R;
    r = R*q[1:3];
    Phi = [zeros(3, 3), cardan.W; R, zeros(3, 3)];
    zeta = cat(1, cardan.w_dot, zeros(3));
  end Free;

  partial model Mass "Mass properties of a body, eq. (11a) and (11c)"
    parameter Real m(unit = "kg", min = 0) = 0 "Mass";
    parameter Real r[3](each unit = "m") = zeros(3) "From a to the centre of mass, in a";
    parameter Real I11(unit = "kg.m2") = 0 "Inertia about the centre of mass, axes as in a";
    parameter Real I22(unit = "kg.m2") = 0 "Inertia about the centre of mass";
    parameter Real I33(unit = "kg.m2") = 0 "Inertia about the centre of mass";
    parameter Real I21(unit = "kg.m2") = 0 "Element of the matrix: minus the product of inertia";
    parameter Real I31(unit = "kg.m2") = 0 "Element of the matrix";
    parameter Real I32(unit = "kg.m2") = 0 "Element of the matrix";
    final parameter Real Ia[3, 3] = [I11, I21, I31; I21, I22, I32; I31, I32, I33]
      - m*skew(r)*skew(r) "About the origin of a (11c)";
  end Mass;
end JointShapes;
