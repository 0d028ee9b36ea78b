#include "couplet/integrate/driver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"

namespace couplet::integrate {
namespace {

constexpr double resolution = 16 * std::numeric_limits<double>::epsilon();
constexpr int most_quick_events = 100;       // so many with no time between them is chattering
constexpr long most_idle_steps = 1'000'000;  // that bring the end nearer by less than
constexpr double least_progress = 1e-9;      // of the run: it would take longer than anybody waits
constexpr long some_steps = 100'000;         // after which it is known how many it will take

/// s: events that follow each other within this do so without time passing.
double quick(double t) { return 1e-10 * std::max(1.0, std::abs(t)); }

void check_fit(const RuleEntry& entry, const Tolerance& tolerance, const DriverOptions& options) {
  const std::string name = base::quoted(entry.name);
  if (options.step && entry.control == StepControl::own)
    throw base::UserError({}, fmt::format("integrator {} chooses its steps itself", name),
                          "give `tolerance` instead of `step`");
  if (!options.step && entry.control == StepControl::fixed)
    throw base::UserError({}, fmt::format("integrator {} has no error estimate", name),
                          "give `step`, or use dopri5");
  if (options.step && !(*options.step > 0 && std::isfinite(*options.step)))
    throw base::UserError({}, fmt::format("a step of {} s is not possible", *options.step),
                          "give a step > 0");
  if (!(options.longest > 0))
    throw base::UserError({},
                          fmt::format("steps of at most {} s are not possible", options.longest),
                          "give `max_step` > 0");
  if (options.step && std::isfinite(options.longest))
    throw base::UserError(
        {}, fmt::format("fixed steps of {} s cannot have a longest one", *options.step),
        "leave out `max_step`, or `step`");
  if (!options.step &&
      !(tolerance.relative > 0 && tolerance.absolute > 0 && tolerance.relative < 1))
    throw base::UserError({}, "tolerances must be above 0, and the relative one below 1",
                          "try 1e-6");
  if (!options.step && tolerance.relative < entry.finest)
    throw base::UserError(
        {},
        fmt::format("a tolerance of {:g} is below the round-off of integrator {}",
                    tolerance.relative, name),
        fmt::format("give {:g} or more", entry.finest) +
            (entry.finest > 1e-14 ? ", or use dop853, which goes down to 1e-14" : ""));
}

}  // namespace

Driver::Driver(Problem& problem, const RuleEntry& entry, const Tolerance& tolerance,
               const DriverOptions& options)
    : problem_(problem),
      entry_(entry),
      tolerance_(options.step ? Tolerance{0, 0}
                              : Tolerance{entry.share * tolerance.relative,
                                          entry.share * tolerance.absolute}),
      options_(options),
      controller_(std::max(entry.error_order, 1)),
      finder_(problem, tolerance_.absolute),
      watch_(problem.layout(), entry.reach),
      told_stiff_(options.step || entry.reach == 0),
      firings_(static_cast<size_t>(problem.root_count())) {
  check_fit(entry, tolerance, options);
  rule_ = make_rule(entry, problem, tolerance_);
}

void Driver::start(double t, const VecX& y) {
  t_start_ = last_event_ = t;
  h_ = 0;
  begun_ = false;
  fresh_ = true;
  VecX consistent = y;
  problem_.project(t, consistent);
  rule_->start(t, consistent, 0);
  finder_.start(t, consistent);
  controller_.reset();
}

// Where the next step should end. Fixed steps end on the grid; other steps are stretched or shared
// out so that none is tiny before a stop.
double Driver::target_of_step(double t_end) const {
  const double t = rule_->t(), stop = std::min(t_end, problem_.next_time_event(t));
  if (options_.step) {
    const double h = *options_.step;
    double next = t_start_ + h * (std::floor((t - t_start_) / h * (1 + resolution)) + 1);
    if (next - t < resolution * std::max(std::abs(t), h)) next += h;
    return next > stop - 1e-9 * h ? stop : next;
  }
  double longest = std::min(options_.longest, (t_end - t_start_) / options_.least_steps);
  if (fresh_) longest = std::min(longest, options_.first);
  const bool own = entry_.control == StepControl::own;
  const double h = own ? longest : std::min(h_, longest), end = std::min(stop, t + h);
  if (options_.foresees)
    if (const double seen = problem_.reach(t, end); seen < end) return seen;
  if (own) return end;
  if (t + std::min(1.01 * h, longest) >= stop) return stop;
  if (t + 2 * h > stop) return t + (stop - t) / 2;
  return t + h;
}

std::string Driver::name_of(int component) const {
  return problem_.layout().component(component).name;
}

std::string Driver::trouble(const std::string& what, double h) const {
  const std::string worst = name_of(rule_->worst_component());
  return fmt::format("{} at t = {:.12g} s{}{}", what, rule_->t(),
                     h > 0 ? fmt::format(" with a step of {:.3g} s", h) : "",
                     reason_.empty() ? "; worst: " + base::quoted(worst) : ": " + reason_);
}

// An attempt; one that leads where the model cannot be evaluated is bad, not fatal.
Trial Driver::try_step(double h) {
  reason_.clear();
  try {
    return rule_->attempt(h);
  } catch (const base::ComputationError& error) {
    reason_ = error.what();
    return {2, 0, false};
  }
}

// Steps until one is good; false with the reason in outcome.
bool Driver::attempt(double target, Outcome& outcome) {
  constexpr int most_leaps = 3;  // over one singular position
  const double wanted = h_;
  int leaps = 0;
  bool cut =
      target - rule_->t() < 0.9 * wanted;  // for a stop: such a step says little about the next
  while (true) {
    const double h = target - rule_->t();
    const Trial trial = try_step(h);
    const bool controlled = !options_.step && entry_.control == StepControl::error;
    if (controlled && trial.clear > 0 && ++leaps <= most_leaps) {
      ++rule_->counts().rejections;
      target = rule_->t() + trial.clear;
      cut = true;
      continue;
    }
    const bool good = trial.finite && (!controlled || trial.error <= 1);
    if (good && !sees_step(target)) {
      ++rule_->counts().rejections;
      cut = true;
      continue;
    }
    if (good) {
      if (entry_.control != StepControl::own) rule_->set_end(target);
      if (controlled) {
        double next = trial.h_next > 0 ? trial.h_next : controller_.next_after_good(h, trial.error);
        if (!trial.may_grow) next = std::min(next, 2 * h);
        h_ = cut ? std::max(next, wanted) : next;
      }
      return true;
    }
    ++rule_->counts().rejections;
    cut = false;
    if (!controlled) {
      const bool own = entry_.control == StepControl::own;
      outcome = {
          Ending::failed,
          own ? trouble(fmt::format("integrator {} gave up", base::quoted(entry_.name)), 0)
              : trouble(
                    "the solution is not finite, or the stages do not converge: the step is too "
                    "long for what moves fastest,",
                    h)};
      return false;
    }
    h_ = trial.h_next > 0 ? trial.h_next
                          : controller_.next_after_bad(h, trial.finite ? trial.error : INFINITY);
    constexpr double least =
        1e-150;  // s; where t = 0, too, there is an end: its square is a number
    const double limit = resolution * std::max(std::abs(rule_->t()), 1e-3 * std::abs(h));
    if (!(h_ >= std::max(least, limit))) {  // also when it is no number
      outcome = {Ending::failed, trouble(!reason_.empty() ? "no step is possible"
                                         : trial.finite   ? "the tolerance cannot be met"
                                                          : "the solution is not finite",
                                         h_)};
      return false;
    }
    target = rule_->t() + h_;
  }
}

// Whether the ends of the step that was attempted show what happens between them; else it is to
// end at `target`. Steps that the user has chosen are what they are.
bool Driver::sees_step(double& target) {
  if (!problem_.has_narrow() || (!options_.foresees && told_unseen_)) return true;
  const double t = rule_->t(), end = rule_->t_to();
  std::string who;
  const double seen = problem_.seen(t, rule_->y(), end, rule_->y_to(), who);
  if (!(seen < end) || !(seen > t)) return true;
  if (!options_.foresees) {
    told_unseen_ = true;
    notes_.push_back({{"not seen", who,
                       "it changes so fast that steps of this length pass over it; take shorter "
                       "ones, or a tolerance"},
                      t});
    return true;
  }
  target = seen;
  if (entry_.control != StepControl::own) return false;
  const VecX y = rule_->y();  // its history went on
  rule_->start(t, y, seen - t);
  return false;
}

// Of a rule that chooses among others.
void Driver::note_change(std::string_view method) {
  constexpr size_t most = 10;
  if (method == rule_->method() || notes_.size() > most) return;
  const bool last = notes_.size() == most;
  notes_.push_back(
      {{"integrator", std::string(rule_->method()), last ? "and so on" : ""}, rule_->t_from()});
}

// Said once.
void Driver::look_for_stiffness() {
  constexpr long every = 100;  // steps
  if (told_stiff_ || !watch_.look(problem_, *rule_, StiffnessWatch::For::stiff, every)) return;
  told_stiff_ = true;
  notes_.push_back(
      {{"stiff", name_of(watch_.component()),
        fmt::format("steps of {} are short for stability alone; auto, radau5 or ida may take far "
                    "fewer",
                    entry_.name)},
       rule_->t()});
}

// After some more steps since `then`. Said where nothing else has been said.
void Driver::note_pace(double then, double t_end) {
  constexpr double many = 1e7;
  const double h = (rule_->t() - then) / some_steps, left = (t_end - rule_->t()) / h;
  if (left < many || !notes_.empty()) return;
  notes_.push_back({{"slow", name_of(rule_->worst_component()),
                     fmt::format("steps are {:.1g} s long, and {:.1g} of them are left; forces may "
                                 "jump there without an event, or be stiff",
                                 h, left)},
                    rule_->t()});
}

// Many events of one root function in a small part of the run, with time between them.
void Driver::look_for_chattering(double t_end, std::span<const int> fired) {
  constexpr int many = 100;
  const double t = rule_->t(), little = 1e-3 * (t_end - t_start_);
  for (const int root : fired) {
    Firings& firings = firings_[static_cast<size_t>(root)];
    if (t - firings.since > little) firings.lately = 0, firings.since = t;
    const double span = t - firings.since;
    if (++firings.lately < many || firings.told || span <= many * quick(t)) continue;
    firings.told = true;
    notes_.push_back({{"chattering", problem_.root_name(root),
                       fmt::format("it switched {} times in {:.2g} s; a law that is smooth there "
                                   "does without events",
                                   many, span)},
                      t});
  }
}

// With fixed steps of the first order bounces of a rule that should come to rest go on for ever, as
// high as the error of a step. Empty: there are none.
std::string Driver::find_endless_bounce(std::span<const int> fired) {
  constexpr long steps = 50;
  constexpr int many = 20;
  if (!options_.step || entry_.order > 1) return {};
  for (const int root : fired) {
    if (!problem_.is_bounce(root)) continue;
    Firings& firings = firings_[static_cast<size_t>(root)];
    const long now = rule_->counts().steps, gone = now - std::exchange(firings.step, now);
    firings.short_hops = gone <= steps ? firings.short_hops + 1 : 0;
    if (firings.short_hops < many) continue;
    return fmt::format(
        "rule {} fires every {} steps at t = {:.12g} s, {} times in a row: bounces as high as the "
        "error of a step of {} do not die out; those that come to rest are what `limits` of a "
        "joint with `restitution` are for",
        base::quoted(problem_.root_name(root)), gone, rule_->t(), many, entry_.name);
  }
  return {};
}

bool Driver::chatters(double t, std::span<const int> fired, const std::vector<std::string>& names) {
  constexpr size_t most_names = 8;
  const bool jumps = fired.empty() ||
                     !std::ranges::all_of(fired, [&](int root) { return problem_.is_kink(root); });
  const bool is_quick = jumps && t - last_event_ <= quick(t);
  quick_events_ = is_quick ? quick_events_ + 1 : 0;
  if (!is_quick) quick_names_.clear();
  if (quick_names_.size() < most_names) quick_names_.insert(names.begin(), names.end());
  last_event_ = t;
  return quick_events_ > most_quick_events;
}

bool Driver::handle_event(Observer& observer, const std::vector<int>& fired, bool time_event,
                          Outcome& outcome) {
  const double t = rule_->t();
  if (finder_.accumulates()) {
    outcome =
        accumulation(t, {problem_.root_name(fired.front())}, problem_.is_bounce(fired.front()));
    return false;
  }
  VecX y = rule_->y();
  observer.before_event(t, y);
  std::vector<std::string> names;
  for (const int root : fired) names.push_back(problem_.root_name(root));
  ++rule_->counts().events;
  if (std::string endless = find_endless_bounce(fired); !endless.empty()) {
    outcome = {Ending::failed, std::move(endless)};
    return false;
  }
  Verdict verdict = Verdict::go_on;
  if (!fired.empty()) verdict = problem_.handle_event(t, y, fired);
  if (time_event && verdict == Verdict::go_on) verdict = problem_.handle_event(t, y, {});
  problem_.project(t, y);
  rule_->start(t, y, h_);
  finder_.start(t, y);
  controller_.reset();
  fresh_ = true;
  observer.on_event(t, y, names);
  if (verdict == Verdict::stop) outcome = {Ending::terminated, {}};
  if (verdict == Verdict::stop) return false;
  if (!chatters(t, fired, names)) return true;
  const bool bounces = std::ranges::any_of(fired, [&](int i) { return problem_.is_bounce(i); });
  outcome = accumulation(t, {quick_names_.begin(), quick_names_.end()}, bounces);
  return false;
}

Outcome Driver::accumulation(double t, const std::vector<std::string>& names, bool bounces) const {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(base::quoted(name));
  const std::string who =
      quoted.empty() ? "a time event" : fmt::format("{}", fmt::join(quoted, ", "));
  return {Ending::failed,
          fmt::format("events accumulate at t = {:.12g} s: {} {} again and again without time "
                      "passing{}",
                      t, who, quoted.size() > 1 ? "fire in turn," : "fires",
                      quoted.size() > 1 ? "; the motion would have to slide between them"
                      : bounces ? "; bounces that come to rest are what `limits` of a joint "
                                  "with `restitution` are for"
                                : "")};
}

Outcome Driver::run(double t_end, Observer& observer) {
  try {
    return run_to(t_end, observer);
  } catch (const base::ComputationError& error) {
    return {Ending::failed, error.what()};
  }
}

bool Driver::begin(Observer& observer, Outcome& outcome) {
  return std::exchange(begun_, true) || !problem_.is_due(rule_->t()) ||
         handle_event(observer, {}, true, outcome);
}

// To a time that is the present one but for rounding, without a step: some rules have none that is
// so short.
bool Driver::jump(double stop) {
  if (!(stop - rule_->t() <= resolution * std::abs(stop))) return false;
  const VecX y = rule_->y();
  rule_->start(stop, y, h_);
  finder_.start(stop, y);
  return true;
}

Outcome Driver::run_to(double t_end, Observer& observer) {
  Outcome outcome;
  if (!begin(observer, outcome)) return outcome;
  if (!options_.step && entry_.control == StepControl::error && h_ == 0) {
    h_ = guess_first_step(problem_, tolerance_, entry_.error_order, rule_->t(), rule_->y(),
                          std::min({options_.longest, options_.first, t_end - rule_->t()}));
    rule_->counts().evaluations += 2;
  }
  const double span = t_end - rule_->t();
  const std::vector<int> none;
  double last_look = rule_->t(), last_note = last_look;
  for (long steps = 1; rule_->t() < t_end; ++steps) {
    if (steps % some_steps == 0) note_pace(std::exchange(last_note, rule_->t()), t_end);
    if (steps % most_idle_steps == 0) {
      const double gained = rule_->t() - std::exchange(last_look, rule_->t());
      if (gained < least_progress * span)
        return {Ending::failed, trouble(fmt::format("{} steps went by in {:.3g} s: there is no "
                                                    "progress",
                                                    most_idle_steps, gained),
                                        h_)};
    }
    const double time_event = problem_.next_time_event(rule_->t());
    const std::string_view method = rule_->method();
    const bool jumped = jump(std::min(time_event, t_end));
    if (!jumped && !attempt(target_of_step(t_end), outcome)) return outcome;
    const std::vector<int>& fired = jumped ? none : finder_.find(*rule_);
    if (!jumped && !finder_.at_start()) {
      fresh_ = false;
      rule_->accept();
      ++rule_->counts().steps;
      note_change(method);
      if (problem_.wants_path()) note_path();
      if (finder_.active()) problem_.note_step(rule_->t(), rule_->y());
      look_for_stiffness();
      observer.on_step(*rule_);
    }
    look_for_chattering(t_end, fired);
    const bool on_time = rule_->t() >= time_event;
    if ((!fired.empty() || on_time) && !handle_event(observer, fired, on_time, outcome))
      return outcome;
    if (!observer.go_on()) return {Ending::interrupted, {}};
  }
  return outcome;
}

// Between steps of rules of several steps their polynomials differ by the error of a step, which
// would be noise in what is remembered; a polynomial through the ends of steps is theirs.
void Driver::note_path() {
  const int parts = entry_.control == StepControl::own ? 1 : 4;
  VecX y(rule_->y().size());
  for (int k = 1; k < parts; ++k) {
    const double t = rule_->t_from() + (rule_->t() - rule_->t_from()) * k / parts;
    rule_->find_between(t, y);
    problem_.note_between(t, y);
  }
}

void Driver::finish(Observer& observer) {
  if (!problem_.has_end()) return;
  const double t = rule_->t();
  VecX y = rule_->y();
  observer.before_event(t, y);
  problem_.handle_end(t, y);
  rule_->start(t, y, h_);
  observer.on_event(t, y, {});
}

void Driver::archive(Archive& archive) {
  if (rule_->restarts_at_checkpoints() && !archive.loading()) {
    const VecX y = rule_->y();
    rule_->start(rule_->t(), y, h_);
    fresh_ = true;
  }
  rule_->archive(archive);
  controller_.archive(archive);
  archive(h_);
  archive(fresh_);
  archive(t_start_);
  archive(last_event_);
  archive(quick_events_);
  watch_.archive(archive);
  archive(told_stiff_);
  archive(told_unseen_);
  for (Firings& firings : firings_) archive(firings.step), archive(firings.short_hops);
  if (archive.loading()) {
    begun_ = true;
    const VecX y = rule_->y();
    if (rule_->restarts_at_checkpoints()) rule_->start(rule_->t(), y, h_);
    finder_.start(rule_->t(), y);
  }
}

}  // namespace couplet::integrate
