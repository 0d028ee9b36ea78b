package Chain "A chain of n masses and springs, to see how translation grows with n"
  connector Flange
    Real s(unit = "m");
    flow Real f(unit = "N");
  end Flange;

  model Mass
    Flange a, b;
    parameter Real m(unit = "kg") = 1;
    Real s(unit = "m", start = 0);
    Real v(unit = "m/s");
  equation
    a.s = s;
    b.s = s;
    v = der(s);
    m*der(v) = a.f + b.f;
  end Mass;

  model Spring
    Flange a, b;
    parameter Real c(unit = "N/m") = 1;
  equation
    a.f = -c*(b.s - a.s);
    a.f + b.f = 0;
  end Spring;

  model Fixed
    Flange a;
  equation
    a.s = 0;
  end Fixed;

  model Main
    parameter Integer n = 10;
    Mass m[n](m = {1.0 + i for i in 1:n});
    Spring s[n];
    Fixed f;
  equation
    connect(f.a, s[1].a);
    for i in 1:n loop
      connect(s[i].b, m[i].a);
    end for;
    for i in 1:n - 1 loop
      connect(m[i].b, s[i + 1].a);
    end for;
  end Main;
end Chain;
