// The formalisms in joint coordinates behind one interface: each forms and solves the equations of
// motion of the same mechanism in its own way. Adding one is a class and a line in formalism.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "couplet/dynamics/minimal/kinematics.hpp"
#include "couplet/forces/force_set.hpp"

namespace couplet::dynamics {

class ConstraintSolver;

class Formalism {
 public:
  virtual ~Formalism() = default;

  /// v̇ from τ (all generalised forces) and the forces on bodies. Entries of prescribed joints are
  /// input in vdot and output in tau. `kinematics` is valid when applied.any_on_bodies is set.
  virtual void calc_vdot(const State& state, const forces::AppliedForces& applied,
                         const Kinematics& kinematics, VecX& tau, VecX& vdot) = 0;

  // ---- Constrained mechanisms. `kinematics` is then always valid, with accelerations at v̇ = 0,
  // and the rows of `loops` are evaluated at the state.
  virtual void set_constraints(ConstraintSolver&) {}
  /// Multipliers of the rows that count (ConstraintSolver::rows) in the last evaluation; null: this
  /// formalism has none.
  virtual const VecX* lambda() const { return nullptr; }
  /// Solves for what the formalism regards as dependent in a state.
  virtual void settle(State&) {}

  /// Choices that later evaluations depend on, for checkpoints.
  virtual std::vector<double> memory() const { return {}; }
  virtual void set_memory(const std::vector<double>&) {}

  /// What a user may want to know of how it works at present; empty: nothing.
  virtual std::string note() const { return {}; }
};

struct FormalismEntry {
  const char* name;
  const char* doc;
  bool (*applies)(const Mechanism&);
  std::unique_ptr<Formalism> (*make)(const Mechanism&);
};

std::span<const FormalismEntry> formalisms();
/// One from a room below this one; once each, before anything is evaluated.
void add_formalism(const FormalismEntry& entry);
const FormalismEntry* find_formalism(std::string_view name);  // null when there is none

/// Forces on bodies (world axes, about Bo) as forces on links (link axes, about the link's origin),
/// 6 numbers each in the given memory; null when there are none.
const double* calc_link_forces(const Mechanism& mechanism, const forces::AppliedForces& applied,
                               const Kinematics& kinematics, VecX& on_links);

}  // namespace couplet::dynamics
