within Couplet.Examples;
model LinkageRecursive "The same by the recursive algorithm"
  extends Linkage(redeclare package Mbs = Couplet.MultibodyRecursive);
  annotation(experiment(StopTime = 2));
end LinkageRecursive;
