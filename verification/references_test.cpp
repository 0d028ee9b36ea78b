// Known values: verification/references (each file says how its numbers were verified) and
// mechanisms small enough to be derived by hand.
#include "support/references.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/formats/yaml.hpp"

namespace couplet::verification {
namespace {

using dynamics::System;
using math::MatX;
using math::Vec3;
using math::VecX;
using model::JointType;
using model::State;
using nlohmann::json;

std::shared_ptr<const model::Mechanism> shared(model::Model model) {
  return std::make_shared<const model::Mechanism>(model::compile(std::move(model)));
}

std::shared_ptr<const model::Mechanism> load(const std::string& name) {
  base::Diagnostics warnings;
  return shared(
      formats::read_yaml(std::string(COUPLET_SOURCE_DIR) + "/models/" + name, {}, warnings));
}

VecX calc_vdot(System& system, const State& state) {
  VecX tau = VecX::Zero(state.v.size()), vdot = tau;
  system.calc_vdot(state, tau, vdot);
  return vdot;
}

// Torques, mass matrices and free accelerations of the six-axis robot, three algorithms agree to
// 6e-14.
TEST(References, ManutecR3) {
  const json data = reference("manutec_r3.json");
  System system(load("manutec_r3.yaml"));
  for (const auto& [name, values] : data["cases"].items()) {
    State state{0, numbers(values["q"]), numbers(values["qd"])};
    VecX tau(6);
    system.inverse().calc_tau(state, numbers(values["qdd"]), tau);
    // 1e-9 absolute on torques to 400 N m: the references carry 13 digits
    EXPECT_LT((tau - numbers(values["tau"])).norm(), 1e-9) << name;
    MatX M;
    VecX h;
    system.inverse().calc_equations(state, M, h);
    for (int i = 0; i < 6; ++i)
      EXPECT_LT((VecX(M.row(i)) - numbers(values["mass_matrix"][i])).norm(), 1e-10) << name;
    const VecX free = numbers(values["qdd_zero_torque"]);
    EXPECT_LT((calc_vdot(system, state) - free).norm(), 1e-10 * std::max(1.0, free.norm())) << name;
  }
}

// Uniform rods, 1 kg and 1 m, horizontal and at rest: accelerations of the absolute angles.
TEST(References, InitialAccelerationsOfChains) {
  const json data = reference("chains_planar.json");
  for (const int n : {1, 2, 3, 5, 10, 20}) {
    model::Model model;
    model.gravity = model::UniformGravity{Vec3(0, 0, -9.81)};
    int from = 0;
    for (int k = 0; k < n; ++k) {
      const std::string name = "rod" + std::to_string(k);
      const int rod =
          model.add_body(name, {1, Vec3(0.5, 0, 0), Vec3(0, 1 / 12.0, 1 / 12.0).asDiagonal()});
      model.add_joint("j" + std::to_string(k), JointType::revolute, from, model.bodies[rod].origin,
                      -Vec3::UnitY());
      from = model.add_point(name + ".tip", rod, {math::Mat3::Identity(), Vec3::UnitX()});
    }
    const auto mechanism = shared(std::move(model));
    const VecX expected =
        numbers(data["rods_n" + std::to_string(n)]["initial_angular_accelerations"]);
    for (const char* formalism : {"recursive", "composite", "kane"}) {
      System system(mechanism, formalism);
      VecX absolute = calc_vdot(system, mechanism->default_state());
      for (int k = 1; k < n; ++k) absolute[k] += absolute[k - 1];
      // Dense methods lose the condition of the mass matrix, 1e5 for 20 rods; the recursion does
      // not.
      const double tolerance = std::string(formalism) == "recursive" ? 1e-12 : 1e-10;
      EXPECT_LT((absolute - expected).norm(), tolerance * expected.norm())
          << formalism << " n = " << n;
    }
  }
}

// ---- By hand.

// θ̈ = -(g / l) sin θ for a point mass on a massless rod.
TEST(ByHand, Pendulum) {
  model::Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -9.81)};
  const int bob = model.add_body("bob", {2, Vec3(0, 0, -0.7), math::Mat3::Zero()});
  model.add_joint("pivot", JointType::revolute, 0, model.bodies[bob].origin, -Vec3::UnitY());
  System system(shared(std::move(model)));
  for (const double theta : {0.0, 0.3, 1.5, 3.0}) {
    State state{0, VecX::Constant(1, theta), VecX::Constant(1, 0.4)};
    EXPECT_NEAR(calc_vdot(system, state)[0], -9.81 / 0.7 * std::sin(theta), 1e-13);
  }
}

