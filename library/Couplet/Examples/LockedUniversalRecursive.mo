within Couplet.Examples;
model LockedUniversalRecursive "The same by the recursive algorithm"
  extends LockedUniversal(redeclare package Mbs = Couplet.MultibodyRecursive);
  annotation(experiment(StopTime = 2));
end LockedUniversalRecursive;
