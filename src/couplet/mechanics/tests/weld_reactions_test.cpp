// Forces and moments through welds: statics and a turning arm in closed form, and a weld against a
// joint that is held.
#include <gtest/gtest.h>

#include <cmath>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

using math::Vec3;
constexpr double g = 9.81;

std::vector<results::Recording> run_with(const std::string& text,
                                         const std::vector<std::string>& formalisms, double t_end) {
  std::vector<results::Recording> recordings;
  for (const std::string& formalism : formalisms) {
    RunOptions options;
    options.formalism = formalism;
    options.tolerance = {1e-10, 1e-10};
    options.t_end = t_end;
    options.record = {"*.force.*", "*.torque.*", "*.local_*"};
    recordings.push_back(simulate(mechanism_of(text), options));
  }
  return recordings;
}

Vec3 vector(const results::Recording& r, size_t row, const std::string& name) {
  const size_t column = r.find(name + ".x").value();
  return {r.at(row, column), r.at(row, column + 1), r.at(row, column + 2)};
}

// A beam of 2 kg and 1 m with 3 kg welded to its end: the clamp carries m g and m g l, the weld at
// the end the load alone.
TEST(WeldReactions, AClampCarriesWeightAndBendingMoment) {
  const char* text = R"(
bodies:
  beam: {mass: 2, com: [0.5, 0, 0], shape: {rod: {length: 1, axis: x}}, points: {end: [1, 0, 0]}}
  load: {mass: 3, com: [0.1, 0, 0], shape: {sphere: 0.1}}
joints:
  clamp: {type: weld, from: world, to: beam}
  tip: {type: weld, from: beam.end, to: load}
)";
  for (const results::Recording& r : run_with(text, {"recursive", "composite", "kane"}, 0.1)) {
    EXPECT_LT((vector(r, 0, "clamp.force") - Vec3(0, 0, 5 * g)).norm(), 1e-12);
    EXPECT_LT((vector(r, 0, "clamp.torque") - Vec3(0, -(2 * 0.5 + 3 * 1.1) * g, 0)).norm(), 1e-12);
    EXPECT_LT((vector(r, 0, "tip.force") - Vec3(0, 0, 3 * g)).norm(), 1e-12);
    EXPECT_LT((vector(r, 0, "tip.torque") - Vec3(0, -3 * 0.1 * g, 0)).norm(), 1e-12);
  }
}

// An arm that is welded to a hub and turns by 4 t² rad: m r ω² inward, m r ω̇ along the path, and
// the weight.
TEST(WeldReactions, ATurningWeldPullsItsMassAlongTheCircle) {
  const char* text = R"(
bodies:
  hub: {mass: 1, shape: {sphere: 0.1}, points: {rim: [0.2, 0, 0]}}
  arm: {mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0.2, 0.2]}
joints:
  axle: {type: revolute, from: world, to: hub, motion: 4*t^2}
  seat: {type: weld, from: hub.rim, to: arm}
)";
  const results::Recording r = run_with(text, {"recursive"}, 0.3)[0];
  for (size_t k = 0; k < r.rows(); ++k) {
    const double t = r.at(k, 0), w = 8 * t, wdot = 8;
    EXPECT_LT(
        (vector(r, k, "seat.local_force") - Vec3(-2 * 0.5 * w * w, 2 * 0.5 * wdot, 2 * g)).norm(),
        1e-12);
    EXPECT_LT(
        (vector(r, k, "seat.local_torque") - Vec3(0, -0.3 * 2 * g, (0.2 + 0.3 * 2 * 0.5) * wdot))
            .norm(),
        1e-12);
  }
}

// A four-bar whose crank is two parts, with a spring-damper, a push and the loop beyond the weld.
std::string four_bar_with(const std::string& seat) {
  return R"(
points: {peg: [0.4, 0, 0], wall: [0.2, 0.1, 0.6]}
bodies:
  root: {mass: 1, com: [0, 0, 0.05], inertia: [0.01, 0.01, 0.002], points: {top: {position: [0, 0, 0.1], orientation: {axis: x, angle: 0.3}}}}
  crank: {mass: 1, com: [0, 0, 0.05], inertia: [0.01, 0.01, 0.002], points: {foot: {position: [0, 0, 0], orientation: {axis: x, angle: 0.3}}, tip: [0, 0, 0.1]}}
  coupler: {mass: 1, com: [0.2, 0, 0], inertia: [0.002, 0.02, 0.02], points: {end: [0.4, 0, 0]}}
  rocker: {mass: 1, com: [0, 0, 0.1], inertia: [0.01, 0.01, 0.002], points: {tip: [0, 0, 0.2]}}
joints:
  A: {type: revolute, from: world, to: root, axis: y, q: 0.4, v: 2}
  seat: )" +
         seat + R"(
  B: {type: revolute, from: crank.tip, to: coupler, axis: y, q: -0.4, v: -2}
  D: {type: revolute, from: world.peg, to: rocker, axis: y, q: 0.4, v: 2}
  C: {type: spherical, from: coupler.end, to: rocker.tip, cut: true}
forces:
  spring: {spring-damper: {from: world.wall, to: crank.tip, stiffness: 100, damping: 3, length: 0.1}}
  push: {applied: {point: crank.tip, force: [1, 2, 3], torque: [0.3, 0.2, 0.1], axes: body}}
)";
}

// The joint that is held could close the direction that the plane loop has too many, if it were
// free to move.
TEST(WeldReactions, AWeldCarriesWhatAJointThatIsHeldCarries) {
  const std::vector<std::string> formalisms{"schur", "augmented", "partitioned", "dca"};
  const auto welded =
      run_with(four_bar_with("{type: weld, from: root.top, to: crank.foot}"), formalisms, 0.05);
  const auto held = run_with(
      four_bar_with("{type: revolute, from: root.top, to: crank.foot, axis: x, motion: 0}"),
      formalisms, 0.05);
  for (size_t f = 0; f < formalisms.size(); ++f)
    for (const size_t row : {size_t{0}, welded[f].rows() - 1})
      for (const std::string name : {"seat.force", "seat.torque", "A.torque"}) {
        const Vec3 x = vector(welded[f], row, name), y = vector(held[f], row, name);
        EXPECT_GT(x.norm(), 1e-2) << name;
        const double tolerance =
            row == 0 ? 1e-11 : 1e-6;  // the motions differ by up to 1e4 tolerances of the run
        EXPECT_LT((x - y).norm(), tolerance * (1 + y.norm())) << formalisms[f] << ", " << name;
      }
}

}  // namespace
}  // namespace couplet::mechanics
