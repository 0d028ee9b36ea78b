within Couplet.Examples;
model LockedUniversal "A universal joint that locks its second axis for a while: (17d) in two dimensions"
  replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
  Mbs.Inertial i;
  Mbs.Universal u(n1 = {1, 0, 0}, n2 = {0, 1, 0}, q_start = {0.4, 0}, locked = {false, holds});
  Mbs.Body body(m = 2, r = {0.1, 0.2, -0.5}, I11 = 0.1, I22 = 0.2, I33 = 0.15, I21 = 0.01);
  Boolean holds = time < 1 "The second axis, at rest at the start";
equation
  connect(i.b, u.a);
  connect(u.b, body.a);
  annotation(experiment(StopTime = 2));
end LockedUniversal;
