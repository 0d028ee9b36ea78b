// Where energy goes with dry friction: E(0) + work of forces - E(t) = ∫ Σ arm N |v| s dt, with N
// from the recorded reactions, and closed forms, for both laws, in joints of trees and in joints
// that close loops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

constexpr double g = 9.81;

/// A joint with friction: what it loses at a row of a recording.
struct Rubbing {
  std::string joint;
  double arm;          // μ or μ r
  double stick_speed;  // rad/s or m/s
  bool slides;         // along x of the world

  double power(const results::Recording& r, size_t row) const {
    const auto at = [&](const char* what) { return r.at(row, r.find(joint + what).value()); };
    const double x = slides ? 0 : at(".force.x");
    const double N = std::hypot(x, at(".force.y"), at(".force.z")), v = at(".v");
    return v == 0 ? 0 : arm * N * v * v / std::hypot(v, stick_speed);
  }
};

RunOptions closely(double t_end, const std::vector<Rubbing>& rubbing) {
  RunOptions options;
  options.integrator = "dop853";
  options.tolerance = {1e-11, 1e-11};
  options.t_end = t_end;
  options.interval = 2e-5;
  options.record = {"energy.total"};
  for (const Rubbing& each : rubbing) {
    options.record.push_back(each.joint + ".q");
    options.record.push_back(each.joint + ".v");
    options.record.push_back(each.joint + ".force.*");
  }
  return options;
}

/// ∫ of the power by the trapezoidal rule; rows are written on both sides of events.
double calc_dissipated(const results::Recording& r, const std::vector<Rubbing>& rubbing) {
  double sum = 0;
  for (size_t i = 1; i < r.rows(); ++i)
    for (const Rubbing& each : rubbing)
      sum += (r.at(i, 0) - r.at(i - 1, 0)) / 2 * (each.power(r, i - 1) + each.power(r, i));
  return sum;
}

double column(const results::Recording& r, size_t row, const char* name) {
  return r.at(row, r.find(name).value());
}

// 1.5 s, some three half swings. P'' is at most 1e4 W/s² away from reversals and P has kinks at
// them; the trapezoidal rule with h = 2e-5 s errs by h² P''/12 per second and by h² P' at each
// kink: 1e-6 J.
TEST(FrictionEnergy, APendulumLosesWhatItsBearingTakes) {
  for (const double stick_speed : {0.0, 0.1}) {
    const std::vector<Rubbing> rubbing{{"pin", 0.4 * 0.1, stick_speed, false}};
    const results::Recording r = simulate(mechanism_of(fmt::format(R"(
bodies: {{bob: {{mass: 2, com: [0, 0, -0.6], inertia: [0.1, 0.1, 0.1]}}}}
joints: {{pin: {{type: revolute, from: world, to: bob, axis: y, q: 1.2, friction: {{coefficient: 0.4, radius: 0.1, stick-speed: {}}}}}}}
)",
                                                                   stick_speed)),
                                          closely(1.5, rubbing));
    const double lost = column(r, 0, "energy.total") - last(r, "energy.total");
    EXPECT_GT(lost, 1);
    EXPECT_NEAR(lost, calc_dissipated(r, rubbing), 1e-6) << stick_speed;
  }
}

// Crank and slider with friction in every joint, the wrist pin cut: its body is split, it keeps its
// friction. The gas does work -20 N · Δx. 2.4 J are lost in all. Reactions jump where a joint turns
// back; on both sides the row at that time has its own, or 2e-6 J would be missing.
TEST(FrictionEnergy, ALoopLosesWhatItsJointsTake) {
  for (const double stick_speed : {0.0, 0.2}) {
    const std::vector<Rubbing> rubbing{{"main", 0.2 * 0.03, stick_speed, false},
                                       {"pin", 0.3 * 0.02, stick_speed, false},
                                       {"wrist", 0.25 * 0.01, stick_speed, false},
                                       {"cylinder", 0.15, stick_speed, true}};
    const auto mechanism = mechanism_of(fmt::format(R"(
parameters: {{r: 0.1, l: 0.3, start: 0.7, swing: asin(r*sin(start)/l), speed: 5, swing_speed: r*cos(start)*speed/(l*cos(swing))}}
bodies:
  crank: {{mass: 2, com: [0.03, 0, 0], inertia: [0.01, 0.02, 0.02], points: {{pin: [r, 0, 0]}}}}
  rod: {{mass: 1, com: [0.1, 0, 0.01], inertia: [0.001, 0.008, 0.008], points: {{end: [l, 0, 0]}}}}
  piston: {{mass: 0.5, com: [0.02, 0, 0.01], inertia: [0.001, 0.001, 0.001]}}
joints:
  main: {{type: revolute, from: world, to: crank, axis: -y, q: start, v: speed, friction: {{coefficient: 0.2, radius: 0.03, stick-speed: {0}}}}}
  pin: {{type: revolute, from: crank.pin, to: rod, axis: -y, q: -swing - start, v: -swing_speed - speed, friction: {{coefficient: 0.3, radius: 0.02, stick-speed: {0}}}}}
  wrist: {{type: revolute, from: rod.end, to: piston, axis: -y, cut: true, q: swing, v: swing_speed, friction: {{coefficient: 0.25, radius: 0.01, stick-speed: {0}}}}}
  cylinder: {{type: prismatic, from: world, to: piston, axis: x, q: r*cos(start) + l*cos(swing), v: -r*sin(start)*speed - l*sin(swing)*swing_speed, friction: {{coefficient: 0.15, stick-speed: {0}}}, force: -20}}
)",
                                                    stick_speed));
    const results::Recording r = simulate(mechanism, closely(0.5, rubbing));
    const double gas = -20 * (last(r, "cylinder.q") - column(r, 0, "cylinder.q"));
    const double lost = column(r, 0, "energy.total") + gas - last(r, "energy.total");
    EXPECT_GT(lost, 0.1);
    EXPECT_NEAR(lost, calc_dissipated(r, rubbing), 1e-7) << stick_speed;
  }
}

