within Couplet.Examples;
model JointFriction "A double pendulum whose joints rub and come to rest: L as function of qd and lambda"
  replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
  Mbs.Inertial i;
  Mbs.Revolute r1(n = {0, 1, 0}, q_start = {1.2}, locked = {f1.locked});
  Mbs.Revolute r2(n = {0, 1, 0}, q_start = {0.4}, locked = {f2.locked});
  Mbs.Friction f1(tau0 = 0.8, peak = 1.3, lambda_l = r1.lambda_l[1]);
  Mbs.Friction f2(tau0 = 0.4, tau1 = 0.01, lambda_l = r2.lambda_l[1]);
  Mbs.Bar b1(r = {0, 0, -0.5});
  Mbs.Body m1(m = 1, r = {0, 0, -0.25}, I22 = 0.02);
  Mbs.Body m2(m = 1, r = {0, 0, -0.25}, I22 = 0.02);
equation
  connect(i.b, r1.a);
  connect(r1.b, b1.a);
  connect(r1.b, m1.a);
  connect(b1.b, r2.a);
  connect(r2.b, m2.a);
  connect(f1.ext, r1.ext[1]);
  connect(f2.ext, r2.ext[1]);
  annotation(experiment(StopTime = 5));
end JointFriction;
