// Branches of driven mechanisms: a slider-crank whose rod is as long as its crank passes positions
// where its slider could as well stand still in the middle, and its crank turn with the rod on it.
// Both are closed, so only continuity tells which one the motion is on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

// x = 2 cos φ, ẋ = -2 φ̇ sin φ, the rod at -2φ from the crank; φ = 0.5 + 2t passes ±90° seven times.
constexpr const char* slider_crank = R"(
gravity: [0, -9.81, 0]
bodies:
  crank: &bar {mass: 1, com: [0.5, 0, 0], shape: {rod: {length: 1, axis: x}}, points: {end: [1, 0, 0]}}
  rod: *bar
  slider: {mass: 1, shape: {box: [0.1, 0.1, 0.1]}}
  bob: {mass: 0.5, com: [0, -0.7, 0], shape: {rod: {length: 0.5, axis: y}}}
joints:
  crank: {type: revolute, from: world, to: crank, motion: "0.5 + 2*t"}
  pin: {type: revolute, from: crank.end, to: rod, q: -1}
  rail: {type: prismatic, from: world, to: slider, axis: x, q: 2*cos(0.5)}
  wrist: {type: revolute, from: rod.end, to: slider}
  hang: {type: revolute, from: slider, to: bob, q: 0.3}
)";

Summary run(const std::string& text, const char* integrator, const char* formalism,
            double tolerance, results::Recording& r) {
  RunOptions options = with(integrator, tolerance, 10);
  options.formalism = formalism;
  options.interval = 0.05;
  Summary summary;
  r = simulate(mechanism_of(text), options, &summary);
  return summary;
}

/// The largest error of the first rows, against the closed form.
double calc_error(const results::Recording& r, size_t rows) {
  double largest = 0;
  for (size_t row = 0; row < rows; ++row) {
    const double angle = 0.5 + 2 * r.at(row, r.find("t").value());
    for (const auto& [name, value] : {std::pair{"rail.q", 2 * std::cos(angle)},
                                      {"rail.v", -4 * std::sin(angle)},
                                      {"pin.q", -2 * angle},
                                      {"pin.v", -4.0}})
      largest = std::max(largest, std::abs(r.at(row, r.find(name).value()) - value));
  }
  return largest;
}

// A hundred tolerances, and round-off: closed to ε, speeds are off by ε/s² where s, the sine of the
// angle between the constraints, is 0.004 in the row that is nearest to a singular position.
TEST(Branches, DrivenSliderCrankGoesOnThroughItsMiddle) {
  for (const char* formalism : {"schur", "augmented", "partitioned", "dca"})
    for (const char* integrator :
         {"dopri5", "auto", "dop853", "rkf45", "bs32", "gbs", "abm", "hem5", "cvode-adams",
          "cvode-bdf", "ida", "radau5", "generalised-alpha"})
      for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
        if (tolerance < 1e-4 && integrate::check_rule(integrator).order == 2) continue;
        results::Recording r;
        const Summary summary = run(slider_crank, integrator, formalism, tolerance, r);
        const std::string which = fmt::format("{} {} {}", integrator, formalism, tolerance);
        EXPECT_EQ(summary.outcome.ending, integrate::Ending::reached)
            << which << ": " << summary.outcome.message;
        EXPECT_LT(calc_error(r, r.rows()), 100 * tolerance + 1e-10) << which;
      }
}

// This one may give up in a singular position, where the last row is; never before it, and no row
// before it is wrong.
TEST(Branches, ARuleThatDoesNotPassSaysSo) {
  for (const double tolerance : {1e-4, 1e-6}) {
    results::Recording r;
    const Summary summary = run(slider_crank, "mexx", "schur", tolerance, r);
    const bool reached = summary.outcome.ending == integrate::Ending::reached;
    EXPECT_TRUE(reached || summary.outcome.message.find("are singular there") != std::string::npos)
        << tolerance << ": " << summary.outcome.message;
    EXPECT_LT(calc_error(r, reached ? r.rows() : r.rows() - 1), 100 * tolerance);
  }
}

// Rows that are in the singular position to the last digit. A fixed step that ends there has no
// acceleration to go on with, and says so.
TEST(Branches, RowsInTheSingularPositionAreOnTheBranch) {
  std::string text = slider_crank;
  text.replace(text.find("0.5 + 2*t"), 9, "0.5 + 2*(t*(pi - 1)/4)");
  const auto mechanism = mechanism_of(text);
  for (const char* integrator : {"dopri5", "dop853", "rk4"}) {
    RunOptions options;
    options.integrator = integrator;
    if (std::string(integrator) == "rk4") options.step = 0.01;
    options.t_end = 2;
    options.interval = 0.5;
    Summary summary;
    const results::Recording r = simulate(mechanism, options, &summary);
    if (options.step) {
      EXPECT_EQ(summary.outcome.ending, integrate::Ending::failed);
      EXPECT_NE(summary.outcome.message.find("are singular there"), std::string::npos)
          << summary.outcome.message;
      continue;
    }
    ASSERT_EQ(summary.outcome.ending, integrate::Ending::reached) << summary.outcome.message;
    const double rate = (M_PI - 1) / 2;
    for (size_t row = 0; row < r.rows(); ++row) {
      const double angle = 0.5 + rate * r.at(row, r.find("t").value());
      EXPECT_NEAR(r.at(row, r.find("rail.q").value()), 2 * std::cos(angle), 1e-4) << integrator;
      EXPECT_NEAR(r.at(row, r.find("rail.v").value()), -2 * rate * std::sin(angle), 1e-4)
          << integrator << " row " << row;
    }
  }
}

}  // namespace
}  // namespace couplet::mechanics
