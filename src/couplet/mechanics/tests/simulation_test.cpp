// Rules of the model, signals by name, checkpoints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

using testing::HasSubstr;

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "no error";
}

const char* const oscillator = R"(
parameters: {k: 4 N/m}
bodies: {mass: {mass: 1, particle: true}}
joints: {rail: {type: prismatic, from: world, to: mass, axis: x, q: 1, force: "-k*rail.q"}}
)";

// cos 2t until k is switched from 4 to 1 at t = 1; then an oscillation of frequency 1 from there.
TEST(EventRules, SwitchAParameterAtATime) {
  RunOptions options;
  options.integrator = "dop853";
  options.tolerance = {1e-11, 1e-11};
  options.t_end = 3;
  options.record = {"rail.q", "k"};
  const results::Recording r = simulate(
      mechanism_of(std::string(oscillator) + "when: {soft: {at: 1 s, set: {k: 1 N/m}}}"), options);
  const double q = std::cos(2.0), v = -2 * std::sin(2.0);
  EXPECT_NEAR(last(r, "rail.q"), q * std::cos(2.0) + v * std::sin(2.0), 1e-10);
  EXPECT_EQ(r.at(0, 2), 4);
  EXPECT_EQ(last(r, "k"), 1);
}

// A force of 1 N moves 1 kg for a second, then 2 kg: q = ½ + 1 + ¼ at t = 2, whatever the rule.
TEST(EventRules, SwitchAMass) {
  const std::string text =
      "parameters: {m: 1 kg}\nbodies: {cart: {mass: m, particle: true}}\n"
      "joints: {rail: {type: prismatic, from: world, to: cart, axis: x, force: 1}}\n"
      "when: {load: {at: 1 s, set: {m: 2 kg}}}";
  for (const char* integrator : {"dop853", "ida", "radau5"})
    for (const char* formalism : {"recursive", "kane", "composite"}) {
      RunOptions options;
      options.integrator = integrator;
      options.formalism = formalism;
      options.tolerance = {1e-9, 1e-9};
      options.t_end = 2;
      options.record = {"rail.q", "rail.v", "m"};
      const results::Recording r = simulate(mechanism_of(text), options);
      EXPECT_NEAR(last(r, "rail.q"), 1.75, 1e-7) << integrator << " " << formalism;
      EXPECT_NEAR(last(r, "rail.v"), 1.5, 1e-7) << integrator << " " << formalism;
      EXPECT_EQ(last(r, "m"), 2);
    }
}

// A pendulum's arm becomes shorter at t = 1 while angle and speed stay: its energy from there on is
// that of the new length, and constant.
TEST(EventRules, SwitchALength) {
  const std::string text =
      "parameters: {l: 1 m}\nbodies: {bob: {mass: 1, com: [0, 0, -l], particle: true}}\n"
      "joints: {pin: {type: revolute, from: world, to: bob, axis: x, q: 1}}\n"
      "when: {shorten: {at: 1 s, set: {l: 0.5 m}}}";
  RunOptions options;
  options.integrator = "dop853";
  options.tolerance = {1e-11, 1e-11};
  options.t_end = 3;
  options.record = {"pin.q", "pin.v", "energy.total"};
  const results::Recording r = simulate(mechanism_of(text), options);
  const double q = last(r, "pin.q"), v = last(r, "pin.v");
  EXPECT_NEAR(last(r, "energy.total"), 0.5 * 0.25 * v * v - 9.81 * 0.5 * std::cos(q), 1e-9);
  for (size_t row = 0; row < r.rows(); ++row)
    if (r.at(row, 0) > 1.01) {
      EXPECT_NEAR(r.at(row, 3), last(r, "energy.total"), 1e-9);
    }
}

// q = cos 2t passes ½ downwards at t = π/6, where v becomes 0: an oscillation of half the amplitude
// follows.
TEST(EventRules, ResetASpeedWhenAConditionBecomesTrue) {
  RunOptions options;
  options.integrator = "dop853";
  options.tolerance = {1e-11, 1e-11};
  options.t_end = 2;
  Summary summary;
  const results::Recording r =
      simulate(mechanism_of(std::string(oscillator) +
                            "when: {halt: {condition: rail.q < 0.5, reset: {rail.v: 0}}}"),
               options, &summary);
  EXPECT_EQ(summary.counts.events, 1);
  EXPECT_NEAR(last(r, "rail.q"), 0.5 * std::cos(2 * (2 - std::numbers::pi / 6)), 1e-10);
}

TEST(EventRules, StopTheSimulation) {
  RunOptions options;
  options.tolerance = {1e-10, 1e-10};
  Summary summary;
  simulate(mechanism_of(std::string(oscillator) +
                        "when: {end: {condition: t > 1 and rail.q > 0, stop: true}}"),
           options, &summary);
  EXPECT_EQ(summary.outcome.ending, integrate::Ending::terminated);
  EXPECT_NEAR(summary.t_end, 3 * std::numbers::pi / 4, 1e-9);
}

