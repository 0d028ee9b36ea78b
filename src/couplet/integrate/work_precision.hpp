// Work and precision of integration rules on one problem: what a run costs, and how far its end is
// from a reference that two different rules agree on.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "couplet/integrate/driver.hpp"

namespace couplet::integrate {

/// How long the steps of a run are: fixed, or by a tolerance.
struct RunSetting {
  std::optional<double> step;  // s
  double tolerance = 0;
};

/// Largest differences, each relative to max(nominal, |y|) of its component, as tolerances are.
struct EndErrors {
  double position = 0;
  double speed = 0;  // and first-order states

  double largest() const { return std::max(position, speed); }
};
EndErrors calc_end_errors(const Layout& layout, const VecX& y, const VecX& reference);

struct TimedRun {
  Outcome outcome;
  bool over_budget = false;
  double t = 0;  // s, reached
  VecX y;
  Counts counts;
  double seconds = 0;  // of the processor
};

/// One run of a rule, with its best time; `omitted` says why it does not count.
struct WorkPoint {
  std::string rule;
  StepControl control = StepControl::error;
  RunSetting setting;
  EndErrors errors;
  double seconds = 0;  // of the processor
  Counts counts;
  std::string omitted;

  bool counts_as_point() const { return omitted.empty(); }
};

/// Where the motion ends, and how well that is known.
struct Reference {
  std::string first, second;  // "dop853 at 1e-13"
  VecX y;                     // by the first
  EndErrors agreement;        // of the second with it
};

class WorkBench {
 public:
  /// A new problem, and where its motion begins: problems may remember what happened to them.
  using Maker = std::function<std::unique_ptr<Problem>(VecX& y)>;
  struct Options {
    double t_end = 1;     // s
    double budget = 2;    // s of the processor for a run; references may take five times that
    int repetitions = 3;  // of short runs: the best time counts
    std::function<bool()> go_on;  // asked after every step; false: the run is interrupted
  };
  WorkBench(Maker make, Options options) : make_(std::move(make)), options_(std::move(options)) {}

  /// Tight runs of different kinds of rules, until two succeed. ComputationError when there are not
  /// two.
  const Reference& find_reference();

  TimedRun run(const RuleEntry& entry, const RunSetting& setting, double budget) const;
  /// Needs the reference.
  WorkPoint measure(const RuleEntry& entry, const RunSetting& setting) const;
  /// Tolerances 1e-2 to 1e-11, or steps of t_end/8, /16, … until a run exceeds the budget or is as
  /// good as the reference. `see` is given each point.
  void sweep(const RuleEntry& entry, const std::function<void(const WorkPoint&)>& see) const;

 private:
  Maker make_;
  Options options_;
  std::optional<Reference> reference_;
};

/// What `work` would be at this error of positions: interpolated, in logarithms, between the points
/// of one rule. Absent when no point is as good.
std::optional<double> find_work_at(std::span<const WorkPoint> points, double error,
                                   const std::function<double(const WorkPoint&)>& work);

}  // namespace couplet::integrate
