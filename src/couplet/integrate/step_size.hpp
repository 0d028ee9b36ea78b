// The length of steps under error control: a first guess, then a PI controller.
#pragma once

#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {

/// A first step for error control, by the size of y, ẏ and a difference for ÿ (Hairer, Nørsett,
/// Wanner I, section II.4). Takes two evaluations.
double guess_first_step(Problem& problem, const Tolerance& tolerance, int error_order, double t,
                        const VecX& y, double longest);

/// h' = 0.9 h err^(-α) err_before^β, within factors; after a rejection steps do not grow.
class PiController {
 public:
  explicit PiController(int error_order);

  double next_after_good(double h, double error);
  double next_after_bad(double h, double error);
  void reset();
  void archive(Archive& archive);

 private:
  double alpha_, beta_;
  double error_before_ = 1e-4;
  bool rejected_ = false;
};

}  // namespace couplet::integrate
