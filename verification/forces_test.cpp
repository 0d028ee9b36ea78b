// Every force element in the list keeps the promises that formalisms, recordings and readers rely
// on. Joining the list is joining these tests; each takes the examples of the entry, on a mechanism
// with joints of several kinds.
#include <gtest/gtest.h>

#include <algorithm>

#include "couplet/base/tests/allocations.hpp"
#include "couplet/dynamics/minimal/constraints/assembly.hpp"
#include "couplet/forces/plugin.hpp"
#include "couplet/formats/yaml.hpp"
#include "couplet/mechanics/mechanism_observables.hpp"
#include "support/example_mechanism.hpp"

namespace couplet::verification {
namespace {

using dynamics::System;
using forces::AppliedForces;
using forces::Entry;
using forces::ForceSet;
using forces::Signal;
using math::Vec3;
using math::Vec6;
using math::VecX;
using model::Mechanism;
using model::Model;
using model::State;

/// What the plug-in of the examples does: drag of every body, and a torque about z.
void add_example_function() {
  forces::add_function("example", [](double t, std::span<const model::BodyMotion> bodies,
                                     std::span<Vec6> on_bodies) {
    for (size_t b = 1; b < bodies.size(); ++b) {
      on_bodies[b].tail<3>() -= 0.5 * bodies[b].v;
      on_bodies[b][2] += t;
    }
  });
}

Model read(const std::string& force, const std::string& more = "") {
  add_example_function();
  base::Diagnostics warnings;
  const std::string forces = force.empty() ? "" : "forces:\n  f: " + force + "\n";
  return formats::read_yaml_text(example_mechanism + forces + more, "example.yaml", {}, warnings);
}

std::shared_ptr<const Mechanism> compile(const std::string& force, const std::string& more = "") {
  return std::make_shared<const Mechanism>(model::compile(read(force, more)));
}

/// The mechanism with an example and without it, at a state where everything moves.
struct Example {
  std::shared_ptr<const Mechanism> mechanism;
  System system, bare;
  State state;

  explicit Example(const char* force)
      : mechanism(compile(force)),
        system(mechanism),
        bare(compile("")),
        state(mechanism->default_state()) {
    state.t = 0.2;
  }

