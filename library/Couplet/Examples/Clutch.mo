within Couplet.Examples;
model Clutch "Two inertias that a clutch joins and lets go"
  Rotational.Inertia driving(J = 1, qd_start = 10);
  Rotational.Inertia driven(J = 0.5);
  Rotational.Clutch clutch(tau_max = 8, peak = 1.1);
  Rotational.BearingFriction bearing(tau0 = 0.5, tau1 = 0.02);
  Rotational.Fixed wall;
  Rotational.SpringDamper spring(c = 4, d = 0.1);
  Blocks.Pulse press(period = 2, width = 0.6);
equation
  connect(driving.b, clutch.a);
  connect(clutch.b, driven.a);
  connect(driven.b, bearing.a);
  connect(wall.b, spring.a);
  connect(spring.b, bearing.b);
  connect(press.y, clutch.u);
  annotation(experiment(StopTime = 6));
end Clutch;
