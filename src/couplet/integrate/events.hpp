// Where in a step root functions become negative.
#pragma once

#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {

/// Watches the root functions of a problem along the steps of a rule. A root function fires where
/// it goes from ≥ 0 to < 0; one that is negative stays silent until it was not.
class EventFinder {
 public:
  explicit EventFinder(Problem& problem);

  bool active() const { return roots_.size() > 0; }
  /// Takes the values at a point where integration starts.
  void start(double t, const VecX& y);

  /// Looks for the first event in the step that was attempted, shortens the step to end there, to
  /// round-off, and says which functions fired. Empty: there is none.
  const std::vector<int>& find(Rule& rule);
  /// The event is where the step begins: nothing of the step remains.
  bool at_start() const { return at_start_; }

 private:
  struct Sample {
    double t;
    VecX roots;
  };
  double value(Rule& rule, double t, int root);  // on the interpolant
  double value_at_end(Rule& rule, int root);     // of the step itself
  bool sample(Rule& rule);
  double locate(Rule& rule, int root, const Sample& before, const Sample& after);
  void sharpen(Rule& rule, int root, double slope);

  Problem& problem_;
  VecX roots_, y_;
  Sample start_, previous_, next_;  // where the step begins; two neighbours in it
  std::vector<int> fired_;
  double first_ = 0, slope_ = 0;  // of the event that was found
  bool at_start_ = false;
  double resolution_ = 0;  // s: times closer than this are one
  double last_ = 0;        // s: the end of the step as it was attempted
};

}  // namespace couplet::integrate
