within Couplet.Examples;
model FourBarRecursive "The same loop by eq. (20): only the constraint forces are coupled"
  extends FourBar(redeclare package Mbs = Couplet.MultibodyRecursive);
  annotation(experiment(StopTime = 2));
end FourBarRecursive;
