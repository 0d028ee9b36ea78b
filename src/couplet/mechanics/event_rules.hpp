// The `when` rules of a model, ready to be evaluated: a root function per condition, values on one
// tape.
#pragma once

#include <optional>
#include <vector>

#include "couplet/math/spatial.hpp"
#include "couplet/model/expression_inputs.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::mechanics {

using math::VecX;
using model::ExpressionInputs;
using model::Mechanism;

class EventRules {
 public:
  /// `roots`: of each rule, negative where its condition holds; 1 for rules of time.
  EventRules(const Mechanism& mechanism, const std::vector<symbolic::Expr>& roots);

  size_t size() const { return rules_.size(); }
  const model::EventRule& rule(size_t i) const { return *rules_[i].source; }

  /// One per rule.
  void calc_roots(const ExpressionInputs& inputs, double* roots);
  /// Whether the condition of each rule holds as it is written; false for rules of time.
  std::vector<bool> hold(const ExpressionInputs& inputs);
  double next_time(double t) const;
  /// Rules whose time is t.
  std::vector<size_t> due(double t) const;

  struct Changes {
    std::vector<std::pair<int, double>> speeds;         // index in v, value
    std::vector<std::pair<int, double>> states;         // index in x, value
    std::vector<std::pair<size_t, double>> parameters;  // index in the model, value
  };
  Changes calc_changes(size_t rule, const ExpressionInputs& inputs);

 private:
  struct Bound {
    const model::EventRule* source;
    std::vector<int> resets;  // what is reset: index in (v, x)
    std::vector<size_t> parameters;
    std::optional<symbolic::Tape> values;  // of resets, then parameters
  };

  int nv_;
  std::vector<Bound> rules_;
  std::optional<symbolic::Tape> roots_, conditions_;
  std::vector<double> registers_;
};

}  // namespace couplet::mechanics
