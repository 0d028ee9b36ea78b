#include "couplet/simulate/simulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

#include "couplet/base/text.hpp"

namespace couplet::simulate {
namespace {

void check(const RunOptions& options) {
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  if (!(options.t_end >= 0 && std::isfinite(options.t_end)))
    throw base::UserError({}, fmt::format("the end time {} s is not possible", options.t_end),
                          "give --until T, T ≥ 0");
  if (options.interval != 0 && !positive(options.interval))
    throw base::UserError({}, fmt::format("an interval of {} s is not possible", options.interval),
                          "give --interval DT, DT > 0");
  if (options.checkpoint_interval != 0 && !positive(options.checkpoint_interval))
    throw base::UserError(
        {}, fmt::format("checkpoints every {} s are not possible", options.checkpoint_interval),
        "give --checkpoint DT in simulated seconds, DT > 0");
  if (options.pace != 0 && !positive(options.pace))
    throw base::UserError({}, fmt::format("a pace of {} is not possible", options.pace),
                          "give --real-time 1");
}

Equations read_equations(const RunOptions& options) {
  if (options.equations.empty()) return Equations::residual;
  if (integrate::check_rule(options.integrator).asks != integrate::Asks::residuals)
    throw base::UserError(
        {},
        fmt::format("integrator {} asks for accelerations, and has no choice of equations",
                    base::quoted(options.integrator)),
        "leave out --equations, or use ida, radau5 or generalised-alpha");
  if (options.equations == "residual") return Equations::residual;
  if (options.equations == "explicit") return Equations::solved;
  throw base::UserError(
      {}, fmt::format("there is no form {} of the equations", base::quoted(options.equations)),
      "give --equations residual or --equations explicit");
}

const RunOptions& checked(const RunOptions& options) {
  check(options);
  return options;
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
    if (s_.recorder_) s_.recorder_->on_step(rule, s_.problem_);
    if (s_.problem_.system().constraints()) s_.note_residuals(s_.problem_.last_residuals());
  }
  void before_event(double t, const VecX& y) override {
    if (s_.recorder_) s_.recorder_->write_once(t, y);
  }
  void on_event(double t, const VecX& y, const std::vector<std::string>&) override {
    if (s_.recorder_) s_.recorder_->write(t, y);
    for (const std::string& stop : s_.problem_.came_to_rest()) s_.rests_.push_back({stop, t});
  }
  bool go_on() override {
    const double t = s_.driver_.rule().t(), every = s_.options_.checkpoint_interval;
    if (every > 0 && t >= every * static_cast<double>(s_.next_checkpoint_)) {
      s_.next_checkpoint_ = static_cast<long>(t / every) + 1;
      s_.write_checkpoint_now();
    }
    if (pace) pace->wait_for(t);
    note_passed(t);
    if (!passed.empty()) return false;
    return !watch_ || watch_(t);
  }

  std::optional<integrate::Pace> pace;
  std::string passed;  // a stop that did not stop its joint: what to say about it

 private:
  // Events keep joints within their ranges to rounding, a step that misses one not by more than its
  // error.
  void note_passed(double t) {
    constexpr double much = 1e-4;  // m or rad
    const double most = std::max(much, 100 * s_.options_.tolerance.absolute);
    const VecX& y = s_.driver_.rule().y();
    for (const Stop& stop : s_.problem_.stops().list())
      if (stop.inward * (stop.bound - y[stop.iq]) > most)
        passed = fmt::format(
            "{} was passed by {:.3g} before t = {:.9g} s: give a smaller tolerance or another "
            "integrator",
            base::quoted(stop.name), stop.inward * (stop.bound - y[stop.iq]), t);
  }

