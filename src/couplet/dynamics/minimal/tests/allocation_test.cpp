// Evaluations allocate nothing: every allocation of this program is counted.
#include <gtest/gtest.h>

#include "couplet/base/tests/allocations.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/symbolic/parse.hpp"
#include "random_mechanism.hpp"

namespace couplet::dynamics {
namespace {

using base::allocations;

TEST(Recursions, AllocateNothing) {
  if (!base::allocations_are_counted())
    GTEST_SKIP() << "allocations are not counted with sanitizers";
  RandomMechanism random(7);
  for (int n = 1; n <= 20; ++n) {
    const Mechanism mechanism =
        n % 2 ? random.tree(n, 0.5) : random.limbs({n, n, n / 2, 1}, n % 4 == 0);
    const model::State state = random.state(mechanism);
    RecursiveWorkspace<double> forward(mechanism);
    InverseWorkspace<double> inverse(mechanism);
    MassMatrixWorkspace<double> mass(mechanism);
    VecX tau = random.vector(mechanism.nv, 1), vdot = random.vector(mechanism.nv, 1);
    MatX M(mechanism.nv, mechanism.nv);
    const std::vector<double> forces(6 * mechanism.links.size(), 1.0);

    const long before = allocations;
    for (const double* F : {static_cast<const double*>(nullptr), forces.data()}) {
      calc_forward_dynamics(mechanism, state, tau, F, forward, vdot);
      calc_inverse_dynamics(mechanism, state, vdot, F, inverse, tau);
    }
    calc_mass_matrix(mechanism, state.q, mass, M);
    EXPECT_EQ(allocations - before, 0);
  }
}

// A whole evaluation with a spring, an expression and a prescribed joint, by the recursive
// formalism.
TEST(System, AllocatesNothing) {
  if (!base::allocations_are_counted())
    GTEST_SKIP() << "allocations are not counted with sanitizers";
  using math::Vec3;
  model::Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -9.81)};
  const int cart = model.add_body("cart", {5, Vec3::Zero(), Vec3(1, 1, 1).asDiagonal()});
  const int bob = model.add_body("bob", {2, Vec3(0, 0, -0.7), Vec3(1, 1, 1).asDiagonal()});
  model.add_joint("rail", model::JointType::prismatic, 0, model.bodies[cart].origin, Vec3::UnitX())
      .motion = {symbolic::parse("0.3*sin(2*t)")};
  model.add_joint("pivot", model::JointType::spherical, model.bodies[cart].origin,
                  model.bodies[bob].origin);
  forces::add_force(model, "spring", "spring",
                    {{"from", 0},
                     {"to", model.bodies[bob].origin},
                     {"stiffness", 10},
                     {"length", 0},
                     {"force", symbolic::parse("spring.length^2 - rail.v")}});
  const auto mechanism = std::make_shared<const Mechanism>(model::compile(std::move(model)));
  System system(mechanism);
  model::State state = mechanism->default_state();
  VecX tau = VecX::Zero(mechanism->nv), vdot = tau;
  const long before = allocations;
  for (int k = 0; k < 10; ++k) {
    state.t = 0.1 * k;
    system.make_consistent(state);
    system.calc_vdot(state, tau, vdot);
  }
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace couplet::dynamics
