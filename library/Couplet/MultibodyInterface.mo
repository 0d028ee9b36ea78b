within Couplet;
partial package MultibodyInterface "What every multibody library offers: models that name only this can exchange it"
  import Couplet.Interfaces.{Coordinate, RealInput, RealOutput, BooleanOutput};

  record Frame "Motion of a cut; all but r in its own axes"
    Real T[3, 3] "From the frame to the inertial one";
    Real r[3] "From the inertial origin, in inertial axes";
    Real v[6] "Angular and linear velocity";
    Real a[6] "Angular and linear acceleration, the latter without gravity";
  end Frame;

  partial connector Cut "Mechanical interface"
    Frame frame;
  end Cut;

  partial connector Ext "Drive of a joint"
    Coordinate x;
  end Ext;

  partial model Inertial "Inertial system with uniform gravity"
    parameter Real g = 9.81 "Gravity";
    parameter Real ng[3] = {0, 0, -1} "Its direction";
    Cut b;
  end Inertial;

  partial model TwoCuts "Between two cuts"
    Cut a;
    Cut b;
  end TwoCuts;

  partial model Bar "Massless bar"
    extends TwoCuts;
    parameter Real r[3] = zeros(3) "From a to b, in the home position";
  end Bar;

  partial model Body "Rigid body"
    extends JointShapes.Mass;
    Cut a;
  end Body;

  partial model Spring "Spring and damper along the line from a to b"
    extends TwoCuts;
    parameter Real c = 0 "Stiffness";
    parameter Real d = 0 "Damping";
    parameter Real s0 = 0 "Length without force";
  end Spring;

  partial model Bushing "Six springs and dampers"
    extends TwoCuts;
    parameter Real c[3] = zeros(3) "Stiffness";
    parameter Real d[3] = zeros(3) "Damping";
    parameter Real ct[3] = zeros(3) "Torsional stiffness";
    parameter Real dt[3] = zeros(3) "Torsional damping";
  end Bushing;

  partial model AppliedForce "Force and torque from signals, in inertial axes"
    RealInput force[3];
    RealInput torque[3];
    Cut a;
  end AppliedForce;

  partial model Sensor "Motion of b seen from a, in a"
    extends TwoCuts;
    RealOutput position[3];
    RealOutput velocity[3];
    RealOutput acceleration[3];
    RealOutput angular_velocity[3];
    RealOutput angular_acceleration[3];
  end Sensor;

  partial model Joint "What all joints have"
    extends JointShapes.Joint;
    extends TwoCuts;
    Ext ext[dofs] "Drives";
    input Boolean locked[dofs] = fill(false, dofs) "Holds a coordinate that is at rest";
    Real lambda_l[dofs] "What holds it";
  end Joint;

  partial model Revolute
    extends Joint(final dofs = 1);
    extends JointShapes.Revolute;
  end Revolute;

  partial model Prismatic
    extends Joint(final dofs = 1);
    extends JointShapes.Prismatic;
  end Prismatic;

  partial model Cylindrical
    extends Joint(final dofs = 2);
    extends JointShapes.Cylindrical;
  end Cylindrical;

  partial model Universal
    extends Joint(final dofs = 2);
    extends JointShapes.Universal;
  end Universal;

  partial model Planar
    extends Joint(final dofs = 3);
    extends JointShapes.Planar;
  end Planar;

  partial model Spherical
    extends Joint(final dofs = 3);
    extends JointShapes.Spherical;
  end Spherical;

  partial model Free
    extends Joint(final dofs = 6);
    extends JointShapes.Free;
  end Free;

  partial model CutJoint "Closes a loop"
    extends TwoCuts;
    parameter Integer m(min = 1) "Number of constraints" annotation(Evaluate = true);
    Ext rest[m] "Joints whose coordinates follow";
    Real lambda_c[m] "Constraint forces";
  end CutJoint;

  partial model CutSpherical
    extends CutJoint(final m = 3);
  end CutSpherical;

  partial model CutPlanar
    extends CutJoint(final m = 2);
    parameter Real n1[3] = {1, 0, 0} "Direction in the plane";
    parameter Real n2[3] = {0, 1, 0} "Other direction in the plane";
  end CutPlanar;

  partial model CutRevolute
    extends CutJoint(final m = 5);
    parameter Real n[3] = {0, 0, 1} "Axis";
    parameter Real n1[3] = {1, 0, 0} "Any direction that is not parallel to n";
  end CutRevolute;

  partial model CutRod
    extends CutJoint(final m = 1);
    parameter Real length = 1 "Length of the rod";
  end CutRod;

  partial model Rotor "Inertia that turns with a coordinate"
    parameter Real J = 0 "Moment of inertia";
    Ext ext;
  end Rotor;

  partial model Gear "a turns i times as far as b"
    parameter Real i = 1 "Gear ratio";
    Ext a;
    Ext b;
  end Gear;

  partial model Drive "Where a shaft drives a joint"
    Couplet.Interfaces.Axis axis;
    Ext ext;
  end Drive;

  partial model Torque "Generalised force from a signal"
    RealInput tau;
    Ext ext;
  end Torque;

  partial model Friction "Coulomb friction that locks a joint"
    parameter Real tau0 = 0 "Friction at speed 0";
    parameter Real tau1 = 0 "More friction with the speed";
    parameter Real peak = 1 "It breaks loose at peak tau0";
    input Real lambda_l "Of the joint";
    Ext ext;
    BooleanOutput locked "For the joint";
  end Friction;
end MultibodyInterface;
