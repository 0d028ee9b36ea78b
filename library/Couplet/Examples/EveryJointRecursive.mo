within Couplet.Examples;
model EveryJointRecursive "The same by the recursive algorithm"
  extends EveryJoint(redeclare package Mbs = Couplet.MultibodyRecursive);
  annotation(experiment(StopTime = 1));
end EveryJointRecursive;
