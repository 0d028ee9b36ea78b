package Motion "Small models whose motion is known"
  constant Real pi = 3.14159265358979;

  model Pendulum "In Cartesian coordinates (index 3), beside the same in its angle"
    parameter Real g = 9.81;
    Real x(start = 0.1, fixed = true), y(start = -0.99), lambda;
    Real vx(start = 0, fixed = true), vy;
    Real phi(start = asin(0.1), fixed = true), w(start = 0, fixed = true);
    Real error = x - sin(phi);
  equation
    der(x) = vx;
    der(y) = vy;
    der(vx) = -lambda*x;
    der(vy) = -lambda*y - g;
    x^2 + y^2 = 1;
    der(phi) = w;
    der(w) = -g*sin(phi);
  end Pendulum;

  model Turning "The same, with such a speed that it turns round and round"
    extends Pendulum(vx(start = 8), w(start = 8/0.99498743710662), phi.fixed = true);
  end Turning;

  model Tumbling "A body that turns with a constant speed, in a quaternion"
    parameter Real w[3] = {1, 2, -2};
    Real Q[4](start = {0, 0, 0, 1});
  equation
    Q*Q = 1;
    w = 2*{{Q[4], Q[3], -Q[2], -Q[1]}, {-Q[3], Q[4], Q[1], -Q[2]}, {Q[2], -Q[1], Q[4], -Q[3]}}*der(Q);
  end Tumbling;

  model Planetary "Sun, ring and carrier: any two of the angles are states at all times"
    parameter Real ratio = 2;
    Real sun(start = 0, fixed = true), ring(start = 0, fixed = true), carrier;
    Real ws(start = 1, fixed = true), wr(start = 0, fixed = true), wc, t;
  equation
    (1 + ratio)*carrier = sun + ratio*ring;
    der(sun) = ws;
    der(ring) = wr;
    der(carrier) = wc;
    der(ws) = t;
    der(wr) = ratio*t;
    der(wc) = -(1 + ratio)*t;
  end Planetary;

  model Circuit "Series of R, L and C at a step of 1 V"
    parameter Real R = 1, L = 0.5, C = 0.1;
    Real i(start = 0, fixed = true), v(start = 0, fixed = true);
  equation
    L*der(i) = 1 - R*i - v;
    C*der(v) = i;
  end Circuit;

  model Rectifier "An ideal diode in its curve parameter"
    Real s(start = 0), v, i, load;
    Boolean off;
  equation
    off = s < 0;
    v = s*(if off then 1 else 0);
    i = s*(if off then 0 else 1);
    load = 2*i;
    sin(2*pi*time) = v + load;
  end Rectifier;

  model Ball
    parameter Real e = 0.5;
    Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  equation
    der(h) = v;
    der(v) = -10;
    when h < 0 then
      reinit(v, -e*pre(v));
    end when;
  end Ball;

  model Gear "Two inertias and an ideal gear"
    parameter Real J1 = 1, J2 = 8, n = 2;
    Real phi1(start = 0, fixed = true), w1(start = 0, fixed = true), phi2, w2, t1, t2;
  equation
    der(phi1) = w1;
    der(phi2) = w2;
    phi1 = n*phi2;
    J1*der(w1) = 3 - t1;
    J2*der(w2) = t2;
    t2 = n*t1;
  end Gear;

  model Friction "A block that slides to rest"
    Real x(start = 0, fixed = true), v(start = 2, fixed = true), f;
    Boolean sliding(start = true, fixed = true);
  equation
    der(x) = v;
    der(v) = -f;
    sliding = pre(sliding) and v > 0;
    f = if sliding then 4 else 0;
    when not sliding then
      reinit(v, 0);
    end when;
  end Friction;

  model Counter
    Integer n(start = 0, fixed = true);
    discrete Real last(start = 0, fixed = true);
  equation
    when sample(0.1, 0.1) then
      n = pre(n) + 1;
      last = time;
    end when;
  end Counter;

  model Free "A parameter that the beginning determines"
    parameter Real p(fixed = false);
    Real x(start = 2, fixed = true);
  initial equation
    der(x) = 0;
  equation
    der(x) = p - 3*x;
  end Free;

  function polynomial
    input Real c[:];
    input Real u;
    output Real y;
  algorithm
    y := 0;
    for k in size(c, 1):-1:1 loop
      y := y*u + c[k];
    end for;
  end polynomial;

  model Function
    Real y = polynomial({1, 2, 3}, time);
  end Function;

  model Singular
    Real x, y;
  equation
    x = time;
    x = 2*time;
    y = y + 0*x;
  end Singular;

  model Contradiction
    Real x(start = 1, fixed = true);
  initial equation
    x = 2;
  equation
    der(x) = -x;
  end Contradiction;

  function outside
    input Real u;
    output Real y;
    external "C" y = somewhere(u);
  end outside;

  model Refused
    Real y;
  equation
    y = outside(time);
  end Refused;

  model Ends
    Real x(start = 0, fixed = true);
  equation
    der(x) = 1;
    when x > 0.5 then
      terminate("far enough");
    end when;
  end Ends;

  model Held "A brake holds where the acceleration is given: any drive u with u = f fits"
    Real v, a, s(start = 0.25), f, u;
    Boolean locked = time < 10;
  initial equation
    v = 0;
    a = 0;
  equation
    der(v) = a;
    der(u) = 0;
    a = if locked then 0 else s - 1;
    f = if locked then s else 1;
    a = u - f;
  end Held;

  model Complementary "0 <= w = M*z + q, z >= 0, w*z = 0, with curve parameters s as ideal diodes"
    parameter Real M[3, 3] = {{1, 2, 0}, {-2, 1, 2}, {-1, 0, 1}}, q[3] = {-1, 1, 1};
    Real s[3], z[3], w[3];
    Boolean off[3];
  equation
    for i in 1:3 loop
      off[i] = s[i] < 0;
      z[i] = if off[i] then 0 else s[i];
      w[i] = if off[i] then -s[i] else 0;
    end for;
    w = M*z + q;
  end Complementary;

  function bounded
    input Real u;
    output Real y;
  algorithm
    assert(u < 1, "x is too large");
    y := 2*u;
  end bounded;

  function examined "Only checks"
    input Real table[:];
  algorithm
    for i in 2:size(table, 1) loop
      assert(table[i] > table[i - 1], "not increasing");
    end for;
  end examined;

  model Checked
    Real x(start = 0, fixed = true), y = bounded(x);
  initial algorithm
    examined({1, 2, 3});
  equation
    der(x) = 1;
  end Checked;

  model Guarded
    Real x(start = 0, fixed = true), y = if x < 1 then bounded(x) else 3;
  equation
    der(x) = 1;
  end Guarded;

  model Gated "What x > 1 and x > 3 say matters at no time when they change"
    Real x(start = 0, fixed = true);
    Boolean armed(start = false, fixed = true), hit;
    Integer n(start = 0, fixed = true);
  equation
    der(x) = 1;
    when time > 2 then
      armed = true;
    end when;
    hit = armed and (x > 1 or x > 3);
    when hit then
      n = pre(n) + 1;
    end when;
  end Gated;

  model Start "A block that a growing force moves once it passes what friction holds"
    parameter Real most = 1, slides = 0.8;
    Real v(start = 0, fixed = true), a, f, s(start = 0), u = time;
    Boolean starts(start = false, fixed = true), sliding(start = false, fixed = true), locked;
  equation
    der(v) = a;
    starts = not pre(sliding) and s > most;
    sliding = (pre(sliding) or starts) and v > 0;
    locked = not (sliding or starts);
    a = if locked then 0 elseif starts then s - most else s;
    f = if sliding then slides elseif starts then most else s;
    a = u - f;
  end Start;

  model Massless "Its heat capacity is 0: T is no state"
    parameter Real C = 0, R = 0;
    Real T, v, i(start = 3);
  equation
    if C > 1e-6 then
      C*der(T) = 2 - T;
    else
      0 = 2 - T;
    end if;
    v + R*i = T;
    v - i = 0;
  end Massless;

  function root "Newton's rule, as often as it takes"
    input Real a;
    output Real x;
  protected
    Real old = 0;
  algorithm
    x := a;
    while abs(x - old) > 1e-13*abs(x) loop
      old := x;
      x := 0.5*(x + a/x);
    end while;
  end root;

  model Newton
    Real u = 1 + time, x = root(u);
  end Newton;

  function total
    input Real u;
    output Real y = 0;
  algorithm
    for i in 1:integer(u) loop
      y := y + i;
    end for;
  end total;

  model Used "s does not follow n when n is changed after translation"
    parameter Real n = 3, s = total(n);
    Real x(start = 0, fixed = true);
  equation
    der(x) = s;
  end Used;

  model Undefined "No value of s gives the start of x"
    Real x, s(start = 0);
  initial equation
    x = 1;
  equation
    x = (if time < 1 then 0 else 1)*s;
    der(x) = 0;
  end Undefined;

  model Stopped "While nothing flows, nothing determines h"
    Real m = max(0, time - 1), h(start = 7), H, x(start = 0, fixed = true);
  equation
    H = m*(if m >= 0 then h else 5);
    H = 3*m;
    der(x) = m*h;
  end Stopped;

  model Ramps "A source whose slope changes at events prescribes the voltage of a capacitor"
    discrete Real T0(start = 0, fixed = true), slope(start = 1, fixed = true);
    Real v, i, lost(start = 0, fixed = true);
  equation
    when sample(1, 1) then
      T0 = time;
      slope = -2*pre(slope);
    end when;
    v = slope*(time - T0);
    0.5*der(v) = i;
    der(lost) = i^2;
  end Ramps;

  model Without "Its branch is gone that makes T a state, and T stands in other equations"
    parameter Real m = 0;
    Real T(start = 1), q, u(start = 0, fixed = true), w = sin(time);
  equation
    if m > 0 then
      m*der(T) = q;
    else
      0 = q;
    end if;
    w*(T - 2) = q;
    der(u) = w;
  end Without;

  model Delayed "x' = -x(t - 1), and 1 before: polynomials from second to second"
    Real x(start = 1, fixed = true), y = delay(sin(time), 0.3), z = delay(v, 0.5), v, jump;
    parameter Real none = 0;
    Real same = delay(x, none), way(start = 0, fixed = true);
  equation
    der(x) = -delay(x, 1);
    v = if time < 1 then 0 else time;
    jump = z;
    der(way) = jump;
  end Delayed;

  model DerivedDelay
    Real x = delay(sin(time), 1), y = der(x);
  end DerivedDelay;

  model NegativeDelay
    parameter Real T = -1;
    Real x = delay(sin(time), T);
  end NegativeDelay;

  model Echo "A line of 0.4 s that a matched source feeds: what comes back does so once"
    parameter Real T = 0.4;
    Real there, back, u = if time < 0.1 then 0 else 1, end_;
  equation
    there = u;
    end_ = delay(there, T);
    back = -0.5*delay(end_, T);
  end Echo;

  model Ending "What happens last"
    Real x(start = 0, fixed = true);
    discrete Real last(start = -1, fixed = true);
    Boolean over(start = false, fixed = true);
  equation
    der(x) = 1;
    when terminal() then
      last = 10*x;
    end when;
    when terminal() and x > 1 then
      over = true;
    end when;
  end Ending;

  model Complaint
    Real x(start = 0, fixed = true);
  equation
    der(x) = 1;
    when terminal() then
      assert(x < 1, "too far at the end");
    end when;
  end Complaint;

  model Approached "Newton's method has no direction at 0"
    Real x(start = 0), y(start = 0);
  equation
    homotopy(x^2 + y^2 - 5, x - 2.2) = 0;
    homotopy(x*y - 2, y - 0.9) = 0;
  end Approached;

  model Pole "The start value that nobody gave is a pole"
    Real G, R = 2 + time;
  equation
    R = 1/G + 0.5*G;
    assert(G < 1.5, "the other root");
  end Pole;

  model Inverse "Newton's method does not find 1/R from 1, nor from 0"
    parameter Real R = 7e7;
    Real G;
  equation
    R - 1/G = 0;
  end Inverse;

  model Logic "Two names of one signal, whose start values are what it was before"
    Integer a(start = 1, fixed = true), b(start = 1, fixed = true);
    Real later = Integer(pre(a)), back = delay(later, 0.25);
    Integer c = integer(back);
  equation
    a = b;
    a = if time < 1 then 3 else 4;
  end Logic;
end Motion;
