// One algorithm, many scalars: the recursions on symbolic expressions give formulas whose values
// are those of the recursions on doubles.
#include <gtest/gtest.h>

#include "couplet/dynamics/minimal/recursions/forward.hpp"
#include "couplet/dynamics/minimal/recursions/inverse.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/symbolic/tape.hpp"
#include "random_mechanism.hpp"

namespace couplet::dynamics {
namespace {

using symbolic::Expr;

struct Symbols {
  std::vector<std::string> names;
  std::vector<Expr> values;
  std::vector<double> numbers;

  void add(const char* name, const VecX& x) {
    for (int i = 0; i < x.size(); ++i) {
      names.push_back(name + std::to_string(i));
      values.push_back(Expr::symbol(names.back()));
      numbers.push_back(x[i]);
    }
  }
};

TEST(Scalars, RecursionsOnExpressionsAreTheSameRecursions) {
  RandomMechanism random(3);
  for (int n = 1; n <= 6; ++n) {
    const Mechanism mechanism = random.tree(n, 0.5);
    const model::State state = random.state(mechanism);
    VecX tau = VecX::Random(mechanism.nv), vdot(mechanism.nv), back(mechanism.nv);
    RecursiveWorkspace<double> forward(mechanism);
    InverseWorkspace<double> inverse(mechanism);
    calc_forward_dynamics(mechanism, state, tau, nullptr, forward, vdot);
    calc_inverse_dynamics(mechanism, state, vdot, nullptr, inverse, back);

    Symbols in;
    in.add("q", state.q), in.add("v", state.v), in.add("tau", tau), in.add("vdot", vdot);
    const Expr *q = in.values.data(), *v = q + mechanism.nq, *force = v + mechanism.nv,
               *acceleration = force + mechanism.nv;
    const Vec3& g = mechanism.uniform_gravity;
    const V3<Expr> up{-g.x(), -g.y(), -g.z()};
    const TreeView tree = view(mechanism);
    std::vector<Expr> out(2 * mechanism.nv);
    RecursiveWorkspace<Expr> symbolic_forward(mechanism);
    InverseWorkspace<Expr> symbolic_inverse(mechanism);
    const NoLimbs one_by_one(tree, {}, nullptr);
    forward_dynamics(tree, ForwardProblem<Expr>{q, v, force, nullptr, up, out.data(), nullptr},
                     symbolic_forward.pointers(), one_by_one);
    inverse_dynamics(
        tree, InverseProblem<Expr>{q, v, acceleration, nullptr, up, out.data() + mechanism.nv},
        symbolic_inverse.pointers(), one_by_one);

    const std::vector<double> values = symbolic::Tape(out, in.names).evaluate(in.numbers);
    const Eigen::Map<const VecX> vdot_expr(values.data(), mechanism.nv);
    const Eigen::Map<const VecX> tau_expr(values.data() + mechanism.nv, mechanism.nv);
    // The expressions fold zeros and share terms: other roundings, the same formulas.
    EXPECT_LT((vdot_expr - vdot).norm(), 1e-10 * vdot.norm()) << n;
    EXPECT_LT((tau_expr - back).norm(), 1e-10 * back.norm()) << n;
  }
}

}  // namespace
}  // namespace couplet::dynamics
