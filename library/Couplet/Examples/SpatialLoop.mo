within Couplet.Examples;
model SpatialLoop "Two cranks, a coupler with a spherical and a universal joint; a revolute joint is cut"
  replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
  Mbs.Inertial i;
  Mbs.Revolute driving(n = {0, 0, 1}, qd_start = {2});
  Mbs.Bar crank(r = {0.1, 0, 0});
  Mbs.Spherical ball(q_start = {0.1, 0.1, 0.1}) "Follows";
  Mbs.Bar coupler(r = {0.4, 0.1, 0});
  Mbs.Universal joint(n1 = {1, 0, 0}, n2 = {0, 0, 1}) "Follows";
  Mbs.Bar rocker(r = {0, 0, 0.3});
  Mbs.Bar base(r = {0.5, 0.1, 0.3});
  Mbs.CutRevolute cut(n = {0, 1, 0});
  Mbs.Body m1(m = 0.4, r = {0.05, 0, 0}, I11 = 1e-4, I22 = 1e-3, I33 = 1e-3);
  Mbs.Body m2(m = 1, r = {0.2, 0.05, 0}, I11 = 1e-3, I22 = 1.4e-2, I33 = 1.4e-2);
  Mbs.Body m3(m = 0.6, r = {0, 0, 0.15}, I11 = 5e-3, I22 = 5e-3, I33 = 1e-4);
equation
  connect(i.b, driving.a);
  connect(driving.b, m1.a);
  connect(driving.b, crank.a);
  connect(crank.b, ball.a);
  connect(ball.b, m2.a);
  connect(ball.b, coupler.a);
  connect(coupler.b, joint.a);
  connect(joint.b, m3.a);
  connect(joint.b, rocker.a);
  connect(i.b, base.a);
  connect(base.b, cut.a);
  connect(rocker.b, cut.b);
  connect(cut.rest[1:3], ball.ext);
  connect(cut.rest[4:5], joint.ext);
  annotation(experiment(StopTime = 1));
end SpatialLoop;
