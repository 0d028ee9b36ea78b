within Couplet.Examples;
model JointFrictionRecursive "The same by the recursive algorithm"
  extends JointFriction(redeclare package Mbs = Couplet.MultibodyRecursive);
  annotation(experiment(StopTime = 5));
end JointFrictionRecursive;
