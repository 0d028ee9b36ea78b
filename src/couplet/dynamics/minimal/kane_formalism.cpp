// Kane's method (kane.hpp), with the mass matrix factorised.
#include "couplet/dynamics/minimal/dense_solver.hpp"
#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/minimal/kane.hpp"

namespace couplet::dynamics {
namespace {

class Kane final : public Formalism {
 public:
  explicit Kane(const Mechanism& mechanism) : equations_(mechanism), solver_(mechanism) {}

  void prepare(const Stage& stage) override {
    equations_.form(stage.state, stage.applied);
    solver_.factorise(equations_.mass_matrix(), stage.state.t);
  }
  void solve(VecX& tau, VecX& vdot) override { solver_.solve(equations_.bias(), tau, vdot); }
  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    equations_.form(stage.state, stage.applied);
    load = equations_.bias();
    load.noalias() += equations_.mass_matrix() * vdot;
  }

 private:
  KaneEquations equations_;
  DenseSolver solver_;
};

}  // namespace

template <>
const FormalismEntry& formalism_entry<struct KaneFormalism>() {
  static constexpr FormalismEntry entry{
      .name = "kane",
      .doc = "Kane's method through partial velocities, O(n³), in the user's own frames",
      .answers = {.residuals = true, .free_motion = true},
      .applies = is_free,
      .make = make_as<Kane>,
  };
  return entry;
}

}  // namespace couplet::dynamics
