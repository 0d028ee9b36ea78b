// Where in a step root functions become negative.
#pragma once

#include "couplet/integrate/falls.hpp"
#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {

/// Watches the root functions of a problem along the steps of a rule. A root function fires where
/// it goes from ≥ 0 to < 0; one that is negative stays silent until it was not. A crossing and its
/// return inside of one step are found at the extrema of the polynomial through five samples.
class EventFinder {
 public:
  /// `tolerance`: the absolute one of the rule; 0: none, steps are fixed.
  EventFinder(Problem& problem, double tolerance);

  bool active() const { return roots_.size() > 0; }
  /// Takes the values at a point where integration starts.
  void start(double t, const VecX& y);

  /// Looks for the first event in the step that was attempted, shortens the step to end there, to
  /// round-off, and says which functions fired. Empty: there is none.
  const std::vector<int>& find(Rule& rule);
  /// The event is where the step begins: nothing of the step remains.
  bool at_start() const { return at_start_; }
  /// In the last find(): the function that fired comes back and goes again for ever shorter times,
  /// now too short to be seen.
  bool accumulates() const { return accumulates_; }

 private:
  class OnStep;                                  // at hand
  double value(Rule& rule, double t, int root);  // on the interpolant
  double value_at_end(Rule& rule, int root);     // of the step itself
  void take_samples(Rule& rule, int look);
  bool find_first(Rule& rule, int look);
  std::optional<Falls::Value> find_return(Rule& rule, int root);
  bool rises(double t, const VecX& y, int root);
  bool is_noise(Rule& rule, int root);
  void sharpen(Rule& rule, int root, double slope);
  void push_over(Rule& rule, int root);

  Problem& problem_;
  double tolerance_;
  VecX roots_, y_, ydot_;
  VecX peaks_;           // the largest that each function was since it fired; infinite: it has not
  Falls::Sample start_;  // where the step begins
  Falls falls_;          // of the step at hand; its first sample is start_
  VecX y_start_, highest_;  // there; of each function in this step
  StepCurve curve_;         // of the same step, where a function is crooked
  std::vector<char> crooked_;
  bool bends_ = false;  // some function is crooked
  std::vector<int> fired_;
  std::vector<int> returning_;  // fired in the event where the step begins, and is on its way back
  double first_ = 0, slope_ = 0;  // of the event that was found
  bool at_start_ = false, accumulates_ = false;
  double last_ = 0;  // s: the end of the step as it was attempted
};

}  // namespace couplet::integrate