  Simulation& s_;
  const std::function<bool(double)>& watch_;
};

Simulation::Simulation(std::shared_ptr<const Mechanism> mechanism, const RunOptions& options)
    : options_(checked(options)),
      problem_(std::move(mechanism), options.formalism, read_equations(options)),
      signals_(problem_, options.record),
      driver_(problem_, integrate::check_rule(options.integrator), options.tolerance,
              {.step = options.step}) {
  if (integrate::check_rule(options.integrator).control == integrate::StepControl::own)
    problem_.stops().set_slack(0.1 * options.tolerance.absolute);
}

void Simulation::start_at(const State& state) { y_start_ = problem_.make_y(state); }

void Simulation::record_to(std::unique_ptr<results::ResultWriter> writer) {
  stream_ = std::make_unique<results::RowStream>(std::move(writer), signals_.list().size());
  recorder_.emplace(signals_, *stream_, 0, options_.interval);
}

void Simulation::keep_checkpoints(std::filesystem::path path, Checkpoint header) {
  checkpoint_path_ = std::move(path);
  header_ = std::move(header);
}

void Simulation::archive(integrate::Archive& archive) {
  problem_.archive(archive);
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
  header_.t = driver_.rule().t();
  header_.numbers = saved.numbers();
  write_checkpoint(checkpoint_path_, header_);
}

void Simulation::resume(const Checkpoint& checkpoint) {
  base::ensure(recorder_.has_value(), "a run that goes on has a result");
  if (y_start_.size() == 0) start_at(problem_.mechanism().default_state());
  driver_.start(0, y_start_);
  integrate::Archive loading(checkpoint.numbers);
  archive(loading);
  if (!loading.exhausted())
    throw base::UserError({}, "the checkpoint does not fit this model and integrator",
                          "start the run again");
  rows_before_ = checkpoint.rows;
  resumed_ = true;
}

void Simulation::note_residuals(const dynamics::Residuals& now) {
  residuals_.position = std::max(residuals_.position, now.position);
  residuals_.velocity = std::max(residuals_.velocity, now.velocity);
}

// What a run that failed may owe to the position where it did.
std::string Simulation::describe_singularity() {
  constexpr double singular = 1e-6;  // squared sine of an angle
  dynamics::System& system = problem_.system();
  if (!system.constraints()) return {};
  const State& state = problem_.state(driver_.rule().t(), driver_.rule().y());
  system.calc_residuals(state);
  system.constraints()->factorise(state, system.calc_motions(state));
  if (system.constraints()->singularity() > singular &&
      system.constraints()->size() >= rank_at_start_)
    return {};
  std::string text = "; the constraints are singular there";
  std::vector<std::string> driven;
  for (const model::Link& link : problem_.mechanism().links)
    if (link.prescribed)
      driven.push_back(base::quoted(problem_.mechanism().dof_names[static_cast<size_t>(link.iv)]));
  if (!driven.empty())
    text +=
        fmt::format(": the prescribed motion of {} may be out of reach", fmt::join(driven, ", "));
  return text;
}

Summary Simulation::run(const std::function<bool(double t)>& watch) {
  const auto began = std::chrono::steady_clock::now();
  if (!resumed_) {
    if (y_start_.size() == 0) start_at(problem_.mechanism().default_state());
    driver_.start(0, y_start_);
    energy_start_ = signals_.calc_energy(0, driver_.rule().y());
    if (recorder_) recorder_->write(0, driver_.rule().y());
  }
  if (problem_.system().constraints()) rank_at_start_ = problem_.system().constraints()->size();
  Watcher watcher(*this, watch);
  Summary summary;
  summary.outcome = driver_.run(options_.t_end, watcher);
  if (!watcher.passed.empty()) summary.outcome = {integrate::Ending::failed, watcher.passed};
  integrate::Rule& rule = driver_.rule();
  summary.counts = rule.counts();
  summary.t_end = rule.t();
  summary.energy_start = energy_start_;
  // A rule that starts anew at checkpoints keeps to the regular ones: others would change the bits.
  const bool interrupted = summary.outcome.ending == integrate::Ending::interrupted;
  if (interrupted && (options_.checkpoint_interval == 0 || !rule.restarts_at_checkpoints()))
    write_checkpoint_now();
  const bool failed = summary.outcome.ending == integrate::Ending::failed;
  try {
    summary.energy_end = signals_.calc_energy(rule.t(), rule.y());
    if (recorder_ && !interrupted) recorder_->write_once(rule.t(), rule.y());
    if (failed) summary.outcome.message += describe_singularity();
  } catch (const base::ComputationError&) {
    if (!failed)
      throw;  // where a run cannot go on, its last point may be one that cannot be evaluated
    summary.energy_end = std::nan("");
  }
  if (stream_) {
    stream_->close();
    summary.rows = rows_before_ + stream_->rows();
  }
  summary.rests = rests_;
  summary.residuals = residuals_;
  const dynamics::AssemblyReport& assembly = problem_.assembly();
  summary.gap = assembly.before.position;
  summary.assembled = assembly.moved.size() > 0 && summary.gap > 1e-9;
  if (summary.assembled) summary.moved = assembly.moved.lpNorm<Eigen::Infinity>();
  for (Eigen::Index j = 0; j < assembly.speed_change.size(); ++j)
    if (y_start_[problem_.layout().nq + j] !=
        assembly.speed_change[j])  // it was not zero, and so given
      summary.speed_change = std::max(summary.speed_change, std::abs(assembly.speed_change[j]));
  if (watcher.pace) {
    summary.overruns = watcher.pace->overruns();
    summary.longest_delay = watcher.pace->longest_delay();
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return summary;
}

results::Recording simulate(std::shared_ptr<const Mechanism> mechanism, const RunOptions& options,
                            Summary* summary) {
  Simulation simulation(std::move(mechanism), options);
  results::Recording recording;
  recording.signals = simulation.signals();
  simulation.record_to(std::make_unique<MemoryWriter>(recording));
  const Summary done = simulation.run();
  if (summary) *summary = done;
  return recording;
}

}  // namespace couplet::simulate
