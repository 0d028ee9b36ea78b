within Couplet.Examples;
package ManutecR3 "Industrial robot: sections 2 and 7 of the paper; numbers of Franke and Otter (1993)"
  import Couplet.Interfaces.{Axis, RealInput, RealOutput, BooleanOutput};

  model Motor "Direct-current motor with current control by operational amplifiers: fig. 3"
    parameter Real Ci(unit = "F") = 0.004*0.6/4590 "Capacitance of the integrator";
    parameter Real La(unit = "H") = 250/(2*0.6*4590) "Inductance of the armature";
    parameter Real k(unit = "N.m/A") = 1.1616 "Motor constant";
    RealInput Vd "Wanted current, 1 V for 1 A";
    RealOutput q "Angle of the rotor";
    RealOutput qd "Speed of the rotor";
    Axis rotor;
    Electrical.Resistor Rd1(R = 100), Rd2(R = 100), Rd3(R = 100), Rd4(R = 100);
    Electrical.Resistor Ri(R = 10), Rp1(R = 200), Rp2(R = 50), Ra(R = 250);
    Electrical.Capacitor C(C = Ci, fixed = false);
    Electrical.Inductor L(L = La, fixed = false);
    Electrical.EMF emf(k = k);
    Electrical.HallSensor hall;
    Electrical.OpAmpIdeal diff, I, power;
    Electrical.Ground g;
    Electrical.SignalVoltage Vs;
  initial equation
    der(C.v) = 0;
    der(L.i) = 0;
  equation
    Vs.u = Vd;
    q = rotor.x.q;
    qd = rotor.x.qd;
    // Difference: wanted current minus measured one, inverted.
    connect(g.p, Vs.n);
    connect(Vs.p, Rd2.p);
    connect(Rd2.n, diff.minus);
    connect(Rd1.p, diff.minus);
    connect(Rd1.n, diff.out);
    connect(hall.m, Rd3.p);
    connect(Rd3.n, diff.plus);
    connect(Rd4.p, diff.plus);
    connect(Rd4.n, g.p);
    // Integral of it.
    connect(diff.out, Ri.p);
    connect(Ri.n, I.minus);
    connect(I.plus, g.p);
    connect(C.p, I.minus);
    connect(C.n, I.out);
    // Power: five times that.
    connect(I.out, power.plus);
    connect(power.minus, Rp1.p);
    connect(Rp1.n, power.out);
    connect(power.minus, Rp2.p);
    connect(Rp2.n, g.p);
    // Armature.
    connect(power.out, Ra.p);
    connect(Ra.n, L.p);
    connect(L.n, emf.p);
    connect(emf.n, hall.p);
    connect(hall.n, g.p);
    connect(emf.shaft, rotor);
  end Motor;

  model Control "Cascade: position, then speed with feed-forward"
    parameter Real kp(unit = "1/s") = 5 "Gain of the position";
    parameter Real ks = 0.5 "Gain of the speed";
    parameter Real Ts(unit = "s") = 0.05 "Time constant of the speed's integral";
    RealInput rq "Wanted angle of the motor";
    RealInput rqd "Wanted speed of the motor";
    RealInput q "Angle of the motor";
    RealInput qd "Speed of the motor";
    RealOutput Vd "Wanted current";
    Blocks.PI PI(k = ks, T = Ts, fixed = false);
  equation
    PI.u = rqd + kp*(rq - q) - qd;
    Vd = PI.y;
  end Control;

  model ElasticDrive "Rotor and gear of joints 1 to 3 (R3drive1): friction and elasticity at the motor"
    replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
    parameter Real J(unit = "kg.m2") = 0.0013 "Moment of inertia of the rotor";
    parameter Real i = -105 "Gear ratio";
    parameter Real c(unit = "N.m/rad") = 43 "Stiffness";
    parameter Real d(unit = "N.m.s/rad") = 0.005 "Damping";
    parameter Real Rv0(unit = "N.m") = 0.4 "Friction at speed 0";
    parameter Real Rv1(unit = "N.m.s/rad") = 0.13/160 "More friction with the speed";
    Axis rotor "Motor";
    Mbs.Ext joint;
    Rotational.Inertia inertia(J = J, fixed = false);
    Rotational.ElasticGear gear(i = i, c = c, d = d, tau0 = Rv0, tau1 = Rv1);
    Mbs.Drive drive;
  initial equation
    // At rest; the motor alone carries the load, the bearing helps with nothing.
    gear.spring.w_rel = 0;
    joint.x.qdd = 0;
    gear.bearing.lambda = 0;
  equation
    connect(rotor, inertia.a);
    connect(inertia.b, gear.a);
    connect(gear.b, drive.axis);
    connect(drive.ext, joint);
  end ElasticDrive;

  model RigidDrive "Rotor and gear of joints 4 to 6 (R3drive2): friction at the joint, which it locks"
    replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
    parameter Real J(unit = "kg.m2") = 1.6e-4 "Moment of inertia of the rotor";
    parameter Real i = -99 "Gear ratio";
    parameter Real Rv0(unit = "N.m") = 21.8 "Friction at speed 0";
    parameter Real Rv1(unit = "N.m.s/rad") = 9.8 "More friction with the speed";
    parameter Real peak(min = 1) = 1 "It breaks loose at peak Rv0";
    input Real lambda_l "What holds the joint while it is locked";
    Axis rotor "Motor";
    Mbs.Ext joint;
    BooleanOutput locked = friction.locked "For the joint";
    Mbs.Drive drive;
    Mbs.Rotor inertia(J = J);
    Mbs.Gear gear(i = i);
    Mbs.Friction friction(tau0 = Rv0, tau1 = Rv1, peak = peak, lambda_l = lambda_l);
  initial equation
    lambda_l = 0;
  equation
    connect(rotor, drive.axis);
    connect(drive.ext, inertia.ext);
    connect(drive.ext, gear.a);
    connect(gear.b, friction.ext);
    connect(gear.b, joint);
  end RigidDrive;

  model Mechanics "Multibody part (R3mbs of section 7); y is up"
    replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
    parameter Real mL(unit = "kg") = 15 "Mass of the load";
    parameter Real rL[3](each unit = "m") = {0.1, 0.25, 0.1} "Its position in the hand";
    parameter Real q_start[6](each unit = "rad") = zeros(6) "Angles at the start";
    input Boolean locked[6] = fill(false, 6) "Joints that are held";
    Mbs.Ext j[6] "Drives of the joints";
    Mbs.Inertial i(final ng = {0, -1, 0}, final g = 9.81);
    Mbs.Bar b0(final r = {0, 0.351, 0});
    Mbs.Revolute r1(n = {0, 1, 0}, q_start = {q_start[1]}, locked = {locked[1]});
    Mbs.Body m1(final m = 1, final r = zeros(3), final I11 = 0.001, final I22 = 1.16,
      final I33 = 0.001);
    Mbs.Bar b1(final r = {0, 0.324, 0.3});
    Mbs.Revolute r2(n = {1, 0, 0}, q_start = {q_start[2]}, locked = {locked[2]});
    Mbs.Body m2(final m = 56.5, final r = {0.172, 0.205, 0}, final I11 = 2.58, final I22 = 0.64,
      final I33 = 2.73, final I21 = -0.46);
    Mbs.Bar b2(final r = {0, 0.65, 0});
    Mbs.Revolute r3(n = {1, 0, 0}, q_start = {q_start[3]}, locked = {locked[3]});
    Mbs.Body m3(final m = 26.4, final r = {0.064, -0.034, 0}, final I11 = 0.279,
      final I22 = 0.245, final I33 = 0.413, final I21 = -0.070);
    Mbs.Bar b3(final r = {0, 0.414, -0.155});
    Mbs.Revolute r4(n = {0, 1, 0}, q_start = {q_start[4]}, locked = {locked[4]});
    Mbs.Body m4(final m = 28.7, final r = zeros(3), final I11 = 1.67, final I22 = 0.081,
      final I33 = 1.67);
    Mbs.Bar b4(final r = {0, 0.186, 0});
    Mbs.Revolute r5(n = {1, 0, 0}, q_start = {q_start[5]}, locked = {locked[5]});
    Mbs.Body m5(final m = 5.2, final r = zeros(3), final I11 = 1.25, final I22 = 0.81,
      final I33 = 1.53);
    Mbs.Bar b5(final r = {0, 0.125, 0});
    Mbs.Revolute r6(n = {0, 1, 0}, q_start = {q_start[6]}, locked = {locked[6]});
    Mbs.Body m6(final m = 0.5, final r = {0.05, 0.05, 0.05}, final I11 = 0.001,
      final I22 = 0.001, final I33 = 0.001);
    Mbs.Bar bL(r = rL);
    Mbs.Body load(m = mL, final r = zeros(3), final I11 = 0.001, final I22 = 0.001,
      final I33 = 0.001);
  equation
    connect(i.b, b0.a);
    connect(b0.b, r1.a);
    connect(r1.b, m1.a);
    connect(r1.b, b1.a);
    connect(b1.b, r2.a);
    connect(r2.b, m2.a);
    connect(r2.b, b2.a);
    connect(b2.b, r3.a);
    connect(r3.b, m3.a);
    connect(r3.b, b3.a);
    connect(b3.b, r4.a);
    connect(r4.b, m4.a);
    connect(r4.b, b4.a);
    connect(b4.b, r5.a);
    connect(r5.b, m5.a);
    connect(r5.b, b5.a);
    connect(b5.b, r6.a);
    connect(r6.b, m6.a);
    connect(r6.b, bL.a);
    connect(bL.b, load.a);
    connect(j[1], r1.ext[1]);
    connect(j[2], r2.ext[1]);
    connect(j[3], r3.ext[1]);
    connect(j[4], r4.ext[1]);
    connect(j[5], r5.ext[1]);
    connect(j[6], r6.ext[1]);
  end Mechanics;

  model Robot "Manutec r3: fig. 1"
    replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
    parameter Real mL(unit = "kg") = 15 "Mass of the load";
    parameter Real rL[3](each unit = "m") = {0.1, 0.25, 0.1} "Its position in the hand";
    parameter Real q_start[6](each unit = "rad") = zeros(6) "Angles at the start";
    parameter Real i[6] = {-105, 210, 60, -99, 79.2, -99} "Gear ratios";
    parameter Real k[6] = {1.1616, 1.1616, 1.1616, 0.2365, 0.2608, 0.0842} "Motor constants";
    parameter Real w[6] = {4590, 5500, 5500, 6250, 6250, 7400} "Electrical frequencies";
    parameter Real D[6] = {0.6, 0.6, 0.6, 0.55, 0.55, 0.27} "Electrical damping";
    RealInput rq[6] "Wanted angles of the joints";
    RealInput rqd[6] "Wanted speeds of the joints";
    Control c[6];
    Motor m[6](Ci = {0.004*D[n]/w[n] for n in 1:6}, La = {250/(2*D[n]*w[n]) for n in 1:6}, k = k);
    ElasticDrive d1(redeclare package Mbs = Mbs, i = i[1]);
    ElasticDrive d2(redeclare package Mbs = Mbs, i = i[2], c = 8, d = 0.01, Rv0 = 0.5,
      Rv1 = 0.1/130);
    ElasticDrive d3(redeclare package Mbs = Mbs, i = i[3], c = 58, d = 0.04, Rv0 = 0.7,
      Rv1 = 0.2/130);
    RigidDrive d4(redeclare package Mbs = Mbs, i = i[4], peak = 26.7/21.8,
      lambda_l = mechanics.r4.lambda_l[1]);
    RigidDrive d5(redeclare package Mbs = Mbs, i = i[5], J = 1.8e-4, Rv0 = 30.1, Rv1 = 0.03,
      peak = 39.6/30.1, lambda_l = mechanics.r5.lambda_l[1]);
    RigidDrive d6(redeclare package Mbs = Mbs, i = i[6], J = 4.3e-5, Rv0 = 10.9, Rv1 = 3.92,
      peak = 16.8/10.9, lambda_l = mechanics.r6.lambda_l[1]);
    Mechanics mechanics(redeclare package Mbs = Mbs, mL = mL, rL = rL, q_start = q_start,
      locked = {false, false, false, d4.locked, d5.locked, d6.locked});
  equation
    for n in 1:6 loop
      c[n].rq = i[n]*rq[n];
      c[n].rqd = i[n]*rqd[n];
      connect(c[n].q, m[n].q);
      connect(c[n].qd, m[n].qd);
      connect(c[n].Vd, m[n].Vd);
    end for;
    connect(m[1].rotor, d1.rotor);
    connect(m[2].rotor, d2.rotor);
    connect(m[3].rotor, d3.rotor);
    connect(m[4].rotor, d4.rotor);
    connect(m[5].rotor, d5.rotor);
    connect(m[6].rotor, d6.rotor);
    connect(d1.joint, mechanics.j[1]);
    connect(d2.joint, mechanics.j[2]);
    connect(d3.joint, mechanics.j[3]);
    connect(d4.joint, mechanics.j[4]);
    connect(d5.joint, mechanics.j[5]);
    connect(d6.joint, mechanics.j[6]);
  end Robot;

  model PointToPoint "The robot moves from point to point, as fast as its axes may; ends 0.5 s after"
    replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
    constant Real degree = 0.017453292519943295;
    Robot r3(redeclare package Mbs = Mbs, q_start = path.q_begin);
    Blocks.PointToPoint path(n = 6, q_begin = {-60, 20, 90, 0, -110, 0}*degree,
      q_end = {60, -70, -35, 45, 110, 45}*degree, qd_max = {3, 1.5, 5, 3.1, 3.1, 4.1},
      qdd_max = {15, 15, 15, 60, 60, 60});
  equation
    connect(path.q, r3.rq);
    connect(path.qd, r3.rqd);
    when time >= path.end_time + 0.5 then
      terminate("the robot is at rest");
    end when;
    annotation(experiment(StopTime = 2, Tolerance = 1e-6, Interval = 0.0004));
  end PointToPoint;

  model PointToPointRecursive "The same by the recursive algorithm"
    extends PointToPoint(redeclare package Mbs = Couplet.MultibodyRecursive);
    annotation(experiment(StopTime = 2, Tolerance = 1e-6, Interval = 0.0004));
  end PointToPointRecursive;

  model Falling "Multibody part alone, any of its joints locked: 64 configurations"
    replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
    parameter Boolean lock[6] = fill(false, 6) "Joints that are held";
    Mechanics mechanics(redeclare package Mbs = Mbs, q_start = {0.3, -0.5, 0.8, 0.4, -0.6, 1.1},
      locked = lock);
    annotation(experiment(StopTime = 1));
  end Falling;

  model FallingRecursive "The same by the recursive algorithm"
    extends Falling(redeclare package Mbs = Couplet.MultibodyRecursive);
    annotation(experiment(StopTime = 1));
  end FallingRecursive;

  model InverseDynamics "Torques that a motion of the joints takes: an inverse problem of section 5"
    RealInput q[6] "Angles";
    RealInput qd[6] "Their derivatives";
    RealInput qdd[6] "Their second derivatives";
    RealOutput tau[6] "Torques on the joints";
    Mechanics mechanics;
    Rotational.Motion motion[6](q = q, qd = qd, qdd = qdd);
  equation
    for n in 1:6 loop
      connect(motion[n].b, mechanics.j[n]);
      tau[n] = mechanics.j[n].f;
    end for;
  end InverseDynamics;

  model Inverse "Torques along the path of PointToPoint"
    constant Real degree = 0.017453292519943295;
    InverseDynamics robot;
    Blocks.PointToPoint path(n = 6, q_begin = {-60, 20, 90, 0, -110, 0}*degree,
      q_end = {60, -70, -35, 45, 110, 45}*degree, qd_max = {3, 1.5, 5, 3.1, 3.1, 4.1},
      qdd_max = {15, 15, 15, 60, 60, 60});
  equation
    connect(path.q, robot.q);
    connect(path.qd, robot.qd);
    connect(path.qdd, robot.qdd);
    annotation(experiment(StopTime = 2));
  end Inverse;
end ManutecR3;
