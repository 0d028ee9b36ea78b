// The kernels' own sine and cosine, against the library's in long double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "couplet/dynamics/minimal/kernels.hpp"

namespace couplet::dynamics {
namespace {

struct SineAndCosine {
  std::vector<double> cosine, sine;
};
SineAndCosine evaluate(const Kernels& kernels, std::vector<double> angles) {
  const size_t count = angles.size(), padded = (count + 3) / 4 * 4;
  angles.resize(padded);
  SineAndCosine out{std::vector<double>(padded), std::vector<double>(padded)};
  kernels.sincos(static_cast<int>(count), angles.data(), out.cosine.data(), out.sine.data());
  return out;
}

std::vector<const Kernels*> tables() {
  std::vector<const Kernels*> tables{&portable_kernels()};
  if (&kernels() != tables[0]) tables.push_back(&kernels());  // only where this machine has it
  return tables;
}

double ulps(double x, long double exact) {
  const double rounded = static_cast<double>(exact);
  const double ulp = std::nextafter(std::fabs(rounded), HUGE_VAL) - std::fabs(rounded);
  return static_cast<double>(std::fabs(static_cast<long double>(x) - exact) / ulp);
}

std::vector<double> many_angles() {
  std::mt19937_64 random(5);
  std::vector<double> angles;
  for (const double limit : {1e-8, 1e-3, 1.0, 4.0, 100.0, 1e5}) {
    std::uniform_real_distribution<double> uniform(-limit, limit);
    for (int i = 0; i < 20000; ++i) angles.push_back(uniform(random));
  }
  for (int k = -60000; k <= 60000; k += 7) {  // next to where one of them vanishes
    const double angle = k * M_PI_2;
    angles.insert(angles.end(), {angle, std::nextafter(angle, 1e9), std::nextafter(angle, -1e9)});
  }
  return angles;
}

TEST(Sincos, IsWithinOneAndAHalfUlpUpTo1e5) {
  const std::vector<double> angles = many_angles();
  for (const Kernels* table : tables()) {
    const SineAndCosine out = evaluate(*table, angles);
    double worst = 0;
    for (size_t i = 0; i < angles.size(); ++i) {
      worst = std::max(worst, ulps(out.sine[i], sinl(static_cast<long double>(angles[i]))));
      worst = std::max(worst, ulps(out.cosine[i], cosl(static_cast<long double>(angles[i]))));
    }
    EXPECT_LT(worst, 1.5) << table->name;
  }
}

TEST(Sincos, OfZeroIsExact) {
  for (const Kernels* table : tables()) {
    const SineAndCosine out = evaluate(*table, {0.0, -0.0, 4e-324});
    for (const int i : {0, 1, 2}) EXPECT_EQ(out.cosine[i], 1) << table->name;
    for (const int i : {0, 1}) EXPECT_EQ(out.sine[i], 0) << table->name;
    EXPECT_EQ(out.sine[2], 4e-324) << table->name;
  }
}

TEST(Sincos, LeavesLargeAnglesToTheLibrary) {
  const std::vector<double> angles{1.0, 1.0000001e5, -3e7, 1e22, 2.0, 1e300};
  for (const Kernels* table : tables()) {
    const SineAndCosine out = evaluate(*table, angles);
    for (size_t i = 0; i < angles.size(); ++i) {
      EXPECT_NEAR(out.sine[i], std::sin(angles[i]), 3e-16) << table->name << " " << angles[i];
      EXPECT_NEAR(out.cosine[i], std::cos(angles[i]), 3e-16) << table->name << " " << angles[i];
    }
  }
}

TEST(Sincos, GivesNanForWhatIsNoAngleAndSparesTheOthers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> angles{0.5, std::nan(""), infinity, -infinity, 0.5};
  for (const Kernels* table : tables()) {
    const SineAndCosine out = evaluate(*table, angles);
    for (const int i : {1, 2, 3})
      EXPECT_TRUE(std::isnan(out.sine[i]) && std::isnan(out.cosine[i])) << table->name << " " << i;
    for (const int i : {0, 4}) EXPECT_NEAR(out.sine[i], std::sin(0.5), 1e-16) << table->name;
  }
}

}  // namespace
}  // namespace couplet::dynamics
