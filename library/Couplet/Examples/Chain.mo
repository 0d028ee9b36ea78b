within Couplet.Examples;
model Chain "n rods that hang from one another: what a right-hand side costs"
  replaceable package Mbs = Couplet.Multibody constrainedby Couplet.MultibodyInterface
    "Which library";
  parameter Integer n(min = 1) = 10 "Number of rods" annotation(Evaluate = true);
  parameter Real length(unit = "m") = 1 "Of one rod";
  parameter Real m(unit = "kg") = 1 "Of one rod";
  Mbs.Inertial i;
  Mbs.Revolute r[n](each n = {0, 1, 0}, q_start = {{if k == 1 then 0.5 else 0.1} for k in 1:n});
  Mbs.Bar b[n](each r = {0, 0, -length});
  Mbs.Body body[n](each m = m, each r = {0, 0, -length/2}, each I11 = m*length^2/12,
    each I22 = m*length^2/12);
equation
  connect(i.b, r[1].a);
  for k in 1:n loop
    connect(r[k].b, b[k].a);
    connect(r[k].b, body[k].a);
  end for;
  for k in 2:n loop
    connect(b[k - 1].b, r[k].a);
  end for;
  annotation(experiment(StopTime = 2));
end Chain;
