#include "couplet/dynamics/minimal/constraints/constraint_solver.hpp"
#include "couplet/dynamics/minimal/constraints/formalisms.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"

namespace couplet::dynamics {
namespace {

class Schur final : public Formalism {
 public:
  explicit Schur(const Mechanism& mechanism)
      : mechanism_(mechanism),
        workspace_(mechanism),
        inverse_(mechanism),
        on_links_(VecX::Zero(6 * static_cast<Eigen::Index>(mechanism.links.size()))),
        response_(VecX::Zero(mechanism.nv)),
        given_(VecX::Zero(mechanism.nv)) {}

  void set_constraints(ConstraintSolver& constraints) override { constraints_ = &constraints; }
  const VecX* lambda() const override { return &lambda_; }

  // v̇ = v̇_free - M⁻¹ Gᵀ λ,   G M⁻¹ Gᵀ λ = G v̇_free + γ
  void calc_vdot(const State& state, const forces::AppliedForces& applied,
                 const Kinematics& kinematics, VecX& tau, VecX& vdot) override {
    const double* on_links = calc_link_forces(mechanism_, applied, kinematics, on_links_);
    calc_forward_dynamics(mechanism_, state, tau, on_links, workspace_, vdot);
    constraints_->factorise(state, kinematics);
    lambda_.resize(constraints_->size());
    constraints_->times(vdot, lambda_);
    for (int k = 0; k < constraints_->size(); ++k)
      lambda_[k] += constraints_->set().bias()[constraints_->rows()[k]];
    constraints_->solve(lambda_);
    constraints_->calc_response(lambda_, response_);
    vdot -= response_;
    if (mechanism_.has_prescribed()) calc_prescribed_forces(state, on_links, vdot, tau);
  }

 private:
  void calc_prescribed_forces(const State& state, const double* on_links, const VecX& vdot,
                              VecX& tau) {
    calc_inverse_dynamics(mechanism_, state, vdot, on_links, inverse_, given_);
    for (int k = 0; k < constraints_->size(); ++k)
      constraints_->set().G().add_to(constraints_->rows()[k], lambda_[k], given_);
    for (const model::Link& link : mechanism_.links)
      if (link.prescribed) tau[link.iv] = given_[link.iv];
  }

  const Mechanism& mechanism_;
  ConstraintSolver* constraints_ = nullptr;
  RecursiveWorkspace<double> workspace_;
  InverseWorkspace<double> inverse_;
  VecX on_links_, response_, given_, lambda_;
};

}  // namespace

std::unique_ptr<Formalism> make_schur(const Mechanism& mechanism) {
  return std::make_unique<Schur>(mechanism);
}

}  // namespace couplet::dynamics
