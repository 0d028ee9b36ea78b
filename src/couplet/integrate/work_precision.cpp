#include "couplet/integrate/work_precision.hpp"

#include <fmt/format.h>
#include <time.h>

#include <cmath>

#include "couplet/base/diagnostics.hpp"

namespace couplet::integrate {
namespace {

double processor_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Ends a run that takes too long, or that nobody wants any more.
class Limit final : public Observer {
 public:
  Limit(double until, const std::function<bool()>& wanted) : until_(until), wanted_(wanted) {}
  void on_step(Rule&) override {}
  bool go_on() override {
    over_budget = processor_seconds() > until_;
    return !over_budget && (!wanted_ || wanted_());
  }
  bool over_budget = false;

 private:
  double until_;
  const std::function<bool()>& wanted_;
};

constexpr double no_digit = 1;  // an error so large says nothing
constexpr double round_off =
    1e-13;                        // of some thousand steps: two rules may agree to more by chance
constexpr double long_run = 0.2;  // s: enough for one good time
constexpr int coarsest = 3, finest = 24;  // steps of t_end / 2^k
constexpr int hopeless = 4;               // failures in a row after which smaller steps do not help

bool as_good_as(const Reference& reference, const EndErrors& errors) {
  return errors.position < std::max(reference.agreement.position, round_off);
}

std::string why_omitted(const TimedRun& run, const EndErrors& errors, const Reference& reference,
                        double budget) {
  if (run.over_budget) return fmt::format("takes longer than {:g} s", budget);
  switch (run.outcome.ending) {
    case Ending::failed:
      return run.outcome.message;
    case Ending::interrupted:
      return "interrupted";
    case Ending::terminated:
      return fmt::format("ended by a rule of the model at t = {:.9g} s", run.t);
    case Ending::reached:
      break;
  }
  if (!(errors.largest() < no_digit)) return "no digit is right";
  if (as_good_as(reference, errors)) return "as good as the reference";
  return {};
}

}  // namespace

EndErrors calc_end_errors(const Layout& layout, const VecX& y, const VecX& reference) {
  EndErrors errors;
  for (int i = 0; i < layout.size(); ++i) {
    const double scale = std::max(layout.nominal(i), std::abs(reference[i]));
    double& largest = i < layout.nq ? errors.position : errors.speed;
    const double error = std::abs(y[i] - reference[i]) / scale;
    if (!(error <= largest)) largest = error;  // NaN shows
  }
  return errors;
}

TimedRun WorkBench::run(const RuleEntry& entry, const RunSetting& setting, double budget) const {
  TimedRun out;
  VecX y;
  const std::unique_ptr<Problem> problem = make_(y);
  Driver driver(*problem, entry, {setting.tolerance, setting.tolerance}, {.step = setting.step});
  const double begin = processor_seconds();
  Limit limit(begin + budget, options_.go_on);
  try {
    driver.start(0, y);
    out.outcome = driver.run(options_.t_end, limit);
  } catch (const base::ComputationError& error) {
    out.outcome = {Ending::failed, error.what()};
  }
  out.seconds = processor_seconds() - begin;
  out.over_budget = limit.over_budget;
  out.t = driver.rule().t();
  out.y = driver.rule().y();
  out.counts = driver.rule().counts();
  return out;
}

const Reference& WorkBench::find_reference() {
  struct Tight {
    const char* rule;
    double tolerance;
  };
  constexpr double longer = 5;  // than other runs
  std::optional<TimedRun> first;
  Reference reference;
  std::string failures;
  for (const Tight& tight :
       {Tight{"dop853", 1e-13}, {"gbs", 1e-13}, {"radau5", 1e-12}, {"ida", 1e-12}}) {
    const std::string name = fmt::format("{} at {:g}", tight.rule, tight.tolerance);
    TimedRun now = run(check_rule(tight.rule), {{}, tight.tolerance}, longer * options_.budget);
    if (now.outcome.ending == Ending::terminated)
      throw base::UserError(
          {}, fmt::format("a rule of the model ends the motion at t = {:.9g} s", now.t),
          "give `until` an earlier time");
    if (now.outcome.ending != Ending::reached) {
      failures +=
          "\n  " + name + ": " +
          (now.over_budget ? fmt::format("takes longer than {:g} s", longer * options_.budget)
                           : now.outcome.message);
      if (now.outcome.ending == Ending::interrupted && !now.over_budget) break;
    } else if (!first) {
      reference.first = name;
      first = std::move(now);
    } else {
      VecX ignored;
      reference.second = name;
      reference.agreement = calc_end_errors(make_(ignored)->layout(), now.y, first->y);
      reference.y = std::move(first->y);
      return reference_.emplace(std::move(reference));
    }
  }
  throw base::ComputationError(
      "there are not two rules that give a reference; `budget` and `until` may help" + failures);
}

WorkPoint WorkBench::measure(const RuleEntry& entry, const RunSetting& setting) const {
  WorkPoint point{entry.name, setting.step ? StepControl::fixed : entry.control, setting, {}, 0, {},
                  {}};
  VecX ignored;
  const Layout layout = make_(ignored)->layout();
  double total = 0;
  for (int r = 0; r < options_.repetitions && total < long_run; ++r) {
    const TimedRun now = run(entry, setting, options_.budget);
    total += now.seconds;
    if (r > 0 && now.outcome.ending != Ending::reached)
      break;  // interrupted: the first time stands
    point.seconds = r == 0 ? now.seconds : std::min(point.seconds, now.seconds);
    if (r > 0) continue;
    point.counts = now.counts;
    point.errors = calc_end_errors(layout, now.y, reference_->y);
    point.omitted = why_omitted(now, point.errors, *reference_, options_.budget);
    if (!point.omitted.empty()) break;
  }
  return point;
}

void WorkBench::sweep(const RuleEntry& entry,
                      const std::function<void(const WorkPoint&)>& see) const {
  const bool fixed = entry.control == StepControl::fixed;
  int points = 0, failures = 0;  // failures since the last point
  for (int k = fixed ? coarsest : 2; k <= (fixed ? finest : 11); ++k) {
    if (options_.go_on && !options_.go_on()) return;
    const RunSetting setting =
        fixed ? RunSetting{std::ldexp(options_.t_end, -k), 0} : RunSetting{{}, std::pow(10, -k)};
    const WorkPoint point = measure(entry, setting);
    see(point);
    if (point.counts_as_point())
      ++points, failures = 0;
    else if (++failures >= hopeless && points > 0)
      return;
    const bool finished = fixed && as_good_as(*reference_, point.errors);
    if (point.seconds > options_.budget || finished) return;
  }
}

std::optional<double> find_work_at(std::span<const WorkPoint> points, double error,
                                   const std::function<double(const WorkPoint&)>& work) {
  const WorkPoint* before = nullptr;
  for (const WorkPoint& point : points) {
    if (!point.counts_as_point()) continue;
    if (point.errors.position <= error) {
      if (!before) return work(point);
      const double part = std::log(before->errors.position / error) /
                          std::log(before->errors.position / point.errors.position);
      return std::exp((1 - part) * std::log(work(*before)) + part * std::log(work(point)));
    }
    before = &point;
  }
  return {};
}

}  // namespace couplet::integrate
