// Static friction that differs from kinetic: the stick-slip oscillator of the textbooks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

constexpr double g = 9.81;

/// A block of 2 kg on a floor, whose spring of 50 N/m is pulled at 0.3 m/s.
std::string pulled(const std::string& friction) {
  return "bodies: {block: {mass: 2, particle: true}}\n"
         "joints: {slide: {type: prismatic, from: world, to: block, axis: x, "
         "force: \"50*(0.3*t - slide.q)\", friction: {" +
         friction + "}}}\n";
}

/// The cycle of u, by how much the spring is stretched: it sticks up to u = (μ_s N + c)/k, then
/// m ü = μ N + c - k u until u̇ is V again, which takes 2π - 2 atan(A ω/V) of a period, with
/// A = (μ_s - μ) N/k.
struct Cycle {
  static constexpr double m = 2, k = 50, V = 0.3, N = m * g;
  double kinetic, sticking, constant;
  double omega = std::sqrt(k / m), A = (sticking - kinetic) * N / k;
  double first = (sticking * N + constant) / k / V;  // s, when it begins to slip
  double slips = 2 * (std::numbers::pi - std::atan(A * omega / V)) / omega, sticks = 2 * A / V;

  /// Where the block is at t.
  double q(double t) const {
    double left = t - first, at = 0;  // at: how far the block has come
    const double period = slips + sticks;
    if (left < 0) return 0;
    const double whole = std::floor(left / period);
    at += whole * period * V;
    left -= whole * period;
    const double s = std::min(left, slips);
    const double u =
        (kinetic * N + constant) / k + A * std::cos(omega * s) + V / omega * std::sin(omega * s);
    return V * (first + whole * period + s) - u;
  }
};

TEST(StaticFriction, AStickSlipOscillatorKeepsItsClosedForm) {
  for (const double constant : {0.0, 3.0}) {
    const auto mechanism = mechanism_of(
        pulled(fmt::format("coefficient: 0.2, static-coefficient: 0.35, force: {}", constant)));
    const Cycle cycle{0.2, 0.35, constant};
    for (const integrate::RuleEntry& entry : integrate::rules()) {
      if (entry.order < 2) continue;
      RunOptions options = with(entry.name, 1e-9, 12);
      if (entry.control == integrate::StepControl::fixed) options.step = 0.002;
      Summary summary;
      const results::Recording r = simulate(mechanism, options, &summary);
      ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached) << entry.name;
      const double near = entry.order < 4 ? 1e-4 : 1e-7;  // order 2: 100 s of steps of 2 ms
      const size_t q = r.find("slide.q").value();
      double worst = 0;
      for (size_t i = 0; i < r.rows(); ++i)
        worst = std::max(worst, std::abs(r.at(i, q) - cycle.q(r.at(i, 0))));
      EXPECT_LT(worst, near) << entry.name;
      EXPECT_NEAR(static_cast<double>(summary.counts.events),
                  2 * std::floor((12 - cycle.first) / (cycle.slips + cycle.sticks)) + 1, 1)
          << entry.name;
    }
  }
}

// Pushed with a force between the two limits, a block at rest stays, and one that slips does not
// stop.
TEST(StaticFriction, BetweenTheTwoLimitsWhatRestsRestsAndWhatSlipsSlips) {
  for (const char* turning : {"", "radius"}) {
    const bool turns = *turning;
    const std::string friction = turns ? "coefficient: 0.2, static-coefficient: 0.4, radius: 0.5"
                                       : "coefficient: 0.2, static-coefficient: 0.4";
    for (const double v : {0.0, 1e-3}) {
      const std::string body =
          turns ? "{mass: 2, inertia: [1, 1, 1]}" : "{mass: 2, particle: true}";
      const std::string drive = fmt::format("0.3*2*9.81{}", turns ? "*0.5" : "");
      const auto mechanism = mechanism_of(fmt::format(
          "bodies: {{b: {}}}\njoints: {{j: {{type: {}, axis: {}, from: world, to: b, v: {}, {}: "
          "{}, friction: {{{}}}}}}}\n",
          body, turns ? "revolute" : "prismatic", turns ? "y" : "x", v, turns ? "torque" : "force",
          drive, friction));
      const double a = turns ? 0.1 * 2 * g * 0.5 / 1 : 0.1 * g;
      EXPECT_NEAR(last(simulate(mechanism, with("dopri5", 1e-10, 1)), "j.v"), v == 0 ? 0 : v + a,
                  1e-9)
          << friction;
    }
  }
}

// With a stick speed: viscous, then static to 6 %, then kinetic. The block moves at a given
// speed, and what moves it is the friction.
TEST(StaticFriction, RegularisedHasAPeakAndFalls) {
  const auto force = [](double speed) {
    const auto mechanism = mechanism_of(fmt::format(
        "bodies: {{b: {{mass: 2, particle: true}}}}\njoints: {{j: {{type: prismatic, axis: x, "
        "from: "
        "world, to: b, motion: \"{}*t\", friction: {{coefficient: 0.2, static-coefficient: 0.5, "
        "stick-speed: 0.001}}}}}}\n",
        speed));
    RunOptions options = with("dopri5", 1e-8, 0.1);
    options.record = {"j.tau"};
    return last(simulate(mechanism, options), "j.tau") / (2 * g);
  };
  EXPECT_NEAR(force(1e-5), 0.5 * 1e-5 / 1e-3, 1e-6);
  double peak = 0;
  for (double speed = 1e-3; speed < 0.01; speed += 2.5e-4) peak = std::max(peak, force(speed));
  EXPECT_LT(peak, 0.5);
  EXPECT_GT(peak, 0.94 * 0.5);
  EXPECT_NEAR(force(0.1), 0.2, 1e-4);  // but for σ < 1, by (v_s/v)²/2
}

// As μ_s tends to μ, so does the motion; equal ones give the same bits as one.
TEST(StaticFriction, EqualCoefficientsAreOne) {
  const RunOptions options = with("dop853", 1e-9, 5);
  const results::Recording a = simulate(mechanism_of(pulled("coefficient: 0.2")), options),
                           b = simulate(
                               mechanism_of(pulled("coefficient: 0.2, static-coefficient: 0.2")),
                               options);
  ASSERT_EQ(a.rows(), b.rows());
  for (size_t i = 0; i < a.rows(); ++i)
    for (size_t k = 0; k < a.signals.size(); ++k) EXPECT_EQ(a.at(i, k), b.at(i, k));
}

}  // namespace
}  // namespace couplet::mechanics
