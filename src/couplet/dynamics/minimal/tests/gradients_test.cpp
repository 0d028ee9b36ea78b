// Gradients in closed form, by dual numbers through the recursions, by central differences.
#include "couplet/dynamics/minimal/gradients.hpp"

#include <gtest/gtest.h>

#include "random_mechanism.hpp"

namespace couplet::dynamics {
namespace {

/// Central differences of fourth order, along the speeds where x is q.
template <class F>
MatX differences(const Mechanism& mechanism, const VecX& x, bool is_q, F f) {
  MatX D(mechanism.nv, mechanism.nv);
  const double h = 1e-4;
  for (int k = 0; k < mechanism.nv; ++k) {
    VecX direction = VecX::Unit(mechanism.nv, k);
    if (is_q) {
      VecX qdot(mechanism.nq);
      mechanism.calc_qdot(x, direction, qdot);
      direction = qdot;
    }
    const auto at = [&](double step) -> VecX { return f(x + step * direction); };
    D.col(k) = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  }
  return D;
}

TEST(Gradients, ThreeWaysAgree) {
  RandomMechanism random(51);
  std::vector<const DualKernels*> all{&portable_dual_kernels()};
  if (&dual_kernels() != all[0]) all.push_back(&dual_kernels());
  for (const DualKernels* kernels : all) {
    for (int n = 1; n <= 7; ++n) {
      const Mechanism mechanism = n < 6 ? random.tree(n, 0.7) : random.limbs({4, 2, 3}, n == 6);
      if (mechanism.nv == 0) continue;
      const model::State state = random.state(mechanism);
      const VecX tau = random.vector(mechanism.nv, 3), vdot = random.vector(mechanism.nv, 3);
      GradientWorkspace workspace(mechanism, *kernels);
      ForwardGradients fast, duals;
      InverseGradients inverse, dual_inverse;
      workspace.calc_forward_gradients(state, tau, fast);
      workspace.calc_forward_gradients_by_duals(state, tau, duals);
      workspace.calc_inverse_gradients(state, vdot, inverse);
      workspace.calc_inverse_gradients_by_duals(state, vdot, dual_inverse);
      for (const auto part :
           {&InverseGradients::by_q, &InverseGradients::by_v, &InverseGradients::by_vdot})
        EXPECT_LT((inverse.*part - dual_inverse.*part).norm(),
                  1e-12 * (1 + (dual_inverse.*part).norm()))
            << n;
      for (const auto part :
           {&ForwardGradients::by_q, &ForwardGradients::by_v, &ForwardGradients::by_tau})
        // 1e-12 of the largest, times what an ill-conditioned mass matrix amplifies
        EXPECT_LT((fast.*part - duals.*part).norm(), 1e-11 * (1 + (duals.*part).norm())) << n;

      RecursiveWorkspace<double> forward(mechanism);
      InverseWorkspace<double> newton(mechanism);
      const auto FD = [&](const VecX& q, const VecX& v, VecX f) {
        VecX a(mechanism.nv);
        calc_forward_dynamics(mechanism, {0, q, v}, f, nullptr, forward, a);
        return a;
      };
      const auto ID = [&](const VecX& q, const VecX& v) {
        VecX f(mechanism.nv);
        calc_inverse_dynamics(mechanism, {0, q, v}, vdot, nullptr, newton, f);
        return f;
      };
      const auto expect = [&](const MatX& exact, const MatX& D) {
        EXPECT_LT((exact - D).norm(), 1e-7 * (1 + D.norm())) << n;
      };
      expect(fast.by_q, differences(mechanism, state.q, true,
                                    [&](const VecX& q) { return FD(q, state.v, tau); }));
      expect(fast.by_v, differences(mechanism, state.v, false,
                                    [&](const VecX& v) { return FD(state.q, v, tau); }));
      expect(fast.by_tau, differences(mechanism, tau, false,
                                      [&](const VecX& f) { return FD(state.q, state.v, f); }));
      expect(inverse.by_q,
             differences(mechanism, state.q, true, [&](const VecX& q) { return ID(q, state.v); }));
      expect(inverse.by_v,
             differences(mechanism, state.v, false, [&](const VecX& v) { return ID(state.q, v); }));
    }
  }
}

}  // namespace
}  // namespace couplet::dynamics
