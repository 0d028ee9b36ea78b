// A way past singular positions for implicit rules and those of others. Shortly before one,
// Newton's method fails: the multipliers of rows that become dependent have no value there, and
// shorter steps only come closer. An explicit step does not see it: a problem closes its states
// before it evaluates accelerations near a singular position.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/rules/runge_kutta.hpp"

namespace couplet::integrate {

class Crossing {
 public:
  Crossing(Problem& problem, const Tolerance& tolerance)
      : step_(problem, tolerance, dormand_prince_8) {}

  /// One step; y is where it leads. Where it is not good, h_next of what comes back may be. Throws
  /// where the model cannot be evaluated.
  Trial attempt(double t, const VecX& from, double h, VecX& y, Counts& counts) {
    if (t != t_) leaps_ = 0;
    t_ = t;
    step_.start(t, from, h);
    const Trial trial = step_.attempt(h);
    counts.evaluations += std::exchange(step_.counts().evaluations, 0);
    const bool leaps = trial.clear > 0 && ++leaps_ <= most_leaps;
    if (trial.finite && trial.error <= 1 && !leaps) {
      y = step_.y_to();
      return {trial.error, 0, true};
    }
    const double shorter = h * std::clamp(0.9 * std::pow(trial.error, -1.0 / 8), 0.2, 0.7);
    return {std::max(trial.error, 1.001), leaps ? trial.clear : shorter, trial.finite};
  }
  /// Nearer to a singular position than this (the sine of an angle) a rule had better cross it.
  static constexpr double near = 0.02;
  /// From here on Newton's method may fail for its sake.
  static constexpr double rather_near = 0.2;
  /// How long a step should be, in s, to get from there to as far behind it, and some more.
  template <class Speeds>
  static double reach(const Speeds& v) {
    const double largest = v.template lpNorm<Eigen::Infinity>();
    return largest > 0 ? 4 * near / largest : 0;
  }
  /// A step of a length up to h, which is returned; 0: none is good.
  double cross(double t, const VecX& from, double h, VecX& y, Counts& counts) {
    constexpr int most = 10;
    for (int i = 0; i < most; ++i) {
      try {
        const Trial trial = attempt(t, from, h, y, counts);
        if (trial.error <= 1) return h;
        h = trial.finite ? trial.h_next : h / 4;
      } catch (const base::ComputationError&) {
        h /= 4;
      }
    }
    return 0;
  }

  /// Inside the last step.
  void interpolate(double t, VecX& y) { step_.interpolate(t, y); }

 private:
  static constexpr int most_leaps = 3;
  RungeKutta step_;
  double t_ = std::numeric_limits<double>::quiet_NaN();
  int leaps_ = 0;  // tried from t_
};

}  // namespace couplet::integrate
