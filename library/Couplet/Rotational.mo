within Couplet;
package Rotational "Shafts, gears, friction"
  import Couplet.Interfaces.{Axis, RealInput, RealOutput};

  partial model TwoAxes "Two ends of a shaft"
    Axis a;
    Axis b;
  end TwoAxes;

  partial model Rigid "Both ends move alike"
    extends TwoAxes;
  equation
    Connections.branch(a.x, b.x);
    b.x.q = a.x.q;
    b.x.qd = a.x.qd;
    b.x.qdd = a.x.qdd;
  end Rigid;

  partial model Compliant "The relative motion makes a torque"
    extends TwoAxes;
    Real phi_rel = b.x.q - a.x.q "Relative angle";
    Real w_rel = b.x.qd - a.x.qd "Relative speed";
    Real tau "Torque that turns a forward and b back";
  equation
    a.f = -tau;
    b.f = tau;
  end Compliant;

  model Fixed "Does not turn"
    parameter Real q = 0 "Angle";
    Axis b;
  equation
    Connections.root(b.x);
    b.x.q = q;
    b.x.qd = 0;
    b.x.qdd = 0;
  end Fixed;

  model Motion "Prescribed motion: an axis of inverse problems (section 5)"
    RealInput q;
    RealInput qd "Derivative of q";
    RealInput qdd "Second derivative of q";
    Axis b;
  equation
    Connections.root(b.x);
    b.x.q = q;
    b.x.qd = qd;
    b.x.qdd = qdd;
  end Motion;

  model Torque "Applies a torque"
    RealInput tau "Forward on b";
    Axis b;
  equation
    b.f = -tau;
  end Torque;

  model Sensor "Measures a motion"
    Axis a;
    RealOutput q;
    RealOutput qd;
    RealOutput qdd;
  equation
    a.f = 0;
    q = a.x.q;
    qd = a.x.qd;
    qdd = a.x.qdd;
  end Sensor;

  model Inertia "J qdd = a.f + b.f"
    extends Rigid;
    parameter Real J(unit = "kg.m2") = 1 "Moment of inertia";
    parameter Boolean fixed = true "Start from q_start, qd_start; otherwise something else decides"
      annotation(Evaluate = true);
    parameter Real q_start = 0 "Angle at the start";
    parameter Real qd_start = 0 "Speed at the start";
    Real q(start = q_start) = a.x.q "Angle";
    Real qd(start = qd_start) = a.x.qd "Speed";
  initial equation
    if fixed and Connections.isRoot(a.x) then
      a.x.q = q_start;
      a.x.qd = qd_start;
    end if;
  equation
    Connections.potentialRoot(a.x, 1);
    if Connections.isRoot(a.x) then
      der(a.x.q) = a.x.qd;
      der(a.x.qd) = a.x.qdd;
    end if;
    J*a.x.qdd = a.f + b.f;
  end Inertia;

  model IdealGear "a turns i times as far as b"
    extends TwoAxes;
    parameter Real i = 1 "Gear ratio";
  equation
    Connections.branch(a.x, b.x);
    a.x.q = i*b.x.q;
    a.x.qd = i*b.x.qd;
    a.x.qdd = i*b.x.qdd;
    0 = i*a.f + b.f;
  end IdealGear;

  model SpringDamper "tau = c phi_rel + d w_rel"
    extends Compliant;
    parameter Real c(unit = "N.m/rad") = 1 "Stiffness";
    parameter Real d(unit = "N.m.s/rad") = 0 "Damping";
  equation
    tau = c*phi_rel + d*w_rel;
  end SpringDamper;

  block StickSlip "Coulomb friction that sticks: L of (8b) as function of speed and lambda"
    constant Integer backward = -1, stuck = 0, forward = 1, free = 2, unknown = 3;
    input Real w "Speed";
    input Real a "Acceleration";
    input Real lambda "What holds while locked: acts like an applied force";
    input Real tau0 "Friction while it slides, at speed 0";
    input Real tau1 = 0 "More friction with the speed";
    input Real tau_max = tau0 "What breaks it loose";
    input Boolean open = false "Nothing rubs";
    output Boolean locked "L = 1";
    output Real tau "Friction while it slides: acts against w";
    Integer mode(start = unknown, fixed = true) "backward, stuck, forward, free, unknown";
    constant Real w_small = 1e-6 "Faster than this it does not rest";
    Boolean start_forward(start = false, fixed = true) "Breaks loose forward";
    Boolean start_backward(start = false, fixed = true) "Breaks loose backward";
  protected
    Boolean rests "Neither slid nor was open";
  equation
    rests = pre(mode) == stuck or pre(mode) == unknown;
    // All of L is known before the accelerations: they need no iteration, events do.
    locked = not open and rests and not pre(start_forward) and not pre(start_backward);
    start_forward = not open and (rests and (-lambda > tau_max or pre(start_forward) and a > 0)
      or pre(mode) == backward and w > w_small or pre(mode) == free and w > 0
      or initial() and w > w_small);
    start_backward = not open and (rests and (lambda > tau_max or pre(start_backward) and a < 0)
      or pre(mode) == forward and w < -w_small or pre(mode) == free and w < 0
      or initial() and w < -w_small);
    mode = if open then free
      elseif (pre(mode) == forward or start_forward) and w > 0 then forward
      elseif (pre(mode) == backward or start_backward) and w < 0 then backward else stuck;
    tau = if open or locked then 0
      elseif pre(mode) == forward or pre(start_forward) then tau0 + tau1*w
      else -tau0 + tau1*w;
  end StickSlip;

  model BearingFriction "Shaft in a bearing that rubs and sticks"
    extends Rigid;
    parameter Real tau0(unit = "N.m") = 1 "Friction at speed 0";
    parameter Real tau1(unit = "N.m.s/rad") = 0 "More friction with the speed";
    parameter Real peak(min = 1) = 1 "It breaks loose at peak tau0";
    Real lambda "Torque of the bearing while it sticks";
    StickSlip friction(w = a.x.qd, a = a.x.qdd, lambda = lambda, tau0 = tau0, tau1 = tau1,
      tau_max = peak*tau0);
    Integer mode = friction.mode;
  equation
    0 = a.f + b.f + lambda - friction.tau;
    0 = if friction.locked then a.x.qdd else lambda;
  end BearingFriction;

  model Clutch "Two plates, pressed together, that rub and stick"
    extends TwoAxes;
    parameter Real tau_max(unit = "N.m") = 1 "Friction when fully pressed";
    parameter Real peak(min = 1) = 1 "It breaks loose at peak times the friction";
    RealInput u "How much it is pressed: 1 fully, 0 and less not at all";
    Real w_rel = b.x.qd - a.x.qd "Relative speed";
    Real a_rel = b.x.qdd - a.x.qdd "Relative acceleration";
    Real lambda "Torque on b while it sticks";
    StickSlip friction(w = w_rel, a = a_rel, lambda = lambda, tau0 = tau_max*max(u, 0),
      tau_max = peak*tau_max*max(u, 0), open = u <= 0);
    Integer mode = friction.mode;
  equation
    b.f = friction.tau - lambda;
    a.f = -b.f;
    0 = if friction.locked then a_rel else lambda;
  end Clutch;

  model ElasticGear "Friction and elasticity on the fast side: drive of the joints 1 to 3 of the r3"
    extends TwoAxes;
    parameter Real i = 1 "Gear ratio";
    parameter Real c(unit = "N.m/rad") = 1 "Stiffness, on the fast side";
    parameter Real d(unit = "N.m.s/rad") = 0 "Damping, on the fast side";
    parameter Real tau0(unit = "N.m") = 0 "Friction at speed 0, on the fast side";
    parameter Real tau1(unit = "N.m.s/rad") = 0 "More friction with the speed";
    parameter Real peak(min = 1) = 1 "It breaks loose at peak tau0";
    BearingFriction bearing(tau0 = tau0, tau1 = tau1, peak = peak);
    SpringDamper spring(c = c, d = d);
    IdealGear gear(i = i);
  equation
    connect(a, bearing.a);
    connect(bearing.b, spring.a);
    connect(spring.b, gear.a);
    connect(gear.b, b);
  end ElasticGear;

  model RigidGear "Friction on the slow side: drive of the joints 4 to 6 of the r3"
    extends TwoAxes;
    parameter Real i = 1 "Gear ratio";
    parameter Real tau0(unit = "N.m") = 0 "Friction at speed 0, on the slow side";
    parameter Real tau1(unit = "N.m.s/rad") = 0 "More friction with the speed";
    parameter Real peak(min = 1) = 1 "It breaks loose at peak tau0";
    IdealGear gear(i = i);
    BearingFriction bearing(tau0 = tau0, tau1 = tau1, peak = peak);
  equation
    connect(a, gear.a);
    connect(gear.b, bearing.a);
    connect(bearing.b, b);
  end RigidGear;
end Rotational;
