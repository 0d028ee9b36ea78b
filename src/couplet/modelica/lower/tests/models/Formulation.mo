package Formulation "One model, several questions"
  model Pendulum
    input Real u "Torque";
    parameter Real m = 2, l = 0.5, g = 9.81, d = 0.1;
    parameter Real weight = m*g;
    output Real height = -l*cos(phi);
    Real phi(start = 0.3, fixed = true), w(start = 0, fixed = true);
  equation
    der(phi) = w;
    m*l^2*der(w) = u - weight*l*sin(phi) - d*w;
  end Pendulum;

  model Shaped "n and up decide which equations there are"
    parameter Integer n = 2;
    parameter Boolean up = true;
    parameter Real a[n] = fill(2.0, n);
    final parameter Real k = 1;
    Real x[n](each start = 1, each fixed = true);
  equation
    for i in 1:n loop
      der(x[i]) = (if up then k else -k)*a[i]*x[i];
    end for;
  end Shaped;

  model Outer
    Shaped inside(n = 1);
  end Outer;

  model Decided "c decides whether T is a state"
    parameter Real c = 1, r = 2;
    Real T(start = 3);
  equation
    if c > 0.5 then
      c*der(T) = -r*T;
    else
      0 = 2 - r*T;
    end if;
  end Decided;

  model Diode "A capacitor behind a diode and a source: the diode is open at rest"
    parameter Real V = 2, R = 10, C = 0.01;
    Real v(start = 5, fixed = true), i;
  equation
    C*der(v) = i - v/R;
    i = if V > v then (V - v)/1 else 0;
  end Diode;

  model Free "Nothing holds it, and it is pushed"
    Real x(start = 0, fixed = true), v(start = 0, fixed = true);
  equation
    der(x) = v;
    der(v) = 1;
  end Free;

  model Kinked
    Real x(start = 0, fixed = true);
  equation
    der(x) = -noEvent(if x > 0 then 1 else 3)*x;
  end Kinked;

  model Sphere "A quaternion: three of its components are independent"
    parameter Real J = 1, k = 4;
    Real Q[4](start = {0.1, 0, 0, 1}), w[3];
  equation
    Q*Q = 1;
    w = 2*{{Q[4], Q[3], -Q[2], -Q[1]}, {-Q[3], Q[4], Q[1], -Q[2]}, {Q[2], -Q[1], Q[4], -Q[3]}}*der(Q);
    J*der(w) = -k*{Q[1], Q[2], Q[3]} - w;
  end Sphere;
end Formulation;