// Two point masses in the plane, absolute angles θ1, θ2 from the vertical (any textbook):
//   (m1+m2) l1 θ̈1 + m2 l2 θ̈2 cos Δ + m2 l2 θ̇2² sin Δ + (m1+m2) g sin θ1 = 0
//   m2 l2 θ̈2 + m2 l1 θ̈1 cos Δ - m2 l1 θ̇1² sin Δ + m2 g sin θ2 = 0,   Δ = θ1 - θ2
TEST(ByHand, DoublePendulum) {
  const double m1 = 1.3, m2 = 0.8, l1 = 0.9, l2 = 1.1, g = 9.81;
  model::Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -g)};
  const int upper = model.add_body("upper", {m1, Vec3(0, 0, -l1), math::Mat3::Zero()});
  const int lower = model.add_body("lower", {m2, Vec3(0, 0, -l2), math::Mat3::Zero()});
  const int elbow = model.add_point("elbow", upper, {math::Mat3::Identity(), Vec3(0, 0, -l1)});
  model.add_joint("shoulder", JointType::revolute, 0, model.bodies[upper].origin, -Vec3::UnitY());
  model.add_joint("elbow", JointType::revolute, elbow, model.bodies[lower].origin, -Vec3::UnitY());
  System system(shared(std::move(model)));
  const double t1 = 0.7, t2 = -0.4, w1 = 1.9, w2 = -2.3;
  const VecX relative =
      calc_vdot(system, State{0, Eigen::Vector2d(t1, t2 - t1), Eigen::Vector2d(w1, w2 - w1)});
  const double a1 = relative[0], a2 = relative[0] + relative[1], d = t1 - t2;
  const double c = std::cos(d), s = std::sin(d);
  EXPECT_NEAR(
      (m1 + m2) * l1 * a1 + m2 * l2 * a2 * c + m2 * l2 * w2 * w2 * s + (m1 + m2) * g * std::sin(t1),
      0, 1e-12);
  EXPECT_NEAR(m2 * l2 * a2 + m2 * l1 * a1 * c - m2 * l1 * w1 * w1 * s + m2 * g * std::sin(t2), 0,
              1e-12);
}

// Euler's equations I ω̇ + ω × I ω = 0 and a freely falling centre of mass.
TEST(ByHand, FreeBodyObeysEuler) {
  model::Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -9.81)};
  const int top = model.add_body("top", {3, Vec3::Zero(), Vec3(1, 2, 2.5).asDiagonal()});
  model.add_joint("space", JointType::free, 0, model.bodies[top].origin);
  System system(shared(std::move(model)));
  State state{0, VecX(7), VecX(6)};
  state.q << 0.5, 0.5, -0.5, 0.5, 1, 2, 3;
  state.v << 0.3, -1.1, 0.7, 0.2, 0.4, -0.6;
  const VecX vdot = calc_vdot(system, state);
  const Vec3 w = state.v.head<3>(), I(1, 2, 2.5);
  EXPECT_LT((I.cwiseProduct(vdot.head<3>()) + w.cross(I.cwiseProduct(w))).norm(), 1e-14);
  // v is in body axes: its components turn, so v̇ + ω × v = Rᵀ g.
  const math::Mat3 R = math::rotation(math::Quaternion(state.q.head<4>()));
  EXPECT_LT((vdot.tail<3>() + w.cross(Vec3(state.v.tail<3>())) - R.transpose() * Vec3(0, 0, -9.81))
                .norm(),
            1e-14);
}

