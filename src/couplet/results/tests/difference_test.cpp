// Differences of recordings on different time grids, with jumps, against values that follow from
// the drawing.
#include "couplet/results/difference.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "couplet/base/diagnostics.hpp"
#include "couplet/results/select.hpp"

namespace couplet::results {
namespace {

using base::UserError;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Recording recording(const std::vector<std::string>& names, const std::vector<double>& values) {
  Recording out;
  for (const std::string& name : names) out.signals.push_back({name, name == "t" ? "s" : "m"});
  out.values = values;
  return out;
}
SignalDifference difference(const Recording& a, const Recording& b,
                            const Tolerance& tolerance = {}) {
  return calc_difference(a, b, tolerance).signals.at(0);
}

const double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Difference, OfARecordingWithItselfIsZero) {
  const Recording a = recording({"t", "x"}, {0, 1, 0.1, nan, 0.3, 1e300, 0.3, -7});
  const Difference d = calc_difference(a, a, {});
  EXPECT_TRUE(d.inside());
  EXPECT_EQ(d.signals[0].largest, 0);
}

TEST(Difference, IsFoundAtTheCornersOfBoth) {
  const Recording line = recording({"t", "x"}, {0, 0, 4, 8});
  const Recording polygon = recording({"t", "x"}, {0, 0, 1, 2.5, 3, 5, 4, 8});
  for (const bool swapped : {false, true}) {
    const SignalDifference d = swapped ? difference(polygon, line) : difference(line, polygon);
    EXPECT_DOUBLE_EQ(d.largest, 1);
    EXPECT_EQ(d.at, 3);
    EXPECT_EQ(swapped ? d.b : d.a, 6);
    EXPECT_EQ(d.leaves_at, 1);
  }
}

TEST(Difference, IsMeasuredOnTheCommonIntervalOnly) {
  const Difference d =
      calc_difference(recording({"t", "x"}, {0, 100, 1, 1, 2, 1}),
                      recording({"t", "x"}, {0.99999, 2, 3, 1}), {.relative = 0.5});
  EXPECT_EQ(d.from, 0.99999);
  EXPECT_EQ(d.to, 2);
  EXPECT_FALSE(d.same_interval);
  EXPECT_EQ(d.signals[0].scale, 1);  // not 100: that is before
}

TEST(Difference, TubeIsRelativeToTheLargestMagnitude) {
  const Recording a = recording({"t", "x"}, {0, -10, 1, 0}),
                  b = recording({"t", "x"}, {0, -10, 1, 0.05});
  EXPECT_TRUE(difference(a, b, {.relative = 0.006}).inside());
  EXPECT_FALSE(difference(a, b, {.relative = 0.004}).inside());
  EXPECT_TRUE(difference(a, b, {.relative = 0, .absolute = 0.06}).inside());
}

TEST(Difference, JumpsAreComparedSideBySide) {
  const Recording a = recording({"t", "x"}, {0, 0, 1, 1, 1, -1, 2, 0});
  EXPECT_EQ(difference(a, a).largest, 0);
  const Recording other_height = recording({"t", "x"}, {0, 0, 1, 1, 1, -0.75, 2, 0});
  EXPECT_DOUBLE_EQ(difference(a, other_height).largest, 0.25);
  EXPECT_EQ(difference(a, other_height).at, 1);
}

TEST(Difference, JumpsThatAreLocatedToRoundOffAreTheSame) {
  const double later = 1 + 1e-13;
  const Recording a = recording({"t", "x"}, {0, 0, 1, 1, 1, -1, 2, 0});
  const Recording b = recording({"t", "x"}, {0, 0, later, 1, later, -1, 2, 0});
  EXPECT_TRUE(difference(a, b).inside()) << difference(a, b).largest;
  EXPECT_TRUE(difference(b, a).inside());
  const Recording much_later = recording({"t", "x"}, {0, 0, 1.01, 1, 1.01, -1, 2, 0});
  EXPECT_NEAR(difference(a, much_later).largest, 2, 0.03);
  EXPECT_TRUE(difference(a, much_later, {.relative = 0.02, .time = 0.01}).inside());
}

TEST(Difference, OfANumberAndNoneIsInfinite) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(difference(recording({"t", "x"}, {0, 1}), recording({"t", "x"}, {0, nan})).largest,
            inf);
  EXPECT_EQ(difference(recording({"t", "x"}, {0, inf}), recording({"t", "x"}, {0, -inf})).largest,
            inf);
  EXPECT_EQ(difference(recording({"t", "x"}, {0, inf}), recording({"t", "x"}, {0, inf})).largest,
            0);
}

