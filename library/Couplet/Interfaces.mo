within Couplet;
package Interfaces "Connectors that several libraries share"
  connector RealInput = input Real "Signal that comes in";
  connector RealOutput = output Real "Signal that goes out";
  connector BooleanInput = input Boolean "Logical signal that comes in";
  connector BooleanOutput = output Boolean "Logical signal that goes out";

  connector Pin "Electrical wire"
    Real v(unit = "V") "Potential";
    flow Real i(unit = "A") "Current into the element";
  end Pin;

  record Coordinate "One coordinate and its derivatives: nothing needs to be differentiated"
    Real q "Angle (rad) or length (m)";
    Real qd "Its derivative";
    Real qdd "Its second derivative";

    function equalityConstraint "What remains to be said when two coordinates are tied twice"
      input Coordinate x1;
      input Coordinate x2;
      output Real residue[1];
    algorithm
      residue := {x1.q - x2.q};
    end equalityConstraint;
  end Coordinate;

  connector Axis "Drive of a joint, end of a shaft: cut (q, qd, qdd / f) of the paper"
    Coordinate x;
    flow Real f "Torque (N.m) or force (N) into the element";
  end Axis;
  annotation(Documentation(info = "
Of all axes that are tied rigidly, one says that qd is the derivative of q and qdd that of qd: the root of their
tree. Joints come first, then inertias; a prescribed motion is always a root."));
end Interfaces;
