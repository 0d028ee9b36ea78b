#include "couplet/base/diagnostics.hpp"

#include <gtest/gtest.h>

#include "couplet/base/text.hpp"

namespace couplet::base {
namespace {

TEST(Diagnostics, SayWhatWhereAndFix) {
  Diagnostics diagnostics;
  const auto file = FileName("robot.yaml");
  diagnostics.warning({file, 3, 1}, "unused");
  diagnostics.error({file, 12, 7}, "body 'arm' has mass -1 kg", "give a mass > 0");
  try {
    diagnostics.check();
    FAIL() << "errors must throw";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "robot.yaml:3:1: warning: unused\n"
                 "robot.yaml:12:7: error: body 'arm' has mass -1 kg\n  fix: give a mass > 0");
    EXPECT_EQ(error.diagnostics().size(), 2u);
  }
}

TEST(Diagnostics, StopAfterFiftyErrors) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1000; ++i) diagnostics.error({}, "wrong");
  EXPECT_TRUE(diagnostics.full());
  EXPECT_EQ(diagnostics.list().size(), 50u);
}

TEST(Text, NearestNameForgivesTyposOnly) {
  const std::vector<std::string> names = {"revolute", "prismatic", "mass", "com"};
  EXPECT_EQ(find_nearest("revolut", names), "revolute");
  EXPECT_EQ(find_nearest("Msas", names), "mass");
  EXPECT_EQ(find_nearest("stiffness", names), std::nullopt);
  EXPECT_EQ(find_nearest(std::string(100000, 'x'), names), std::nullopt);
}

TEST(Text, NumbersAreWholeAndLocaleFree) {
  EXPECT_EQ(parse_double("1.5e3"), 1500.0);
  EXPECT_EQ(parse_double("+2"), 2.0);
  EXPECT_EQ(parse_double("1,5"), std::nullopt);
  EXPECT_EQ(parse_double("1 "), std::nullopt);
  EXPECT_EQ(parse_double(""), std::nullopt);
  EXPECT_EQ(parse_double("1e999"), std::nullopt);
}

}  // namespace
}  // namespace couplet::base
