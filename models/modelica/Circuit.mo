package Circuit "A resistor and a capacitor in series with a source: connectors, inheritance, flow variables"
  connector Pin
    Real v "V";
    flow Real i "A, into the component";
  end Pin;

  partial model TwoPins
    Pin p, n;
    Real v "Voltage from n to p";
  equation
    v = p.v - n.v;
    p.i + n.i = 0;
  end TwoPins;

  model Resistor
    extends TwoPins;
    parameter Real R = 1 "Ohm";
  equation
    v = R * p.i;
  end Resistor;

  model Capacitor
    extends TwoPins;
    parameter Real C = 1 "F";
  equation
    C * der(v) = p.i;
  end Capacitor;

  model Source
    extends TwoPins;
    parameter Real V = 1 "V";
  equation
    v = V * sin(time);
  end Source;

  model Ground
    Pin p;
  equation
    p.v = 0;
  end Ground;

  model Main
    Source source(V = 5);
    Resistor resistor(R = 100);
    Capacitor capacitor(C = 1e-3);
    Ground ground;
  equation
    connect(source.p, resistor.p);
    connect(resistor.n, capacitor.p);
    connect(capacitor.n, source.n);
    connect(source.n, ground.p);
  end Main;
end Circuit;
