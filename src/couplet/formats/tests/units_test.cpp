#include "couplet/formats/units.hpp"

#include <gtest/gtest.h>

namespace couplet::formats {
namespace {

Unit unit(const char* text) {
  UnitProblem problem;
  const std::optional<Unit> result = parse_unit(text, problem);
  EXPECT_TRUE(result) << text << ": " << problem.what;
  return result.value_or(Unit{});
}

UnitProblem problem_of(const char* text) {
  UnitProblem problem;
  EXPECT_FALSE(parse_unit(text, problem)) << text;
  return problem;
}

TEST(Units, ScaleToSi) {
  EXPECT_DOUBLE_EQ(unit("mm").scale, 1e-3);
  EXPECT_DOUBLE_EQ(unit("ft").scale, 12 * unit("in").scale);
  EXPECT_DOUBLE_EQ(unit("t").scale, 1e6 * unit("g").scale);
  EXPECT_DOUBLE_EQ(unit("h").scale, 60 * unit("min").scale);
  EXPECT_DOUBLE_EQ(unit("rev").scale, 360 * unit("deg").scale);
  EXPECT_DOUBLE_EQ(unit("rpm").scale, unit("rev/min").scale);
  EXPECT_DOUBLE_EQ(unit("kg*mm^2").scale, 1e-6);
  EXPECT_DOUBLE_EQ(unit("N / mm").scale, 1e3);
  EXPECT_DOUBLE_EQ(unit("1/ms").scale, 1e3);
}

TEST(Units, MultiplyDimensionsFromLeftToRight) {
  EXPECT_EQ(unit("N").dimension, unit("kg*m/s^2").dimension);
  EXPECT_EQ(unit("J").dimension, unit("N*m").dimension);
  EXPECT_EQ(unit("Nm").dimension, unit("W*s").dimension);
  EXPECT_EQ(unit("Pa").dimension, unit("N/m^2").dimension);
  EXPECT_EQ(unit("Hz").dimension, unit("s^-1").dimension);
  EXPECT_EQ(unit("N/m/s").dimension, unit("N/m*s^-1").dimension);
}

TEST(Units, EveryKindAcceptsItsOwnUnit) {
  using namespace kinds;
  for (const Kind& kind :
       {number, length, mass, angle, speed, angular_speed, acceleration, inertia, pitch, mu, force,
        torque, stiffness, damping, angular_stiffness, angular_damping}) {
    EXPECT_EQ(unit(kind.unit).dimension, kind.dimension) << kind.name;
    EXPECT_EQ(unit(kind.unit).scale, 1.0) << kind.name;
    EXPECT_TRUE(kind.accepts(kind.dimension));
  }
}

TEST(Units, AnglesAreNotPlainNumbers) {
  EXPECT_FALSE(kinds::length.accepts(unit("deg").dimension));
  EXPECT_FALSE(kinds::angular_speed.accepts(unit("Hz").dimension));  // 2 Hz is not 2 rad/s
  EXPECT_TRUE(kinds::angular_stiffness.accepts(unit("N*m").dimension));
  EXPECT_TRUE(kinds::angular_stiffness.accepts(unit("N*m/deg").dimension));
  EXPECT_TRUE(kinds::pitch.accepts(unit("mm/rev").dimension));
}

TEST(Units, PrintTheirDimension) {
  EXPECT_EQ(unit("N").dimension.str(), "kg*m/s^2");
  EXPECT_EQ(unit("N*s/mm").dimension.str(), "kg/s");
  EXPECT_EQ(unit("1/s").dimension.str(), "1/s");
  EXPECT_EQ(unit("1").dimension.str(), "1");
  EXPECT_EQ(unit("N*m/rad").dimension.str(), "kg*m^2/(rad*s^2)");
}

TEST(Units, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(problem_of("kgs").what, "unknown unit 'kgs'");
  EXPECT_EQ(problem_of("kgs").fix, "did you mean 'kg'?");
  EXPECT_EQ(problem_of("N*metre").offset, 2u);
  EXPECT_EQ(problem_of("N*").what, "expected a unit");
  EXPECT_EQ(problem_of("m^x").what, "expected a whole power of the unit");
  EXPECT_EQ(problem_of("m^99999999999").what, "expected a whole power of the unit");
  EXPECT_EQ(problem_of("m s").what, "expected * or / between units");
  EXPECT_EQ(problem_of("").what, "expected a unit");
  EXPECT_EQ(problem_of("nm^12*nm^12*nm^12").what, "the unit is out of range");
}

}  // namespace
}  // namespace couplet::formats
