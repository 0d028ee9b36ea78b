// Bounds of expressions over an interval of one of their inputs: interval arithmetic on the nodes,
// in doubles and without directed rounding. [R. E. Moore, Interval Analysis, 1966]
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "couplet/symbolic/interval.hpp"
#include "couplet/symbolic/op.hpp"

namespace couplet::symbolic {

class Expr;
struct ExternalFunction;

/// Of x·y, where 0·∞ = 0.
Interval product_of(Interval a, Interval b);

/// Whether it is not one formula everywhere: min, max, abs, `if` and tables are not. Derivatives of
/// such an expression may be zero, and say nothing.
bool is_in_pieces(const Expr& e);

class Bounds {
 public:
  /// Whether they are known: not of functions from outside, but of tables, and where these are of
  /// what is fixed.
  static bool cover(const Expr& e,
                    const std::function<bool(const std::string& name)>& is_fixed = {});
  /// Throws UserError naming every symbol that is not among the inputs.
  Bounds(std::span<const Expr> outputs, std::span<const std::string> inputs);

  /// Of the outputs, where the first input is anywhere in x and the others are as given. Allocates
  /// nothing.
  void calc(std::span<const double> inputs, Interval x, std::span<Interval> outputs);
  /// The same where each input is somewhere.
  void calc(std::span<const Interval> inputs, std::span<Interval> outputs);

 private:
  struct Node {
    Op op;
    std::uint32_t a, b, c;             // arguments; a of a symbol: which input
    double value;                      // of a constant
    const ExternalFunction* function;  // of a call
  };
  Interval calc(const Node& node) const;
  template <class Input>
  void calc_all(const Input& input, std::span<Interval> outputs);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> outputs_;
  std::vector<Interval> values_;  // of the nodes
};

}  // namespace couplet::symbolic
