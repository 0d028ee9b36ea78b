// A pinion that rolls along a rack on another body: against the closed form on the ground, and
// against a relation of joint coordinates where both are carried around by a third body.
#include <gtest/gtest.h>

#include "couplet/dynamics/minimal/constraints/assembly.hpp"
#include "couplet/formats/yaml.hpp"

namespace couplet::verification {
namespace {

using math::VecX;
using model::State;

/// A rack of 3 kg that slides along x and a pinion of radius 0.25 m, pinned above it. `carrier` is
/// what both are mounted on.
std::string rack_and_pinion(const std::string& carrier, const std::string& constraint) {
  return R"(couplet: 1
gravity: [1, -9, 2]
bodies:
  arm: {mass: 2, shape: {box: [1, 0.2, 0.3]}, points: {seat: [0.3, 0.1, 0.2], bearing: [0.4, 0.35, 0.2]}}
  rack: {mass: 3, shape: {box: [1, 0.1, 0.1]}}
  pinion: {mass: 0.5, inertia: [0.02, 0.02, 0.03]}
joints:
)" + carrier +
         R"(
  rail: {type: prismatic, from: arm.seat, to: rack, axis: x, v: 0.5, force: 7}
  pin: {type: revolute, from: arm.bearing, to: pinion, axis: z, v: 2}
constraints:
  mesh: )" +
         constraint + "\n";
}
const std::string fixed = "  foot: {type: weld, from: world, to: arm}";
const std::string turning =
    "  foot: {type: universal, from: world, to: arm, q: [0.4, -0.7], v: [1.1, -0.6]}";
const std::string between_bodies =
    "{type: pinion-on-rack, pinion: pinion, radius: 0.25, rack: rack}";
const std::string of_coordinates = "{type: rack-and-pinion, pinion: pin, rack: rail, radius: 0.25}";

struct Solved {
  State state;
  VecX vdot;
  std::vector<std::string> names;
  constraints::ConstraintForce mesh;
};
Solved solve(const std::string& text) {
  base::Diagnostics warnings;
  const auto mechanism = std::make_shared<const model::Mechanism>(
      model::compile(formats::read_yaml_text(text, "rack.yaml", {}, warnings)));
  dynamics::System system(mechanism);
  Solved out{mechanism->default_state(), VecX(mechanism->nv), mechanism->dof_names, {}};
  EXPECT_TRUE(dynamics::assemble(system, out.state).closed());
  VecX tau = VecX::Zero(mechanism->nv);
  system.calc_vdot(out.state, tau, out.vdot);
  out.mesh = system.reactions().calc_constraints(out.state, system.lambda())[0];
  return out;
}

// (M + I/r²) a = F + M g_x; the teeth push the pinion with I a/r².
TEST(PinionOnRack, AcceleratesAsOneMass) {
  const Solved s = solve(rack_and_pinion(fixed, between_bodies));
  const double M = 3, I = 0.03, r = 0.25, F = 7, g = 1;
  const double a = (F + M * g) / (M + I / (r * r));
  ASSERT_EQ(s.vdot.size(), 2);
  EXPECT_NEAR(s.vdot[0], a, 1e-13 * a);
  EXPECT_NEAR(s.vdot[1], a / r, 1e-13 * a / r);
  EXPECT_NEAR(s.mesh.force.x(), I * a / (r * r), 1e-12);
  EXPECT_NEAR(s.mesh.force.tail<2>().norm(), 0, 1e-12);
}

// The same mechanism by its joint coordinates, which exist here: rail.q = r pin.q. Both give rows
// of the same directions, so accelerations agree to round-off, on a carrier that turns in space.
TEST(PinionOnRack, IsTheRelationOfCoordinatesWhereThereAreSome) {
  const Solved a = solve(rack_and_pinion(turning, between_bodies)),
               b = solve(rack_and_pinion(turning, of_coordinates));
  ASSERT_EQ(a.names, b.names);
  EXPECT_LT((a.state.v - b.state.v).norm(), 1e-14);
  EXPECT_LT((a.vdot - b.vdot).norm(), 1e-12 * (1 + b.vdot.norm()));
}

TEST(PinionOnRack, NeedsAxesThatAreNormal) {
  base::Diagnostics warnings;
  try {
    formats::read_yaml_text(
        rack_and_pinion(
            fixed,
            "{type: pinion-on-rack, pinion: pinion, radius: 1, rack: rack, axis: [1, 0, 1]}"),
        "rack.yaml", {}, warnings);
    ADD_FAILURE() << "must be refused";
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.diagnostics()[0].what,
              "pinion-on-rack 'mesh' has a pinion whose axis is not normal to the rack (cosine "
              "0.707)");
    EXPECT_EQ(error.diagnostics()[0].where.line, 12);
    EXPECT_EQ(error.diagnostics()[0].where.column, 77);
  }
}

}  // namespace
}  // namespace couplet::verification
