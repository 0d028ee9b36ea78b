// Whether stability, not accuracy, bounds the steps of an explicit rule: then the problem is stiff
// for it.
#pragma once

#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {

/// Follows the fastest direction of the Jacobian ∂ẏ/∂y by the power method, with differences of
/// rates. It looks now and then, at two evaluations a look, and at every step once it has seen what
/// it waits for.
class StiffnessWatch {
 public:
  enum class For {
    stiff,  // steps of an explicit rule that are as long as stability lets them be
    mild,   // steps of an implicit rule that an explicit one could take as well
  };
  /// `reach`: of the explicit rule, see RuleEntry.
  StiffnessWatch(const Layout& layout, double reach);

  /// Looks at the step that was accepted last, if it is time to. True: it was so fifteen times, and
  /// never otherwise six times in a row. [Hairer, Wanner II, section IV.2]
  bool look(Problem& problem, Rule& rule, For what, long every);
  /// The one that goes fastest.
  int component() const { return component_; }

  /// Begins to wait anew.
  void reset() { hits_ = misses_ = 0; }
  void archive(Archive& archive);

 private:
  struct Fastest {                 // eigenvalue
    double decay = 0, radius = 0;  // -Re λ and |λ|, 1/s
  };
  Fastest find_fastest(Problem& problem, Rule& rule);
  void apply_jacobian(Problem& problem, Rule& rule, const VecX& d, VecX& product);

  double reach_;
  VecX nominal_;
  VecX direction_;  // of unit length, in nominal values
  VecX before_, product_, y_, ydot_;
  int hits_ = 0, misses_ = 0, component_ = 0;
};

}  // namespace couplet::integrate
