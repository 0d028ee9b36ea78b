// A mechanism behind the gate of integrate/: y = (q, v, x), with the stops of its joints, their
// sticking and slipping and the rules of its model as events.
#pragma once

#include "couplet/dynamics/minimal/constraints/assembly.hpp"
#include "couplet/integrate/problem.hpp"
#include "couplet/mechanics/event_rules.hpp"
#include "couplet/mechanics/event_switches.hpp"
#include "couplet/mechanics/friction.hpp"
#include "couplet/mechanics/mechanism_descriptor.hpp"
#include "couplet/mechanics/stops.hpp"
#include "couplet/mechanics/targets.hpp"
#include "couplet/model/parametric.hpp"
#include "couplet/model/state_rates.hpp"
#include "couplet/symbolic/time_sight.hpp"

namespace couplet::mechanics {

using model::State;

class MechanismProblem final : public integrate::Problem {
 public:
  MechanismProblem(std::shared_ptr<const Mechanism> mechanism, std::string_view formalism = {},
                   Equations equations = Equations::residual);

  const Mechanism& mechanism() const { return system_.mechanism(); }
  dynamics::System& system() { return system_; }
  const dynamics::System& system() const { return system_; }

  /// y of a state, consistent and assembled. Throws UserError for a joint outside of its limits,
  /// ComputationError for a loop that cannot be closed.
  VecX make_y(State state);
  /// The state of (t, y), consistent; valid until the next call.
  const State& state(double t, const VecX& y);
  /// The same without the formalism's dependent coordinates: residuals depend on those that are
  /// given.
  const State& state_as_given(double t, const VecX& y);
  /// v̇ with friction and the forces of stops that hold; tau receives the forces of prescribed
  /// joints.
  void calc_vdot(double t, const VecX& y, VecX& vdot, VecX& tau);
  /// ẋ of the model's own states, at (t, y) or at the state last asked for.
  void calc_xdot(double t, const VecX& y, VecX& xdot);
  void calc_xdot_here(double* xdot);
  /// Parameters as they are now, after rules switched them.
  std::span<const double> parameters() const { return inputs_.parameters(); }
  /// How many of the last parameters are conditions.
  size_t hidden_parameters() const { return frozen_.switches.size(); }
  Stops& stops() { return stops_; }
  /// Whether a stop was hit or held in any event so far.
  bool stopped() const { return stopped_; }
  const Stops& stops() const { return stops_; }

  /// What of the states that follow was given, and shall stay where loops can be closed with it;
  /// at first, what the model gives.
  void set_given(dynamics::Given given) { given_ = std::move(given); }
  const dynamics::Given& given() const { return given_; }
  /// What the last make_y had to move to close loops.
  const dynamics::AssemblyReport& assembly() const { return assembly_; }

  const integrate::Layout& layout() const override { return layout_; }
  integrate::DescriptorForm* descriptor() override { return &descriptor_; }
  void move(const VecX& dq, VecX& y) override;
  void calc_qdot(double t, const VecX& y, VecX& ydot) override;
  void calc_rates(double t, const VecX& y, VecX& ydot) override;
  void project(double t, VecX& y) override;
  double sine() const override;
  void note_step(double t, const VecX& y) override;
  int root_count() const override;
  void calc_roots(double t, const VecX& y, VecX& roots) override;
  std::string root_name(int root) const override;
  bool is_kink(int root) const override;
  bool is_crooked(int root) const override;
  std::optional<std::array<double, 2>> find_change(int root, const integrate::StepCurve& curve,
                                                   double from, double to, bool negative) override;
  bool is_bounce(int root) const override;
  bool settles(int root) const override { return static_cast<size_t>(root) < stops_.list().size(); }
  double next_time_event(double t) const override {
    return std::min(rules_.next_time(t), switches_.next_time(t));
  }
  integrate::Verdict handle_event(double t, VecX& y, std::span<const int> roots) override;
  bool is_due(double t) const override;
  double reach(double t, double end) override {
    return sight_.reach(condition_inputs_.values(), t, end);
  }
  bool has_narrow() const override { return path_sight_.any(); }
  double seen(double t, const VecX& from, double end, const VecX& to, std::string& who) override;
  VecX guess() const override;
  integrate::Start make_start(double t, const VecX& guess) override;
  bool depends_on_time() const override { return depends_on_time_; }
  void set_resolution(double change) override { stops_.set_slack(change); }
  integrate::Description describe() const override;
  integrate::Residuals residuals() const override;
  std::vector<integrate::EventNote> notes() const override;
  std::string find_violation(double t, const VecX& y, double tolerance) const override;
  std::string explain_failure(double t, const VecX& y) override;
  void archive(integrate::Archive& archive) override;

