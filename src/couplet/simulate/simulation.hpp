// A simulation: a problem, what can be recorded of it, an integration rule with its driver and a
// recorder together, and run(). It works on the gate alone and knows no kind of model.
#pragma once

#include <functional>

#include "couplet/integrate/pace.hpp"
#include "couplet/simulate/checkpoint.hpp"
#include "couplet/simulate/recorder.hpp"

namespace couplet::simulate {

struct RunOptions {
  std::string integrator = "dopri5";
  double t_end = 10;           // s
  std::optional<double> step;  // s: fixed; absent: by the tolerance
  integrate::Tolerance tolerance;
  std::optional<double> max_step;   // s, of steps by the tolerance
  double interval = 0.01;           // s between rows; 0: every step
  std::vector<std::string> record;  // patterns; empty: coordinates, speeds, outputs, energies
  double checkpoint_interval = 0;   // simulated s; 0: none
  double pace = 0;                  // simulated seconds per second; 0: as fast as possible
};

/// What is simulated: a problem, and everything that can be recorded of it.
struct Subject {
  std::unique_ptr<integrate::Problem> problem;
  std::unique_ptr<Observables> observables;  // of this problem
};

using Note = integrate::RunNote;

struct Summary {
  integrate::Outcome outcome;
  integrate::Counts counts;
  double t_end = 0;    // s, reached
  VecX end;            // y there
  double seconds = 0;  // of the clock
  size_t rows = 0;
  double energy_start = 0, energy_end = 0;  // J; not a number where there is no energy.total
  integrate::Residuals residuals;           // of constraints, the largest after any step
  integrate::Start start;                   // what the initial values took
  std::vector<Note> notes;
  long overruns = 0;
  double longest_delay = 0;  // s
};

class Simulation {
 public:
  /// Throws UserError when the options do not fit the problem or each other.
  Simulation(Subject subject, const RunOptions& options);

  const std::vector<results::Signal>& signals() const { return signals_.list(); }
  integrate::Problem& problem() { return *subject_.problem; }
  const Observables& observables() const { return *subject_.observables; }

  /// Where the motion begins, instead of where the model says; made consistent at once. Throws what
  /// Problem::make_start throws.
  void start_at(double t, const VecX& guess);
  /// Rows go here.
  void record_to(std::unique_ptr<results::ResultWriter> writer);
  /// Checkpoints go there; `header` says what the numbers belong to.
  void keep_checkpoints(std::filesystem::path path, Checkpoint header);
  /// Goes on from a checkpoint instead of the initial state; record_to must have been called with a
  /// writer that continues after its rows. UserError when it does not fit.
  void resume(const Checkpoint& checkpoint);

  /// Runs to the end, or until `watch`, called after every step with t, returns false: then a last
  /// checkpoint is written if checkpoints are kept.
  Summary run(const std::function<bool(double t)>& watch = {});

 private:
  class Watcher;
  void start();
  double calc_energy();
  void archive(integrate::Archive& archive);
  void write_checkpoint_now();
  void note_residuals(const integrate::Residuals& now);

  RunOptions options_;
  Subject subject_;
  SignalSet signals_;
  std::unique_ptr<Probe> energy_;  // null: the model has none
  integrate::Driver driver_;
  std::unique_ptr<results::RowStream> stream_;
  std::optional<Recorder> recorder_;
  std::filesystem::path checkpoint_path_;
  Checkpoint header_;
  long next_checkpoint_ = 1;
  size_t rows_before_ = 0;  // of the result that is continued
  bool resumed_ = false;
  double t_start_ = 0;
  integrate::Start start_;
  double energy_start_ = 0;
  integrate::Residuals residuals_;
  std::vector<Note> notes_;
};

/// Runs a simulation and gives its recording: for tests, teaching and small models.
results::Recording record(Simulation& simulation, Summary* summary = nullptr);

}  // namespace couplet::simulate
