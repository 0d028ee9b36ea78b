// Mechanisms with closed loops reach their references: every integration rule that can, three
// formalisms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "couplet/integrate/driver.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"
#include "support/loop_motions.hpp"

namespace couplet::verification {
namespace {

using integrate::Driver;
using integrate::Ending;
using mechanics::MechanismProblem;

/// A rule with the tolerance that it is run at, and how much larger its errors may be than the
/// bound of a motion.
struct Choice {
  const char* rule;
  double tolerance;
  double slack;
};
// Rules of order 5 on the descriptor form take 1e4 steps for 1e-10, and their errors are those of
// that tolerance. Rules that rules() does not list are skipped, and it is said.
constexpr Choice choices[] = {
    {"dop853", 1e-12, 1}, {"gbs", 1e-12, 1},      {"cvode-adams", 1e-12, 1},
    {"mexx", 1e-12, 1},   {"dopri5", 1e-12, 1},   {"abm", 1e-12, 1},
    {"hem5", 1e-12, 1},   {"radau5", 1e-10, 100}, {"ida", 1e-10, 100},
};

bool exists(const char* rule) {
  return std::any_of(
      integrate::rules().begin(), integrate::rules().end(),
      [&](const integrate::RuleEntry& entry) { return std::string_view(entry.name) == rule; });
}

class Silent final : public integrate::Observer {
 public:
  void on_step(integrate::Rule&) override {}
};

/// Largest errors at all times of the motion.
LoopMotion::Error run(const LoopMotion& motion, const Choice& choice, const char* formalism) {
  MechanismProblem problem(motion.mechanism, formalism);
  Driver driver(problem, integrate::check_rule(choice.rule), {choice.tolerance, choice.tolerance},
                {});
  const std::clock_t begin = std::clock();
  driver.start(0, problem.make_y(motion.mechanism->default_state()));
  Silent silent;
  LoopMotion::Error worst;
  for (size_t i = 0; i < motion.times.size(); ++i) {
    const integrate::Outcome outcome = driver.run(motion.times[i], silent);
    if (outcome.ending != Ending::reached) {
      ADD_FAILURE() << motion.name << ", " << choice.rule << ", " << formalism << ": "
                    << outcome.message;
      return {INFINITY, INFINITY};
    }
    const LoopMotion::Error error =
        motion.calc_error(i, problem.state(motion.times[i], driver.rule().y()));
    worst.places = std::max(worst.places, error.places);
    worst.rates = std::max(worst.rates, error.rates);
  }
  const integrate::Counts& counts = driver.rule().counts();
  std::printf("%s, %s at %.0e, %s: error %.1e, of rates %.1e; %ld steps, %ld evaluations, %.2f s\n",
              motion.name.c_str(), choice.rule, choice.tolerance, formalism, worst.places,
              worst.rates, counts.steps, counts.evaluations,
              static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  return worst;
}

enum class Length { every_rule, fast_rules };  // fast: the first four, of high order

void expect_reached(const LoopMotion& motion, const Choice& choice, const char* formalism,
                    LoopMotion::Error bound) {
  const LoopMotion::Error error = run(motion, choice, formalism);
  EXPECT_LT(error.places, choice.slack * bound.places)
      << motion.name << ", " << choice.rule << ", " << formalism;
  EXPECT_LT(error.rates, choice.slack * bound.rates)
      << motion.name << ", " << choice.rule << ", " << formalism;
}

/// All rules by `schur`, which is the usual formalism; the first two rules by the other formalisms.
void expect_reached(const LoopMotion& motion, LoopMotion::Error bound,
                    Length length = Length::every_rule) {
  int done = 0;
  for (const Choice& choice : choices) {
    if (!exists(choice.rule)) {
      std::printf("SKIPPED: %s is not among the integration rules\n", choice.rule);
      continue;
    }
    if (length == Length::fast_rules && ++done > 4) break;
    expect_reached(motion, choice, "schur", bound);
    if (&choice - choices >= 2) continue;
    for (const char* formalism : {"augmented", "partitioned"})
      expect_reached(motion, choice, formalism, bound);
  }
}

// Bounds are three to ten times the largest error measured.

// All digits of q that are published and one more, relative to each coordinate; v to 9 digits.
TEST(LoopMotion, AndrewsSqueezer) { expect_reached(make_andrews(), {1e-10, 1e-9}); }
TEST(LoopMotion, ParticleOnARod) { expect_reached(make_particle_on_rod(), {3e-11, 1e-10}); }
TEST(LoopMotion, Bricard) { expect_reached(make_bricard(), {5e-12, 3e-11}); }
TEST(LoopMotion, PlanarSliderCrank) { expect_reached(make_planar_slider_crank(), {1e-11, 1e-11}); }
// The reference has 11 digits of places and 9 of rates; rules agree with each other to 1e-12.
TEST(LoopMotion, SpatialSliderCrank) { expect_reached(make_spatial_slider_crank(), {1e-10, 1e-9}); }
TEST(LoopMotion, RollingDisc) { expect_reached(make_rolling_disc(), {2e-10, 2e-10}); }
TEST(LoopMotion, HeavyTopHeldByABall) {
  expect_reached(make_held_top(), {2e-10, 1e-11}, Length::fast_rules);
}
TEST(LoopMotion, InsulatorChain) {
  expect_reached(make_insulator_chain(), {3e-11, 5e-10}, Length::fast_rules);
}
TEST(LoopMotion, ChainOfThreeCutHinges) { expect_reached(make_cut_chain(3), {1e-10, 5e-10}); }
TEST(LoopMotion, ChainOfTenCutHinges) {
  expect_reached(make_cut_chain(10), {1e-11, 1e-10}, Length::fast_rules);
}

// Through twenty flat positions, where the rows of the constraints depend on each other, and
// without help. There round-off is amplified by the inverse square of the distance, which depends
// on where steps happen to end: a tolerance below 1e-8 makes errors smaller on average only, and
// steps of low order may become short. Rules that solve for multipliers, which are not finite
// there, cross by an explicit step: simulate/tests/singular_test.cpp.
TEST(LoopMotion, FourBarsThroughSingularPositions) {
  for (const int n : {1, 2, 10, 40}) {
    const LoopMotion motion = make_four_bars_motion(n);
    for (const char* rule : {"dop853", "gbs", "mexx", "dopri5", "hem5"}) {
      if (!exists(rule)) {
        std::printf("SKIPPED: %s is not among the integration rules\n", rule);
        continue;
      }
      expect_reached(motion, {rule, 1e-8, 1}, "schur", {5e-7, 1e-5});
    }
    if (n > 10) continue;
    for (const char* formalism : {"augmented", "partitioned"}) {
      expect_reached(motion, {"dop853", 1e-8, 1}, formalism, {5e-7, 1e-5});
      expect_reached(motion, {"gbs", 1e-8, 1}, formalism, {5e-7, 1e-5});
    }
  }
}

}  // namespace
}  // namespace couplet::verification
