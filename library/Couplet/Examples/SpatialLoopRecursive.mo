within Couplet.Examples;
model SpatialLoopRecursive "The same by the recursive algorithm"
  extends SpatialLoop(redeclare package Mbs = Couplet.MultibodyRecursive);
  annotation(experiment(StopTime = 1));
end SpatialLoopRecursive;
