// ẋ of a model's own states: their rate expressions on one tape.
#pragma once

#include <optional>

#include "couplet/model/expression_inputs.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::model {

class StateRates {
 public:
  /// Throws UserError for a rate that uses something that does not exist.
  explicit StateRates(const Mechanism& mechanism);

  /// nx numbers; allocates nothing.
  void calc(const ExpressionInputs& inputs, double* xdot);

 private:
  std::optional<symbolic::Tape> tape_;
  size_t count_;
  std::vector<double> registers_;
};

}  // namespace couplet::model
