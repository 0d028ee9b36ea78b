within Couplet;
package Blocks "Signals"
  import Couplet.Interfaces.{RealInput, RealOutput, BooleanOutput};

  partial block Source "One output"
    RealOutput y;
  end Source;

  partial block Single "One input, one output"
    RealInput u;
    RealOutput y;
  end Single;

  block Constant "y = k"
    extends Source;
    parameter Real k = 1 "Value";
  equation
    y = k;
  end Constant;

  block Step "y jumps by height at start_time"
    extends Source;
    parameter Real height = 1 "Height of the step";
    parameter Real offset = 0 "Value before";
    parameter Real start_time(unit = "s") = 0 "Time of the step";
  equation
    y = offset + (if time < start_time then 0 else height);
  end Step;

  block Ramp "y rises by height within duration"
    extends Source;
    parameter Real height = 1 "Height of the ramp";
    parameter Real duration(unit = "s") = 1 "Duration, more than 0";
    parameter Real offset = 0 "Value before";
    parameter Real start_time(unit = "s") = 0 "Time when it begins";
  equation
    y = offset + (if time < start_time then 0
      elseif time < start_time + duration then height*(time - start_time)/duration else height);
  end Ramp;

  block Sine "y = offset + amplitude sin(2 pi frequency t + phase)"
    extends Source;
    parameter Real amplitude = 1 "Amplitude";
    parameter Real frequency(unit = "Hz") = 1 "Frequency";
    parameter Real phase(unit = "rad") = 0 "Phase";
    parameter Real offset = 0 "Mean";
  equation
    y = offset + amplitude*sin(6.283185307179586*frequency*time + phase);
  end Sine;

  block Pulse "y = high for the first part of each period"
    extends Source;
    parameter Real low = 0 "Value in the second part";
    parameter Real high = 1 "Value in the first part";
    parameter Real period(unit = "s") = 1 "Period";
    parameter Real width = 0.5 "Share of the first part, between 0 and 1";
  protected
    discrete Real begun(unit = "s", start = 0, fixed = true) "When this period began";
  equation
    when sample(0, period) then
      begun = time;
    end when;
    y = if time < begun + width*period then high else low;
  end Pulse;

  block Gain "y = k u"
    extends Single;
    parameter Real k = 1 "Gain";
  equation
    y = k*u;
  end Gain;

  block Sum "y = k[1] u[1] + k[2] u[2] + ..."
    parameter Integer n = 2 "Number of inputs";
    parameter Real k[n] = ones(n) "Weights";
    RealInput u[n];
    RealOutput y;
  equation
    y = k*u;
  end Sum;

  block Product "y = u1 u2"
    RealInput u1;
    RealInput u2;
    RealOutput y;
  equation
    y = u1*u2;
  end Product;

  block Integrator "y' = k u"
    extends Single;
    parameter Real k = 1 "Gain";
    parameter Real y_start = 0 "Value at the start";
  initial equation
    y = y_start;
  equation
    der(y) = k*u;
  end Integrator;

  block FirstOrder "T y' + y = k u"
    extends Single;
    parameter Real k = 1 "Gain";
    parameter Real T(unit = "s") = 1 "Time constant";
    parameter Real y_start = 0 "Value at the start";
  initial equation
    y = y_start;
  equation
    T*der(y) = k*u - y;
  end FirstOrder;

  block PI "y = k (u + integral of u/T)"
    extends Single;
    parameter Real k = 1 "Gain";
    parameter Real T(unit = "s") = 1 "Time constant of the integral part";
    parameter Boolean fixed = true "Start from x_start; otherwise something else decides"
      annotation(Evaluate = true);
    parameter Real x_start = 0 "Integral at the start";
    Real x(start = x_start) "Integral of u/T";
  initial equation
    if fixed then
      x = x_start;
    end if;
  equation
    T*der(x) = u;
    y = k*(u + x);
  end PI;

  block Limiter "y = u between two bounds"
    extends Single;
    parameter Real high = 1 "Upper bound";
    parameter Real low = -high "Lower bound";
  equation
    y = if u > high then high elseif u < low then low else u;
  end Limiter;

  block PointToPoint "Several axes from point to point, fastest and synchronised"
    parameter Integer n(min = 1) = size(q_begin, 1) "Number of axes";
    parameter Real q_begin[:] = {0} "Where they start";
    parameter Real q_end[n] = ones(n) "Where they end";
    parameter Real qd_max[n] = ones(n) "Largest speeds";
    parameter Real qdd_max[n] = ones(n) "Largest accelerations";
    parameter Real start_time(unit = "s") = 0 "When they start";
    RealOutput q[n] "Positions";
    RealOutput qd[n] "Speeds";
    RealOutput qdd[n] "Accelerations";
    BooleanOutput moving "Before the end";
    final parameter Real end_time(unit = "s") = start_time + 2*t1 + t2 "When they rest again";
    Real s "Way along the path, from 0 to 1";
    Real sd "Its derivative";
    Real sdd "Its second derivative";
  protected
    final parameter Real way[n] = q_end - q_begin;
    // The slowest axis sets the pace of all; a path without length takes no time.
    final parameter Boolean rests = max(abs(way)) <= 0;
    final parameter Real vs = if rests then 1 else 1/max(abs(way[i])/qd_max[i] for i in 1:n);
    final parameter Real as = if rests then 1 else 1/max(abs(way[i])/qdd_max[i] for i in 1:n);
    final parameter Real t1(unit = "s") = if rests then 0 else min(vs/as, sqrt(1/as)) "Speeding up";
    final parameter Real t2(unit = "s") = if rests then 0 else max(1/vs - vs/as, 0) "Full speed";
    Real t(unit = "s") "Since the start";
    Real left(unit = "s") "Until the end";
  equation
    t = time - start_time;
    left = end_time - time;
    moving = time < end_time;
    if time < start_time then
      s = 0; sd = 0; sdd = 0;
    elseif time < start_time + t1 then
      s = as*t^2/2; sd = as*t; sdd = as;
    elseif time < start_time + t1 + t2 then
      s = as*t1*(t - t1/2); sd = as*t1; sdd = 0;
    elseif time < end_time then
      s = 1 - as*left^2/2; sd = as*left; sdd = -as;
    else
      s = if rests then 0 else 1; sd = 0; sdd = 0;
    end if;
    q = q_begin + way*s;
    qd = way*sd;
    qdd = way*sdd;
  end PointToPoint;
end Blocks;
