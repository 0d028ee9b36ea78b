#include "couplet/results/tube.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace couplet::results {
namespace {

// A ramp to 1 and back over 10 s: half width 0.02 s, half height 0.002.
const std::vector<double> times{0, 5, 10}, ramp{0, 1, 0};

TEST(Tube, ForgivesHeightAndTime) {
  const std::vector<double> t{2.5, 7.5}, inside{0.5 + 0.0059, 0.5 - 0.0059},
      outside{0.5 + 0.0061, 0.5};
  EXPECT_TRUE(compare_with_tube(times, ramp, t, inside).inside);  // 0.002 + 0.02 s · 0.2 / s
  const TubeResult r = compare_with_tube(times, ramp, t, outside);
  EXPECT_FALSE(r.inside);
  EXPECT_EQ(r.time, 2.5);
}

TEST(Tube, AJumpMayComeALittleLater) {
  const std::vector<double> t{0, 1, 1, 2}, y{0, 0, 1, 1};
  EXPECT_TRUE(compare_with_tube(t, y, std::vector{1.003}, std::vector{0.0}).inside);
  EXPECT_FALSE(compare_with_tube(t, y, std::vector{1.005}, std::vector{0.0}).inside);
}

TEST(Tube, WhatComesAfterTheReferenceDoesNotCount) {
  EXPECT_TRUE(compare_with_tube(times, ramp, std::vector{11.0}, std::vector{7.0}).inside);
}

}  // namespace
}  // namespace couplet::results
