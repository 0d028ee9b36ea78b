// Stops that are touched together, as one complementarity problem.
#include "couplet/mechanics/impact.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "couplet/math/dense_lu.hpp"
#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

/// Rods of 1 m and 1 kg that hang from each other, each turned by q, with stops at ± 60°.
std::string rods(int n, double restitution, double q) {
  std::string bodies = "bodies:\n", joints = "joints:\n";
  for (int i = 0; i < n; ++i) {
    bodies += fmt::format(
        "  b{}: {{mass: 1, com: [0, 0, -0.5], shape: {{rod: {{length: 1}}}}, points: {{tip: [0, 0, "
        "-1]}}}}\n",
        i);
    joints += fmt::format(
        "  j{}: {{type: revolute, from: {}, to: b{}, axis: y, q: {}, limits: {{lower: -60 deg, "
        "upper: 60 deg, restitution: {}}}}}\n",
        i, i == 0 ? "world" : fmt::format("b{}.tip", i - 1), i, q, restitution);
  }
  return bodies + joints;
}

struct Sample {
  math::MatX C;
  VecX speeds, restitution;
};

Sample random_sample(int n, bool one_restitution, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  math::MatX B(n, n + 1);
  for (double& x : B.reshaped()) x = normal(random);
  Sample sample{B * B.transpose(), VecX(n), VecX(n)};
  for (double& x : sample.speeds) x = normal(random);
  for (double& e : sample.restitution) e = uniform(random);
  if (one_restitution) sample.restitution.setConstant(sample.restitution[0]);
  return sample;
}

// ΔT = ½ (γ + γ⁺)ᵀΛ. Numbers are of size 1 to 100.
TEST(Impact, NeverAddsEnergyNorEntersAStop) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    const Sample s = random_sample(1 + i % 8, i % 2 == 0, random);
    const std::optional<VecX> impulses = calc_impulses(s.C, s.speeds, s.restitution);
    ASSERT_TRUE(impulses);
    const VecX after = s.speeds + s.C * *impulses;
    const double size = 1 + s.C.norm() * impulses->norm();
    EXPECT_GE(impulses->minCoeff(), 0);
    EXPECT_GE(after.minCoeff(), -1e-10 * size);
    EXPECT_LE((s.speeds + after).dot(*impulses) / 2, 1e-10 * size * (1 + impulses->norm()));
  }
}

// Without restitution: of all motions that the stops allow the nearest, by all choices of those
// that push.
TEST(Impact, WithoutRestitutionIsTheNearestMotion) {
  std::mt19937 random(4);
  for (int i = 0; i < 300; ++i) {
    const int n = 1 + i % 6;
    Sample s = random_sample(n, true, random);
    s.restitution.setZero();
    const VecX impulses = calc_impulses(s.C, s.speeds, s.restitution).value();
    bool found = false;
    for (unsigned choice = 0; choice < 1u << n && !found; ++choice) {
      std::vector<Eigen::Index> set;
      for (int k = 0; k < n; ++k)
        if (choice >> k & 1u) set.push_back(k);
      VecX expected = VecX::Zero(n);
      if (!set.empty()) {
        math::DenseLu<double> lu;
        lu.compute(s.C(set, set));
        expected(set) = lu.solve(-s.speeds(set));
      }
      if (expected.minCoeff() < 0 || (s.speeds + s.C * expected).minCoeff() < -1e-9) continue;
      found = true;  // the only one: C is definite
      EXPECT_LT((impulses - expected).norm(), 1e-8 * (1 + expected.norm()));
    }
    EXPECT_TRUE(found);
  }
}

TEST(Impact, OfOneStopIsNewtons) {
  const VecX impulse =
      calc_impulses(math::MatX::Constant(1, 1, 4), VecX::Constant(1, -3), VecX::Constant(1, 0.5))
          .value();
  EXPECT_DOUBLE_EQ(impulse[0], 1.5 * 3 / 4);
}

double largest_rise(const results::Recording& r, const std::string& name) {
  const size_t column = r.find(name).value();
  double lowest = r.at(0, column), most = 0;
  for (size_t i = 0; i < r.rows(); ++i) {
    most = std::max(most, r.at(i, column) - lowest);
    lowest = std::min(lowest, r.at(i, column));
  }
  return most;
}

