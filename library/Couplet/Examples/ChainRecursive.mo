within Couplet.Examples;
model ChainRecursive "The same chain at a cost in proportion to n"
  extends Chain(redeclare package Mbs = Couplet.MultibodyRecursive);
  annotation(experiment(StopTime = 2));
end ChainRecursive;
