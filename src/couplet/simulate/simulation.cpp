#include "couplet/simulate/simulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>

#include "couplet/base/text.hpp"

namespace couplet::simulate {
namespace {

constexpr double longest_run = 1e18;  // s: the universe is 4e17 s old
constexpr double longest_wait = 1e9;  // s: thirty years
constexpr double most_steps = 1e15;   // beyond, times k·h are no longer told apart (2⁵³)

void check(const RunOptions& options) {
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  if (!(options.t_end >= 0 && std::isfinite(options.t_end)))
    throw base::UserError({}, fmt::format("the end time {} s is not possible", options.t_end),
                          "give `until` ≥ 0");
  if (options.t_end > longest_run)
    throw base::UserError({}, fmt::format("an end time of {:g} s cannot be reached", options.t_end),
                          "give `until` ≤ 1e18 s, which is longer than the universe exists");
  for (const auto& [name, h] : {std::pair("step", options.step.value_or(0)),
                                {"max_step", options.max_step.value_or(0)},
                                {"interval", options.interval},
                                {"checkpoint", options.checkpoint_interval}})
    if (h > 0 && options.t_end / h > most_steps)
      throw base::UserError(
          {},
          fmt::format("a {} of {:g} s is lost in the rounding of times up to {:g} s", name, h,
                      options.t_end),
          fmt::format("give `{}` ≥ {:.1g} s", name, options.t_end / most_steps));
  if (options.max_step && !positive(*options.max_step))
    throw base::UserError({},
                          fmt::format("steps of at most {} s are not possible", *options.max_step),
                          "give `max_step` > 0 s");
  if (options.interval != 0 && !positive(options.interval))
    throw base::UserError({}, fmt::format("an interval of {} s is not possible", options.interval),
                          "give `interval` > 0 s");
  if (options.checkpoint_interval != 0 && !positive(options.checkpoint_interval))
    throw base::UserError(
        {}, fmt::format("checkpoints every {} s are not possible", options.checkpoint_interval),
        "give `checkpoint` > 0, in simulated seconds");
  if (options.pace != 0 && !positive(options.pace))
    throw base::UserError({}, fmt::format("a pace of {} is not possible", options.pace),
                          "give `real_time` > 0; 1 is as fast as the clock");
  if (options.pace > 0 && options.t_end / options.pace > longest_wait)
    throw base::UserError({},
                          fmt::format("at a pace of {:g}, {:g} s take more than thirty years",
                                      options.pace, options.t_end),
                          fmt::format("give `real_time` ≥ {:.1g}", options.t_end / longest_wait));
}

const RunOptions& checked(const RunOptions& options) {
  check(options);
  return options;
}

// Whoever wants rows sees what happens between two of them: the first step is no longer. Forces of
// the time are looked at a thousand times, unless the user says how long steps may be.
integrate::DriverOptions driver_options(const integrate::Problem& problem,
                                        const RunOptions& options) {
  integrate::DriverOptions driver{.step = options.step};
  if (options.max_step) driver.longest = *options.max_step;
  driver.foresees = !options.step && !options.max_step;
  if (driver.foresees && problem.depends_on_time()) driver.least_steps = 1000;
  if (options.interval > 0) driver.first = options.interval;
  return driver;
}

/// Whether it goes on in another way after a checkpoint: it begins anew, or has its derivatives,
/// which are not saved, evaluated anew.
bool notices_checkpoints(const integrate::Rule& rule, const RunOptions& options) {
  return rule.restarts_at_checkpoints() ||
         integrate::check_rule(options.integrator).asks == integrate::Asks::residuals;
}

std::unique_ptr<Probe> find_energy(Observables& observables) {
  for (size_t i = 0; i < observables.size(); ++i)
    if (observables.kind(i) == Kind::energy && observables.at(i).name == "energy.total")
      return observables.choose(std::span(&i, 1));
  return nullptr;
}

/// Rows in memory.
class MemoryWriter final : public results::ResultWriter {
 public:
  explicit MemoryWriter(results::Recording& recording) : recording_(recording) {}
  void append(std::span<const double> rows) override {
    recording_.values.insert(recording_.values.end(), rows.begin(), rows.end());
  }
  void flush() override {}
  void close() override {}