// Cart (m) on rails with a prescribed sine motion: the motor's force is m q̈; the free pendulum on
// it obeys l θ̈ = -g sin θ - ẍ cos θ.
TEST(ByHand, PrescribedCartDrivesPendulum) {
  const symbolic::Expr t = symbolic::Expr::symbol("t");
  model::Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -9.81)};
  const int cart = model.add_body("cart", {5, Vec3::Zero(), Vec3(1, 1, 1).asDiagonal()});
  const int bob = model.add_body("bob", {2, Vec3(0, 0, -0.7), math::Mat3::Zero()});
  model.add_joint("rail", JointType::prismatic, 0, model.bodies[cart].origin, Vec3::UnitX())
      .motion = {0.3 * sin(2.0 * t)};
  model.add_joint("pivot", JointType::revolute, model.bodies[cart].origin, model.bodies[bob].origin,
                  -Vec3::UnitY());
  const auto mechanism = shared(std::move(model));
  for (const char* formalism : {"recursive", "composite", "kane"}) {
    System system(mechanism, formalism);
    State state{0.4, VecX(2), VecX(2)};
    state.q << 99, 0.6;  // replaced by the motion
    state.v << 99, -1.2;
    system.make_consistent(state);
    EXPECT_NEAR(state.q[0], 0.3 * std::sin(0.8), 1e-15);
    EXPECT_NEAR(state.v[0], 0.6 * std::cos(0.8), 1e-15);
    VecX tau = VecX::Zero(2), vdot = VecX::Zero(2);
    system.calc_vdot(state, tau, vdot);
    const double x = -1.2 * std::sin(0.8), theta = 0.6;
    const double alpha = (-9.81 * std::sin(theta) - x * std::cos(theta)) / 0.7;
    EXPECT_NEAR(vdot[0], x, 1e-14) << formalism;
    EXPECT_NEAR(vdot[1], alpha, 1e-13) << formalism;
    const double bob_x = x + 0.7 * (alpha * std::cos(theta) - 1.44 * std::sin(theta));
    EXPECT_NEAR(tau[0], 5 * x + 2 * bob_x, 1e-12) << formalism;
  }
}

// Two wheels of inertia I1, I2 geared by a mimic joint: (I1 + r² I2) q̈ = τ.
TEST(ByHand, MimicJointIsAGear) {
  model::Model model;
  for (const double inertia : {2.0, 3.0}) {
    const std::string name = inertia == 2.0 ? "small" : "large";
    const int wheel =
        model.add_body(name, {1, Vec3::Zero(), Vec3(inertia, inertia, inertia).asDiagonal()});
    model.add_joint(name, JointType::revolute, 0, model.bodies[wheel].origin);
  }
  model.joints[1].mimic = model::Mimic{0, -0.5, 0.1};
  const auto mechanism = shared(std::move(model));
  for (const char* formalism : {"recursive", "composite", "kane"}) {
    System system(mechanism, formalism);
    State state{0, VecX::Constant(2, 0.2), VecX::Constant(2, 1)};
    system.make_consistent(state);
    EXPECT_NEAR(state.q[1], 0, 1e-15);
    VecX tau(2), vdot(2);
    tau << 7, 0;
    system.calc_vdot(state, tau, vdot);
    EXPECT_NEAR(vdot[0], 7 / (2 + 0.25 * 3), 1e-13) << formalism;
    EXPECT_NEAR(vdot[1], -0.5 * vdot[0], 1e-13) << formalism;
    MatX M;
    VecX h;
    system.inverse().calc_equations(state, M, h);
    ASSERT_EQ(M.rows(), 1);
    EXPECT_NEAR(M(0, 0), 2.75, 1e-14);
    system.inverse().calc_tau(state, vdot, tau);
    EXPECT_NEAR(tau[0], 7, 1e-13) << formalism;
  }
}

