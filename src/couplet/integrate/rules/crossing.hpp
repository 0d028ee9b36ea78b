// A way past singular positions for implicit rules and those of others. Shortly before one,
// Newton's method fails: the multipliers of rows that become dependent have no value there, and
// shorter steps only come closer. An explicit step does not see it: a problem closes its states
// before it evaluates accelerations near a singular position.
#pragma once

#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/rules/runge_kutta.hpp"

namespace couplet::integrate {

class Crossing {
 public:
  Crossing(Problem& problem, const Tolerance& tolerance)
      : step_(problem, tolerance, dormand_prince_8) {}

  /// One step; false if its error is too large, or the problem cannot be evaluated. y is where it
  /// leads.
  bool attempt(double t, const VecX& from, double h, VecX& y, Counts& counts) {
    const long before = step_.counts().evaluations;
    step_.start(t, from, h);
    Trial trial;
    try {
      trial = step_.attempt(h);
    } catch (const base::ComputationError&) {
      trial.finite = false;
    }
    counts.evaluations += step_.counts().evaluations - before;
    if (!trial.finite || trial.error > 1) return false;
    y = step_.y_to();
    return true;
  }

  /// Inside the last step.
  void interpolate(double t, VecX& y) { step_.interpolate(t, y); }

 private:
  RungeKutta step_;
};

}  // namespace couplet::integrate
