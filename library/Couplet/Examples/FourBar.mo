within Couplet.Examples;
model FourBar "Four-bar loop: A is the state, C is cut, B and D follow; eq. (13)"
  replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
  parameter Real crank(unit = "m") = 0.10 "Length of A-B";
  parameter Real coupler(unit = "m") = 0.30 "Length of B-C";
  parameter Real rocker(unit = "m") = 0.25 "Length of D-C";
  parameter Real base(unit = "m") = 0.32 "Distance A-D";
  parameter Real q0(unit = "rad") = 1.0471975511965976 "Angle of the crank at the start";
  Mbs.Inertial i;
  Mbs.Revolute A(n = {0, 1, 0}, q_start = {q0});
  Mbs.Revolute B(n = {0, 1, 0}, q_start = {-0.5}) "Follows; q_start is the guess";
  Mbs.Revolute D(n = {0, 1, 0}, q_start = {1.6}) "Follows; q_start is the guess";
  Mbs.CutPlanar C(n1 = {1, 0, 0}, n2 = {0, 0, 1});
  Mbs.Bar AB(r = {crank, 0, 0});
  Mbs.Bar BC(r = {coupler, 0, 0});
  Mbs.Bar AD(r = {base, 0, 0});
  Mbs.Bar DC(r = {rocker, 0, 0});
  Mbs.Body mA(m = 0.2, r = {crank/2, 0, 0}, I22 = 0.2*crank^2/12);
  Mbs.Body mB(m = 0.5, r = {coupler/2, 0, 0}, I22 = 0.5*coupler^2/12);
  Mbs.Body mD(m = 0.4, r = {rocker/2, 0, 0}, I22 = 0.4*rocker^2/12);
equation
  connect(i.b, A.a);
  connect(A.b, AB.a);
  connect(A.b, mA.a);
  connect(AB.b, B.a);
  connect(B.b, BC.a);
  connect(B.b, mB.a);
  connect(i.b, AD.a);
  connect(AD.b, D.a);
  connect(D.b, DC.a);
  connect(D.b, mD.a);
  connect(BC.b, C.a);
  connect(DC.b, C.b);
  // The two constraints of C decide the angles of B and D.
  connect(C.rest[1], B.ext[1]);
  connect(C.rest[2], D.ext[1]);
  annotation(experiment(StopTime = 2));
end FourBar;
