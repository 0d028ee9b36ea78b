#include "couplet/constraints/small_tape.hpp"

#include "couplet/symbolic/differentiate.hpp"

namespace couplet::constraints {

using symbolic::Expr;

SmallTape::SmallTape(std::span<const Expr> outputs, std::span<const std::string> input_names)
    : tape_(outputs, input_names), outputs_(outputs.size()), registers_(tape_.register_count()) {}

std::span<const double> SmallTape::evaluate(std::span<const double> inputs) {
  tape_.evaluate(inputs, outputs_, registers_);
  return outputs_;
}

std::vector<Expr> with_derivatives(std::span<const Expr> e, const Expr& by) {
  std::vector<Expr> all(e.begin(), e.end());
  for (size_t k = 0; k < 2 * e.size(); ++k)
    all.push_back(symbolic::differentiate(Expr(all[k]), by));
  return all;
}

}  // namespace couplet::constraints