 private:
  struct Plain {  // coordinates whose derivatives are speeds
    int iq, iv, n;
  };
  struct Reset {
    size_t rule;
    Target speed;
  };
  struct Fired {  // root functions of an event, by their kind
    std::vector<size_t> stops, rubbing, rules, conditions;

    bool empty() const {
      return stops.empty() && rubbing.empty() && rules.empty() && conditions.empty();
    }
  };
  Fired sort(std::span<const int> roots) const;
  integrate::Verdict handle_rules(double t, VecX& y, Fired& fired);
  std::vector<size_t> find_new(double t, const VecX& y, std::vector<double>& roots);
  integrate::Verdict apply(std::span<const size_t> rules, std::span<const EventRules::Changes> all,
                           VecX& y);
  void close_resets(double t, VecX& y);
  std::vector<Target> find_still() const;
  void hit(std::span<const size_t> fired, double t, VecX& y);
  using Motion = dynamics::System::Motion;
  void calc_vdot_by(Motion& motion, VecX& vdot, VecX& tau);
  void calc_vdot_here(VecX& vdot, VecX& tau);  // of state_
  void settle(std::span<const size_t> fired);
  void set_y(VecX& y) const;
  void make_layout();

  void bind_own_values();
  void bind_sights();
  symbolic::StepPoints points_of(double t, double h, const std::array<VecX, 5>& path);
  void set_condition_inputs(const State& state);
  void note_waiting(double t, integrate::Start& start);
  void start_switches(const State& state);
  void change_switches(double t, VecX& y, std::span<const size_t> fired);
  void note_kinks(double t, const VecX& y, std::span<const size_t> fired);
  void check_continuous(const State& before, std::span<const std::string> changed);
  void pass_switches();
  void set_parameters(std::span<const model::ParametricMechanism::Change> changes);
  void make_system_again();
  void project_on_constraints();
  void archive_constraints(integrate::Archive& archive);

  FrozenMechanism frozen_;
  std::unique_ptr<model::ParametricMechanism> parametric_;  // where rules switch masses or lengths
  dynamics::System system_;
  std::vector<NamedShape> shapes_;
  MechanismDescriptor descriptor_;
  dynamics::Given given_;
  dynamics::AssemblyReport assembly_;
  dynamics::Residuals residuals_;
  integrate::Layout layout_;
  std::vector<Plain> plain_;
  std::vector<const model::TreeJoint*> curved_;  // joints on quaternions
  bool has_ties_ = false;                        // mimic or prescribed joints
  State state_;
  VecX tau_, vdot_;
  ExpressionInputs inputs_;
  ExpressionInputs condition_inputs_;  // with what conditions use of force elements,
  std::vector<size_t> own_signals_;    // these of their signals
  std::vector<double> signals_;
  model::StateRates state_rates_;
  EventRules rules_;
  std::vector<size_t> due_at_start_;  // rules whose condition holds from right after the start on
  bool depends_on_time_ = false;
  symbolic::TimeSight sight_;
  symbolic::SwitchValues switches_;
  symbolic::SignChanges crooked_;  // rules, then conditions
  symbolic::PathSight path_sight_;
  std::array<VecX, 5> path_;                        // of a step
  std::array<std::vector<double>, 5> own_on_path_;  // what expressions use of force elements there
  std::vector<bool> kinks_;                         // of each condition, see is_kink
  Stops stops_;
  StickSlip stick_slip_;
  std::vector<std::string> came_to_rest_;  // stops, in the last event
  bool stopped_ = false;                   // a stop was hit or held, in any event
  int rank_at_start_ = 0;                  // of the constraints
  bool changed_ = false;                   // a rule did something in this event
  std::vector<Reset> resets_;
};

}  // namespace couplet::mechanics
