// The recursions of both instruction sets, limbs in lanes and one by one, forward and inverse: all
// say the same.
#include "couplet/dynamics/minimal/kernels.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "couplet/dynamics/minimal/recursive.hpp"
#include "random_mechanism.hpp"

namespace couplet::dynamics {
namespace {

struct Results {
  VecX vdot, tau;
  MatX M;
};

struct Sample {
  model::State state;
  VecX tau, vdot;  // vdot: also the given accelerations of prescribed joints
};
Sample random_sample(const Mechanism& mechanism, RandomMechanism& random) {
  return {random.state(mechanism), random.vector(mechanism.nv, 5), random.vector(mechanism.nv, 2)};
}

/// All that the kernels compute; `forces` on links, or null.
Results evaluate(const Kernels& kernels, const Mechanism& mechanism, const Sample& s,
                 const double* forces) {
  Results out{s.vdot, s.tau, MatX::Zero(mechanism.nv, mechanism.nv)};
  const Vec3 g = mechanism.uniform_gravity;
  const V3<double> upward{-g.x(), -g.y(), -g.z()};
  RecursiveWorkspace<double> forward(mechanism);
  InverseWorkspace<double> inverse(mechanism);
  MassMatrixWorkspace<double> mass(mechanism);
  VecX tau_in = s.tau;
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second time finds the workspaces used
    out.vdot = s.vdot;
    tau_in = s.tau;
    kernels.forward_dynamics(view(mechanism),
                             {s.state.q.data(), s.state.v.data(), tau_in.data(), forces, upward,
                              out.vdot.data(), tau_in.data()},
                             forward.pointers());
    kernels.inverse_dynamics(
        view(mechanism),
        {s.state.q.data(), s.state.v.data(), s.vdot.data(), forces, upward, out.tau.data()},
        inverse.pointers());
    kernels.mass_matrix(view(mechanism), mechanism.nv, s.state.q.data(), mass.pointers(),
                        out.M.data(), mechanism.nv);
  }
  const MatX M = out.M.selfadjointView<Eigen::Upper>();
  out.M = M;
  return out;
}

double difference(const MatX& a, const MatX& b) {
  return a.size() == 0 ? 0 : (a - b).lpNorm<Eigen::Infinity>() / (1 + a.lpNorm<Eigen::Infinity>());
}
void expect_same(const Results& a, const Results& b, double tolerance) {
  EXPECT_LT(difference(a.vdot, b.vdot), tolerance);
  EXPECT_LT(difference(a.tau, b.tau), tolerance);
  EXPECT_LT(difference(a.M, b.M), tolerance);
}

double condition(const MatX& M) {
  const VecX values = Eigen::SelfAdjointEigenSolver<MatX>(M, Eigen::EigenvaluesOnly).eigenvalues();
  return values.size() == 0 ? 1 : values.maxCoeff() / values.minCoeff();
}

std::vector<Mechanism> mechanisms(RandomMechanism& random) {
  std::vector<Mechanism> all;
  for (int n = 0; n < 60; ++n) all.push_back(random.tree(1 + n % 25, n % 3 * 0.45, n % 2 == 0));
  for (const bool floating : {false, true})
    for (const bool scattered : {false, true}) {
      all.push_back(random.limbs({6, 6, 7, 7, 4}, floating, scattered));
      all.push_back(random.limbs({3, 3}, floating, scattered));
      all.push_back(random.limbs({1, 1, 1, 1, 1, 1, 1, 1, 1}, floating, scattered));
      all.push_back(random.limbs({20, 2, 2, 2}, floating, scattered));
    }
  return all;
}

TEST(Kernels, PortableAndFastAgree) {
  if (&kernels() == &portable_kernels()) GTEST_SKIP() << "no AVX2 here";
  RandomMechanism random(1);
  for (const Mechanism& mechanism : mechanisms(random)) {
    const Sample s = random_sample(mechanism, random);
    expect_same(evaluate(kernels(), mechanism, s, nullptr),
                evaluate(portable_kernels(), mechanism, s, nullptr), 1e-12);
  }
}

// Where forces act on links, limbs run one by one: null forces give the other path.
TEST(Kernels, LimbsInLanesAgreeWithLimbsOneByOne) {
  RandomMechanism random(2);
  int groups = 0;
  for (const Mechanism& mechanism : mechanisms(random)) {
    groups += LimbPlan(mechanism).view().group_count;
    const Sample s = random_sample(mechanism, random);
    const std::vector<double> none(6 * mechanism.links.size(), 0.0);
    expect_same(evaluate(kernels(), mechanism, s, nullptr),
                evaluate(kernels(), mechanism, s, none.data()), 1e-12);
  }
  EXPECT_GT(groups, 20);
}

TEST(Kernels, ForwardAfterInverseReturnsTheAccelerations) {
  RandomMechanism random(3);
  for (const Mechanism& mechanism : mechanisms(random)) {
    if (mechanism.has_prescribed()) continue;
    const Sample s = random_sample(mechanism, random);
    const std::vector<double> forces = [&] {
      const VecX F = random.vector(6 * static_cast<int>(mechanism.links.size()), 3);
      return std::vector<double>(F.data(), F.data() + F.size());
    }();
    for (const Kernels* table : {&kernels(), &portable_kernels()})
      for (const double* F : {static_cast<const double*>(nullptr), forces.data()}) {
        Sample back = s;
        back.tau = evaluate(*table, mechanism, s, F).tau;
        const Results found = evaluate(*table, mechanism, back, F);
        // Rounding grows with the condition of the mass matrix, from 1 to 1e6.
        EXPECT_LT(difference(found.vdot, s.vdot), 1e-14 * (100 + condition(found.M)));
      }
  }
}

TEST(Kernels, ForwardDynamicsSolvesTheEquationOfTheMassMatrix) {  // M v̇ + τ(v̇ = 0) = τ
  RandomMechanism random(4);
  for (const Mechanism& mechanism : mechanisms(random)) {
    if (mechanism.has_prescribed()) continue;
    Sample s = random_sample(mechanism, random);
    const VecX vdot = evaluate(kernels(), mechanism, s, nullptr).vdot;
    s.vdot.setZero();
    const Results rest = evaluate(kernels(), mechanism, s, nullptr);
    EXPECT_LT(difference(rest.M * vdot + rest.tau, s.tau), 1e-10);
  }
}

TEST(Limbs, AreGroupedByLengthAndLeaveLongOnesAlone) {
  RandomMechanism random(5);
  const auto plan = [&](std::initializer_list<int> lengths) {
    return std::make_unique<LimbPlan>(random.limbs(lengths, true));
  };
  EXPECT_EQ(plan({5})->view().group_count, 0);  // a chain
  const auto humanoid = plan({6, 6, 7, 7, 4});
  ASSERT_EQ(humanoid->view().group_count, 1);
  EXPECT_EQ(humanoid->view().groups[0].steps, 7);
  EXPECT_EQ(humanoid->view().run_count, 2);  // the body that carries them, and the limb of 4
  const auto octopus = plan({5, 5, 5, 5, 5, 5, 5, 5});
  EXPECT_EQ(octopus->view().group_count, 2);
  const auto crane = plan({30, 2, 2});  // the long one runs alone
  ASSERT_EQ(crane->view().group_count, 1);
  EXPECT_EQ(crane->view().groups[0].steps, 2);
}

}  // namespace
}  // namespace couplet::dynamics