 private:
  results::Recording& recording_;
};

}  // namespace

/// Passes what happens on to the recorder, the checkpoints, the clock and the user.
class Simulation::Watcher final : public integrate::Observer {
 public:
  Watcher(Simulation& simulation, const std::function<bool(double)>& watch)
      : s_(simulation), watch_(watch) {
    if (s_.options_.pace > 0) pace.emplace(s_.driver_.rule().t(), s_.options_.pace);
  }

  void on_step(integrate::Rule& rule) override {
    if (s_.recorder_) s_.recorder_->on_step(rule, s_.problem());
    s_.note_residuals(s_.problem().residuals());
  }
  void before_event(double t, const VecX& y) override {
    if (s_.recorder_) s_.recorder_->before_event(t, y);
  }
  void on_event(double t, const VecX& y, const std::vector<std::string>&) override {
    if (s_.recorder_) s_.recorder_->on_event(t, y);
    for (const integrate::EventNote& note : s_.problem().notes()) s_.notes_.push_back({note, t});
  }
  bool go_on() override {
    const double t = s_.driver_.rule().t(), every = s_.options_.checkpoint_interval;
    if (every > 0 && t >= every * static_cast<double>(s_.next_checkpoint_)) {
      s_.next_checkpoint_ = static_cast<long>(t / every) + 1;
      s_.write_checkpoint_now();
    }
    if (pace) pace->wait_for(t);
    violation =
        s_.problem().find_violation(t, s_.driver_.rule().y(), s_.options_.tolerance.absolute);
    if (!violation.empty()) return false;
    return !watch_ || watch_(t);
  }

  std::optional<integrate::Pace> pace;
  std::string violation;  // of what events should have kept