// A hanging rod at rest: the pivot carries its weight; swinging horizontally it carries a quarter.
TEST(ByHand, ReactionsOfARod) {
  model::Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -10)};
  const int rod = model.add_body("rod", {6, Vec3(0.5, 0, 0), Vec3(0, 0.5, 0.5).asDiagonal()});
  model.add_joint("pivot", JointType::revolute, 0, model.bodies[rod].origin, Vec3::UnitY());
  System system(shared(std::move(model)));
  State state{0, VecX::Zero(1),
              VecX::Zero(1)};  // horizontal: m g / 4 remains, from m L²/3 α = m g L/2
  EXPECT_LT(
      (system.reactions().calc_joints(state, calc_vdot(system, state), system.lambda())[0].force -
       Vec3(0, 0, 15))
          .norm(),
      1e-13);
  state.q[0] = M_PI / 2;  // hanging
  EXPECT_LT(
      (system.reactions().calc_joints(state, calc_vdot(system, state), system.lambda())[0].force -
       Vec3(0, 0, 60))
          .norm(),
      1e-13);
}

// Two particles on a spring: m1 a1 = k (l - l0) = -m2 a2, by Newton and by every other formalism.
TEST(ByHand, ParticlesOnASpring) {
  model::Model model;
  for (const double mass : {1.0, 4.0}) {
    const int p = model.add_body(mass == 1.0 ? "a" : "b", {mass, Vec3::Zero(), math::Mat3::Zero()});
    model.bodies[p].particle = true;
    model.add_joint(model.bodies[p].name + ".place", JointType::xyz, 0, model.bodies[p].origin);
  }
  forces::add_force(model, "spring", "spring",
                    {{"from", model.bodies[1].origin},
                     {"to", model.bodies[2].origin},
                     {"stiffness", 8},
                     {"length", 0.5}});
  const auto mechanism = shared(std::move(model));
  State state{0, VecX::Zero(6), VecX::Zero(6)};
  state.q[3] = 2;  // 1.5 m of stretch: 12 N
  for (const char* formalism : {"particles", "recursive", "kane"}) {
    System system(mechanism, formalism);
    const VecX vdot = calc_vdot(system, state);
    EXPECT_NEAR(vdot[0], 12, 1e-13) << formalism;
    EXPECT_NEAR(vdot[3], -3, 1e-13) << formalism;
    EXPECT_NEAR(system.calc_potential_energy(state), 0.5 * 8 * 1.5 * 1.5, 1e-13);
  }
}

// A joint drawn from the moving body back to the world turns the other way.
TEST(ByHand, ReversedJointTurnsBackwards) {
  model::Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -9.81)};
  const int bob = model.add_body("bob", {2, Vec3(0, 0, -0.7), math::Mat3::Zero()});
  model.add_joint("pivot", JointType::revolute, model.bodies[bob].origin, 0, Vec3::UnitY());
  const auto mechanism = shared(std::move(model));
  for (const char* formalism : {"recursive", "kane"}) {
    System system(mechanism, formalism);
    EXPECT_NEAR(calc_vdot(system, State{0, VecX::Constant(1, 0.3), VecX::Zero(1)})[0],
                -9.81 / 0.7 * std::sin(0.3), 1e-13);
    const Vec3 p =
        system.calc_motions(State{0, VecX::Constant(1, 0.3), VecX::Zero(1)}).bodies[1].X_WB *
        Vec3(0, 0, -0.7);
    EXPECT_NEAR(p.x(), 0.7 * std::sin(0.3), 1e-15);  // about -y: the bob goes to +x
  }
}

}  // namespace
}  // namespace couplet::verification
