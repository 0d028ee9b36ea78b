// O(n³), small constant: mass matrix of composite bodies, bias by inverse dynamics, Cholesky.
#include "couplet/dynamics/minimal/composite.hpp"
#include "couplet/dynamics/minimal/dense_solver.hpp"
#include "couplet/dynamics/minimal/formalism.hpp"

namespace couplet::dynamics {
namespace {

class CompositeBodies final : public Formalism {
 public:
  explicit CompositeBodies(const Mechanism& mechanism)
      : equations_(mechanism), solver_(mechanism) {}

  void prepare(const Stage& stage) override {
    equations_.form(stage);
    solver_.factorise(equations_.mass_matrix(), stage.state.t);
  }
  void solve(VecX& tau, VecX& vdot) override { solver_.solve(equations_.bias(), tau, vdot); }
  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    equations_.form(stage);
    load = equations_.bias();
    load.noalias() += equations_.mass_matrix() * vdot;
  }

 private:
  CompositeEquations equations_;
  DenseSolver solver_;
};

}  // namespace

template <>
const FormalismEntry& formalism_entry<struct CompositeFormalism>() {
  static constexpr FormalismEntry entry{
      .name = "composite",
      .doc = "mass matrix of composite bodies and Cholesky, O(n³) with a small constant",
      .answers = {.residuals = true, .free_motion = true},
      .applies = is_free,
      .make = make_as<CompositeBodies>,
  };
  return entry;
}

}  // namespace couplet::dynamics
