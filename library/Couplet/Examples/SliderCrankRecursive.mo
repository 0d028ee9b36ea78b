within Couplet.Examples;
model SliderCrankRecursive "The same by the recursive algorithm"
  extends SliderCrank(redeclare package Mbs = Couplet.MultibodyRecursive);
  annotation(experiment(StopTime = 2));
end SliderCrankRecursive;
