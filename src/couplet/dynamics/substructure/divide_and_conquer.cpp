// `dca`: divide and conquer. Bodies are joined to subsystems along a balanced tree (assembly.hpp),
// so that the longest chain of operations grows with the logarithm of the number of bodies.
#include <fmt/format.h>

#include <optional>

#include "couplet/base/diagnostics.hpp"
#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/dynamics/substructure/divided_system.hpp"
#include "couplet/dynamics/substructure/formalisms.hpp"
#include "couplet/math/dense_lu.hpp"

namespace couplet::dynamics {
namespace {

// Leaves that are condensed take less time, but lose so many digits where masses that differ by 1e6
// hang on each other that solving for the residual does not bring them back.
constexpr int in_leaf = 1;

class DivideAndConquer final : public Formalism {
 public:
  explicit DivideAndConquer(const Mechanism& mechanism)
      : mechanism_(mechanism),
        kinematics_(mechanism),
        inverse_(mechanism),
        link_forces_(mechanism),
        zero_(VecX::Zero(mechanism.nv)),
        force_(zero_),
        change_(zero_) {
    if (!mechanism.constrained()) all_.emplace(mechanism, all_rows(nullptr), in_leaf);
  }

  void set_constraints(ConstraintSolver& constraints) override { constraints_ = &constraints; }
  const VecX* lambda() const override { return constraints_ ? &lambda_ : nullptr; }
  std::string note() const override {
    if (!all_) return {};
    const int parts = all_->assembly().parts(), levels = all_->assembly().tree().depth;
    return fmt::format("{} part{}, joined in {} level{}", parts, parts == 1 ? "" : "s", levels,
                       levels == 1 ? "" : "s");
  }

  void prepare(const Stage& stage) override {
    stage_.emplace(stage);
    if (!constraints_) {
      calc_kinematics(mechanism_, stage.state, kinematics_);
      calc_accelerations(mechanism_, stage.state, zero_, kinematics_);
      if (all_->lacks_inertia()) check_inertia(kinematics_);
      all_->factorise(kinematics_, stage.applied);
      return;
    }
    constraints_->factorise(stage.state,
                            stage.kinematics);  // tells how near a singular position is
    if (is_half_explicit()) {
      factorise_tree(stage);
      calc_responses();
      return;
    }
    if (revision_ != constraints_->revision()) {
      revision_ = constraints_->revision();
      all_.emplace(mechanism_, all_rows(constraints_), in_leaf);
    }
    all_->factorise(stage.kinematics, stage.applied);
  }

  void solve(VecX& tau, VecX& vdot) override {
    if (is_half_explicit()) {
      solve_half_explicit(tau, vdot);
    } else {
      solve(*all_, tau, vdot, {.bias = stage_->rows.bias});
      if (constraints_) all_->read_lambda(lambda_);
    }
  }

  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    calc_inverse_dynamics(mechanism_, stage.state, vdot, link_forces_.calc(stage), inverse_, load);
  }

  void calc_free_vdot(const Stage& stage, VecX& tau, VecX& vdot) override {
    if (!constraints_) {
      prepare(stage);
      solve(tau, vdot);
      return;
    }
    stage_.emplace(stage);
    check_inertia(stage.kinematics);
    factorise_tree(stage);
    solve(*tree_, tau, vdot, {});
  }

 private:
  bool is_half_explicit() const {
    return constraints_ && stage_->rows.G != &constraints_->set().G();
  }
  void factorise_tree(const Stage& stage) {
    if (!tree_) tree_.emplace(mechanism_, OuterRows{}, in_leaf);
    tree_->factorise(stage.kinematics, stage.applied);
  }

  void solve(DividedSystem& system, VecX& tau, VecX& vdot, const DividedSystem::Loads& loads) {
    const bool done = system.solve(tau, vdot, loads);
    if (!vdot.allFinite()) explain_infinite(mechanism_, stage_->state);
    if (done) return;
    throw base::ComputationError(
        fmt::format("t = {:.9g}: the accelerations are not determined to any digits: bodies that "
                    "have hardly any inertia meet large ones, or the position is singular",
                    stage_->state.t));
  }

