// A hundred thousand steps of fixed length: loops stay closed to round-off, and energy drifts no
// more than the order of the rule says.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "couplet/integrate/driver.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"
#include "support/closure.hpp"
#include "support/loop_motions.hpp"

namespace couplet::verification {
namespace {

using mechanics::MechanismProblem;
using Shared = std::shared_ptr<const model::Mechanism>;

double calc_energy(dynamics::System& system, const model::State& state) {
  const double potential = system.calc_potential_energy(state);
  return potential + dynamics::calc_kinetic_energy(system.mechanism(), system.calc_motions(state));
}

/// Looks at energy and constraints along a run.
class Watch final : public integrate::Observer {
 public:
  Watch(const Shared& mechanism, MechanismProblem& problem)
      : problem_(problem), system_(mechanism) {}

  void on_step(integrate::Rule& rule) override {
    if (steps++ % 20 != 0) return;
    const model::State& state = problem_.state(rule.t(), rule.y());
    const double now = calc_energy(system_, state);
    if (steps == 1) energy_ = now, kinetic_ = 0;
    kinetic_ = std::max(
        kinetic_, dynamics::calc_kinetic_energy(system_.mechanism(), system_.calc_motions(state)));
    drift = std::max(drift, std::abs(now - energy_));
    const dynamics::Residuals left = system_.closure().calc_residuals(state);
    position = std::max(position, left.position);
    largest_angle = std::max(largest_angle, state.q.lpNorm<Eigen::Infinity>());
    velocity = std::max(velocity, left.velocity);
    if (steps % 1000 == 1)  // once more, by other means
      checked = std::max(checked,
                         calc_position_error(system_.mechanism(), state).lpNorm<Eigen::Infinity>());
  }

  double relative_drift() const { return drift / kinetic_; }

  long steps = 0;
  double drift = 0, position = 0, velocity = 0, checked = 0, largest_angle = 0;

 private:
  MechanismProblem& problem_;
  dynamics::System system_;
  double energy_ = 0, kinetic_ = 0;
};

Watch run(const Shared& mechanism, const char* rule, double step, long steps,
          const char* formalism = "schur") {
  MechanismProblem problem(mechanism, formalism);
  integrate::Driver driver(problem, integrate::check_rule(rule), {}, {.step = step});
  driver.start(0, problem.make_y(mechanism->default_state()));
  Watch watch(mechanism, problem);
  const integrate::Outcome outcome = driver.run(step * static_cast<double>(steps), watch);
  EXPECT_EQ(outcome.ending, integrate::Ending::reached) << outcome.message;
  std::printf(
      "%s, %s, %g s: %ld steps, energy drifts by %.1e of the largest kinetic energy; open by %.1e, "
      "%.1e of speeds, %.1e\n",
      mechanism->model->name.c_str(), rule, step, watch.steps, watch.relative_drift(),
      watch.position, watch.velocity, watch.checked);
  return watch;
}

// Lengths of metres and speeds of up to 10 m/s: what is left are a few roundings of sums along a
// loop, and those of the angles, which are 640 rad after 100 turns.
void expect_closed(const Watch& watch) {
  const double bound = 1e-14 + 2 * std::numeric_limits<double>::epsilon() * watch.largest_angle;
  EXPECT_LT(watch.position, bound);
  EXPECT_LT(watch.checked, bound);
  EXPECT_LT(watch.velocity, 1e-13);
}

// 1e5 steps of h, which are 200 s and 100 turns of the four-bars, and half as many of 2h: the drift
// of a rule of order p falls at least by 2^p, less 30 % for what the next order adds.
void expect_drift_of_order_4(const Shared& mechanism, double step) {
  const Watch coarse = run(mechanism, "rk4", 2 * step, 50000),
              fine = run(mechanism, "rk4", step, 100000);
  expect_closed(coarse);
  expect_closed(fine);
  EXPECT_GE(fine.steps, 100000);
  EXPECT_GT(coarse.drift, 0.7 * 16 * fine.drift);
}

TEST(LoopDrift, FourBarsOver100000Steps) {
  expect_drift_of_order_4(make_four_bars_motion(2).mechanism, 2e-3);
}
TEST(LoopDrift, BricardOver100000Steps) { expect_drift_of_order_4(make_bricard().mechanism, 2e-3); }

}  // namespace
}  // namespace couplet::verification
