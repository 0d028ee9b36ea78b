// Mechanisms with closed loops reach their references: every integration rule that can, three formalisms.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "couplet/integrate/driver.hpp"
#include "couplet/simulate/mechanism_problem.hpp"
#include "support/closure.hpp"
#include "support/loop_motions.hpp"

namespace couplet::verification {
namespace {

using integrate::Driver;
using integrate::Ending;
using math::VecX;
using simulate::MechanismProblem;

class Silent final : public integrate::Observer {
 public:
  void on_step(integrate::Rule&) override {}
};

struct Result {
  LoopMotion::Error error;
  long evaluations = 0, steps = 0;
};

Result run(const LoopMotion& motion, const char* rule, double tolerance, const char* formalism) {
  MechanismProblem problem(motion.mechanism, formalism);
  Driver driver(problem, integrate::check_rule(rule), {tolerance, tolerance}, {});
  driver.start(0, problem.make_y(motion.mechanism->default_state()));
  Silent silent;
  Result out;
  for (size_t i = 0; i < motion.times.size(); ++i) {
    const integrate::Outcome outcome = driver.run(motion.times[i], silent);
    EXPECT_EQ(outcome.ending, Ending::reached) << motion.name << ", " << rule << ", " << formalism << ": " << outcome.message;
    if (outcome.ending != Ending::reached) return {{INFINITY, INFINITY}};
    const LoopMotion::Error error = motion.calc_error(i, problem.state(motion.times[i], driver.rule().y()));
    out.error.places = std::max(out.error.places, error.places);
    out.error.rates = std::max(out.error.rates, error.rates);
  }
  out.evaluations = driver.rule().counts().evaluations;
  out.steps = driver.rule().counts().steps;
  return out;
}

TEST(Explore, All) {
  std::vector<LoopMotion> all{make_andrews(), make_four_bars_motion(1), make_four_bars_motion(2), make_particle_on_rod(), make_bricard(), make_planar_slider_crank(),
    make_spatial_slider_crank(), make_insulator_chain(), make_held_top(), make_rolling_disc(), make_cut_chain(3), make_cut_chain(10), make_four_bars_motion(10), make_four_bars_motion(40)};
  for (const LoopMotion& m : all)
    for (const char* f : {"schur", "augmented", "partitioned"})
      for (const char* r : {"dop853", "dopri5", "gbs", "abm", "hem5", "cvode-adams", "cvode-bdf"}) {
        if (std::string(f) != "schur" && std::string(r) != "dop853" && std::string(r) != "gbs") continue;
        const clock_t c = clock();
        const Result out = run(m, r, 1e-12, f);
        std::printf("%-28s %-12s %-12s q %.1e v %.1e  %ld steps %ld evals %.2f s\n", m.name.c_str(), f, r, out.error.places, out.error.rates, out.steps, out.evaluations, double(clock()-c)/CLOCKS_PER_SEC);
        std::fflush(stdout);
      }
}

}  // namespace
}  // namespace couplet::verification
