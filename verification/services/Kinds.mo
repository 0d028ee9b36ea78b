package Kinds "Models for services_test: equations behind the gate"
  model Push "An oscillator in a curve parameter, pushed whenever it comes back, and a slow clock"
    parameter Real k = 40;
    Real x(start = -1, fixed = true), v(start = 0, fixed = true);
    Real pull "torn: 0.1*pull^3 + pull = k*x";
    Integer pushes(start = 0, fixed = true);
    discrete Real seen(start = 0, fixed = true);
  equation
    der(x) = v;
    der(v) = -pull - (if x > 0.2 then 2 else 1)*v;
    pull + 0.1*pull^3 = k*x;
    when x > 0 then
      pushes = pre(pushes) + 1;
      reinit(v, pre(v) + 0.5);
    end when;
    when sample(0.3, 0.3) then
      seen = x;
    end when;
  end Push;
end Kinds;
