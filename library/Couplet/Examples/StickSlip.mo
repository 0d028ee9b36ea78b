within Couplet.Examples;
model StickSlip "A pulled spring drags a disc that sticks and slips"
  Rotational.Inertia disc(J = 0.01);
  Rotational.BearingFriction bearing(tau0 = 1, peak = 1.5);
  Rotational.SpringDamper spring(c = 5, d = 0.02);
  Rotational.Motion pull(q = 0.5*time, qd = 0.5, qdd = 0);
equation
  connect(pull.b, spring.a);
  connect(spring.b, disc.a);
  connect(disc.b, bearing.a);
  annotation(experiment(StopTime = 3));
end StickSlip;