// Every chain gets to the end, within its ranges, and no impact adds energy. The energies are of
// size 100 J; between impacts the error of the integration is the only change.
TEST(Impact, ChainsOfRodsReachTheirEnd) {
  for (const char* rule : {"dopri5", "dop853", "radau5", "cvode-bdf", "ida"})
    for (int n = 1; n <= 8; ++n)
      for (const double e : {0.0, 0.2, 0.5, 0.8, 0.9, 1.0}) {
        if (n > 5 && std::string(rule) != "dopri5") continue;
        RunOptions options = with(rule, 1e-8, 1);
        options.record = {"j*.q", "energy.total"};
        Summary summary;
        const results::Recording r = simulate(mechanism_of(rods(n, e, 1)), options, &summary);
        const std::string which = fmt::format("{}, n = {}, e = {}", rule, n, e);
        ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached)
            << which << ": " << summary.outcome.message;
        EXPECT_LT(largest_rise(r, "energy.total"), 1e-4) << which;
        for (size_t i = 0; i < r.rows(); ++i)
          for (int k = 0; k < n; ++k)
            EXPECT_LE(std::abs(r.at(i, r.find(fmt::format("j{}.q", k)).value())), M_PI / 3 + 1e-9)
                << which;
      }
}

// J. J. Moreau's time stepping knows no events: v⁺ is at each step the nearest to the free motion
// that the stops that are reached allow. It converges with the first order, so at 1/4 of the step
// to 1/4 of the difference.
TEST(Impact, AgreesWithTimeStepping) {
  const auto mechanism = mechanism_of(rods(4, 0, 1));
  RunOptions options = with("dop853", 1e-10, 0.5);
  const results::Recording exact = simulate(mechanism, options, nullptr);
  const auto step_through = [&](double h) {
    MechanismProblem problem(mechanism);
    State state = mechanism->default_state();
    const int n = mechanism->nv;
    VecX tau = VecX::Zero(n), free(n), with_force(n);
    const int steps = static_cast<int>(std::lround(0.5 / h));
    for (int k = 0; k < steps; ++k) {
      state.q += h / 2 * state.v;
      problem.system().calc_frictionless_vdot(state, tau, free);
      math::MatX M_inv(n, n);
      for (int i = 0; i < n; ++i) {
        tau[i] = 1;
        problem.system().calc_frictionless_vdot(state, tau, with_force);
        tau[i] = 0;
        M_inv.col(i) = with_force - free;
      }
      VecX v = state.v + h * free;
      // Projected Gauss-Seidel on the impulses.
      std::vector<std::pair<int, double>> reached;
      for (int i = 0; i < n; ++i)
        if (std::abs(state.q[i]) >= M_PI / 3) reached.push_back({i, state.q[i] > 0 ? -1 : 1});
      std::vector<double> impulses(reached.size(), 0);
      for (int sweep = 0; sweep < 500; ++sweep)
        for (size_t c = 0; c < reached.size(); ++c) {
          const auto [i, inward] = reached[c];
          const double old = impulses[c];
          impulses[c] = std::max(0.0, old - inward * v[i] / M_inv(i, i));
          v += inward * (impulses[c] - old) * M_inv.col(i);
        }
      state.v = v;
      state.q += h / 2 * state.v;
    }
    VecX off(2 * n);
    for (int i = 0; i < n; ++i) {
      off[i] = state.q[i] - last(exact, fmt::format("j{}.q", i));
      off[n + i] = state.v[i] - last(exact, fmt::format("j{}.v", i));
    }
    return off.lpNorm<Eigen::Infinity>();
  };
  const double coarse = step_through(2e-4), fine = step_through(5e-5);
  EXPECT_LT(coarse, 2e-2);
  EXPECT_LT(fine, 0.4 * coarse);
}

// A slider that a prescribed crank drives through its stop cannot be turned round by any impulse.
TEST(Impact, AStopThatADriveGoesThroughIsNamed) {
  Summary summary;
  simulate(mechanism_of(R"(
bodies:
  crank: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], points: {pin: [1, 0, 0]}}
  slider: {mass: 1, particle: true}
joints:
  motor: {type: revolute, from: world, to: crank, axis: y, motion: t}
  guide: {type: prismatic, from: world, to: slider, axis: z, q: 1.8, limits: {lower: 1.4}}
constraints: {scale: {type: distance, from: crank.pin, to: slider, length: 2}}
)"),
           with("dopri5", 1e-8, 3), &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed);
  EXPECT_NE(summary.outcome.message.find("'guide, lower limit'"), std::string::npos)
      << summary.outcome.message;
}

}  // namespace
}  // namespace couplet::mechanics
