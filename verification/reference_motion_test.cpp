// Whole motions against the verified values of verification/references: chains of rods by several
// rules and formalisms, the heavy top of the Lie-group literature, the body that flips, the
// bouncing ball.
#include <gtest/gtest.h>

#include <cmath>

#include "closed_forms/simple_motions.hpp"
#include "couplet/formats/yaml.hpp"
#include "couplet/integrate/driver.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"
#include "support/references.hpp"

namespace couplet::verification {
namespace {

using integrate::Driver;
using integrate::Ending;
using integrate::RuleEntry;
using math::Vec3;
using math::VecX;
using mechanics::MechanismProblem;
using model::JointType;
using model::Mechanism;
using nlohmann::json;

std::shared_ptr<const Mechanism> shared(model::Model model) {
  return std::make_shared<const Mechanism>(model::compile(std::move(model)));
}

/// Unit quaternions stay so at every step, to round-off.
class UnitQuaternion final : public integrate::Observer {
 public:
  void on_step(integrate::Rule& rule) override { EXPECT_NEAR(rule.y().head<4>().norm(), 1, 1e-15); }
};

class Silent final : public integrate::Observer {
 public:
  void on_step(integrate::Rule&) override {}
};

void run_to(Driver& driver, double t, integrate::Observer& observer) {
  const integrate::Outcome outcome = driver.run(t, observer);
  ASSERT_EQ(outcome.ending, Ending::reached) << outcome.message;
}

/// Times of the states of a reference in ascending order.
std::vector<std::string> sorted_times(const json& states) {
  std::vector<std::string> times;
  for (const auto& [time, state] : states.items()) times.push_back(time);
  std::sort(times.begin(), times.end(),
            [](const auto& a, const auto& b) { return std::stod(a) < std::stod(b); });
  return times;
}

// Uniform rods, 1 kg and 1 m, in a row; angles are relative, their sums are those of the reference.
std::shared_ptr<const Mechanism> make_chain(int n) {
  model::Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -9.81)};
  int from = 0;
  for (int k = 0; k < n; ++k) {
    const std::string name = "rod" + std::to_string(k);
    const int rod =
        model.add_body(name, {1, Vec3(0.5, 0, 0), Vec3(0, 1 / 12.0, 1 / 12.0).asDiagonal()});
    model.add_joint("j" + std::to_string(k), JointType::revolute, from, model.bodies[rod].origin,
                    -Vec3::UnitY());
    from = model.add_point(name + ".tip", rod, {math::Mat3::Identity(), Vec3::UnitX()});
  }
  return shared(std::move(model));
}

VecX running_sum(VecX x) {
  for (Eigen::Index k = 1; k < x.size(); ++k) x[k] += x[k - 1];
  return x;
}

// From horizontal, at rest, with a tolerance of 1e-12. Bounds are two to ten times the errors
// measured: chains are chaotic, so none follows from the tolerance alone.
TEST(ReferenceMotion, ChainsOfOneToTwentyRods) {
  const json data = reference("chains_planar.json");
  struct Case {
    const char *rule, *formalism;
    double bound, worst = 0;
  };
  Case cases[] = {{"dop853", "recursive", 2e-11},
                  {"dopri5", "recursive", 4e-11},
                  {"gbs", "composite", 1e-10},
                  {"cvode-adams", "kane", 1e-10}};
  for (const int n : {1, 2, 3, 5, 10, 20}) {
    const auto mechanism = make_chain(n);
    const json& states = data["rods_n" + std::to_string(n)]["states"];
    for (Case& c : cases) {
      MechanismProblem problem(mechanism, c.formalism);
      Driver driver(problem, integrate::check_rule(c.rule), {1e-12, 1e-12}, {});
      driver.start(0, VecX::Zero(2 * n));
      Silent silent;
      for (const std::string& time : sorted_times(states)) {
        run_to(driver, std::stod(time), silent);
        const VecX theta = running_sum(driver.rule().y().head(n)),
                   omega = running_sum(driver.rule().y().tail(n));
        const double error =
            std::max((theta - numbers(states[time]["theta"])).lpNorm<Eigen::Infinity>(),
                     (omega - numbers(states[time]["omega"])).lpNorm<Eigen::Infinity>());
        EXPECT_LT(error, c.bound) << n << " rods, " << c.rule << ", " << c.formalism
                                  << ", t = " << time;
        c.worst = std::max(c.worst, error);
      }
    }
  }
  for (const Case& c : cases)
    std::printf("chains, %s, %s: largest error %.1e\n", c.rule, c.formalism, c.worst);
}

