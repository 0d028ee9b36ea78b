// A translated model that runs: its numbers, its programs, its events, as a problem for
// integration.
#pragma once

#include <cmath>

#include "couplet/equations/delays.hpp"
#include "couplet/equations/projection.hpp"
#include "couplet/equations/relevance.hpp"
#include "couplet/integrate/problem.hpp"

namespace couplet::equations {

/// s: times closer than this are one.
inline double grain(double t) { return 1e-12 * (1 + std::abs(t)); }

/// A relation changes when its gap is that far beyond zero: noise stays below.
constexpr double past_zero = 1e-10;

class EquationProblem final : public integrate::Problem {
 public:
  explicit EquationProblem(std::shared_ptr<const Model> model);

  const integrate::Layout& layout() const override { return layout_; }
  void calc_qdot(double, const VecX&, VecX&) override {}
  void calc_rates(double t, const VecX& y, VecX& ydot) override;
  void project(double t, VecX& y) override;
  int root_count() const override;
  void calc_roots(double t, const VecX& y, VecX& roots) override;
  std::string root_name(int root) const override;
  double next_time_event(double t) const override;
  integrate::Verdict handle_event(double t, VecX& y, std::span<const int> fired) override;
  void note_step(double t, const VecX& y) override;
  bool wants_path() const override { return !delays_.empty(); }
  void note_between(double t, const VecX& y) override;
  double reach(double t, double end) override {
    return delays_.empty() ? end : std::min(end, t + delays_.shortest());
  }
  bool has_end() const override { return model_->dae.has_terminal; }
  void handle_end(double t, VecX& y) override;
  integrate::Start make_start(double t, const VecX& guess) override;
  integrate::Description describe() const override;
  std::vector<integrate::EventNote> notes() const override { return notes_; }
  std::string find_violation(double t, const VecX& y, double tolerance) const override;
  std::string explain_failure(double t, const VecX& y) override;
  void archive(integrate::Archive& archive) override;
  bool depends_on_time() const override { return depends_on_time_; }

  const Model& model() const { return *model_; }
  const std::vector<double>& slots() const { return slots_; }
  /// Of each state: whether it is found from others, as things are.
  const std::vector<char>& dependent() const { return projection_.dependent(); }
  /// Another value, for what follows; what begins with it does so with the next make_start().
  void set_parameter(int variable, double value);
  /// Delayed values at a time, where they belong among the slots.
  void put_delays(double t, std::vector<double>& slots) const { delays_.put(t, slots); }
  const Program& program() const { return continuous_; }
  const Program& initial_program() const { return initial_; }
  /// Start values that were taken though they are not fixed, and the like.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void make_functions();
  void run_parameters() const;  // throws ComputationError
  void find_nominals();
  void initialise(double t);
  void settle_beginning(double t);
  void check_beginning() const;
  std::string list_values(const std::vector<int>& variables) const;
  bool load(double t, const VecX& y) const;  // false: failure_ says why
  void store(VecX& y) const;
  void solve(const Program& program) const;  // throws ComputationError when it fails
  bool update_relations(double t, bool just_after);
  void settle(const Program& program, double t, bool just_after);
  bool try_switches(const Program& program, double t, bool just_after,
                    const std::vector<double>& before, std::vector<size_t> doubtful);
  std::vector<double> get_switches() const;
  void set_switches(const std::vector<double>& values);
  void make_gap_rates();
  void make_relevance();
  void find_relevant();
  void note_singular();
  bool reinitialise();
  bool take_previous();
  void set_samples(double t);
  void run_event(double t);
  double& slot_of(const Expr& symbol) const {
    return slots_[static_cast<size_t>(model_->map->of(symbol))];
  }

  std::shared_ptr<const Model> model_;
  std::vector<Block> parameter_blocks_;  // with values that were set
  integrate::Layout layout_;
  mutable std::vector<double> slots_;
  Program parameters_, initial_, continuous_, event_, watch_, assertion_;
  Projection projection_;
  Delays delays_;
  Relevance relevance_;
  std::vector<char> relevant_, watch_steps_;  // relations; steps of watch_ that they need
  std::vector<std::vector<int>> gap_inputs_;  // slots, of each relation
  Function rates_, starts_, gaps_, whole_arguments_, timed_gaps_, time_rates_, samples_, reinits_,
      assertions_, terminations_, checks_,
      gap_rates_;  // of relations, where they are known; else 0
  std::vector<int> start_slots_;
  std::vector<size_t> rooted_, timed_;  // relations: that are root functions, of the time alone
  mutable std::vector<double> gap_values_, gap_rate_values_, rate_values_, whole_values_,
      sample_values_, values_;
  std::vector<integrate::EventNote> notes_;
  std::vector<int> told_;  // unknowns that nothing determined
  std::vector<std::string> warnings_;
  mutable std::string violation_, failure_;
  mutable std::vector<char> warned_;
  bool initialised_ = false, depends_on_time_ = false;
  bool due_ = false;  // other states of a set should be found from the others
};

}  // namespace couplet::equations
