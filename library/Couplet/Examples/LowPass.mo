within Couplet.Examples;
model LowPass "Second-order low pass after Sallen and Key with an ideal amplifier"
  Electrical.Ground ground;
  Electrical.SineVoltage source(V = 1, frequency = 50);
  Electrical.Resistor R1(R = 1e4), R2(R = 1e4);
  Electrical.Capacitor C1(C = 1e-6), C2(C = 0.5e-6);
  Electrical.OpAmpIdeal amplifier;
equation
  connect(ground.p, source.n);
  connect(source.p, R1.p);
  connect(R1.n, R2.p);
  connect(R1.n, C1.p);
  connect(C1.n, amplifier.out);
  connect(R2.n, amplifier.plus);
  connect(R2.n, C2.p);
  connect(C2.n, ground.p);
  connect(amplifier.minus, amplifier.out);
  annotation(experiment(StopTime = 0.2));
end LowPass;
