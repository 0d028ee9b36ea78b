// O(n): articulated bodies. Mimic joints are tied by forces λ that make v̇_c - ratio v̇_s vanish;
// one more evaluation per mimic joint gives the response to each.
#include <optional>

#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/math/dense_symmetric.hpp"

namespace couplet::dynamics {
namespace {

class Recursive final : public Formalism {
 public:
  explicit Recursive(const Mechanism& mechanism)
      : mechanism_(mechanism), workspace_(mechanism), link_forces_(mechanism) {
    const int k = static_cast<int>(mechanism.couplings.size());
    responses_.resize(mechanism.nv, k);
    gap_.resize(k);
    tau_.resize(mechanism.nv);
  }

  void prepare(const Stage& stage) override {
    state_ = &stage.state;
    on_links_ = link_forces_.calc(stage);
  }
  void solve(VecX& tau, VecX& vdot) override {
    calc_forward_dynamics(mechanism_, *state_, tau, on_links_, workspace_, vdot);
    if (!mechanism_.couplings.empty()) tie(tau, vdot);
  }
  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    if (!inverse_) inverse_.emplace(mechanism_, limbs());
    calc_inverse_dynamics(mechanism_, stage.state, vdot, link_forces_.calc(stage), *inverse_, load);
  }
  std::shared_ptr<LimbPlan> limbs() const override { return workspace_.limbs; }

 private:
  void tie(VecX& tau, VecX& vdot) {
    const auto& couplings = mechanism_.couplings;
    const int n = static_cast<int>(couplings.size());
    VecX response = vdot;
    for (int k = 0; k < n; ++k) {
      tau_ = tau;
      tau_[couplings[k].iv] += 1;
      tau_[couplings[k].source_iv] -= couplings[k].ratio;
      response = vdot;  // prescribed entries stay
      calc_forward_dynamics(mechanism_, *state_, tau_, on_links_, workspace_, response);
      responses_.col(k) = response - vdot;
      gap_[k] = couplings[k].ratio * vdot[couplings[k].source_iv] - vdot[couplings[k].iv];
    }
    MatX compliance(n, n);
    for (int k = 0; k < n; ++k)
      compliance.row(k) = responses_.row(couplings[k].iv) -
                          couplings[k].ratio * responses_.row(couplings[k].source_iv);
    const VecX lambda = math::solve_symmetric(compliance, gap_);
    tau_ = tau;
    for (int k = 0; k < n; ++k) {
      tau_[couplings[k].iv] += lambda[k];
      tau_[couplings[k].source_iv] -= couplings[k].ratio * lambda[k];
    }
    calc_forward_dynamics(mechanism_, *state_, tau_, on_links_, workspace_, vdot);
    for (const model::Link& link : mechanism_.links)
      if (link.prescribed) tau[link.iv] = tau_[link.iv];
  }

  const Mechanism& mechanism_;
  RecursiveWorkspace<double> workspace_;
  std::optional<InverseWorkspace<double>> inverse_;  // from the first question on
  LinkForces link_forces_;
  const State* state_ = nullptr;
  const double* on_links_ = nullptr;
  MatX responses_;
  VecX gap_, tau_;
};

}  // namespace

template <>
const FormalismEntry& formalism_entry<struct RecursiveFormalism>() {
  static constexpr FormalismEntry entry{
      .name = "recursive",
      .doc = "articulated bodies, O(n): the fastest",
      .answers = {.residuals = true, .free_motion = true},
      .applies = is_free,
      .make = make_as<Recursive>,
  };
  return entry;
}

}  // namespace couplet::dynamics
