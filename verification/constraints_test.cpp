// Every constraint in the list keeps the promises that formalisms rely on. Joining the list is
// joining these tests; each takes the example of the entry, on a mechanism with joints of several
// kinds.
#include <gtest/gtest.h>

#include <algorithm>

#include "couplet/constraints/entry.hpp"
#include "couplet/dynamics/minimal/constraints/assembly.hpp"
#include "couplet/formats/yaml.hpp"
#include "support/example_mechanism.hpp"

namespace couplet::verification {
namespace {

using constraints::Entry;
using dynamics::ConstraintSet;
using math::MatX;
using math::Vec3;
using math::Vec6;
using math::VecX;
using model::Mechanism;
using model::Model;
using model::State;

Model read(const std::string& constraint) {
  base::Diagnostics warnings;
  return formats::read_yaml_text(example_mechanism + "constraints:\n  c: " + constraint + "\n",
                                 "example.yaml", {}, warnings);
}

/// The mechanism with the example, at a state that the constraint allows.
struct Example {
  std::shared_ptr<const Mechanism> mechanism;
  State state;

  explicit Example(const Entry& entry)
      : mechanism(std::make_shared<const Mechanism>(model::compile(read(entry.example)))),
        state(mechanism->default_state()) {
    dynamics::System system(mechanism);
    state.t = 0.2;
    EXPECT_TRUE(dynamics::assemble(system, state).closed()) << "the example cannot be assembled";
  }
};

struct Rows {
  VecX g, c, gamma;  // g, G v + known, γ
  MatX G;
};
Rows evaluate(const Mechanism& mechanism, ConstraintSet& set, const State& state) {
  dynamics::Kinematics kinematics(mechanism);
  calc_kinematics(mechanism, state, kinematics);
  calc_accelerations(mechanism, state, VecX::Zero(mechanism.nv), kinematics);
  set.evaluate_all(state, kinematics);
  Rows out{set.errors(), set.known(), set.bias(), MatX::Zero(set.rows(), mechanism.nv)};
  for (int k = 0; k < set.rows(); ++k) {
    out.c[k] += set.G().times(k, state.v);
    for (int e = set.G().begin[k]; e < set.G().begin[k + 1]; ++e)
      out.G(k, set.G().column[e]) = set.G().value[e];
  }
  return out;
}

State moved(const Mechanism& mechanism, const State& state, const VecX& along, double dt) {
  State out = state;
  out.t += dt;
  mechanism.move(along, out.q);
  return out;
}

// Central differences with h = 1e-5: 1e-10 of truncation, 1e-11 of rounding over h, times
// derivatives of a few units.
constexpr double h = 1e-5, difference = 1e-7;

class EveryConstraint : public testing::TestWithParam<const Entry*> {};

TEST_P(EveryConstraint, MakesRows) {
  const Example example(*GetParam());
  ConstraintSet set(*example.mechanism);
  ASSERT_GT(set.rows(), 0);
  for (int k = 0; k < set.rows(); ++k) {
    EXPECT_EQ(set.row(k).element, "c");
    EXPECT_FALSE(set.row(k).direction.empty());
  }
  const Rows rows = evaluate(*example.mechanism, set, example.state);
  for (int k = 0; k < set.rows(); ++k) EXPECT_GT(rows.G.row(k).norm(), 1e-3);
}

// G = ∂g/∂q along each freedom, and the rest of ġ is what is known of time.
TEST_P(EveryConstraint, HasTheJacobianOfItsPositions) {
  const Example example(*GetParam());
  const Mechanism& m = *example.mechanism;
  ConstraintSet set(m);
  const Rows here = evaluate(m, set, example.state);
  for (int j = 0; j < m.nv; ++j) {
    const VecX e = h * VecX::Unit(m.nv, j);
    const VecX after = evaluate(m, set, moved(m, example.state, e, 0)).g,
               before = evaluate(m, set, moved(m, example.state, -e, 0)).g;
    for (int k = 0; k < set.positions(); ++k)
      EXPECT_NEAR((after[k] - before[k]) / (2 * h), here.G(k, j), difference)
          << set.row(k).direction << " by " << m.dof_names[static_cast<size_t>(j)];
  }
  const VecX none = VecX::Zero(m.nv);
  const VecX after = evaluate(m, set, moved(m, example.state, none, h)).g,
             before = evaluate(m, set, moved(m, example.state, none, -h)).g;
  const VecX known = here.c - here.G * example.state.v;
  for (int k = 0; k < set.positions(); ++k)
    EXPECT_NEAR((after[k] - before[k]) / (2 * h), known[k], difference);
}

// γ = d/dt (G v + known) at constant v.
TEST_P(EveryConstraint, HasTheBiasOfItsVelocities) {
  const Example example(*GetParam());
  const Mechanism& m = *example.mechanism;
  ConstraintSet set(m);
  const Rows here = evaluate(m, set, example.state);
  const VecX along = h * example.state.v;
  const VecX after = evaluate(m, set, moved(m, example.state, along, h)).c,
             before = evaluate(m, set, moved(m, example.state, -along, -h)).c;
  for (int k = 0; k < set.rows(); ++k)
    EXPECT_NEAR((after[k] - before[k]) / (2 * h), here.gamma[k], 10 * difference)
        << set.row(k).direction;
}

// The power of the forces on bodies and freedoms is -λ·(G v) for any v: none along motions that
// the constraint allows, but for what it does to follow the time.
TEST_P(EveryConstraint, ExertsForcesWithoutPowerAlongItsMotions) {
  const Example example(*GetParam());
  const Mechanism& m = *example.mechanism;
  ConstraintSet set(m);
  dynamics::Kinematics kinematics(m);
  const Rows rows = evaluate(m, set, example.state);
  calc_kinematics(m, example.state, kinematics);
  VecX lambda(set.rows());
  for (int k = 0; k < set.rows(); ++k) lambda[k] = 1.5 - 0.7 * k;
  forces::AppliedForces applied(m);
  set.add_forces(lambda, kinematics, applied);
  double power = applied.tau.dot(example.state.v);
  for (size_t b = 0; b < applied.on_bodies.size(); ++b) {
    Vec6 V;
    V << kinematics.bodies[b].w, kinematics.bodies[b].v;
    power += V.dot(applied.on_bodies[b]);
  }
  EXPECT_NEAR(power, -lambda.dot(rows.G * example.state.v), 1e-13);
  const VecX known = rows.c - rows.G * example.state.v;
  EXPECT_NEAR(power, lambda.dot(known), 1e-10);  // the state was assembled to 1e-12 a row
}

// The three formalisms find the same accelerations with it.
TEST_P(EveryConstraint, WorksWithEveryFormalism) {
  const Example example(*GetParam());
  const Mechanism& m = *example.mechanism;
  VecX expected(m.nv);
  for (const char* name : {"schur", "augmented", "partitioned"}) {
    dynamics::System system(example.mechanism, name);
    State state = example.state;
    dynamics::assemble(system, state);
    VecX tau = VecX::Zero(m.nv), vdot(m.nv);
    system.calc_vdot(state, tau, vdot);
    if (name == std::string_view("schur")) expected = vdot;
    EXPECT_LE((vdot - expected).lpNorm<Eigen::Infinity>(),
              1e-9 * (1 + expected.lpNorm<Eigen::Infinity>()))
        << name;
  }
}

TEST_P(EveryConstraint, ComesBackFromYaml) {
  const Model model = read(GetParam()->example);
  const std::string text = text_of(model, model.constraints.at(0));
  const Model again = read(text);
  EXPECT_EQ(text_of(again, again.constraints.at(0)), text);
  EXPECT_EQ(again.constraints.at(0).type, model.constraints.at(0).type);
}

// Each value replaced by one that no key takes is refused, at its place.
TEST_P(EveryConstraint, RefusesBadValuesWhereTheyStand) {
  const Model model = read(GetParam()->example);
  const model::Element& good = model.constraints.at(0);
  const auto line = std::ranges::count(example_mechanism, '\n') + 2;
  for (const model::Key& key : GetParam()->keys) {
    if (!good.has(key.name) || (*key.only_with && !good.has(key.only_with))) continue;
    std::string text = fmt::format("{{type: {}", good.type->name);
    int column = 0;
    for (const model::Key& each : GetParam()->keys) {
      if (!good.has(each.name) || (*each.only_with && !good.has(each.only_with))) continue;
      text += fmt::format(", {}: ", each.name);
      if (each.name == std::string_view(key.name)) column = static_cast<int>(text.size()) + 6;
      text += each.name == std::string_view(key.name)
                  ? "{no: {such: thing}}"
                  : text_of(model, good.value(each.name), each.type);
    }
    expect_refusal([&] { read(text + "}"); }, key.name, line, column);
  }
}

TEST_P(EveryConstraint, IsDocumented) {
  const Entry& entry = *GetParam();
  EXPECT_GT(std::string_view(entry.doc).size(), 10u);
  for (const model::Key& key : entry.keys) EXPECT_GT(std::string_view(key.doc).size(), 2u);
  ASSERT_FALSE(entry.exerts.empty());
  for (const constraints::Exerted& exerted : entry.exerts) EXPECT_TRUE(*exerted.name);
}

INSTANTIATE_TEST_SUITE_P(Constraints, EveryConstraint,
                         testing::ValuesIn(constraints::entries().begin(),
                                           constraints::entries().end()),
                         [](const auto& each) {
                           std::string name = each.param->name;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace couplet::verification