  /// What the element exerts on the freedoms: the difference that it makes to inverse dynamics.
  VecX calc_tau(const State& at) {
    const VecX none = VecX::Zero(mechanism->nv);
    VecX with = none, without = none;
    system.inverse().calc_tau(at, none, with);
    bare.inverse().calc_tau(at, none, without);
    return without - with;
  }
  double calc_energy(const State& at) {
    return system.calc_potential_energy(at) - bare.calc_potential_energy(at);
  }
  AppliedForces calc_applied() {
    AppliedForces out(*mechanism);
    system.forces().add_forces(state, system.calc_motions(state).bodies, out);
    return out;
  }
  std::vector<double> calc_signals() {
    std::vector<double> values(system.forces().signals().size());
    system.forces().calc_signals(state, system.calc_motions(state).bodies, values);
    return values;
  }
};

class EveryForce : public testing::TestWithParam<const Entry*> {};

TEST_P(EveryForce, ActsOnTheMechanism) {
  Example example(GetParam()->examples.usual);
  EXPECT_GT(example.calc_tau(example.state).norm(), 1e-3);
}

// f = -∂V/∂q along each freedom, at any speeds, of an element without loss. Central differences
// with h = 1e-5: 1e-10 of truncation, 1e-11 of rounding, times derivatives of some tens.
TEST_P(EveryForce, IsTheGradientOfItsPotentialEnergy) {
  const char* text = GetParam()->examples.conserving;
  if (!*text) {  // then it has none
    Example example(GetParam()->examples.usual);
    EXPECT_EQ(example.calc_energy(example.state), 0);
    return;
  }
  constexpr double h = 1e-5, difference = 1e-7;
  Example example(text);
  const Mechanism& m = *example.mechanism;
  const VecX f = example.calc_tau(example.state);
  EXPECT_GT(example.calc_energy(example.state), 0);
  for (int j = 0; j < m.nv; ++j) {
    State after = example.state, before = example.state;
    m.move(h * VecX::Unit(m.nv, j), after.q);
    m.move(-h * VecX::Unit(m.nv, j), before.q);
    EXPECT_NEAR(f[j], -(example.calc_energy(after) - example.calc_energy(before)) / (2 * h),
                difference)
        << m.dof_names[static_cast<size_t>(j)];
  }
}

// Force and moment of an element between points vanish over all bodies, the world included.
TEST_P(EveryForce, BetweenPointsHasNoResultant) {
  Example example(GetParam()->examples.usual);
  const model::Model& model = *example.mechanism->model;
  if (find_attachments(model, model.forces.at(0)).points.size() < 2) return;
  const AppliedForces applied = example.calc_applied();
  const std::vector<model::BodyMotion>& bodies = example.system.calc_motions(example.state).bodies;
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  double size = 0;
  for (size_t b = 0; b < bodies.size(); ++b) {
    const Vec6& F = applied.on_bodies[b];
    force += F.tail<3>();
    moment += F.head<3>() + bodies[b].X_WB.p.cross(F.tail<3>());
    size += F.norm();
  }
  EXPECT_GT(size, 1e-3);
  EXPECT_LT(force.norm(), 1e-14 * size);
  EXPECT_LT(moment.norm(), 1e-14 * size);
}

// The power that it records is that of its forces on bodies and freedoms, and f·v.
TEST_P(EveryForce, RecordsItsPower) {
  Example example(GetParam()->examples.usual);
  const std::vector<Signal>& signals = example.system.forces().signals();
  ASSERT_EQ(signals.back().name, "f.power");
  EXPECT_EQ(signals.back().unit, "W");
  const double power = example.calc_signals().back();
  const AppliedForces applied = example.calc_applied();
  const std::vector<model::BodyMotion>& bodies = example.system.calc_motions(example.state).bodies;
  double on_bodies = applied.tau.dot(example.state.v);
  for (size_t b = 0; b < bodies.size(); ++b)
    on_bodies += applied.on_bodies[b].head<3>().dot(bodies[b].w) +
                 applied.on_bodies[b].tail<3>().dot(bodies[b].v);
  EXPECT_GT(std::abs(power), 1e-3);
  EXPECT_NEAR(power, on_bodies, 1e-13 * (1 + std::abs(power)));
  EXPECT_NEAR(power, example.calc_tau(example.state).dot(example.state.v), 1e-12);
}

// Names and units of what can be recorded; a run finds them all.
TEST_P(EveryForce, CanBeRecorded) {
  mechanics::MechanismProblem problem(compile(GetParam()->examples.usual), "");
  const mechanics::MechanismObservables observables(problem);
  for (const Signal& signal : problem.system().forces().signals()) {
    EXPECT_TRUE(signal.name.starts_with("f."));
    EXPECT_FALSE(signal.unit.empty()) << signal.name;
    int found = 0;
    for (size_t i = 0; i < observables.size(); ++i) {
      const simulate::Observable each = observables.at(i);
      if (each.name == signal.name && each.unit == signal.unit) ++found;
    }
    EXPECT_EQ(found, 1) << signal.name;
  }
}

TEST_P(EveryForce, AllocatesNothing) {
  if (!base::allocations_are_counted())
    GTEST_SKIP() << "allocations are not counted with sanitizers";
  Example example(GetParam()->examples.usual);
  const Mechanism& m = *example.mechanism;
  const dynamics::Kinematics& motions = example.system.calc_motions(example.state);
  AppliedForces out(m);
  std::vector<double> values(example.system.forces().signals().size());
  double energy = 0;
  long before = 0;
  for (int k = 0; k < 3; ++k) {
    if (k == 1) before = base::allocations;
    example.system.forces().add_forces(example.state, motions.bodies, out);
    example.system.forces().calc_signals(example.state, motions.bodies, values);
    energy += example.system.forces().calc_potential_energy(example.state, motions.bodies);
  }
  EXPECT_EQ(base::allocations - before, 0) << energy;
}

// All formalisms find the same accelerations with it, in a tree and with a loop.
TEST_P(EveryForce, WorksWithEveryFormalism) {
  const std::string rod =
      "constraints: {c: {type: distance, from: world.post, to: tube.tip, "
      "length: 1.1}}\n";
  const auto compare = [&](const std::string& more, std::vector<const char*> formalisms) {
    const auto mechanism = compile(GetParam()->examples.usual, more);
    VecX expected(mechanism->nv);
    for (const char* name : formalisms) {
      System system(mechanism, name);
      State state = mechanism->default_state();
      state.t = 0.2;
      dynamics::assemble(system, state);
      VecX tau = VecX::Zero(mechanism->nv), vdot(mechanism->nv);
      system.calc_vdot(state, tau, vdot);
      if (name == formalisms[0]) expected = vdot;
      EXPECT_LE((vdot - expected).lpNorm<Eigen::Infinity>(),
                1e-9 * (1 + expected.lpNorm<Eigen::Infinity>()))
          << name;
    }
  };
  compare("", {"recursive", "composite", "kane"});
  compare(rod, {"schur", "augmented", "partitioned"});
}

/// {spring: {from: …}}, or flat.
std::string force_text(const Entry& entry, const std::string& keys) {
  return entry.form == forces::Form::flat ? "{" + keys + "}"
                                          : fmt::format("{{{}: {{{}}}}}", entry.name, keys);
}

TEST_P(EveryForce, ComesBackFromYaml) {
  const Model model = read(GetParam()->examples.usual);
  const std::string text = force_text(*GetParam(), keys_of(model, model.forces.at(0)));
  const Model again = read(text);
  EXPECT_EQ(force_text(*GetParam(), keys_of(again, again.forces.at(0))), text);
  EXPECT_EQ(again.forces.at(0).type, model.forces.at(0).type);
}

// Each value replaced by one that no key takes is refused, at its place.
TEST_P(EveryForce, RefusesBadValuesWhereTheyStand) {
  const Model model = read(GetParam()->examples.usual);
  const model::Element& good = model.forces.at(0);
  const auto line = std::ranges::count(example_mechanism, '\n') + 2;
  for (const model::Key& key : GetParam()->keys) {
    if (!good.has(key.name)) continue;
    std::string keys;
    for (const model::Key& each : GetParam()->keys) {
      if (!good.has(each.name)) continue;
      keys += fmt::format("{}{}: ", keys.empty() ? "" : ", ", each.name);
      keys += each.name == std::string_view(key.name) ? "{no: {such: thing}}"
                                                      : text_of(model, good, each);
    }
    const std::string text = force_text(*GetParam(), keys);
    const int column = static_cast<int>(text.find("{no:")) + 6;
    expect_refusal([&] { read(text); }, key.name, line, column);
  }
}

TEST_P(EveryForce, IsDocumented) {
  const Entry& entry = *GetParam();
  EXPECT_GT(std::string_view(entry.doc).size(), 10u);
  for (const model::Key& key : entry.keys) EXPECT_GT(std::string_view(key.doc).size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Forces, EveryForce,
                         testing::ValuesIn(forces::entries().begin(), forces::entries().end()),
                         [](const auto& each) {
                           std::string name = each.param->name;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace couplet::verification
