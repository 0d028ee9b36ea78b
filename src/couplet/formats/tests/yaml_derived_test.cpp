// Parameters that are changed in a compiled mechanism: its numbers are those of the file read
// again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "couplet/formats/yaml.hpp"
#include "couplet/model/parametric.hpp"

namespace couplet::formats {
namespace {

using model::Mechanism;
using model::ParametricMechanism;
using testing::HasSubstr;

Mechanism compile(const std::string& text, const ReadOptions& options = {}) {
  base::Diagnostics warnings;
  return model::compile(read_yaml_text("couplet: 1\n" + text, "m.yaml", options, warnings));
}

std::vector<double> numbers_of(const Mechanism& m) {
  std::vector<double> all(m.uniform_gravity.begin(), m.uniform_gravity.end());
  for (const model::Link& link : m.links) {
    const double* x = &link.x.a;
    all.insert(all.end(), x, x + sizeof(link.x) / sizeof(double));
    all.insert(all.end(), {double(link.plain), double(link.simple)});
  }
  for (const model::FrameNumbers& f : m.quaternion_frames) {
    all.insert(all.end(), f.R, f.R + 9);
    all.insert(all.end(), f.p, f.p + 3);
  }
  for (const model::BodyPlacement& body : m.bodies)
    all.insert(all.end(), body.X_LB.p.data(), body.X_LB.p.data() + 3);
  for (const model::CutJoint& cut : m.cuts) {
    all.insert(all.end(), cut.X_AF.p.data(), cut.X_AF.p.data() + 3);
    all.insert(all.end(), cut.X_BM.p.data(), cut.X_BM.p.data() + 3);
  }
  for (const model::Body& body : m.model->bodies) all.push_back(body.mass.mass);
  const model::State start = m.default_state();
  all.insert(all.end(), start.q.begin(), start.q.end());
  all.insert(all.end(), start.v.begin(), start.v.end());
  for (const model::Joint& joint : m.model->joints) {
    for (const model::Limits& limits : joint.limits) all.push_back(limits.upper);
    if (joint.friction) all.push_back(joint.friction->radius);
  }
  return all;
}

void expect_equal(const Mechanism& a, const Mechanism& b) {
  const std::vector<double> x = numbers_of(a), y = numbers_of(b);
  ASSERT_EQ(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i)  // round-off: sums are evaluated in another order
    EXPECT_NEAR(x[i], y[i], 1e-13 * (1 + std::abs(y[i]))) << i;
}

const std::string arm =
    "parameters: {m: 2, l: 0.5, w: l/5, tilt: 20 deg, g: 9.81, p: 0.1}\n"
    "gravity: [0, 0, -g]\n"
    "points: {base: {position: [l, 0, w], orientation: {rpy: [0, tilt, 0]}}}\n"
    "bodies:\n"
    "  upper: {mass: m, com: [0, 0, -l/2], inertia: {xx: m*l^2, yy: m*l^2, zz: m*l*w, about: "
    "origin},\n"
    "          points: {end: [0, w, -l], hole: {orientation: {axis: [l, w, 0], angle: tilt}}}}\n"
    "  lower: {mass: m/2, shape: {cylinder: {radius: w, length: l, axis: [w, 0, l]}}}\n"
    "  ball: {mass: 1, particle: true}\n"
    "joints:\n"
    "  a: {type: revolute, from: world.base, to: upper, axis: [w, 1, 2*tilt], q: tilt, v: l,\n"
    "      limits: [-1, 2*l], friction: {coefficient: 0.1, radius: w}}\n"
    "  b: {type: screw, pitch: p, from: {body: upper.end, position: [w, 0, 0]}, to: lower, axis: "
    "x}\n"
    "  c: {type: spherical, from: upper.hole, to: ball}\n";

TEST(YamlDerived, EveryKindOfNumberFollowsItsParameters) {
  const Mechanism first = compile(arm);
  for (const auto& [name, value] : std::vector<std::pair<std::string, double>>{
           {"m", 3}, {"l", 0.7}, {"w", 0.2}, {"tilt", 0.5}, {"g", 1.62}, {"p", 0.3}}) {
    SCOPED_TRACE(name);
    ParametricMechanism changed(first);
    EXPECT_TRUE(changed.set(name, value));
    expect_equal(*changed.mechanism(), compile(arm, {{{name, fmt::format("{}", value)}}}));
  }
}

TEST(YamlDerived, ChangesAddUpAndDefinitionsFollowUntilTheyAreSet) {
  ParametricMechanism changed(compile(arm));
  changed.set("l", 0.8);
  EXPECT_DOUBLE_EQ(changed.values()[2], 0.8 / 5);  // w
  changed.set("w", 0.3);
  changed.set("l", 0.9);
  EXPECT_EQ(changed.values()[2], 0.3);
  expect_equal(*changed.mechanism(), compile(arm, {{{"l", "0.9"}, {"w", "0.3"}}}));
}

TEST(YamlDerived, ParametersOfSubsystemsFollowThoseOfTheModel) {
  const std::string text =
      "parameters: {size: 0.4}\n"
      "subsystems:\n"
      "  left: &arm\n"
      "    mount: {body: world, position: [size, 0, 0]}\n"
      "    parameters: {l: 2*size}\n"
      "    model:\n"
      "      parameters: {l: 1, m: 3*l}\n"
      "      points: {foot: [0, l, 0]}\n"
      "      bodies: {rod: {mass: m, shape: {rod: {length: l}}}}\n"
      "      joints: {j: {type: revolute, from: world.foot, to: rod, axis: x}}\n"
      "  right: *arm\n";
  ParametricMechanism changed(compile(text));
  changed.set("size", 0.6);
  expect_equal(*changed.mechanism(), compile(text, {{{"size", "0.6"}}}));
  changed.set("left.m", 7);
  expect_equal(*changed.mechanism(), compile(text, {{{"size", "0.6"}, {"left.m", "7"}}}));
}

// A joint with limits closes the loop: the body beyond it is split in two halves.
TEST(YamlDerived, HalvesOfABodyShareItsNewMass) {
  const std::string text =
      "parameters: {l: 1, m: 2}\n"
      "bodies:\n"
      "  a: &rod {mass: m, com: [l/2, 0, 0], shape: {rod: {length: l, axis: x}}, points: {end: [l, "
      "0, 0]}}\n"
      "  b: *rod\n"
      "joints:\n"
      "  p: {type: revolute, from: world, to: a, q: 0, limits: [-1, 1]}\n"
      "  q: {type: revolute, from: a.end, to: b, q: 0, limits: [-1, 1]}\n"
      "  r: {type: revolute, from: {body: world, position: [2*l, 0, 0]}, to: b.end, q: 0, limits: "
      "[-4, 4]}\n";
  const Mechanism first = compile(text);
  ASSERT_EQ(first.model->bodies.size(), 4u);
  ParametricMechanism changed(first);
  for (const char* name : {"l", "m"}) {
    changed.set(name, 1.3);
    EXPECT_EQ(changed.mechanism()->model->bodies.size(), 4u);
  }
  expect_equal(*changed.mechanism(), compile(text, {{{"l", "1.3"}, {"m", "1.3"}}}));
}

std::string refusal(const std::string& text, const std::string& name, double value) {
  ParametricMechanism changed(compile(text));
  const std::vector<double> before = numbers_of(*changed.mechanism());
  try {
    changed.set(name, value);
    return "none";
  } catch (const base::UserError& error) {
    EXPECT_EQ(numbers_of(*changed.mechanism()), before);  // nothing has changed
    return error.what();
  }
}

TEST(YamlDerived, WhatCannotBeIsRefusedAndLeavesTheMechanismAsItWas) {
  EXPECT_THAT(refusal(arm, "m", -1), HasSubstr("body 'upper' has mass -1 kg"));
  EXPECT_THAT(refusal(arm, "m", 0), HasSubstr("loses its mass: that changes the structure"));
  EXPECT_THAT(refusal(arm, "p", 0),
              HasSubstr("joint 'b' loses its pitch: that changes the structure"));
  EXPECT_THAT(refusal(arm, "w", -0.1), HasSubstr("a size of -0.1 m is not possible"));
  EXPECT_THAT(refusal(arm, "l", NAN), HasSubstr("parameter 'l' cannot be nan"));
  EXPECT_THAT(refusal(arm, "k", 1), HasSubstr("the model has no parameter 'k'"));
  const std::string geared = arm + "constraints: {g: {type: gear, joints: [a, b], ratio: r}}\n";
  const std::string text = "parameters: {r: 2, s: 1, " + geared.substr(13);
  EXPECT_EQ(refusal(text, "r", 3), "none");
  EXPECT_THAT(refusal(text, "r", 0), HasSubstr("constraint 'g' has"));
  const std::string timed = text + "when: {w: {at: r, stop: true}}\n";
  EXPECT_THAT(refusal(timed, "r", 3),
              HasSubstr("parameter 'r' cannot change in a compiled model: m.yaml:"));
}

TEST(YamlDerived, ParametersOfForcesChangeNoNumbers) {
  ParametricMechanism changed(
      compile("parameters: {k: 2}\nbodies: {a: {mass: 1, particle: true}}\n"
              "joints: {j: {type: prismatic, from: world, to: a, stiffness: k}}\n"));
  EXPECT_FALSE(changed.set("k", 3));
  EXPECT_EQ(changed.values()[0], 3);
  EXPECT_EQ(changed.mechanism()->model->parameters[0].value, 3);
}

}  // namespace
}  // namespace couplet::formats
