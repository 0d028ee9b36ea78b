within ;
package Couplet "Multibody systems and what drives them, after Otter, Elmqvist and Cellier (1994)"
  annotation(version = "0.1.0", Documentation(info = "
Two libraries with the same classes describe mechanisms: <code>Multibody</code> by equations that can be solved for
anything (section 4 of the paper), <code>MultibodyRecursive</code> by the recursive O(n) algorithm (section 6).
<code>docs/modelica-library.md</code> maps each equation of the paper to its class."));
end Couplet;
