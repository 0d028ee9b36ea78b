within Couplet.Examples;
model DoublePendulum "Double pendulum with a spring: fig. 4 of the paper"
  replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
  Mbs.Inertial i(ng = {0, 0, 1}, g = 9.81);
  Mbs.Revolute r1(n = {0, 1, 0}, q_start = {0.5});
  Mbs.Revolute r2(n = {0, 1, 0}, q_start = {-0.3});
  Mbs.Bar b1(r = {0, 0, 0.5});
  Mbs.Bar b2(r = {0, 0, 0.4});
  Mbs.Bar b3(r = {0, 0, 1.3});
  Mbs.Body m1(m = 1, r = {0, 0, 0.25});
  Mbs.Body m2(m = 1, r = {0, 0, 0.2});
  Mbs.Spring s(c = 1, s0 = 0.5);
equation
  connect(i.b, r1.a);
  connect(r1.b, b1.a);
  connect(b1.b, r2.a);
  connect(r2.b, b2.a);
  connect(i.b, b3.a);
  connect(r1.b, m1.a);
  connect(r2.b, m2.a);
  connect(b3.b, s.a);
  connect(b2.b, s.b);
  annotation(experiment(StopTime = 10));
end DoublePendulum;
