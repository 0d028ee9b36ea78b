#include <Eigen/LU>

#include "couplet/dynamics/minimal/constraints/formalisms.hpp"
#include "couplet/dynamics/minimal/constraints/loops.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"

namespace couplet::dynamics {
namespace {

class Augmented final : public Formalism {
 public:
  explicit Augmented(const Mechanism& mechanism)
      : mechanism_(mechanism),
        mass_(mechanism),
        inverse_(mechanism),
        on_links_(VecX::Zero(6 * static_cast<Eigen::Index>(mechanism.links.size()))),
        zero_(VecX::Zero(mechanism.nv)),
        h_(mechanism.nv),
        M_(mechanism.nv, mechanism.nv) {}

  void set_loops(Loops& loops) override { loops_ = &loops; }
  const VecX* lambda() const override { return &lambda_; }

  //   (M Gᵀ) (v̇)   (τ - h)
  //   (G 0 ) (λ) = ( -γ  )
  void calc_vdot(const State& state, const forces::AppliedForces& applied, const Kinematics& kinematics, VecX& tau,
                 VecX& vdot) override {
    const double* on_links = calc_link_forces(mechanism_, applied, kinematics, on_links_);
    loops_->factorise(state, kinematics);  // tells how near a singular position is
    calc_mass_matrix(mechanism_, state.q, mass_, M_);
    M_.triangularView<Eigen::StrictlyLower>() = M_.transpose();
    calc_inverse_dynamics(mechanism_, state, zero_, on_links, inverse_, h_);
    const int n = mechanism_.nv, m = loops_->size();
    const SparseRows& G = loops_->constraints().G();
    K_.setZero(n + m, n + m);
    rhs_.resize(n + m);
    K_.topLeftCorner(n, n) = M_;
    rhs_.head(n) = tau - h_;
    for (int k = 0; k < m; ++k) {
      const int row = loops_->rows()[k];
      for (int e = G.begin[row]; e < G.begin[row + 1]; ++e)
        K_(n + k, G.column[e]) = K_(G.column[e], n + k) = G.value[e];
      rhs_[n + k] = -loops_->constraints().bias()[row];
    }
    for (const model::Link& link : mechanism_.links)  // v̇ is known: its equation gives the force afterwards
      if (link.prescribed) {
        K_.row(link.iv).setZero();
        K_(link.iv, link.iv) = 1;
        rhs_[link.iv] = vdot[link.iv];
      }
    factor_.compute(K_);
    rhs_ = factor_.solve(rhs_);
    vdot = rhs_.head(n);
    lambda_ = rhs_.tail(m);
    for (const model::Link& link : mechanism_.links)
      if (link.prescribed) {
        tau[link.iv] = M_.row(link.iv).dot(vdot) + h_[link.iv];
        for (int k = 0; k < m; ++k) {
          const int row = loops_->rows()[k];
          for (int e = G.begin[row]; e < G.begin[row + 1]; ++e)
            if (G.column[e] == link.iv) tau[link.iv] += G.value[e] * lambda_[k];
        }
      }
  }

 private:
  const Mechanism& mechanism_;
  Loops* loops_ = nullptr;
  MassMatrixWorkspace<double> mass_;
  InverseWorkspace<double> inverse_;
  VecX on_links_, zero_, h_, rhs_, lambda_;
  MatX M_, K_;
  Eigen::PartialPivLU<MatX> factor_;
};

}  // namespace

std::unique_ptr<Formalism> make_augmented(const Mechanism& mechanism) {
  return std::make_unique<Augmented>(mechanism);
}

}  // namespace couplet::dynamics
