// Digits of accelerations in long chains, against extended precision: planar chains of uniform rods
// (1 kg, 1 m, as in chains_planar.json of the reference data), whose equations in absolute angles φ
// are
//   Σ_j m_ij (cos(φ_i - φ_j) φ̈_j + sin(φ_i - φ_j) φ̇_j²) = -g (n - ½ - i) cos φ_i,
// with m_ij = n - 1 - max(i, j) + ½, and ⅓ in place of ½ for i = j. The plain form of divide and
// conquer is said to lose digits there.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/dynamics/substructure/divided_system.hpp"
#include "couplet/dynamics/substructure/formalisms.hpp"

namespace couplet::verification {
namespace {

using dynamics::DividedSystem;
using math::Vec3;
using math::VecX;
using model::JointType;
using model::Mechanism;
using model::State;
using Extended = long double;

constexpr double gravity = 9.81;

struct Chain {
  std::shared_ptr<const Mechanism> mechanism;
  State state;
  std::vector<Extended> angle, speed;  // absolute

  explicit Chain(int n) {
    model::Model model;
    model.gravity = model::UniformGravity{Vec3(0, 0, -gravity)};
    int from = 0;
    for (int k = 0; k < n; ++k) {
      const std::string name = std::to_string(k);
      const int rod = model.add_body(
          "rod" + name, {1, Vec3(0.5, 0, 0), Vec3(1 / 12.0, 1 / 12.0, 1 / 12.0).asDiagonal()});
      model.add_joint("j" + name, JointType::revolute, from, model.bodies[rod].origin,
                      -Vec3::UnitY());
      from = model.add_point("tip" + name, rod, {math::Mat3::Identity(), Vec3::UnitX()});
    }
    mechanism = std::make_shared<const Mechanism>(model::compile(std::move(model)));
    state = mechanism->default_state();
    Extended phi = 0, omega = 0;
    for (int k = 0; k < n; ++k) {  // coils of a few turns, and waves
      state.q[k] = 0.3 * std::sin(0.7 * k) + 0.05;
      state.v[k] = 0.1 * std::cos(1.3 * k);
      angle.push_back(phi += state.q[k]);
      speed.push_back(omega += state.v[k]);
    }
  }

  /// φ̈ by Cholesky's factorisation.
  std::vector<Extended> solve() const {
    const auto n = angle.size();
    const auto N = static_cast<Extended>(n);
    const auto coefficient = [&](size_t i, size_t j) {
      const auto outer = static_cast<Extended>(std::max(i, j));
      return i == j ? N - 1 - outer + 1 / Extended(3) : N - 1 - outer + 0.5L;
    };
    std::vector<std::vector<Extended>> L(n);
    std::vector<Extended> x(n);
    for (size_t i = 0; i < n; ++i) {
      x[i] = -static_cast<Extended>(gravity) * (N - 0.5L - static_cast<Extended>(i)) *
             std::cos(angle[i]);
      for (size_t j = 0; j < n; ++j)
        if (j != i) x[i] -= coefficient(i, j) * std::sin(angle[i] - angle[j]) * speed[j] * speed[j];
      L[i].resize(i + 1);
      for (size_t j = 0; j <= i; ++j) {
        Extended sum = coefficient(i, j) * std::cos(angle[i] - angle[j]);
        for (size_t k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
        L[i][j] = i == j ? std::sqrt(sum) : sum / L[j][j];
      }
    }
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < i; ++k) x[i] -= L[i][k] * x[k];
      x[i] /= L[i][i];
    }
    for (size_t i = n; i-- > 0;) {
      for (size_t k = i + 1; k < n; ++k) x[i] -= L[k][i] * x[k];
      x[i] /= L[i][i];
    }
    return x;
  }
};

/// The largest error of absolute angular accelerations, of the largest of them.
double error(const VecX& vdot, const std::vector<Extended>& expected) {
  Extended sum = 0, worst = 0, size = 0;
  for (size_t k = 0; k < expected.size(); ++k) {
    sum += static_cast<Extended>(vdot[static_cast<Eigen::Index>(k)]);
    worst = std::max(worst, std::abs(sum - expected[k]));
    size = std::max(size, std::abs(expected[k]));
  }
  return static_cast<double>(worst / size);
}

/// One pair of sweeps, with leaves of so many parts.
VecX solve_once(const Chain& chain, int in_leaf) {
  const Mechanism& mechanism = *chain.mechanism;
  DividedSystem system(mechanism, {}, in_leaf);
  dynamics::Kinematics kinematics(mechanism);
  VecX zero = VecX::Zero(mechanism.nv), vdot = zero;
  calc_kinematics(mechanism, chain.state, kinematics);
  calc_accelerations(mechanism, chain.state, zero, kinematics);
  system.factorise(kinematics, forces::AppliedForces(mechanism));
  EXPECT_TRUE(system.solve(zero, vdot, {.refined = false}));
  return vdot;
}

VecX solve_by(const char* formalism, const Chain& chain) {
  dynamics::System system(chain.mechanism, formalism);
  VecX tau = VecX::Zero(chain.mechanism->nv), vdot = tau;
  system.calc_vdot(chain.state, tau, vdot);
  return vdot;
}

// Joined part by part about their centres of mass, in world axes, chains keep the digits of the
// recursion; condensed leaves lose one, which the refinement takes back. From some hundred rods on
// all of them have the rounding of the angles that the motions of bodies are made of.
TEST(LongChains, KeepTheDigitsOfTheRecursion) {
  dynamics::add_substructure_formalisms();
  std::printf("   n   recursive       plain   condensed         dca\n");
  for (const int n : {10, 30, 100, 300, 1000}) {
    const Chain chain(n);
    const std::vector<Extended> expected = chain.solve();
    const double recursive = error(solve_by("recursive", chain), expected),
                 plain = error(solve_once(chain, 1), expected),
                 condensed = error(solve_once(chain, 16), expected),
                 refined = error(solve_by("dca", chain), expected);
    std::printf("%4d  %10.2g  %10.2g  %10.2g  %10.2g\n", n, recursive, plain, condensed, refined);
    EXPECT_LT(refined, 3 * recursive + 1e-15) << n;
    EXPECT_LT(std::max(plain, condensed), 3 * recursive + 1e-13) << n;
  }
}

}  // namespace
}  // namespace couplet::verification