/// A joint to a body, alone or closing a loop with a joint that leaves the body free.
std::string closing(bool loop, const std::string& bodies, const std::string& joint,
                    const char* body) {
  return fmt::format(
      "bodies: {{{}}}\njoints:\n  rub: {{from: world, to: {}, {}{}}}\n{}", bodies, body, joint,
      loop ? ", cut: true" : "",
      loop ? fmt::format("  float: {{type: free, from: world, to: {}}}\n", body) : std::string());
}

// A block on a spring: each half swing takes 2 μ m g/k from the amplitude, until |x| ≤ μ m g/k
// where it stops.
TEST(FrictionEnergy, AmplitudesFallByTheSameEachHalfSwing) {
  constexpr double m = 2, k = 200, mu = 0.1, start = 0.1, d = mu * m * g / k;  // 0.00981
  double x = start;
  int swings = 0;
  for (; std::abs(x) > d; ++swings) x = x > 0 ? -(x - 2 * d) : -(x + 2 * d);
  for (const bool loop : {false, true}) {
    const auto mechanism = mechanism_of(closing(
        loop, "block: {mass: 2, inertia: [1, 1, 1]}",
        fmt::format("type: prismatic, axis: x, friction: {{coefficient: {}}}, force: -{}*(q + {})",
                    mu, k, start),
        "block"));
    RunOptions options;
    options.integrator = loop ? "hem5" : "dop853";
    options.tolerance = {1e-11, 1e-11};
    options.t_end = (swings + 0.5) * M_PI * std::sqrt(m / k);
    Summary summary;
    const results::Recording r = simulate(mechanism, options, &summary);
    EXPECT_EQ(mechanism->constrained(), loop);
    EXPECT_NEAR(last(r, "rub.q"), x - start, 1e-9) << loop;  // a hundred tolerances
    EXPECT_EQ(last(r, "rub.v"), 0) << loop;
    EXPECT_EQ(summary.counts.events, swings) << loop;
  }
}

// A pendulum at rest stays where m g l sin θ ≤ μ r m g: exactly there, and not a thousandth beyond.
TEST(FrictionEnergy, ABearingHoldsUpToItsAngleAndNotBeyond) {
  const double most = std::asin(0.4 * 0.1 / 0.6);
  for (const bool loop : {false, true})
    for (const double share : {0.999, 1.001}) {
      const double angle = share * most;
      const auto mechanism = mechanism_of(
          closing(loop,
                  fmt::format("bob: {{mass: 2, com: [{}, 0, {}], inertia: [0.1, 0.1, 0.1]}}",
                              -0.6 * std::sin(angle), -0.6 * std::cos(angle)),
                  "type: revolute, axis: y, friction: {coefficient: 0.4, radius: 0.1}", "bob"));
      RunOptions options;
      options.t_end = 0.5;
      const results::Recording r = simulate(mechanism, options);
      if (share < 1)
        EXPECT_NEAR(last(r, "rub.q"), 0, 1e-15)
            << loop;  // what holds does so to round-off of the forces
      else
        EXPECT_GT(std::abs(last(r, "rub.q")), 1e-5)
            << loop;  // ½ · 0.001 · m g l sin θ/I · t² = 1e-4 rad
    }
}

}  // namespace
}  // namespace couplet::mechanics
