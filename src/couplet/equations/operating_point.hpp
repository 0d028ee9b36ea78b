// A model at one moment of time: states at which nothing moves, and how rates change near a point.
//
//   0 = f(t, y)        dy/dt = A y + B u,   z = C y + D u
#pragma once

#include <functional>

#include "couplet/equations/runtime.hpp"

namespace couplet::equations {

class OperatingPoint {
 public:
  /// Where the model begins.
  OperatingPoint(EquationProblem& problem, double t);

  double t() const { return t_; }
  const VecX& y() const { return y_; }
  /// States that are independent of each other here; the others follow by constraints.
  const std::vector<int>& states() const { return states_; }  // components of y
  /// Their rates, each divided by the nominal value of its state, in 1/s: the largest, and whose.
  double find_largest_rate(int& state);

  /// f(t, y) = 0 nearby: Newton's method, damped; where that does not get there, going along the
  /// motion first, as far as it loses speed. Relations take the values that they have there; the
  /// time stands still. Of many such states the nearest. Throws ComputationError when there is
  /// none.
  void find_equilibrium();

  using Outputs = std::function<void(double t, const VecX& y, double* values)>;
  struct Derivatives {
    MatX by_states, by_inputs;          // of rates
    MatX out_by_states, out_by_inputs;  // of outputs
    std::vector<int> kinks;             // states near which rates have a kink: no derivative
  };
  /// Central differences of the fourth order; relations keep their values. `inputs`: parameters.
  Derivatives differentiate(const std::vector<int>& inputs, size_t output_count,
                            const Outputs& outputs);

 private:
  VecX calc_rates(const VecX& y);
  VecX calc_rates_there(const VecX& y);  // throws when there are none
  MatX differentiate_rates();
  bool settle();
  void find_states();
  double measure(const VecX& rates) const;
  void move(const VecX& step);
  bool newton();
  void relax();
  double scale(int state) const;

  EquationProblem& problem_;
  double t_;
  VecX y_, ydot_;
  std::vector<int> states_;
};

}  // namespace couplet::equations
