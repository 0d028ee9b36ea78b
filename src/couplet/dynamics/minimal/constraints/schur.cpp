// G M⁻¹ Gᵀ with M⁻¹ applied by the O(n) recursion (Otter et al. 1994, eq. 20): neither M nor its
// inverse is formed. As the other formalisms of constrained mechanisms it solves
//   M v̇ + h + Gᵀ λ = τ,   G v̇ + γ = 0
// with the independent rows that ConstraintSolver has chosen: v̇ are unique, λ those of these rows.
#include <algorithm>
#include <cmath>
#include <optional>

#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/math/dense_lu.hpp"

namespace couplet::dynamics {
namespace {

// Where the free accelerations of a loop are this many times those that it has, digits are lost in
// their difference: as many as this has, so the others are left alone and keep 13.
constexpr double cancels = 100;
constexpr double closed = 1e-13;  // what constraints may lack, in their own terms

class Schur final : public Formalism {
 public:
  explicit Schur(const Mechanism& mechanism)
      : mechanism_(mechanism),
        inverse_(mechanism),
        link_forces_(mechanism),
        free_(VecX::Zero(mechanism.nv)),
        response_(free_),
        given_(free_) {}

  void set_constraints(ConstraintSolver& constraints) override { constraints_ = &constraints; }
  const VecX* lambda() const override { return &lambda_; }

  void prepare(const Stage& stage) override {
    stage_.emplace(stage);
    constraints_->factorise(stage.state, stage.kinematics);
    constraints_->set_loads(stage.kinematics, stage.applied);
    if (is_half_explicit()) {
      mixed_.resize(constraints_->size(), constraints_->size());
      constraints_->calc_mixed(*stage.rows.G, mixed_);
      mixed_factor_.compute(mixed_);
    }
  }

  void calc_free_vdot(const Stage& stage, VecX& tau, VecX& vdot) override {
    constraints_->factorise_mass(stage.state, stage.kinematics);
    constraints_->set_loads(stage.kinematics, stage.applied);
    constraints_->calc_free_vdot(tau, vdot);
    if (!vdot.allFinite()) explain_infinite(mechanism_, stage.state);
  }

  // v̇ = v̇_free - M⁻¹ Gᵀ λ,   G M⁻¹ Gᵀ λ = G v̇_free + γ
  void solve(VecX& tau, VecX& vdot) override {
    constraints_->calc_free_vdot(tau, free_ = vdot);
    if (!free_.allFinite()) explain_infinite(mechanism_, stage_->state);
    lambda_.setZero(constraints_->size());
    vdot = free_;
    close(vdot);
    if (has_cancelled(vdot) || is_open(vdot)) refine(tau, vdot);
    if (mechanism_.has_prescribed()) calc_prescribed_forces(vdot, tau);
  }

  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    calc_inverse_dynamics(mechanism_, stage.state, vdot, link_forces_.calc(stage), inverse_, load);
  }

 private:
  bool is_half_explicit() const { return stage_->rows.G != &constraints_->set().G(); }

  double miss(int row, const VecX& vdot) const {
    return stage_->rows.G->times(row, vdot) + (*stage_->rows.bias)[row];
  }

  /// Adds to λ what makes v̇ obey the constraints, and to v̇ what that makes of it.
  void close(VecX& vdot) {
    missing_.resize(constraints_->size());
    for (int k = 0; k < constraints_->size(); ++k)
      missing_[k] = miss(constraints_->rows()[static_cast<size_t>(k)], vdot);
    if (is_half_explicit())
      mixed_factor_.solve(missing_, missing_);
    else
      constraints_->solve(missing_);
    lambda_ += missing_;
    constraints_->calc_response(missing_, response_);
    vdot -= response_;
  }

  /// Loop by loop, so that a fast one beside it does not hide a slow one.
  bool has_cancelled(const VecX& vdot) const {
    const SparseRows& G = constraints_->set().G();
    for (const int row : constraints_->rows()) {
      double free = 0, left = 0;
      for (int e = G.begin[row]; e < G.begin[row + 1]; ++e) {
        free = std::max(free, std::abs(free_[G.column[e]]));
        left = std::max(left, std::abs(vdot[G.column[e]]));
      }
      if (free > cancels * left) return true;
    }
    return false;
  }

  /// v̇ does not obey the constraints to the digits that it should: G M⁻¹ Gᵀ is ill-conditioned, as
  /// where a heavy body and a light one hold each other.
  bool is_open(const VecX& vdot) const {
    const SparseRows& G = *stage_->rows.G;
    for (const int row : constraints_->rows()) {
      double size = std::abs((*stage_->rows.bias)[row]);
      for (int e = G.begin[row]; e < G.begin[row + 1]; ++e)
        size += std::abs(G.value[e] * vdot[G.column[e]]);
      if (std::abs(miss(row, vdot)) > closed * size) return true;
    }
    return false;
  }

  // What the balance of forces lacks at v̇ and λ is found without free accelerations: they cancel no
  // more. Once is enough: errors of ε |free| become ε² |free|.
  void refine(const VecX& tau, VecX& vdot) {
    calc_forces(vdot);
    given_ = tau - given_;
    constraints_->solve_mass(given_);
    vdot += given_;
    close(vdot);
  }

  /// given_ = M v̇ + h + Gᵀλ.
  void calc_forces(const VecX& vdot) {
    calc_inverse_dynamics(mechanism_, stage_->state, vdot, link_forces_.calc(*stage_), inverse_,
                          given_);
    for (int k = 0; k < constraints_->size(); ++k)
      constraints_->set().G().add_to(constraints_->rows()[k], lambda_[k], given_);
  }

  void calc_prescribed_forces(const VecX& vdot, VecX& tau) {
    calc_forces(vdot);
    for (const model::Link& link : mechanism_.links)
      if (link.prescribed) tau[link.iv] = given_[link.iv];
  }

  const Mechanism& mechanism_;
  ConstraintSolver* constraints_ = nullptr;
  InverseWorkspace<double> inverse_;
  LinkForces link_forces_;
  std::optional<Stage> stage_;
  VecX free_, response_, given_, missing_, lambda_;
  MatX mixed_;
  math::DenseLu<double> mixed_factor_;
};

}  // namespace

template <>
const FormalismEntry& formalism_entry<struct SchurFormalism>() {
  static constexpr FormalismEntry entry{
      .name = "schur",
      .doc = "closed loops: forces of the constraints first, M⁻¹ by the O(n) recursion",
      .answers = {.residuals = true, .free_motion = true},
      .applies = is_constrained,
      .make = make_as<Schur>,
  };
  return entry;
}

}  // namespace couplet::dynamics
