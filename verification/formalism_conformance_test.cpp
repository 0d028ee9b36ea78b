// What every formalism has to do, constrained ones included: the list of formalisms is taken
// through the same claims, on the same mechanisms. The equations of motion are formed here, twice:
// by Kane's method and by composite bodies, which share nothing but the tree.
#include <gtest/gtest.h>

#include "couplet/dynamics/minimal/composite.hpp"
#include "couplet/dynamics/minimal/constraints/assembly.hpp"
#include "couplet/dynamics/minimal/kane.hpp"
#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/dynamics/minimal/tests/random_loops.hpp"
#include "couplet/dynamics/substructure/formalisms.hpp"
#include "couplet/formats/yaml.hpp"
#include "couplet/generate/formalisms.hpp"
#include "support/benchmark_models.hpp"

namespace couplet::verification {
namespace {

using dynamics::FormalismEntry;
using dynamics::Stage;
using dynamics::System;
using math::MatX;
using math::VecX;
using model::JointType;
using model::Mechanism;
using model::State;

struct Sample {
  std::string name;
  std::shared_ptr<const Mechanism> mechanism;
  State state;  // closed, and consistent
};

Sample close(std::string name, Mechanism mechanism, const VecX& v) {
  auto shared = std::make_shared<const Mechanism>(std::move(mechanism));
  System system(shared);
  State state = shared->default_state();
  if (v.size() == state.v.size()) state.v = v;
  system.set_ties(state);
  const bool closed = !shared->constrained() || dynamics::assemble(system, state).closed();
  EXPECT_TRUE(closed) << name;
  return {std::move(name), std::move(shared), std::move(state)};
}

model::Model read(const std::string& text) {
  base::Diagnostics warnings;
  return formats::read_yaml_text("couplet: 1\n" + text, "sample.yaml", {}, warnings);
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> list;
    for (int seed = 1; seed <= 4; ++seed) {
      dynamics::RandomMechanism random(seed);
      Mechanism tree = random.tree(4 + 5 * seed, 0.7, seed % 2 == 0);
      const State state = random.state(tree);
      list.push_back({"tree " + std::to_string(seed),
                      std::make_shared<const Mechanism>(std::move(tree)), state});
      System(list.back().mechanism).set_ties(list.back().state);
    }
    for (int seed = 1; seed <= 4; ++seed) {
      dynamics::RandomLoops loops(seed);
      const VecX v = loops.random().vector(200, 1);
      const auto add = [&](const char* name, Mechanism mechanism) {
        const VecX speeds = v.head(mechanism.nv);
        list.push_back(close(name + std::to_string(seed), std::move(mechanism), speeds));
      };
      add("spatial loops ", loops.mechanism(9, {JointType::spherical, JointType::revolute}));
      add("redundant plane ", loops.planar(7, 2));
      add("constraints ", loops.with_constraints(12));
      add("floating ", loops.floating(2, JointType::universal));
    }
    list.push_back(close("hanging chain", model::compile(make_hanging_chain(40)), {}));
    model::Model mimics = read(R"(
bodies:
  a: {mass: 1, inertia: [0.02, 0.1, 0.1], points: {tip: [0.5, 0, 0]}}
  b: {mass: 2, inertia: [0.1, 0.2, 0.3], com: [0.2, 0, 0], points: {tip: [0.5, 0.1, 0]}}
  c: {mass: 1, inertia: [0.05, 0.03, 0.04], com: [0, 0.1, 0]}
points: {hook: [0, 1, 1]}
joints:
  A: {type: revolute, from: world, to: a, axis: z, q: 0.3, v: 1}
  B: {type: revolute, from: a.tip, to: b, axis: y}
  C: {type: revolute, from: b.tip, to: c, axis: x, q: 0.2, v: -1}
forces: {spring: {spring-damper: {from: world.hook, to: b.tip, length: 0.4, stiffness: 20, damping: 1}}}
)");
    mimics.joints[1].mimic = model::Mimic{.joint = 0, .ratio = 0.5};  // as URDF has them
    list.push_back(close("mimics and a spring", model::compile(std::move(mimics)), VecX()));
    const auto add = [&](const char* name, const char* text) {
      list.push_back(close(name, model::compile(read(text)), VecX()));
    };
    add("particles", R"(
bodies: {a: {mass: 1, particle: true}, b: {mass: 2, particle: true}}
joints:
  A: {type: xyz, from: world, to: a, q: [1, 2, 3], v: [1, 0, -1]}
  B: {type: xyz, from: world, to: b, q: [-1, 0, 2]}
forces: {spring: {spring-damper: {from: a, to: b, length: 1, stiffness: 20, damping: 1}}}
)");
    add("driven four-bar", R"(
bodies:
  crank: {mass: 1, inertia: [0.01, 0.1, 0.1], points: {tip: [1, 0, 0]}}
  coupler: {mass: 2, inertia: [0.01, 0.3, 0.3], points: {tip: [2, 0, 0]}}
  rocker: {mass: 1, inertia: [0.01, 0.2, 0.2], points: {tip: [1.5, 0, 0]}}
points: {pivot: [1.8, 0, 0]}
joints:
  A: {type: revolute, from: world, to: crank, axis: z, motion: 1 + 2*t}
  B: {type: revolute, from: crank.tip, to: coupler, axis: z}
  C: {type: revolute, from: world.pivot, to: rocker, axis: z, q: 1.5}
  D: {type: revolute, from: coupler.tip, to: rocker.tip, axis: z}
forces: {spring: {spring-damper: {from: crank.tip, to: rocker.tip, length: 1, stiffness: 30, damping: 2}}}
)");
    return list;
  }();
  return all;
}

std::span<const FormalismEntry> formalisms() {
  static const bool once =
      (dynamics::add_substructure_formalisms(), generate::add_formalisms(), true);
  (void)once;
  return dynamics::formalisms();
}

/// Calls `claim(entry, sample)` for every pair that applies.
template <class Claim>
void for_all(const Claim& claim) {
  for (const FormalismEntry& entry : formalisms())
    for (const Sample& sample : samples()) {
      if (!entry.applies(*sample.mechanism)) continue;
      SCOPED_TRACE(std::string(entry.name) + ", " + sample.name);
      claim(entry, sample);
    }
}

VecX make_tau(const Mechanism& mechanism) {
  VecX tau(mechanism.nv);
  for (int i = 0; i < mechanism.nv; ++i) tau[i] = 3 * std::sin(1.0 + 2 * i);
  return tau;
}

/// M v̇ + h - f - τ + Gᵀλ on the freedoms that are not mimics, by either way to form it, and the
/// size of what has to cancel.
struct Balanced {
  VecX residual;
  double size;
};
enum class By { kane, composite };

Balanced balance(System& system, const State& state, const VecX& tau, const VecX& vdot,
                 const VecX& lambda, By by) {
  const Mechanism& mechanism = system.mechanism();
  const Stage stage = system.stages().at(state);
  dynamics::KaneEquations kane(mechanism);
  dynamics::CompositeEquations composite(mechanism);
  if (by == By::kane)
    kane.form(state, stage.applied);
  else
    composite.form(stage);
  const MatX& M = by == By::kane ? kane.mass_matrix() : composite.mass_matrix();
  const VecX& h = by == By::kane ? kane.bias() : composite.bias();
  VecX r = M * vdot + h - stage.applied.tau - tau;
  double size = (M.cwiseAbs() * vdot.cwiseAbs() + h.cwiseAbs() + tau.cwiseAbs()).maxCoeff();
  if (const dynamics::ConstraintSolver* constraints = system.constraints()) {
    for (int k = 0; k < constraints->size(); ++k) {
      VecX force = VecX::Zero(mechanism.nv);
      constraints->set().G().add_to(constraints->rows()[static_cast<size_t>(k)], lambda[k], force);
      r += force;
      size = std::max(size, force.lpNorm<Eigen::Infinity>());
    }
  } else {
    for (const model::Coupling& c : mechanism.couplings) {
      r[c.source_iv] += c.ratio * r[c.iv];
      r[c.iv] = 0;
    }
  }
  return {r, size};
}

// The condition of random mechanisms is up to 1e4; rounding grows with it.
constexpr double rounding = 1e-10;

TEST(EveryFormalism, BalancesForcesAndKeepsConstraints) {
  for_all([](const FormalismEntry& entry, const Sample& sample) {
    System system(sample.mechanism, entry.name);
    VecX tau = make_tau(*sample.mechanism), vdot = VecX::Zero(sample.mechanism->nv);
    system.calc_vdot(sample.state, tau, vdot);
    const VecX lambda = system.lambda();
    for (const By by : {By::kane, By::composite}) {
      const Balanced b = balance(system, sample.state, tau, vdot, lambda, by);
      EXPECT_LT(b.residual.lpNorm<Eigen::Infinity>(), rounding * b.size);
    }
    if (!system.constraints()) return;
    EXPECT_EQ(lambda.size(), system.constraints()->size());
    system.stages().at(sample.state);
    const dynamics::ConstraintSet& set = system.constraints()->set();
    for (const int row : system.constraints()->rows())
      EXPECT_NEAR(set.G().times(row, vdot), -set.bias()[row],
                  rounding * (1 + vdot.lpNorm<Eigen::Infinity>()));
  });
}

// What is prescribed is kept: v̇ is that of the motion, and τ does what it takes.
TEST(EveryFormalism, GivesPrescribedJointsTheirMotion) {
  for_all([](const FormalismEntry& entry, const Sample& sample) {
    System system(sample.mechanism, entry.name);
    VecX tau = make_tau(*sample.mechanism), vdot = VecX::Zero(sample.mechanism->nv),
         given = VecX::Constant(sample.mechanism->nv, NAN);
    system.calc_vdot(sample.state, tau, vdot);
    system.stages().forces().set_prescribed(sample.state.t, given);
    for (int i = 0; i < sample.mechanism->nv; ++i)
      EXPECT_TRUE(std::isnan(given[i]) || vdot[i] == given[i]);
  });
}

// One stage, many forces: answers do not depend on those before.
TEST(EveryFormalism, AnswersAsOftenAsItIsAsked) {
  for_all([](const FormalismEntry& entry, const Sample& sample) {
    System system(sample.mechanism, entry.name);
    const int nv = sample.mechanism->nv;
    const Stage stage = system.stages().at(sample.state);
    const VecX f = stage.applied.tau, more = make_tau(*sample.mechanism);
    const auto solve = [&](VecX tau) {
      VecX vdot = VecX::Zero(nv);
      system.stages().forces().set_prescribed(sample.state.t, vdot);
      system.formalism().solve(tau, vdot);
      return vdot;
    };
    system.formalism().prepare(stage);
    const VecX none = solve(f), once = solve(f + more), twice = solve(f + 2 * more);
    EXPECT_EQ((solve(f) - none).norm(), 0);  // the same bits
    const double size = none.lpNorm<Eigen::Infinity>() + twice.lpNorm<Eigen::Infinity>();
    EXPECT_LT((twice - 2 * once + none).lpNorm<Eigen::Infinity>(), 1e-9 * size);
  });
}

// Speeds are closed at the end of the stage, by forces at its beginning.
TEST(EveryFormalism, TakesHalfExplicitStages) {
  for_all([](const FormalismEntry& entry, const Sample& sample) {
    System system(sample.mechanism, entry.name);
    if (!system.constraints()) return;
    const double h = 0.01;
    State next = sample.state;
    next.t += h;
    VecX step = h * sample.state.v;
    sample.mechanism->move(step, next.q);
    system.set_ties(next);
    const VecX tau = make_tau(*sample.mechanism);
    VecX vdot = VecX::Zero(sample.mechanism->nv);
    system.closure().choose_rows(sample.state);
    system.calc_half_explicit(sample.state, next, h, tau, vdot);
    const VecX lambda = system.lambda();

    Balanced b = balance(system, sample.state, tau, vdot, lambda, By::composite);
    State after = next;
    after.v += h * vdot;
    for (const model::Link& link : sample.mechanism->links)
      if (link.prescribed) {  // their forces are not asked for, and their speed is theirs
        b.residual[link.iv] = 0;
        after.v[link.iv] = next.v[link.iv];
      }
    EXPECT_LT(b.residual.lpNorm<Eigen::Infinity>(), rounding * b.size);
    system.closure().calc_residuals(after);
    const dynamics::ConstraintSet& set = system.constraints()->set();
    for (const int row : system.constraints()->rows())
      EXPECT_NEAR(set.G().times(row, after.v) + set.known()[row], 0,
                  rounding * (1 + after.v.lpNorm<Eigen::Infinity>()));
  });
}

// The residual is the balance of forces at any v̇ and λ, not only where it vanishes.
TEST(EveryFormalism, FormsResidualsIfItsEntrySaysSo) {
  for_all([](const FormalismEntry& entry, const Sample& sample) {
    System system(sample.mechanism, entry.name);
    const Mechanism& mechanism = *sample.mechanism;
    if (system.constraints()) system.closure().choose_rows(sample.state);
    const int rows = system.constraints() ? system.constraints()->size() : 0;
    const VecX tau = make_tau(mechanism), lambda = VecX::LinSpaced(rows, -1, 2);
    VecX vdot = VecX::LinSpaced(mechanism.nv, 1, -2), out(mechanism.nv);
    std::vector<char> is_balance(static_cast<size_t>(mechanism.nv), 1);
    for (const model::Link& link : mechanism.links)
      if (link.prescribed) is_balance[static_cast<size_t>(link.iv)] = 0;
    if (!system.constraints())
      for (const model::Coupling& c : mechanism.couplings)
        is_balance[static_cast<size_t>(c.iv)] = 0;
    const Balanced expected = balance(system, sample.state, tau, vdot, lambda, By::kane);
    if (entry.answers.residuals) {
      system.balance().calc_residual(sample.state, tau, vdot, lambda, out);
      for (int i = 0; i < mechanism.nv; ++i) {
        if (!is_balance[static_cast<size_t>(i)]) continue;
        EXPECT_NEAR(out[i], expected.residual[i], rounding * expected.size);
      }
    }
    if (entry.answers.free_motion && mechanism.couplings.empty()) {  // M times it, without mimics
      system.balance().calc_explicit_residual(sample.state, tau, vdot, lambda, out);
      const Balanced at = balance(system, sample.state, tau, vdot - out, lambda, By::kane);
      for (int i = 0; i < mechanism.nv; ++i)
        EXPECT_LT(is_balance[static_cast<size_t>(i)] * std::abs(at.residual[i]),
                  rounding * at.size);
    }
  });
}

// A parallelogram of cranks of inertia J about their pivots carries a coupler of mass m, which
// never turns: (2 J + m l²) θ̈ is the couple on a crank, or l cos θ times the force on the coupler,
// wherever the loop is cut. These equations are as well conditioned for any m as for 1 kg; but the
// open tree's accelerations are up to 1e8 times θ̈, where the couple acts on a crank that a heavy
// coupler holds, or the force on a light one that cranks hold; and where weight moves a heavy one,
// the light crank of an open loop gives way to it 1e8 times as fast along its path as across it.
struct Parallelogram {
  static constexpr double J = 0.3, l = 0.5, angle = 0.4, g = 9.81;
  double mass;  // of the coupler
  char cut;     // joint
  enum class By { couple, lift, weight };
  By by;  // 1 N m on the left crank; 1 N upwards on the coupler; gravity