/// Runs a body on a spherical joint through the states of a reference; errors of its quaternion and
/// its rates.
void expect_rotation(const std::shared_ptr<const Mechanism>& mechanism, const VecX& y0,
                     const json& states, double tolerance, double bound, double bound_of_rates) {
  for (const char* rule : {"dop853", "dopri5", "rkf45", "gbs", "abm", "cvode-adams"}) {
    MechanismProblem problem(mechanism);
    Driver driver(problem, integrate::check_rule(rule), {tolerance, tolerance}, {});
    driver.start(0, y0);
    UnitQuaternion norm;
    double worst = 0, worst_rates = 0;
    for (const std::string& time : sorted_times(states)) {
      run_to(driver, std::stod(time), norm);
      const VecX q = driver.rule().y().head(4), exact = numbers(states[time]["quaternion_wxyz"]);
      worst = std::max(worst, std::min((q - exact).norm(), (q + exact).norm()));
      worst_rates = std::max(
          worst_rates, (driver.rule().y().tail(3) - numbers(states[time]["Omega_body"])).norm());
    }
    EXPECT_LT(worst, bound) << rule;
    EXPECT_LT(worst_rates, bound_of_rates) << rule;
    std::printf("%s: largest error %.1e, of rates %.1e rad/s\n", rule, worst, worst_rates);
  }
}

// models/spinning_top.yaml is the top of the reference: 150 rad/s, 48 turns in 2 s, 7e-7 rad beside
// the vertical. The error of a step grows with these turns, 300 rad.
TEST(ReferenceMotion, HeavyTop) {
  const json data = reference("heavy_top.json");
  base::Diagnostics warnings;
  const auto mechanism = shared(formats::read_yaml(
      std::string(COUPLET_SOURCE_DIR) + "/models/spinning_top.yaml", {}, warnings));
  expect_rotation(mechanism, MechanismProblem(mechanism).make_y(mechanism->default_state()),
                  data["states"], 1e-11, 5e-10, 2e-9);
}

// Near the separatrix, where errors grow while the body lingers at its middle axis. The bound is
// five times the largest error measured.
TEST(ReferenceMotion, FreeBodyFlips) {
  const json data = reference("free_rigid_body.json");
  model::Model model;
  const int body = model.add_body("body", {1, Vec3::Zero(), Vec3(1, 2, 3).asDiagonal()});
  model.add_joint("bearing", JointType::spherical, 0, model.bodies[body].origin);
  expect_rotation(shared(std::move(model)), (VecX(7) << 1, 0, 0, 0, 0.01, 1, 0.01).finished(),
                  data["states"], 1e-12, 5e-10, 1e-9);
}

/// When the stop at the floor was hit.
class Impacts final : public integrate::Observer {
 public:
  void on_step(integrate::Rule&) override {}
  void on_event(double t, const VecX&, const std::vector<std::string>&) override {
    times.push_back(t);
  }
  bool go_on() override { return times.size() < 10; }
  std::vector<double> times;
};

// Rules of order 2 and above follow a parabola exactly: times are right to the round-off of z over
// the speed, 1e-16 s each. CVODE's rules change their order all the time; their errors are those of
// the tolerance.
TEST(ReferenceMotion, BouncingBall) {
  const BouncingBall exact{1, 9.81, 0.8};
  model::Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -exact.g)};
  const int ball = model.add_body("ball", {0.3, Vec3::Zero(), Vec3(1, 1, 1).asDiagonal()});
  model.add_joint("rail", JointType::prismatic, 0, model.bodies[ball].origin, Vec3::UnitZ())
      .limits = {{.lower = 0, .restitution = exact.restitution}};
  const auto mechanism = shared(std::move(model));
  for (const RuleEntry& entry : integrate::rules()) {
    if (entry.order < 2) continue;
    MechanismProblem problem(mechanism);
    integrate::DriverOptions options;
    if (entry.control == integrate::StepControl::fixed) options.step = 0.05;
    Driver driver(problem, entry, {1e-10, 1e-10}, options);
    driver.start(0, Eigen::Vector2d(exact.height, 0));
    Impacts impacts;
    ASSERT_EQ(driver.run(10, impacts).ending, Ending::interrupted) << entry.name;
    const double bound = entry.control == integrate::StepControl::own ? 1e-9 : 1e-13;
    for (int k = 0; k < 10; ++k)
      EXPECT_NEAR(impacts.times[static_cast<size_t>(k)], exact.impact_time(k), bound)
          << entry.name << ", impact " << k;
  }
}

}  // namespace
}  // namespace couplet::verification