TEST(EventRules, MistakesAreExplained) {
  const auto with = [](const std::string& when) {
    return message_of([&] { simulate(mechanism_of(oscillator + ("when: " + when)), {}); });
  };
  EXPECT_THAT(with("{a: {condition: rail.q, stop: true}}"),
              HasSubstr("rule 'a': the condition is no comparison"));
  EXPECT_THAT(with("{a: {condition: rail.q < 0}}"), HasSubstr("rule 'a' changes nothing"));
  EXPECT_THAT(with("{a: {condition: rail.q < 0, at: 1, stop: true}}"), HasSubstr("condition"));
  EXPECT_THAT(with("{a: {at: 1 m, stop: true}}"), HasSubstr("expected a time (s)"));
  EXPECT_THAT(with("{a: {at: 1, reset: {rail.q: 0}}}"),
              HasSubstr("there is no speed 'rail.q' to reset"));
  EXPECT_THAT(with("{a: {at: 1, set: {kk: 0}}}"), HasSubstr("there is no parameter 'kk'"));
  EXPECT_THAT(message_of([&] {
                mechanism_of(
                    "parameters: {m: 1}\nbodies: {a: {mass: m, particle: true}}\n"
                    "joints: {j: {type: prismatic, from: world, to: a, limits: [0, m]}}\n"
                    "when: {x: {at: 1, set: {m: 2}}}");
              }),
              HasSubstr("parameter 'm' cannot change while the model moves: model.yaml:4"));
}

TEST(Signals, AreFoundByNameGlobAndExpression) {
  RunOptions options;
  options.t_end = 1;
  options.tolerance = {1e-10, 1e-10};
  options.record = {"rail.*", "mass.position.x", "energy.total", "2*rail.q + t", "double"};
  const results::Recording r = simulate(
      mechanism_of(std::string(oscillator) + "outputs: {double: {value: 2*rail.q, unit: m}}"),
      options);
  EXPECT_THAT(r.names(), testing::ElementsAre(
                             "t", "rail.q", "rail.v", "rail.vdot", "rail.force.x", "rail.force.y",
                             "rail.force.z", "rail.torque.x", "rail.torque.y", "rail.torque.z",
                             "rail.local_force.x", "rail.local_force.y", "rail.local_force.z",
                             "rail.local_torque.x", "rail.local_torque.y", "rail.local_torque.z",
                             "rail.effort", "rail.power", "mass.position.x", "energy.total",
                             "2*rail.q + t", "double"));
  const double q = last(r, "rail.q");
  EXPECT_NEAR(q, std::cos(2.0), 1e-9);
  EXPECT_EQ(last(r, "mass.position.x"), q);
  EXPECT_EQ(last(r, "2*rail.q + t"), 2 * q + 1);
  EXPECT_EQ(last(r, "double"), 2 * q);
  EXPECT_NEAR(last(r, "rail.vdot"), -4 * q, 1e-12);
  EXPECT_NEAR(last(r, "rail.force.z"), 9.81, 1e-12);  // the rail carries the weight
}

TEST(Signals, WhatIsNotThereGetsASuggestion) {
  RunOptions options;
  options.record = {"rial.q"};
  EXPECT_THAT(message_of([&] { simulate(mechanism_of(oscillator), options); }),
              HasSubstr("did you mean 'rail.q'?"));
  options.record = {"foo.*"};
  EXPECT_THAT(message_of([&] { simulate(mechanism_of(oscillator), options); }),
              HasSubstr("no quantity matches 'foo.*'"));
}

TEST(Recorder, RowsAreOnTheGridAndOnBothSidesOfEvents) {
  RunOptions options;
  options.t_end = 1;
  options.interval = 0.1;
  const results::Recording r = simulate(
      mechanism_of(std::string(oscillator) + "when: {halt: {at: 0.25, reset: {rail.v: 0}}}"),
      options);
  ASSERT_EQ(r.rows(), 13u);
  const std::vector<double> t = r.column(0);
  EXPECT_EQ(t[1], 0.1);
  EXPECT_EQ(t[3], 0.25);
  EXPECT_EQ(t[4], 0.25);
  EXPECT_NE(r.at(3, 2), 0);
  EXPECT_EQ(r.at(4, 2), 0);
  EXPECT_EQ(t.back(), 1);
}

TEST(Checkpoint, ReadsWhatItWroteAndRefusesTheRest) {
  const std::filesystem::path path = testing::TempDir() + "checkpoint_test";
  const Checkpoint written{{{"argument", "run"},
                            {"argument", "a b"},
                            {"argument", "new\nline"},
                            {"empty", ""},
                            {"folder", "back\\slash"}},
                           "00ff",
                           12,
                           0xfedcba9876543210ull,
                           0.1,
                           {1.0 / 3, -0.0, INFINITY}};
  write_checkpoint(path, written);
  const Checkpoint read = simulate::read_checkpoint(path);
  EXPECT_EQ(read.request, written.request);
  EXPECT_EQ(read.rows, 12u);
  EXPECT_EQ(read.fingerprint, written.fingerprint);
  EXPECT_EQ(read.numbers, written.numbers);
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  for (size_t cut = 0; cut < text.size(); cut += 7) {  // any damage is noticed
    std::ofstream(path) << text.substr(0, cut);
    EXPECT_THROW(simulate::read_checkpoint(path), base::UserError);
    std::string changed = text;
    changed[cut] ^= 1;
    std::ofstream(path) << changed;
    EXPECT_THROW(simulate::read_checkpoint(path), base::UserError);
  }
}

}  // namespace
}  // namespace couplet::mechanics
