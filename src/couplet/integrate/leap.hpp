// Steps over singular positions. Near one, what is evaluated is blurred by round-off
// (rules/round_off.hpp); between two evaluations a step sees nothing of it. A step that came too
// near is taken again with a length that puts the position far from all its evaluations.
#pragma once

#include <vector>

namespace couplet::integrate {

class Leap {
 public:
  void begin() { seen_.clear(); }
  /// The step was evaluated at t, where constraints were so near to depending on each other
  /// (Problem::sine).
  void note(double t, double sine) { seen_.push_back({t, sine}); }

  /// When it was first nearer than that; `otherwise`: never.
  double find_first(double sine, double otherwise) const;

  /// The length of a step like that from t over h, with its evaluations in the same proportions,
  /// that would see a singular position from at least twice as far; 0: there is none.
  double find_length(double t, double h);

 private:
  struct Sight {
    double t, sine;
  };
  /// Where the sine is zero: it is |t - t₀| times this. False: it does not look like that.
  bool find_position(double& t0, double& slope) const;

  std::vector<Sight> seen_;
};

}  // namespace couplet::integrate
