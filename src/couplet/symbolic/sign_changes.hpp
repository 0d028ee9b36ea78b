// Where functions of what moves change their sign along a step, however often they do so between
// the points that are looked at: interval arithmetic along the curve through five points.
#pragma once

#include <optional>

#include "couplet/math/quartic.hpp"
#include "couplet/symbolic/bounds.hpp"

namespace couplet::symbolic {

/// Which of the inputs of expressions move in a step: the time and what follows it, and the last
/// ones. In between are those that do not.
struct Moving {
  size_t first = 1, last = 0;  // how many

  bool has(size_t input, size_t inputs) const { return input < first || input >= inputs - last; }
};

/// Values of what moves at u = 0 … 4 of a step.
struct StepPoints {
  double t, h;                         // s: where it begins, how long it is
  std::array<const double*, 5> first;  // what follows the time
  std::array<const double*, 5> last = {};

  math::Quartic curve(size_t input, const Moving& moving, size_t inputs) const {
    std::array<double, 5> values;
    for (size_t p = 0; p < 5; ++p)
      values[p] = input == 0             ? t + h * static_cast<double>(p) / 4
                  : input < moving.first ? first[p][input - 1]
                                         : last[p][input - (inputs - moving.last)];
    return math::Quartic(values);
  }
};

class SignChanges {
 public:
  SignChanges() = default;
  /// Functions that are linear in what moves need no bounds, and those of maps have none.
  SignChanges(std::span<const Expr> functions, std::span<const std::string> inputs, Moving moving);

  bool any() const { return any_; }
  bool watches(size_t function) const { return function < list_.size() && list_[function]; }

  struct Bracket {
    double from, to;  // u
  };
  /// The first change between two places of the curve, at the first of which the function is
  /// negative or not; it changes once in the bracket. `inputs`: what does not move.
  std::optional<Bracket> find(size_t function, std::span<const double> inputs,
                              const StepPoints& points, double from, double to, bool negative);

 private:
  struct Function {
    std::vector<size_t> used;  // inputs that move
    Bounds bounds;             // of it and of its derivatives by these
  };
  struct Values {
    Interval value, rate;
  };
  Values calc(Function& function, double from, double to);
  std::optional<Bracket> search(Function& function, double from, double to);

  Moving moving_;
  bool any_ = false;
  std::vector<std::optional<Function>> list_;
  std::vector<Interval> inputs_, outputs_;
  std::vector<math::Quartic> curves_;  // of what is used
  double side_ = 1;                    // -1: its values are negative at first
  int left_ = 0;                       // how many intervals may be looked at
};

}  // namespace couplet::symbolic