TEST(Difference, NamesWhatOnlyOneHas) {
  Recording a = recording({"t", "x", "y", "u"}, {0, 1, 2, 3}),
            b = recording({"t", "z", "y", "u"}, {0, 1, 2, 3});
  b.signals[3].unit = "mm";
  Difference d = calc_difference(a, b, {});
  EXPECT_THAT(d.only_a, ElementsAre("x"));
  EXPECT_THAT(d.only_b, ElementsAre("z"));
  EXPECT_THAT(d.other_unit, ElementsAre("u"));
  ASSERT_EQ(d.signals.size(), 1u);
  EXPECT_EQ(d.signals[0].signal.name, "y");
  EXPECT_FALSE(d.agrees(false));  // u was not compared
  b.signals[3].unit.clear();      // other tools write no units
  EXPECT_EQ(calc_difference(a, b, {}).signals.size(), 2u);
  EXPECT_TRUE(calc_difference(a, b, {}, {"y"}).only_a.empty());
  d = calc_difference(a, b, {});
  EXPECT_TRUE(d.agrees(false));
  EXPECT_FALSE(d.agrees(true));  // x and z
  EXPECT_TRUE(calc_difference(a, b, {}, {"y"}).agrees(true));
}

TEST(Difference, RefusesWhatCannotBeCompared) {
  const Recording a = recording({"t", "x"}, {0, 1, 1, 2});
  const auto refuse = [&](const Recording& b, const char* message) {
    EXPECT_THAT([&] { calc_difference(a, b, {}); }, ThrowsMessage<UserError>(HasSubstr(message)));
  };
  refuse(recording({"t", "x"}, {2, 1, 3, 2}), "no time in common");
  refuse(recording({"t", "y"}, {0, 1}), "no signal in common");
  refuse(recording({"t", "x"}, {0, 1, 1, 1, 0.5, 1}),
         "time goes back in row 3 of the second result");
  refuse(recording({"t", "x"}, {nan, 1}), "time is no number");
  refuse(recording({"t", "x"}, {}), "has no rows");
}

TEST(Select, KnowsStarsQuestionMarksAndStems) {
  const std::vector<std::string> names{"pivot.q", "pivot.v", "rail.q", "body[2].x", "pivotal"};
  EXPECT_THAT(select(names, {"*.q"}), ElementsAre(0, 2));
  EXPECT_THAT(select(names, {"rail.q", "p*"}), ElementsAre(2, 0, 1, 4));
  EXPECT_THAT(select(names, {"pivot"}), ElementsAre(0, 1));
  EXPECT_THAT(select(names, {"body[2].?"}), ElementsAre(3));
  EXPECT_THAT(select(names, {"*"}), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(
      [&] {
        select(names, {"pivot.w", "none"});
      },
      ThrowsMessage<UserError>(
          testing::AllOf(HasSubstr("did you mean 'pivot.q'?"), HasSubstr("'none'"))));
  EXPECT_FALSE(matches("", "?"));
  EXPECT_TRUE(matches("", "**"));
  EXPECT_FALSE(matches(std::string(20000, 'a'), "*a*a*a*a*a*a*b"));  // and does not take for ever
}

}  // namespace
}  // namespace couplet::results
