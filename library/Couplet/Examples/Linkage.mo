within Couplet.Examples;
model Linkage "Two cranks that do not lie in a plane, with a massless rod between them"
  replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
  Mbs.Inertial i;
  Mbs.Revolute driving(n = {0, 0, 1}, qd_start = {3});
  Mbs.Bar left(r = {0.1, 0, 0});
  Mbs.Bar base(r = {0.4, 0, 0.1});
  Mbs.Revolute driven(n = {0, 1, 0.2}, q_start = {0.3}) "Follows";
  Mbs.Bar right(r = {0, 0, 0.3});
  Mbs.CutRod rod(length = 0.5);
  Mbs.Body m1(m = 0.4, r = {0.05, 0, 0}, I11 = 1e-4, I22 = 1e-3, I33 = 1e-3);
  Mbs.Body m2(m = 1, r = {0, 0, 0.15}, I11 = 8e-3, I22 = 8e-3, I33 = 1e-4);
equation
  connect(i.b, driving.a);
  connect(driving.b, m1.a);
  connect(driving.b, left.a);
  connect(i.b, base.a);
  connect(base.b, driven.a);
  connect(driven.b, m2.a);
  connect(driven.b, right.a);
  connect(left.b, rod.a);
  connect(right.b, rod.b);
  connect(rod.rest[1], driven.ext[1]);
  annotation(experiment(StopTime = 2));
end Linkage;
