// Whether the ends of a step show what smooth functions of the motion do in between, such as a
// narrow bump exp(-((x - 40)/w)²) that a fast body passes.
#pragma once

#include <functional>

#include "couplet/symbolic/sign_changes.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::symbolic {

/// A function of one quantity that moves: of a state, or of what several of them make, as x - y.
struct Shape {
  Expr function;  // of the symbol `place_on_path`
  Expr argument;
};

/// The largest parts of an expression that are such functions, but polynomials, functions of the
/// time alone and those without bounds. `is_fixed`, `moves`: of a symbol.
std::vector<Shape> find_shapes(const Expr& e,
                               const std::function<bool(const std::string& name)>& is_fixed,
                               const std::function<bool(const std::string& name)>& moves);

class PathSight {
 public:
  PathSight() = default;
  PathSight(std::span<const Shape> shapes, std::vector<std::string> inputs, Moving moving);

  bool any() const { return !shapes_.empty(); }

  struct Sight {
    double until = 1;  // what part of the step is seen
    size_t shape = 0;  // that says so, if it is not all
  };
  /// `inputs`: what does not move.
  Sight look(std::span<const double> inputs, const StepPoints& points);

 private:
  struct Bound {
    Tape argument;
    Bounds bounds;  // of the function and its derivative; the argument is the first input
    std::vector<size_t> used;
    bool is_smooth;  // as far as tables are
  };
  Interval find_places(Bound& shape, double until, std::array<double, 5>& places);
  double find_size(Bound& shape, double until);
  bool shows(Bound& shape, double until, double size);
  Interval value(Bound& shape, Interval argument, Interval* rate = nullptr);

  Moving moving_;
  std::vector<Bound> shapes_;
  std::vector<math::Quartic> curves_;  // of inputs that are used
  std::vector<double> inputs_, with_place_, registers_;
};

}  // namespace couplet::symbolic
