#include "couplet/dynamics/minimal/constraints/formalisms.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/math/dense_lu.hpp"

namespace couplet::dynamics {
namespace {

class Schur final : public Formalism {
 public:
  explicit Schur(const Mechanism& mechanism)
      : mechanism_(mechanism),
        inverse_(mechanism),
        link_forces_(mechanism),
        response_(VecX::Zero(mechanism.nv)),
        given_(VecX::Zero(mechanism.nv)) {}

  void set_constraints(ConstraintSolver& constraints) override { constraints_ = &constraints; }
  const VecX* lambda() const override { return &lambda_; }

  void prepare(const Stage& stage) override {
    state_ = &stage.state;
    rows_ = stage.rows;
    if (mechanism_.has_prescribed()) on_links_ = link_forces_.calc(stage);
    constraints_->factorise(stage.state, stage.kinematics);
    constraints_->set_loads(stage.kinematics, stage.applied);
    if (is_half_explicit()) {
      mixed_.resize(constraints_->size(), constraints_->size());
      constraints_->calc_mixed(*rows_.G, mixed_);
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
    constraints_->calc_free_vdot(tau, vdot);
    if (!vdot.allFinite()) explain_infinite(mechanism_, *state_);
    lambda_.resize(constraints_->size());
    for (int k = 0; k < constraints_->size(); ++k) {
      const int row = constraints_->rows()[static_cast<size_t>(k)];
      lambda_[k] = rows_.G->times(row, vdot) + (*rows_.bias)[row];
    }
    if (is_half_explicit())
      mixed_factor_.solve(lambda_, lambda_);
    else
      constraints_->solve(lambda_);
    constraints_->calc_response(lambda_, response_);
    vdot -= response_;
    if (mechanism_.has_prescribed()) calc_prescribed_forces(vdot, tau);
  }

  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    calc_inverse_dynamics(mechanism_, stage.state, vdot, link_forces_.calc(stage), inverse_, load);
  }

 private:
  bool is_half_explicit() const { return rows_.G != &constraints_->set().G(); }

  void calc_prescribed_forces(const VecX& vdot, VecX& tau) {
    calc_inverse_dynamics(mechanism_, *state_, vdot, on_links_, inverse_, given_);
    for (int k = 0; k < constraints_->size(); ++k)
      constraints_->set().G().add_to(constraints_->rows()[k], lambda_[k], given_);
    for (const model::Link& link : mechanism_.links)
      if (link.prescribed) tau[link.iv] = given_[link.iv];
  }

  const Mechanism& mechanism_;
  ConstraintSolver* constraints_ = nullptr;
  InverseWorkspace<double> inverse_;
  LinkForces link_forces_;
  const State* state_ = nullptr;
  AccelerationRows rows_;
  const double* on_links_ = nullptr;
  VecX response_, given_, lambda_;
  MatX mixed_;
  math::DenseLu<double> mixed_factor_;
};

}  // namespace

std::unique_ptr<Formalism> make_schur(const Mechanism& mechanism) {
  return std::make_unique<Schur>(mechanism);
}

}  // namespace couplet::dynamics
