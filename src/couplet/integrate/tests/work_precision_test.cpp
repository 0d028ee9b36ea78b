// Work and precision: errors against closed forms, references that agree, budgets that hold.
#include "couplet/integrate/work_precision.hpp"

#include <gmock/gmock.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/tests/sample_problems.hpp"

namespace couplet::integrate {
namespace {

using testing::HasSubstr;

WorkBench kepler_bench(WorkBench::Options options) {
  return {[](VecX& y) {
            y = Kepler::solution(0);
            return std::make_unique<Newton>(Kepler::problem());
          },
          std::move(options)};
}

std::vector<WorkPoint> sweep(const WorkBench& bench, const char* rule) {
  std::vector<WorkPoint> points;
  bench.sweep(check_rule(rule), [&](const WorkPoint& point) { points.push_back(point); });
  return points;
}

TEST(WorkPrecision, ReferenceIsTheClosedFormAsFarAsItSays) {
  WorkBench bench = kepler_bench({.t_end = 3, .go_on = {}});
  const Reference& reference = bench.find_reference();
  EXPECT_NE(reference.first, reference.second);
  EXPECT_LT(reference.agreement.largest(), 1e-11);
  const EndErrors errors =
      calc_end_errors(Kepler::problem().layout(), reference.y, Kepler::solution(3));
  EXPECT_LT(errors.largest(), 1e-11);
}

TEST(WorkPrecision, ErrorsFollowTolerancesAndSteps) {
  WorkBench bench = kepler_bench({.t_end = 3, .repetitions = 1, .go_on = {}});
  bench.find_reference();
  for (const char* rule : {"dopri5", "rk4"}) {
    std::vector<WorkPoint> points = sweep(bench, rule);
    std::erase_if(points, [](const WorkPoint& p) { return !p.counts_as_point(); });
    ASSERT_GT(points.size(), 4u) << rule;
    for (size_t i = 1; i < points.size(); ++i) {
      EXPECT_LT(points[i].errors.position, points[i - 1].errors.position) << rule;
      EXPECT_GT(points[i].counts.evaluations, points[i - 1].counts.evaluations) << rule;
    }
  }
}

TEST(WorkPrecision, StopsAtTheBudgetAndWhenAsked) {
  WorkBench bench = kepler_bench({.t_end = 3, .repetitions = 1, .go_on = {}});
  bench.find_reference();
  EXPECT_TRUE(bench.run(check_rule("euler"), {1e-12, 0}, 0.01).over_budget);
  bool wanted = true;
  WorkBench stopped = kepler_bench({.t_end = 3, .go_on = [&] { return wanted; }});
  stopped.find_reference();
  wanted = false;
  EXPECT_TRUE(sweep(stopped, "rk4").empty());
  EXPECT_EQ(stopped.run(check_rule("euler"), {1e-9, 0}, 100).outcome.ending, Ending::interrupted);
}

TEST(WorkPrecision, SaysWhenThereIsNoReference) {
  const Newton::Acceleration blows_up = [](double, const double* q, const double*, double* a) {
    a[0] = q[0] * q[0] * q[0];
  };
  WorkBench bench({[&](VecX& y) {
                    y = vec({2, 2});
                    return std::make_unique<Newton>(1, blows_up);
                  }},
                  {.t_end = 10, .budget = 0.02, .go_on = {}});
  EXPECT_THROW(bench.find_reference(), base::ComputationError);
}

TEST(WorkPrecision, InterpolatesInLogarithms) {
  std::vector<WorkPoint> points(3);
  points[0].errors.position = 1e-2, points[0].seconds = 1;
  points[1].omitted = "fails";
  points[2].errors.position = 1e-6, points[2].seconds = 100;
  const auto seconds = [](const WorkPoint& p) { return p.seconds; };
  EXPECT_NEAR(find_work_at(points, 1e-4, seconds).value(), 10, 1e-12);
  EXPECT_EQ(find_work_at(points, 1e-1, seconds), 1);
  EXPECT_FALSE(find_work_at(points, 1e-7, seconds));
}

TEST(WorkPrecision, ErrorsAreRelativeToTheNominalSizeOrTheValue) {
  const Layout layout = Newton(1, {}).layout();
  const EndErrors errors = calc_end_errors(layout, vec({0.11, 101}), vec({0.1, 100}));
  EXPECT_NEAR(errors.position, 0.01, 1e-15);  // nominal 1
  EXPECT_NEAR(errors.speed, 0.01, 1e-15);
  EXPECT_TRUE(std::isnan(calc_end_errors(layout, vec({std::nan(""), 0}), vec({0, 0})).position));
}

}  // namespace
}  // namespace couplet::integrate
