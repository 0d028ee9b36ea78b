// A bushing against closed forms: oscillators along and about its axes, at large angles, with
// damping and preload; energy of a body that tumbles in it.
#include <gtest/gtest.h>

#include <cmath>

#include "couplet/formats/yaml.hpp"
#include "couplet/mechanics/simulation.hpp"
#include "support/example_mechanism.hpp"

namespace couplet::verification {
namespace {

/// A body of 2 kg, moments of inertia 0.3, 0.4 and 0.5 kg m², on a free joint and a bushing.
results::Recording run(const std::string& keys, const std::string& start,
                       const std::vector<std::string>& record,
                       mechanics::Summary* summary = nullptr) {
  const std::string text = R"(couplet: 1
gravity: none
points: {frame: {position: [0.1, -0.2, 0.3], orientation: {rpy: [0.4, -0.3, 0.7]}}}
bodies: {block: {mass: 2, inertia: [0.3, 0.4, 0.5]}}
joints: {place: {type: free, from: world.frame, to: block, )" +
                           start + "}}\nforces: {mount: {bushing: {from: world.frame, to: block, " +
                           keys + "}}}\n";
  base::Diagnostics warnings;
  const model::Model model = formats::read_yaml_text(text, "bushing.yaml", {}, warnings);
  mechanics::RunOptions options;
  options.tolerance = {1e-11, 1e-11};
  options.t_end = 2;
  options.record = record;
  return mechanics::simulate(std::make_shared<const model::Mechanism>(model::compile(model)),
                             options, summary);
}

double at(const results::Recording& recording, size_t row, const std::string& name) {
  return recording.at(row, recording.find(name).value());
}

// Ten tolerances of error, times a few radians of phase.
constexpr double close = 1e-9;

// m ü = -k u along each axis of the first frame, each with its own frequency.
TEST(Bushing, OscillatesAlongItsAxes) {
  const results::Recording r =
      run("stiffness: [50, 72, 98]", "q: {position: [0.1, 0.2, -0.3]}", {"mount.displacement.*"});
  const double start[] = {0.1, 0.2, -0.3}, rate[] = {5, 6, 7};
  for (size_t k = 0; k < r.rows(); ++k)
    for (size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(at(r, k, std::string("mount.displacement.") + "xyz"[i]),
                  start[i] * std::cos(rate[i] * at(r, k, "t")), close);
}

// I φ̈ = -c φ about a principal axis, for angles of any size below half a turn.
TEST(Bushing, OscillatesAboutAnAxisAtLargeAngles) {
  const results::Recording r = run("angular-stiffness: [3, 10, 20]",
                                   "q: {orientation: {axis: y, angle: 2.9}}", {"mount.rotation.*"});
  for (size_t k = 0; k < r.rows(); ++k) {
    EXPECT_NEAR(at(r, k, "mount.rotation.y"), 2.9 * std::cos(5 * at(r, k, "t")), close);
    EXPECT_NEAR(at(r, k, "mount.rotation.x"), 0, close);
  }
}

// m ü = f₀ - k u - d u̇ from rest: u = f₀/k (1 - e^(-δt) (cos ωt + δ/ω sin ωt)).
TEST(Bushing, IsDampedAndPreloaded) {
  const results::Recording r =
      run("stiffness: [52, 0, 0], damping: [4, 0, 0], force: [26, 0, 0]",
          "q: {position: [0, 0, 0]}", {"mount.displacement.x", "mount.force.x"});
  const double delta = 1, omega = 5;  // d/2m, sqrt(k/m - δ²)
  for (size_t k = 0; k < r.rows(); ++k) {
    const double t = at(r, k, "t");
    const double wave = std::cos(omega * t) + delta / omega * std::sin(omega * t);
    EXPECT_NEAR(at(r, k, "mount.displacement.x"), 0.5 * (1 - std::exp(-delta * t) * wave), close);
  }
  EXPECT_NEAR(at(r, 0, "mount.force.x"), 26, 1e-14);
}

// A body that tumbles in a bushing of unequal stiffnesses, by up to two radians, keeps its energy.
// A torque -C φ without the Jacobian would not.
TEST(Bushing, ConservesEnergyOfABodyThatTumbles) {
  const results::Recording r =
      run("stiffness: [50, 70, 90], angular-stiffness: [3, 5, 8], torque: [0.2, 0.3, -0.4]",
          "q: {position: [0.1, 0, 0.2], orientation: {axis: [1, 2, -1], angle: 1.5}}, "
          "v: [1, -2, 1.5, 0.2, -0.4, 0.1]",
          {"energy.total", "energy.kinetic", "mount.rotation.*"});
  double largest_turn = 0, change = 0;
  for (size_t k = 0; k < r.rows(); ++k) {
    EXPECT_NEAR(at(r, k, "energy.total"), at(r, 0, "energy.total"), close);
    largest_turn = std::max(largest_turn,
                            std::hypot(at(r, k, "mount.rotation.x"), at(r, k, "mount.rotation.y"),
                                       at(r, k, "mount.rotation.z")));
    change = std::max(change, std::abs(at(r, k, "energy.kinetic") - at(r, 0, "energy.kinetic")));
  }
  EXPECT_GT(largest_turn, 1.5);
  EXPECT_GT(change, 1);
}

TEST(Bushing, EndsTheRunBeforeHalfATurn) {
  mechanics::Summary summary;
  const results::Recording r =
      run("angular-stiffness: [1, 1, 1]", "v: [0, 0, 9, 0, 0, 0]", {"mount.rotation.z"}, &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed);
  EXPECT_NE(summary.outcome.message.find("bushing 'mount' is turned by 3 rad"), std::string::npos)
      << summary.outcome.message;
  EXPECT_NEAR(at(r, r.rows() - 1, "mount.rotation.z"), 3, close);
}

}  // namespace
}  // namespace couplet::verification