 private:
  Simulation& s_;
  const std::function<bool(double)>& watch_;
};

Simulation::Simulation(Subject subject, const RunOptions& options)
    : options_(checked(options)),
      subject_(std::move(subject)),
      signals_(*subject_.observables, options.record),
      energy_(find_energy(*subject_.observables)),
      driver_(problem(), integrate::check_rule(options.integrator), options.tolerance,
              driver_options(problem(), options)) {
  if (integrate::check_rule(options.integrator).control == integrate::StepControl::own)
    problem().set_resolution(0.1 * options.tolerance.absolute);
}

void Simulation::start_at(double t, const VecX& guess) {
  t_start_ = t;
  start_ = problem().make_start(t, guess);
}

// The driver at the beginning.
void Simulation::start() {
  if (start_.y.size() == 0) start_at(0, problem().guess());
  driver_.start(t_start_, start_.y);
  if (recorder_) recorder_->start(t_start_, driver_.rule().y());
}

double Simulation::calc_energy() {
  double energy = std::nan("");
  if (energy_) energy_->calc(driver_.rule().t(), driver_.rule().y(), &energy);
  return energy;
}

void Simulation::record_to(std::unique_ptr<results::ResultWriter> writer) {
  stream_ = std::make_unique<results::RowStream>(std::move(writer), signals_.list().size());
  recorder_.emplace(signals_, *stream_, options_.interval);
}

void Simulation::keep_checkpoints(std::filesystem::path path, Checkpoint header) {
  checkpoint_path_ = std::move(path);
  header_ = std::move(header);
}

void Simulation::archive(integrate::Archive& archive) {
  problem().archive(archive);
  driver_.archive(archive);
  recorder_->archive(archive);
  archive(next_checkpoint_);
  archive(energy_start_);
}

void Simulation::write_checkpoint_now() {
  if (checkpoint_path_.empty() || !recorder_) return;
  stream_->flush();
  integrate::Archive saved;
  archive(saved);
  header_.rows = rows_before_ + stream_->rows();
  header_.fingerprint = stream_->fingerprint();
  header_.t = driver_.rule().t();
  header_.numbers = saved.numbers();
  write_checkpoint(checkpoint_path_, header_);
}

void Simulation::resume(const Checkpoint& checkpoint) {
  base::ensure(recorder_.has_value(), "a run that goes on has a result");
  start();
  integrate::Archive loading(checkpoint.numbers);
  archive(loading);
  loading.check(loading.exhausted() && std::isfinite(driver_.rule().t()) &&
                driver_.rule().y().allFinite());
  rows_before_ = checkpoint.rows;
  stream_->set_fingerprint(checkpoint.fingerprint);
  resumed_ = true;
}

void Simulation::note_residuals(const integrate::Residuals& now) {
  residuals_.position = std::max(residuals_.position, now.position);
  residuals_.velocity = std::max(residuals_.velocity, now.velocity);
}

Summary Simulation::run(const std::function<bool(double t)>& watch) {
  const auto began = std::chrono::steady_clock::now();
  if (!resumed_) {
    start();
    energy_start_ = calc_energy();
    for (const integrate::EventNote& note : start_.notes) notes_.push_back({note, t_start_});
    if (recorder_) recorder_->write(t_start_, driver_.rule().y());
  }
  Watcher watcher(*this, watch);
  Summary summary;
  summary.outcome = driver_.run(options_.t_end, watcher);
  if (summary.outcome.ending == integrate::Ending::reached ||
      summary.outcome.ending == integrate::Ending::terminated)
    try {
      driver_.finish(watcher);
    } catch (const base::ComputationError& error) {
      summary.outcome = {integrate::Ending::failed, error.what()};
    }
  if (!watcher.violation.empty()) summary.outcome = {integrate::Ending::failed, watcher.violation};
  integrate::Rule& rule = driver_.rule();
  summary.counts = rule.counts();
  summary.t_end = rule.t();
  summary.end = rule.y();
  summary.energy_start = energy_start_;
  // A rule that notices checkpoints keeps to the regular ones: others would change the bits.
  const bool interrupted = summary.outcome.ending == integrate::Ending::interrupted;
  if (interrupted && (options_.checkpoint_interval == 0 || !notices_checkpoints(rule, options_)))
    write_checkpoint_now();
  const bool failed = summary.outcome.ending == integrate::Ending::failed;
  try {
    summary.energy_end = calc_energy();
    if (recorder_ && !interrupted) recorder_->finish(rule.t(), rule.y());
    if (failed) summary.outcome.message += problem().explain_failure(rule.t(), rule.y());
  } catch (const base::ComputationError&) {
    if (!failed)
      throw;  // where a run cannot go on, its last point may be one that cannot be evaluated
    summary.energy_end = std::nan("");
  }
  if (energy_ && !failed && !std::isfinite(summary.energy_end))
    summary.outcome = {integrate::Ending::failed,
                       fmt::format("the energy is not finite at t = {:.12g} s: the motion has left "
                                   "what numbers can hold",
                                   rule.t())};
  if (stream_) {
    stream_->close();
    summary.rows = rows_before_ + stream_->rows();
  }
  summary.notes = notes_;
  summary.notes.insert(summary.notes.end(), driver_.notes().begin(), driver_.notes().end());
  summary.residuals = residuals_;
  summary.start = start_;
  if (watcher.pace) {
    summary.overruns = watcher.pace->overruns();
    summary.longest_delay = watcher.pace->longest_delay();
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return summary;
}

results::Recording record(Simulation& simulation, Summary* summary) {
  results::Recording recording;
  recording.signals = simulation.signals();
  simulation.record_to(std::make_unique<MemoryWriter>(recording));
  const Summary done = simulation.run();
  if (summary) *summary = done;
  return recording;
}

}  // namespace couplet::simulate
