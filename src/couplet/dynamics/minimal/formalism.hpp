// The formalisms in joint coordinates behind one interface: each forms and solves the equations of
// motion of the same mechanism in its own way. Adding one is a file with its class and entry, and
// its name in formalism.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "couplet/dynamics/minimal/stage.hpp"
#include "couplet/dynamics/minimal/workspace.hpp"

namespace couplet::dynamics {

class Formalism {
 public:
  virtual ~Formalism() = default;

  /// Takes a stage over: all that its answers have in common is found once.
  virtual void prepare(const Stage& stage) = 0;
  /// v̇ at the stage from τ (all generalised forces beside those on bodies), as often as asked.
  /// Entries of prescribed joints are input in vdot and output in tau.
  virtual void solve(VecX& tau, VecX& vdot) = 0;
  /// M v̇ + h, less the forces on bodies: what a motion takes, without `prepare`. Only of those
  /// whose entry says that they have residuals.
  virtual void calc_load(const Stage& stage, const VecX& vdot, VecX& load);

  // ---- Constrained mechanisms.
  virtual void set_constraints(ConstraintSolver&) {}
  /// Multipliers of the rows that count (ConstraintSolver::rows) in the last solution; null: this
  /// formalism has none.
  virtual const VecX* lambda() const { return nullptr; }
  /// v̇ from τ as if there were no constraints, without `prepare`. Only of those whose entry says
  /// so.
  virtual void calc_free_vdot(const Stage& stage, VecX& tau, VecX& vdot);
  /// Solves for what the formalism regards as dependent in a state.
  virtual void settle(State&) {}

  /// Which links it runs side by side, for others that do the same; null: it runs none so.
  virtual std::shared_ptr<LimbPlan> limbs() const { return nullptr; }

  /// Choices that later evaluations depend on, for checkpoints.
  virtual std::vector<double> memory() const { return {}; }
  virtual void set_memory(const std::vector<double>&) {}

  /// By what it computes, where its name leaves that open; empty: its name says it. The same in
  /// every run of a command.
  virtual std::string choice() const { return {}; }
  /// What a user may want to know of how it works at present; empty: nothing.
  virtual std::string note() const { return {}; }
};

/// What a formalism can answer beside accelerations.
struct Answers {
  bool residuals = false;    // calc_load, for rules that ask for residuals
  bool free_motion = false;  // calc_free_vdot, for residuals in explicit form
};

struct FormalismEntry {
  const char* name;
  const char* doc;
  Answers answers;
  bool (*applies)(const Mechanism&);
  std::unique_ptr<Formalism> (*make)(const Mechanism&);
};

/// The entry of a formalism by the name that formalism.cpp gives it:
/// formalism_entry<struct SchurFormalism>().
template <class Name>
const FormalismEntry& formalism_entry();
/// For entries: a maker, and what they apply to.
template <class F>
std::unique_ptr<Formalism> make_as(const Mechanism& mechanism) {
  return std::make_unique<F>(mechanism);
}
inline bool is_free(const Mechanism& mechanism) { return !mechanism.constrained(); }
inline bool is_constrained(const Mechanism& mechanism) { return mechanism.constrained(); }

std::span<const FormalismEntry> formalisms();
/// One from a room below this one; once each, before anything is evaluated.
void add_formalism(const FormalismEntry& entry);
const FormalismEntry* find_formalism(std::string_view name);  // null when there is none

/// Forces on bodies (world axes, about Bo) as forces on links (link axes, about the link's origin),
/// 6 numbers each.
class LinkForces {
 public:
  explicit LinkForces(const Mechanism& mechanism)
      : mechanism_(mechanism), on_links_(6 * mechanism.links.size()) {}
  /// Null when there are none; valid until the next call.
  const double* calc(const forces::AppliedForces& applied, const Kinematics& kinematics);
  const double* calc(const Stage& stage) { return calc(stage.applied, stage.kinematics); }

 private:
  const Mechanism& mechanism_;
  AlignedVector<double> on_links_;
};

}  // namespace couplet::dynamics
