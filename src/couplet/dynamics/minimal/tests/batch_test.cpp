// Batches against one state at a time, for both instruction sets.
#include "couplet/dynamics/minimal/batch.hpp"

#include <gtest/gtest.h>

#include "couplet/dynamics/minimal/kernels.hpp"
#include "random_mechanism.hpp"

namespace couplet::dynamics {
namespace {

std::vector<const BatchKernels*> all_kernels() {
  std::vector<const BatchKernels*> all{&portable_batch_kernels()};
  if (&batch_kernels() != all[0]) all.push_back(&batch_kernels());
  return all;
}

TEST(Batch, EqualsOneStateAtATime) {
  RandomMechanism random(41);
  for (const BatchKernels* kernels : all_kernels()) {
    for (int n = 1; n <= 9; ++n) {
      const Mechanism mechanism =
          n < 8 ? random.tree(n, 0.7, n % 2 == 0) : random.limbs({4, 3, 3, 2}, n == 8);
      BatchDynamics batch(mechanism, *kernels);
      const int count = 1 + random.below(11);  // packs that are not full, too
      MatX q(mechanism.nq, count), v(mechanism.nv, count), tau(mechanism.nv, count),
          vdot(mechanism.nv, count), tau_out(mechanism.nv, count), back(mechanism.nv, count);
      for (int k = 0; k < count; ++k) {
        const model::State state = random.state(mechanism);
        q.col(k) = state.q, v.col(k) = state.v;
        tau.col(k) = random.vector(mechanism.nv, 3), vdot.col(k) = random.vector(mechanism.nv, 1);
      }
      MatX expected = vdot;
      MatX forces = tau;
      RecursiveWorkspace<double> forward(mechanism);
      InverseWorkspace<double> inverse(mechanism);
      for (int twice = 0; twice < 2; ++twice) {
        tau_out = tau;
        batch.calc_forward_dynamics(q, v, tau, vdot, tau_out);
        batch.calc_inverse_dynamics(q, v, vdot, back);
      }
      for (int k = 0; k < count; ++k) {
        const model::State state{0, q.col(k), v.col(k)};
        VecX a = expected.col(k), f = forces.col(k), b(mechanism.nv);
        calc_forward_dynamics(mechanism, state, f, nullptr, forward, a);
        calc_inverse_dynamics(mechanism, state, a, nullptr, inverse, b);
        EXPECT_LT((vdot.col(k) - a).norm(), 1e-10 * (1 + a.norm())) << n << ", state " << k;
        EXPECT_LT((back.col(k) - b).norm(), 1e-10 * (1 + b.norm())) << n << ", state " << k;
        EXPECT_LT((tau_out.col(k) - f).norm(), 1e-9 * (1 + f.norm())) << n << ", state " << k;
      }
    }
  }
}

// Every state of a mechanism of its own, which differs in masses, lengths, axes and gravity.
TEST(Batch, EveryStateMayHaveParametersOfItsOwn) {
  RandomMechanism random(43);
  for (const BatchKernels* kernels : all_kernels())
    for (int n = 1; n <= 9; ++n) {
      const Mechanism mechanism =
          n < 8 ? random.tree(n, 0.7, n % 2 == 0) : random.limbs({4, 3, 3, 2}, n == 8);
      const int count = 1 + random.below(11);
      std::vector<Mechanism> own;
      for (int k = 0; k < count; ++k) {
        model::Model model = *mechanism.model;
        for (model::Body& body : model.bodies)
          body.mass.mass *= 1 + 0.1 * k, body.mass.inertia *= 1 + 0.1 * k;
        for (model::Point& point : model.points) point.X_BP.p *= 1 - 0.05 * k;
        if (k % 3 != 0)  // else parallel axes stay parallel
          for (model::Joint& joint : model.joints)
            joint.R_axes = joint.R_axes *
                           math::rotation(math::Vec3(random.vector(3, 1)).normalized(), 0.1 * k);
        std::get<model::UniformGravity>(model.gravity).g *= 1 + 0.2 * k;
        own.push_back(model::compile(std::move(model)));
      }
      std::vector<const Mechanism*> variants;
      for (const Mechanism& each : own) variants.push_back(&each);
      MatX q(mechanism.nq, count), v(mechanism.nv, count), tau(mechanism.nv, count),
          vdot(mechanism.nv, count), back(mechanism.nv, count);
      for (int k = 0; k < count; ++k) {
        const model::State state = random.state(mechanism);
        q.col(k) = state.q, v.col(k) = state.v;
        tau.col(k) = random.vector(mechanism.nv, 3), vdot.col(k) = random.vector(mechanism.nv, 1);
      }
      const MatX expected = vdot;
      MatX tau_out = tau;
      BatchDynamics batch(mechanism, *kernels);
      batch.calc_forward_dynamics(variants, q, v, tau, vdot, tau_out);
      batch.calc_inverse_dynamics(variants, q, v, vdot, back);
      for (int k = 0; k < count; ++k) {
        RecursiveWorkspace<double> forward(own[k]);
        InverseWorkspace<double> inverse(own[k]);
        const model::State state{0, q.col(k), v.col(k)};
        VecX a = expected.col(k), f = tau.col(k), b(mechanism.nv);
        calc_forward_dynamics(own[k], state, f, nullptr, forward, a);
        calc_inverse_dynamics(own[k], state, a, nullptr, inverse, b);
        EXPECT_LT((vdot.col(k) - a).norm(), 1e-10 * (1 + a.norm())) << n << ", state " << k;
        EXPECT_LT((back.col(k) - b).norm(), 1e-10 * (1 + b.norm())) << n << ", state " << k;
        EXPECT_LT((tau_out.col(k) - f).norm(), 1e-9 * (1 + f.norm())) << n << ", state " << k;
      }
    }
}

TEST(Batch, RefusesMechanismsOfAnotherStructure) {
  RandomMechanism random(44);
  const Mechanism mechanism = random.limbs({5}, false), other = random.limbs({4}, true);
  BatchDynamics batch(mechanism);
  MatX x = MatX::Zero(mechanism.nv, 2), vdot = x, tau = x;
  const std::vector<const Mechanism*> mixed = {&mechanism, &other}, few = {&mechanism};
  EXPECT_THROW(batch.calc_forward_dynamics(mixed, x, x, x, vdot, tau), std::logic_error);
  EXPECT_THROW(batch.calc_inverse_dynamics(few, x, x, x, tau), std::logic_error);
}

TEST(Batch, LargeAnglesGoToTheLibrary) {
  RandomMechanism random(42);
  const Mechanism mechanism = random.limbs({5}, false);
  BatchDynamics batch(mechanism);
  MatX q = MatX::Random(mechanism.nq, 4), v = MatX::Random(mechanism.nv, 4), tau = v, vdot = v;
  q(2, 1) = 3e7;
  batch.calc_forward_dynamics(q, v, tau, vdot, tau);
  RecursiveWorkspace<double> forward(mechanism);
  for (int k = 0; k < 4; ++k) {
    VecX a(mechanism.nv), f = tau.col(k);
    calc_forward_dynamics(mechanism, {0, q.col(k), v.col(k)}, f, nullptr, forward, a);
    EXPECT_LT((vdot.col(k) - a).norm(), 1e-10 * a.norm()) << k;
  }
}

}  // namespace
}  // namespace couplet::dynamics