  std::shared_ptr<const Mechanism> make() const {
    const auto end = [&](char name) { return cut == name ? ", cut: true}\n" : "}\n"; };
    return std::make_shared<const Mechanism>(model::compile(read(
        fmt::format("gravity: [0, 0, {6}]\n"
                    "points: {{D: [1, 0, 0]}}\n"
                    "bodies:\n"
                    "  left: {{mass: 1, inertia: [0.3, 0.3, 0.3], points: {{e: [0.5, 0, 0]}}}}\n"
                    "  right: {{mass: 1, inertia: [0.3, 0.3, 0.3], points: {{e: [0.5, 0, 0]}}}}\n"
                    "  coupler: {{mass: {0}, com: [0.5, 0, 0], inertia: [{0}, {0}, {0}], "
                    "points: {{middle: [0.5, 0, 0], e: [1, 0, 0]}}}}\n"
                    "joints:\n"
                    "  A: {{type: revolute, axis: -y, from: world, to: left, q: 0.4{1}"
                    "  B: {{type: revolute, axis: -y, from: left.e, to: coupler, q: -0.4{2}"
                    "  C: {{type: revolute, axis: -y, from: coupler.e, to: right.e, q: 0.4{3}"
                    "  D: {{type: revolute, axis: -y, from: world.D, to: right, q: 0.4{4}"
                    "forces: {{load: {{applied: {5}}}}}\n",
                    mass, end('A'), end('B'), end('C'), end('D'),
                    by == By::couple ? "{point: left, torque: [0, -1, 0]}"
                    : by == By::lift ? "{point: coupler.middle, force: [0, 0, 1]}"
                                     : "{point: coupler.middle, force: [0, 0, 0]}",
                    by == By::weight ? -g : 0.0))));
  }
  double upwards() const { return by == By::lift ? 1 : by == By::weight ? -mass * g : 0; }
  double acceleration() const {
    return (by == By::couple ? 1 : upwards() * l * std::cos(angle)) / (2 * J + mass * l * l);
  }
  // On the right crank in C: tangentially J θ̈ / l, and upwards half of what the coupler leaves.
  math::Vec3 reaction() const {
    const double z = (upwards() - mass * l * acceleration() * std::cos(angle)) / 2;
    return {(z * std::cos(angle) - J * acceleration() / l) / std::sin(angle), 0, z};
  }
};

// Round-off, times the condition of the loop (some ten) and what one cancellation of less than a
// hundred costs: 1e-12. A half-explicit stage that goes nowhere from rest asks for the same motion.
TEST(EveryFormalism, KeepsItsDigitsWithACouplerOfAnyMass) {
  constexpr double digits = 1e-12;
  const auto check = [](const FormalismEntry& entry, const Parallelogram& model) {
    const std::shared_ptr<const Mechanism> mechanism = model.make();
    if (!entry.applies(*mechanism)) return;
    System system(mechanism, entry.name);
    const State state = mechanism->default_state();
    system.closure().choose_rows(state);
    VecX tau = VecX::Zero(mechanism->nv), vdot = tau;
    const auto expect_acceleration = [&] {
      for (const double a : vdot)
        EXPECT_NEAR(std::abs(a), std::abs(model.acceleration()),
                    digits * std::abs(model.acceleration()));
    };
    system.calc_vdot(state, tau, vdot);
    expect_acceleration();
    for (const dynamics::Reaction& reaction :
         system.reactions().calc_joints(state, vdot, system.lambda())) {
      if (mechanism->model->joints[static_cast<size_t>(reaction.joint)].name != "C") continue;
      EXPECT_LT((reaction.force - model.reaction()).norm(), digits * model.reaction().norm());
    }
    system.calc_half_explicit(state, state, 0.01, tau, vdot);
    expect_acceleration();
  };
  for (const FormalismEntry& entry : formalisms())
    for (const double mass : {1e-8, 1e-4, 1.0, 1e4, 1e8})
      for (const char cut : {'A', 'B', 'C', 'D'})
        for (const auto by :
             {Parallelogram::By::couple, Parallelogram::By::lift, Parallelogram::By::weight}) {
          // The weight of a light coupler is lost in the rounding of that of the cranks.
          if (by == Parallelogram::By::weight && mass < 1) continue;
          SCOPED_TRACE(fmt::format("{}: {} kg, cut at {}, moved by {}", entry.name, mass, cut,
                                   static_cast<int>(by)));
          check(entry, {mass, cut, by});
        }
}

TEST(EveryFormalism, IsTriedOnSeveralMechanisms) {
  for (const FormalismEntry& entry : formalisms()) {
    int tried = 0;
    for (const Sample& sample : samples()) tried += entry.applies(*sample.mechanism);
    EXPECT_GE(tried, 1) << entry.name;
    EXPECT_FALSE(std::string_view(entry.doc).empty()) << entry.name;
  }
}

TEST(EveryFormalism, RefusesByNameWhatItIsNotFor) {
  for (const FormalismEntry& entry : formalisms())
    for (const Sample& sample : samples()) {
      if (entry.applies(*sample.mechanism)) continue;
      try {
        System system(sample.mechanism, entry.name);
        ADD_FAILURE() << entry.name << " takes " << sample.name;
      } catch (const base::UserError& e) {
        EXPECT_NE(std::string(e.what()).find(entry.name), std::string::npos) << e.what();
      }
    }
}

}  // namespace
}  // namespace couplet::verification
