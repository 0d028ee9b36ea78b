within Couplet;
package Electrical "Circuits"
  import Couplet.Interfaces.{Pin, Axis, RealInput, RealOutput};

  partial model TwoPins "Current i flows from p to n, voltage v = p.v - n.v"
    Pin p;
    Pin n;
    Real v(unit = "V") "Voltage";
    Real i(unit = "A") "Current from p to n";
  equation
    v = p.v - n.v;
    p.i = i;
    n.i = -i;
  end TwoPins;

  model Ground "Potential 0"
    Pin p;
  equation
    p.v = 0;
  end Ground;

  model Resistor "v = R i"
    extends TwoPins;
    parameter Real R(unit = "Ohm") = 1 "Resistance";
  equation
    v = R*i;
  end Resistor;

  model Capacitor "i = C v'; fig. 2 of the paper"
    extends TwoPins;
    parameter Real C(unit = "F") = 1 "Capacitance";
    parameter Boolean fixed = true "Start from v_start; otherwise something else decides"
      annotation(Evaluate = true);
    parameter Real v_start(unit = "V") = 0 "Voltage at the start";
  initial equation
    if fixed then
      v = v_start;
    end if;
  equation
    i = C*der(v);
  end Capacitor;

  model Inductor "v = L i'"
    extends TwoPins;
    parameter Real L(unit = "H") = 1 "Inductance";
    parameter Boolean fixed = true "Start from i_start; otherwise something else decides"
      annotation(Evaluate = true);
    parameter Real i_start(unit = "A") = 0 "Current at the start";
  initial equation
    if fixed then
      i = i_start;
    end if;
  equation
    v = L*der(i);
  end Inductor;

  model OpAmpIdeal "Operational amplifier that keeps its inputs at the same potential"
    Pin plus "Takes no current";
    Pin minus "Takes no current";
    Pin out "Gives the current that it takes";
  equation
    plus.v = minus.v;
    plus.i = 0;
    minus.i = 0;
  end OpAmpIdeal;

  model EMF "Electromotive force: v = k qd, torque k i"
    extends TwoPins;
    parameter Real k(unit = "N.m/A") = 1 "Motor constant";
    Axis shaft "Turned by the motor";
  equation
    v = k*shaft.x.qd;
    shaft.f = -k*i;
  end EMF;

  model HallSensor "Potential of m shows the current from p to n"
    parameter Real k(unit = "V/A") = 1 "Volt per ampere";
    Pin p;
    Pin n;
    Pin m "Potential k i";
  equation
    p.v = n.v;
    p.i + n.i = 0;
    m.v = k*p.i;
  end HallSensor;

  model ConstantVoltage "v = V"
    extends TwoPins;
    parameter Real V(unit = "V") = 1 "Voltage";
  equation
    v = V;
  end ConstantVoltage;

  model SineVoltage "v = V sin(2 pi frequency t + phase)"
    extends TwoPins;
    parameter Real V(unit = "V") = 1 "Amplitude";
    parameter Real frequency(unit = "Hz") = 50 "Frequency";
    parameter Real phase(unit = "rad") = 0 "Phase";
  equation
    v = V*sin(6.283185307179586*frequency*time + phase);
  end SineVoltage;

  model SignalVoltage "v = u"
    extends TwoPins;
    RealInput u;
  equation
    v = u;
  end SignalVoltage;

  model ConstantCurrent "i = I"
    extends TwoPins;
    parameter Real I(unit = "A") = 1 "Current";
  equation
    i = I;
  end ConstantCurrent;

  model SignalCurrent "i = u"
    extends TwoPins;
    RealInput u;
  equation
    i = u;
  end SignalCurrent;

  model VoltageSensor "y = v, takes no current"
    extends TwoPins;
    RealOutput y;
  equation
    i = 0;
    y = v;
  end VoltageSensor;

  model CurrentSensor "y = i, takes no voltage"
    extends TwoPins;
    RealOutput y;
  equation
    v = 0;
    y = i;
  end CurrentSensor;
end Electrical;
