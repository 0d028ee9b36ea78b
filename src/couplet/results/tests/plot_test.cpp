// Plots: ticks as people draw them, curves that keep their peaks, text that is valid XML.
#include "couplet/results/plot/plot.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/results/plot/axis.hpp"
#include "couplet/results/plot/curves.hpp"
#include "couplet/results/plot/path.hpp"

namespace couplet::results {
namespace {

using base::UserError;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Axis, HasTicksAtOneTwoFive) {
  EXPECT_THAT(make_axis(0, 10, 6, true).labels, ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_THAT(make_axis(-0.3, 0.3, 8, true).labels,
              ElementsAre("−0.3", "−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3"));
  EXPECT_THAT(make_axis(0, 1, 4, true).labels, ElementsAre("0.0", "0.5", "1.0"));
}

TEST(Axis, WritesCommonPowersAndOffsetsOnce) {
  const Axis small = make_axis(0, 4e-7, 5, true);
  EXPECT_THAT(small.labels, ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_EQ(small.factor, "×10⁻⁷");
  EXPECT_EQ(make_axis(0, 3e6, 4, true).factor, "×10⁶");
  const Axis drift = make_axis(-12.5, -12.5 + 3.5e-9, 5, true);
  EXPECT_THAT(drift.labels, ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(drift.factor, HasSubstr("×10⁻⁹ − 12.5"));
}

TEST(Axis, SurvivesEveryRange) {
  for (const auto& [low, high] : {std::pair(0.0, 0.0),
                                  {5.0, 5.0},
                                  {1e300, 1e300},
                                  {-1.7e308, 1.7e308},
                                  {0.0, 5e-324},
                                  {nan, nan},
                                  {inf, -inf},
                                  {1.0, 1.0 + 1e-16},
                                  {-1e-308, 1e-308}}) {
    for (const bool tight : {true, false}) {
      const Axis axis = make_axis(low, high, 8, tight);
      EXPECT_LT(axis.low, axis.high) << low;
      EXPECT_LE(axis.ticks.size(), 20u);
      EXPECT_EQ(axis.ticks.size(), axis.labels.size());
    }
  }
}

TEST(LogAxis, HasTicksAtPowersOfTen) {
  const Axis axis = make_log_axis(2e-4, 0.5, 8);
  EXPECT_THAT(axis.labels, ElementsAre("10⁻³", "10⁻²", "10⁻¹"));
  EXPECT_NEAR(axis.part(std::sqrt(axis.low * axis.high)), 0.5, 1e-12);
  EXPECT_LE(make_log_axis(1e-16, 1, 6).ticks.size(), 6u);
  EXPECT_THAT(make_log_axis(3, 4, 8).labels, ElementsAre("10⁰", "10¹"));  // never without a number
}

TEST(LogAxis, SurvivesEveryRange) {
  for (const auto& [low, high] : {std::pair(0.0, 0.0),
                                  {-1.0, 2.0},
                                  {1.0, 1.0},
                                  {nan, nan},
                                  {1.0, inf},
                                  {inf, 0.0},
                                  {5e-324, 1e308}}) {
    const Axis axis = make_log_axis(low, high, 8);
    EXPECT_GT(axis.low, 0) << low;
    EXPECT_LT(axis.low, axis.high) << low;
    EXPECT_GE(axis.ticks.size(), 1u);
    EXPECT_LE(axis.ticks.size(), 20u);
  }
}

TEST(NumberText, IsShortAndClear) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(3.2e-7), "3.2×10⁻⁷");
  EXPECT_EQ(number_text(-12.345), "−12.3");
  EXPECT_EQ(number_text(9.9999e-8), "1×10⁻⁷");
  EXPECT_EQ(number_text(inf), "∞");
}

TEST(UnitText, HasRaisedPowers) {
  EXPECT_EQ(unit_text("m/s2"), "m/s²");
  EXPECT_EQ(unit_text("kg m^2"), "kg·m²");
  EXPECT_EQ(unit_text("1"), "1");
  EXPECT_EQ(unit_text("m/s²"), "m/s²");
}

std::vector<Point> noise(size_t n) {
  std::vector<Point> points;
  for (size_t i = 0; i < n; ++i)
    points.push_back({700.0 * static_cast<double>(i) / static_cast<double>(n),
                      100 + std::sin(static_cast<double>(i) * 0.7)});
  return points;
}

TEST(Path, KeepsEveryPeak) {
  std::vector<Point> points = noise(1'000'000);
  points[123456].y = 3;  // one sample wide
  points[777777].y = 250;
  const std::vector<Point> kept = straighten(keep_extremes(points));
  EXPECT_LT(kept.size(), 6000u);
  const auto has = [&](double y) {
    return std::any_of(kept.begin(), kept.end(), [&](const Point& p) { return p.y == y; });
  };
  EXPECT_TRUE(has(3) && has(250));
}

TEST(Path, StaysWithinATenthOfAPixel) {
  std::vector<Point> points;
  for (int i = 0; i <= 7000; ++i)
    points.push_back({0.1 * i, 100 * std::sin(0.02 * i) + (i > 4000 ? 50 : 0)});
  const std::vector<Point> kept = straighten(points);
  EXPECT_LT(kept.size(), 600u);
  size_t k = 0;  // the corner before each point
  for (const Point& p : points) {
    while (k + 2 < kept.size() && kept[k + 1].x < p.x) ++k;
    const Point &a = kept[k], &b = kept[k + 1];
    const double d = std::abs((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)) /
                     std::hypot(b.x - a.x, b.y - a.y);
    EXPECT_LE(d, 0.1 + 1e-9) << p.x;
  }
}

TEST(Path, IsInterruptedWhereThereIsNoNumber) {
  EXPECT_EQ(path_data({{0, 0}, {1, 1.5}, {nan, 0}, {3, 3}, {4, 2}}), "M0 0l1 1.5M3 3l1-1");
  EXPECT_EQ(path_data({{1, 2}}), "M1 2h0");  // a dot
  EXPECT_EQ(path_data(keep_extremes({{nan, 0}, {1, inf}, {2, 2}, {nan, 1}})), "M2 2h0");
}

TEST(Path, DrawsAnOrbitThatRepeatsItselfOnce) {
  std::vector<Point> points;
  for (int i = 0; i < 1'000'000; ++i)
    points.push_back({300 + 200 * std::cos(0.001 * i), 200 + 100 * std::sin(0.001 * i)});
  EXPECT_LT(straighten(keep_visible(points)).size(), 20000u);
}

Recording waves(size_t rows) {
  Recording out;
  out.signals = {
      {"t", "s"}, {"arm.q", "rad"}, {"leg.q", "rad"}, {"arm.v", "rad/s"}, {"<&>\x01\xff\"", "m"}};
  for (size_t i = 0; i < rows; ++i) {
    const double t = 10 * static_cast<double>(i) / static_cast<double>(rows - 1);
    for (const double x : {t, std::sin(t), std::cos(t), std::cos(t), 1 / (t - 5)})
      out.values.push_back(x);
  }
  return out;
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++n;
  return n;
}

TEST(Plot, ChoosesPositionsAndOnePanelPerUnit) {
  const Recording recording = waves(500);
  EXPECT_EQ(count(draw_plot({{"run", &recording}}, {}).svg, "<clipPath"), 1u);
  PlotOptions options;
  options.signals = {"arm", "*.q"};
  const std::string svg = draw_plot({{"run", &recording}}, options).svg;
  EXPECT_EQ(count(svg, "<clipPath"), 2u);
  EXPECT_THAT(svg, HasSubstr(">q [rad]<"));
  EXPECT_THAT(svg, HasSubstr(">v [rad/s]<"));
  EXPECT_THAT(svg, HasSubstr(">t [s]<"));
}

TEST(Plot, SaysTheLargestDifference) {
  const Recording a = waves(501);
  Recording b = a;
  b.values[250 * 5 + 1] += 0.125;  // arm.q at t = 5
  EXPECT_THAT(draw_plot({{"a", &a}, {"b", &b}}, {}).svg,
              HasSubstr("largest difference 0.125 rad (arm.q at 5.000 s)"));
  EXPECT_THAT(draw_plot({{"a", &a}, {"b", &a}}, {}).svg, HasSubstr("no difference"));
  PlotOptions window;
  window.from = 6;
  EXPECT_THAT(draw_plot({{"a", &a}, {"b", &b}}, window).svg, HasSubstr("no difference"));
}

TEST(Plot, EscapesNames) {
  const Recording recording = waves(50);
  PlotOptions options;
  options.signals = {"*"};
  options.title = "<script>";
  const std::string svg = draw_plot({{"run", &recording}}, options).svg;
  EXPECT_THAT(svg, HasSubstr("&lt;&amp;&gt; \uFFFD&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

TEST(Plot, RefusesWhatIsNotThere) {
  const Recording recording = waves(50);
  const auto refuse = [&](const PlotOptions& options, const char* message) {
    EXPECT_THAT(
        [&] {
          draw_plot({{"run", &recording}}, options);
        },
        ThrowsMessage<UserError>(HasSubstr(message)));
  };
  PlotOptions options;
  options.signals = {"amr.q"};
  refuse(options, "did you mean 'arm.q'");
  options = {};
  options.against = "leg";
  refuse(options, "no signal is called 'leg'");
  options = {};
  options.from = 11;
  refuse(options, "no rows to draw");
}

TEST(Plot, OfMillionsOfRowsOrThousandsOfSignalsIsSmallAndQuick) {
  const auto start = std::chrono::steady_clock::now();
  const Recording tall = waves(1'000'000);
  EXPECT_LT(draw_plot({{"a", &tall}, {"b", &tall}}, {}).svg.size(), 200'000u);
  Recording wide;
  wide.signals = {{"t", "s"}};
  for (int i = 0; i < 20000; ++i)
    wide.signals.push_back({"x" + std::to_string(i) + ".q", "u" + std::to_string(i % 100)});
  wide.values.assign(20001 * 10, 1.0);
  PlotOptions all;
  all.signals = {"*"};
  const Plot plot = draw_plot({{"wide", &wide}}, all);
  EXPECT_THAT(plot.notes, ElementsAre(HasSubstr("60 of 20000"), HasSubstr("8 of 60 units")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Curves, DrawsEveryPointOnceAndOneLegend) {
  LogPicture picture;
  picture.title = "a < b";
  picture.panels = {{"left",
                     "time [s]",
                     "error",
                     {{"rk4", "fixed steps", {{1e-3, 1e-2}, {1e-2, 1e-6}, {1e-1, 0}}},
                      {"dopri5", "by tolerance", {{1e-3, 1e-3}}}}},
                    {"right", "evaluations", "", {{"dopri5", "by tolerance", {{100, 1e-3}}}}}};
  const std::string svg = draw_curves(picture);
  EXPECT_EQ(count(svg, "class=\"f0 o\""),
            6u);  // rk4: two points, the third has no logarithm; dopri5: two; and the legend
  EXPECT_EQ(count(svg, "class=\"f1 o\""),
            0u);  // dopri5 begins a group: first colour again, other dashes
  EXPECT_EQ(count(svg, "class=\"s0 c\" stroke-dasharray"), 3u);
  EXPECT_EQ(count(svg, ">dopri5</text>"), 1u);
  EXPECT_EQ(count(svg, ">fixed steps</text>"), 1u);
  EXPECT_THAT(svg, HasSubstr(">10⁻⁴<"));
  EXPECT_THAT(svg, HasSubstr("a &lt; b"));
}

TEST(Curves, SurvivesWithoutPoints) {
  EXPECT_THAT(draw_curves({"t", "", {{"", "x", "y", {{"rk4", "", {}}}}}}), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace couplet::results
