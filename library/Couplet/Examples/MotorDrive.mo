within Couplet.Examples;
model MotorDrive "A direct-current motor with both gears of the r3 and a load"
  Electrical.Ground ground;
  Electrical.ConstantVoltage source(V = 24);
  Electrical.Resistor R(R = 0.5);
  Electrical.Inductor L(L = 1e-3);
  Electrical.EMF emf(k = 0.05);
  Rotational.Inertia rotor(J = 1e-4);
  Rotational.ElasticGear elastic(i = 20, c = 10, d = 0.05, tau0 = 0.02, peak = 1.2);
  Rotational.Inertia shaft(J = 0.01);
  Rotational.RigidGear rigid(i = 3, tau0 = 0.5, tau1 = 0.01);
  Rotational.Inertia load(J = 0.5);
  Rotational.Sensor sensor;
equation
  connect(ground.p, source.n);
  connect(source.p, R.p);
  connect(R.n, L.p);
  connect(L.n, emf.p);
  connect(emf.n, ground.p);
  connect(emf.shaft, rotor.a);
  connect(rotor.b, elastic.a);
  connect(elastic.b, shaft.a);
  connect(shaft.b, rigid.a);
  connect(rigid.b, load.a);
  connect(load.b, sensor.a);
  annotation(experiment(StopTime = 2));
end MotorDrive;
