// Mechanisms of parallelograms that turn through their flat positions, where their constraints
// depend on each other: tighter tolerances are better there, too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

struct Bars {
  std::string text;
  double k;  // 1/s²: the uprights stay parallel, q̈ = k sin q
};

constexpr double g = 9.81;

/// n uprights of 1 m and 1 kg; a coupler of 1 kg between each two, or one over all.
Bars make_bars(int n, bool one_coupler) {
  std::string points, bodies, joints;
  for (int i = 0; i < n; ++i) {
    points += fmt::format("A{}: [{}, 0, 0], ", i, i);
    bodies += fmt::format(
        "  up{}: {{mass: 1, com: [0, 0.5, 0], shape: {{rod: {{length: 1, axis: y}}}}, points: "
        "{{top: [0, 1, 0]}}}}\n",
        i);
    joints +=
        fmt::format("  foot{}: {{type: revolute, from: world.A{}, to: up{}, v: -1}}\n", i, i, i);
  }
  if (one_coupler) {
    bodies += fmt::format(
        "  over: {{mass: 1, com: [1, 0, 0], shape: {{rod: {{length: {}, axis: x}}}}, points: {{",
        n - 1);
    for (int i = 0; i < n; ++i) bodies += fmt::format("p{}: [{}, 0, 0], ", i, i);
    bodies += "}}\n";
    joints += "  pin0: {type: revolute, from: up0.top, to: over, v: 1}\n";
    for (int i = 1; i < n; ++i)
      joints += fmt::format("  pin{}: {{type: revolute, from: over.p{}, to: up{}.top}}\n", i, i, i);
  }
  for (int i = 0; i + 1 < n && !one_coupler; ++i) {
    bodies += fmt::format(
        "  over{}: {{mass: 1, com: [0.5, 0, 0], shape: {{rod: {{length: 1, axis: x}}}}, points: "
        "{{end: [1, 0, 0]}}}}\n",
        i);
    joints += fmt::format(
        "  left{}: {{type: revolute, from: up{}.top, to: over{}, v: 1}}\n  right{}: {{type: "
        "revolute, from: over{}.end, to: up{}.top}}\n",
        i, i, i, i, i, i + 1);
  }
  const double couplers = one_coupler ? 1 : n - 1;
  return {
      "gravity: [0, -9.81, 0]\npoints: {" + points + "}\nbodies:\n" + bodies + "joints:\n" + joints,
      g * (n / 2.0 + couplers) / (n / 3.0 + couplers)};
}

/// The largest error of an upright's angle. From q̇² = v² + 4k sin²(q/2), v = 1 at q = 0, it takes
/// t = 2/ω (K - F(π/2 - q/2)) to an angle q, where ω² = v² + 4k and F, K are Legendre's integrals
/// of the first kind with modulus √(4k)/ω.
double calc_error(const results::Recording& r, double k) {
  const double omega = std::sqrt(1 + 4 * k), modulus = std::sqrt(4 * k) / omega;
  double largest = 0;
  for (size_t row = 0; row < r.rows(); ++row) {
    const double q = -r.at(row, r.find("foot1.q").value());
    const double t =
        2 / omega * (std::comp_ellint_1(modulus) - std::ellint_1(modulus, M_PI / 2 - q / 2));
    const double speed = std::sqrt(1 + 4 * k * std::pow(std::sin(q / 2), 2));
    largest = std::max(largest, speed * std::abs(t - r.at(row, r.find("t").value())));
  }
  return largest;
}

struct Result {
  double error;
  Summary summary;
};

Result run(const Bars& bars, const char* integrator, const char* formalism, double tolerance) {
  RunOptions options = with(integrator, tolerance, 10);
  options.formalism = formalism;
  options.interval = 0.1;
  Summary summary;
  const results::Recording r = simulate(mechanism_of(bars.text), options, &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached)
      << integrator << " " << formalism << " " << tolerance << ": " << summary.outcome.message;
  return {calc_error(r, bars.k), summary};
}

// A pendulum of the same law is right to 60 tolerances (rkf45), since what is lost at the top grows
// on the way round. Closed to ε, accelerations are off by ε/s³ where s is the sine of the angle to
// the flat position, and evaluations no nearer than a tenth of a step: 3e-10 for all twelve
// passages.
// Where one coupler joins three uprights, a row is redundant, and the noise is larger:
// extrapolation, which amplifies it, is held to 5e-8 there.
TEST(FlatPositions, TighterIsBetter) {
  for (const auto& [name, bars] : {std::pair{"four-bar", make_bars(2, false)},
                                   {"two four-bars", make_bars(3, false)},
                                   {"three uprights", make_bars(3, true)}})
    for (const char* integrator :
         {"dopri5", "dop853", "rkf45", "gbs", "abm", "hem5", "mexx", "radau5"})
      for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
        const auto [error, summary] = run(bars, integrator, "schur", tolerance);
        const bool amplified =
            std::string(integrator) == "gbs" || std::string(integrator) == "mexx";
        const double noise = amplified && std::string(name) == "three uprights" ? 5e-8 : 3e-10;
        EXPECT_LT(error, 100 * tolerance + noise) << name << " " << integrator << " " << tolerance;
      }
}

// Implicit rules cross flat positions by an explicit step, before what they find there is blurred.
// The history of multi-step rules, which begins anew behind each, costs ida a digit and a half.
TEST(FlatPositions, ImplicitRulesCrossThem) {
  for (const auto& [name, bars] :
       {std::pair{"four-bar", make_bars(2, false)}, {"three uprights", make_bars(3, true)}}) {
    for (const double tolerance : {1e-7, 1e-9, 1e-10})
      EXPECT_LT(run(bars, "ida", "schur", tolerance).error, 100 * tolerance + 1e-8)
          << name << " " << tolerance;
    EXPECT_LT(run(bars, "generalised-alpha", "schur", 1e-5).error, 1e-3) << name;
  }
}

// Near such a position dependent coordinates do not follow the others: it is not for them to close
// the state.
TEST(FlatPositions, AllFormalismsPassThem) {
  for (const auto& [name, bars] :
       {std::pair{"four-bar", make_bars(2, false)}, {"three uprights", make_bars(3, true)}})
    for (const char* formalism : {"augmented", "partitioned", "dca"})
      for (const char* integrator : {"dopri5", "dop853", "radau5"})
        for (const double tolerance : {1e-8, 1e-10, 1e-12})
          EXPECT_LT(run(bars, integrator, formalism, tolerance).error, 100 * tolerance + 5e-10)
              << name << " " << integrator << " " << formalism << " " << tolerance;
}

}  // namespace
}  // namespace couplet::mechanics