  /// Throws ComputationError that names a freedom which moves nothing that has inertia.
  void check_inertia(const Kinematics& kinematics) {
    if (!mass_) mass_.emplace(mechanism_);
    mass_->factorise(stage_->state, kinematics);
  }

  // ---- Half-explicit stages: rows at a later position are rows on v̇, of the whole loop. What the
  // tree answers to their forces, one solution each, gives their forces.

  void calc_responses() {
    const int n = constraints_->size();
    responses_.resize(mechanism_.nv, n);
    mixed_.resize(n, n);
    for (int k = 0; k < n; ++k) {
      force_.setZero();
      change_.setZero();
      add_row(k, 1, force_);
      solve(*tree_, force_, change_, {.on_bodies = false});
      responses_.col(k) = change_;
      for (int j = 0; j < n; ++j)
        mixed_(j, k) = stage_->rows.G->times(constraints_->rows()[static_cast<size_t>(j)], change_);
    }
    if (n > 0) mixed_factor_.compute(mixed_);
  }

  /// x += factor Gᵀ of row k that counts.
  void add_row(int k, double factor, VecX& x) const {
    constraints_->set().G().add_to(constraints_->rows()[static_cast<size_t>(k)], factor, x);
  }

  // What the balance of forces lacks after that is found without free accelerations, which may be
  // much larger than those that loops leave.
  void solve_half_explicit(VecX& tau, VecX& vdot) {
    lambda_.setZero(constraints_->size());
    const VecX given = tau;
    solve(*tree_, tau, vdot, {});
    close(vdot);
    balance(vdot);
    force_ = given - force_;
    change_.setZero();
    solve(*tree_, force_, change_, {.on_bodies = false});
    vdot += change_;
    close(vdot);
    if (!mechanism_.has_prescribed()) return;
    balance(vdot);
    for (const model::Link& link : mechanism_.links)
      if (link.prescribed) tau[link.iv] = force_[link.iv];
  }

  void close(VecX& vdot) {
    missing_.resize(constraints_->size());
    for (int k = 0; k < constraints_->size(); ++k) {
      const int row = constraints_->rows()[static_cast<size_t>(k)];
      missing_[k] = stage_->rows.G->times(row, vdot) + (*stage_->rows.bias)[row];
    }
    if (missing_.size() > 0) mixed_factor_.solve(missing_, missing_);
    lambda_ += missing_;
    vdot.noalias() -= responses_ * missing_;
  }

  /// force_ = M v̇ + h + Gᵀλ.
  void balance(const VecX& vdot) {
    calc_inverse_dynamics(mechanism_, stage_->state, vdot, link_forces_.calc(*stage_), inverse_,
                          force_);
    for (int k = 0; k < constraints_->size(); ++k) add_row(k, lambda_[k], force_);
  }

  const Mechanism& mechanism_;
  ConstraintSolver* constraints_ = nullptr;
  Kinematics kinematics_;  // of a tree
  InverseWorkspace<double> inverse_;
  LinkForces link_forces_;
  std::optional<Stage> stage_;
  int revision_ = 0;
  std::optional<DividedSystem> all_, tree_;  // with loops, and without; both when they are needed
  std::optional<MassFactor> mass_;
  VecX zero_, force_, change_, missing_, lambda_;
  MatX responses_, mixed_;
  math::DenseLu<double> mixed_factor_;
};

}  // namespace

void add_substructure_formalisms() {
  if (find_formalism("dca")) return;
  add_formalism({
      .name = "dca",
      .doc = "divide and conquer: subsystems joined in a balanced tree, with or without loops",
      .answers = {.residuals = true, .free_motion = true},
      .applies = [](const Mechanism&) { return true; },
      .make = make_as<DivideAndConquer>,
  });
}

}  // namespace couplet::dynamics
