// A few expressions of named inputs with the scratch to evaluate them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "couplet/symbolic/tape.hpp"

namespace couplet::constraints {

class SmallTape {
 public:
  SmallTape(std::span<const symbolic::Expr> outputs, std::span<const std::string> input_names);
  std::span<const double> evaluate(std::span<const double> inputs);

 private:
  symbolic::Tape tape_;
  std::vector<double> outputs_, registers_;
};

/// Expressions, then their first and second derivatives by a symbol.
std::vector<symbolic::Expr> with_derivatives(std::span<const symbolic::Expr> e,
                                             const symbolic::Expr& by);

}  // namespace couplet::constraints
