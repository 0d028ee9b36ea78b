within Couplet.Examples;
model DoublePendulumRecursive "The same double pendulum by the recursive algorithm"
  extends DoublePendulum(redeclare package Mbs = Couplet.MultibodyRecursive);
  annotation(experiment(StopTime = 10));
end DoublePendulumRecursive;
