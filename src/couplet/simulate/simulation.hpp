// A simulation: mechanism, formalism, integrator and recorder together, and run().
#pragma once

#include <functional>

#include "couplet/integrate/pace.hpp"
#include "couplet/simulate/checkpoint.hpp"
#include "couplet/simulate/recorder.hpp"

namespace couplet::simulate {

struct RunOptions {
  std::string formalism;  // empty: recursive, for closed loops schur
  std::string integrator = "dopri5";
  std::string equations;       // that implicit integrators solve: residual (empty) or explicit
  double t_end = 10;           // s
  std::optional<double> step;  // s: fixed; absent: by the tolerance
  integrate::Tolerance tolerance;
  double interval = 0.01;           // s between rows; 0: every step
  std::vector<std::string> record;  // patterns; empty: coordinates, speeds, outputs, energies
  double checkpoint_interval = 0;   // simulated s; 0: none
  double pace = 0;                  // simulated seconds per second; 0: as fast as possible
};

/// A joint that came to rest at a stop, after ever smaller bounces or at once.
struct Rest {
  std::string stop;
  double t;
};

struct Summary {
  integrate::Outcome outcome;
  integrate::Counts counts;
  double t_end = 0;    // s, reached
  double seconds = 0;  // of the clock
  size_t rows = 0;
  double energy_start = 0, energy_end = 0;  // J
  dynamics::Residuals residuals;            // of constraints, the largest after any step
  double speed_change =
      0;  // rad/s or m/s: the largest of initial speeds that were given and did not fit
  bool assembled = false;     // the initial state was not closed: by how much, and what it took
  double gap = 0, moved = 0;  // m or rad
  std::vector<Rest> rests;
  long overruns = 0;
  double longest_delay = 0;  // s
};

class Simulation {
 public:
  /// Throws UserError when the options do not fit the mechanism or each other.
  Simulation(std::shared_ptr<const Mechanism> mechanism, const RunOptions& options);

  const std::vector<results::Signal>& signals() const { return signals_.list(); }
  MechanismProblem& problem() { return problem_; }

  /// Where the motion begins, instead of the model's initial state. Throws UserError beyond a stop.
  void start_at(const State& state);
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
  void archive(integrate::Archive& archive);
  void write_checkpoint_now();
  std::string describe_singularity();
  void note_residuals(const dynamics::Residuals& now);

  RunOptions options_;
  MechanismProblem problem_;
  SignalSet signals_;
  integrate::Driver driver_;
  std::unique_ptr<results::RowStream> stream_;
  std::optional<Recorder> recorder_;
  std::filesystem::path checkpoint_path_;
  Checkpoint header_;
  long next_checkpoint_ = 1;
  size_t rows_before_ = 0;  // of the result that is continued
  bool resumed_ = false;
  VecX y_start_;
  int rank_at_start_ = 0;  // of the constraints
  double energy_start_ = 0;
  dynamics::Residuals residuals_;
  std::vector<Rest> rests_;
};

/// Runs a simulation and gives its recording: for tests, teaching and small models.
results::Recording simulate(std::shared_ptr<const Mechanism> mechanism, const RunOptions& options,
                            Summary* summary = nullptr);

}  // namespace couplet::simulate
