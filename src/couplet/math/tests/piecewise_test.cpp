// Interpolation against the functions that the points were taken from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "couplet/math/piecewise_bounds.hpp"

namespace couplet::math {
namespace {

using std::numbers::pi;
using Numbers = std::vector<double>;

const Numbers uneven{-1, -0.7, 0.2, 0.3, 1.1, 1.8, 2};

template <class F>
Numbers values(const Numbers& x, F f) {
  Numbers y;
  for (const double at : x) y.push_back(f(at));
  return y;
}

TEST(Piecewise, StraightLinesAreExactWithEveryRule) {
  const auto line = [](double x) { return 3 - 2 * x; };
  const Numbers y = values(uneven, line);
  for (const SlopeRule rule : {SlopeRule::akima, SlopeRule::modified_akima,
                               SlopeRule::fritsch_butland, SlopeRule::steffen, SlopeRule::spline}) {
    const auto f =
        PiecewisePolynomial::through(uneven, y, calc_slopes(uneven, y, rule), Outside::continued);
    for (double x = -3; x < 4; x += 0.037) EXPECT_NEAR(f(x), line(x), 1e-14 * 10);
    EXPECT_TRUE(f.kinks().empty());
  }
}

// What bounds say is met by the function and never passed, with few pieces and with many.
TEST(Piecewise, BoundsAreThoseOfAllValues) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < 200; ++i) {
    Numbers x{0}, y;
    const int n = 2 + i % 40;
    while (static_cast<int>(x.size()) < n) x.push_back(x.back() + 1.01 + uniform(random));
    y = values(x, [&](double) { return uniform(random); });
    const Numbers slopes = i % 3 == 0 ? Numbers{} : calc_slopes(x, y, SlopeRule::steffen);
    if (i % 4 == 0) y.back() = y.front();
    const auto f = i % 4 == 0 ? PiecewisePolynomial::periodic(x, y, slopes)
                              : PiecewisePolynomial::through(x, y, slopes,
                                                             i % 4 == 1   ? Outside::refused
                                                             : i % 4 == 2 ? Outside::held
                                                                          : Outside::continued);
    for (const auto& p : {f, f.derivative()}) {
      const PiecewiseBounds bounds(p);
      for (int k = 0; k < 20; ++k) {
        double a = x.back() * (0.5 + uniform(random)), b = x.back() * (0.5 + uniform(random));
        if (a > b) std::swap(a, b);
        if (k == 0) a = b = x[x.size() / 2];
        const auto [low, high] = bounds.range(a, b);
        double least = INFINITY, most = -INFINITY;
        for (int s = 0; s <= 4000; ++s) {
          const double value = p(a + (b - a) * s / 4000);
          if (std::isnan(value)) continue;
          least = std::min(least, value), most = std::max(most, value);
        }
        if (least > most) continue;  // no value at all
        EXPECT_LE(low, least + 1e-12);
        EXPECT_GE(high, most - 1e-12);
        if (slopes.empty() || &p != &f) continue;
        EXPECT_NEAR(low, least, 0.2);
        EXPECT_NEAR(high, most, 0.2);
      }
    }
  }
}

TEST(Piecewise, TheSplineIsExactOnCubics) {
  const auto cubic = [](double x) { return 1 + x * (2 + x * (-3 + 0.7 * x)); };
  const auto slope = [](double x) { return 2 + x * (-6 + 2.1 * x); };
  for (size_t n = 4; n <= uneven.size(); ++n) {
    const Numbers x(uneven.begin(), uneven.begin() + static_cast<long>(n));
    const Numbers y = values(x, cubic);
    const auto f =
        PiecewisePolynomial::through(x, y, calc_slopes(x, y, SlopeRule::spline), Outside::refused);
    const auto df = f.derivative();
    for (double at = x.front(); at < x.back(); at += 0.0173) {
      EXPECT_NEAR(f(at), cubic(at), 1e-13);
      EXPECT_NEAR(df(at), slope(at), 1e-12);
    }
  }
  const Numbers x{0, 1, 3}, y{0, 1, 9};  // three points: one parabola
  const auto f =
      PiecewisePolynomial::through(x, y, calc_slopes(x, y, SlopeRule::spline), Outside::refused);
  EXPECT_NEAR(f(2), 4, 1e-14);
}

// Halving the step divides the error of lines by 4, of the spline by 16; on a circle, too.
TEST(Piecewise, ErrorsShrinkWithTheOrderOfTheRule) {
  const auto error = [](int n, bool is_cubic, bool is_periodic) {
    Numbers x, y;
    for (int i = 0; i <= n; ++i) x.push_back(2 * pi * i / n), y.push_back(std::sin(x.back() + 1));
    y.back() = is_periodic ? y.front() : y.back();
    const Numbers none;
    const Numbers slopes = !is_cubic     ? none
                           : is_periodic ? calc_periodic_slopes(x, y, SlopeRule::spline)
                                         : calc_slopes(x, y, SlopeRule::spline);
    const auto f = is_periodic ? PiecewisePolynomial::periodic(x, y, slopes)
                               : PiecewisePolynomial::through(x, y, slopes, Outside::refused);
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
      const double at = 2 * pi * i / 1000 + (is_periodic ? 2 * pi * (i % 7 - 3) : 0);
      worst = std::max(worst, std::abs(f(at) - std::sin(at + 1)));
    }
    return worst;
  };
  for (const bool is_periodic : {false, true}) {
    EXPECT_NEAR(std::log2(error(40, false, is_periodic) / error(80, false, is_periodic)), 2, 0.1);
    EXPECT_NEAR(std::log2(error(40, true, is_periodic) / error(80, true, is_periodic)), 4, 0.3);
  }
}

TEST(Piecewise, DerivativesAreThoseOfTheFunction) {
  const Numbers y = values(uneven, [](double x) { return std::exp(-x) * std::sin(3 * x); });
  const auto f = PiecewisePolynomial::through(uneven, y, calc_slopes(uneven, y, SlopeRule::spline),
                                              Outside::continued);
  const auto df = f.derivative(), ddf = df.derivative();
  const double h = 1e-5;
  for (double x = -2; x < 3; x += 0.0517) {
    EXPECT_NEAR(df(x), (f(x + h) - f(x - h)) / (2 * h), 1e-7);  // error h²·f''' with f''' < 300
    if (std::abs(x + 1) > h && std::abs(x - 2) > h) {
      EXPECT_NEAR(ddf(x), (df(x + h) - df(x - h)) / (2 * h), 3e-3);
    }
  }
  EXPECT_FALSE(ddf.derivative().is_zero());
  EXPECT_TRUE(ddf.derivative().derivative().is_zero());
}

TEST(Piecewise, MonotoneAndAkimaDoNotOvershootAStep) {
  const Numbers x{0, 1, 2, 3, 4, 5, 6, 7}, y{0, 0, 0, 0, 1, 1, 1, 1};
  const auto overshoot = [&](SlopeRule rule) {
    const auto f = PiecewisePolynomial::through(x, y, calc_slopes(x, y, rule), Outside::refused);
    double worst = 0;
    for (double at = 0; at <= 7; at += 0.01) worst = std::max({worst, f(at) - 1, -f(at)});
    return worst;
  };
  EXPECT_LE(overshoot(SlopeRule::akima), 1e-15);
  EXPECT_LE(overshoot(SlopeRule::steffen), 1e-15);
  EXPECT_GT(overshoot(SlopeRule::spline), 0.05);  // what the others are for
}

TEST(Piecewise, BeyondTheEndsItIsRefusedHeldOrContinued) {
  const Numbers x{0, 1, 2}, y{0, 1, 4};
  const auto at = [&](Outside outside, double where) {
    return PiecewisePolynomial::through(x, y, {}, outside)(where);
  };
  EXPECT_TRUE(std::isnan(at(Outside::refused, -0.1)) && std::isnan(at(Outside::refused, 2.1)));
  EXPECT_EQ(at(Outside::refused, 0), 0);
  EXPECT_EQ(at(Outside::refused, 2), 4);
  EXPECT_EQ(at(Outside::held, -5), 0);
  EXPECT_EQ(at(Outside::held, 5), 4);
  EXPECT_EQ(at(Outside::continued, -5), -5);
  EXPECT_EQ(at(Outside::continued, 5), 13);
  EXPECT_TRUE(std::isnan(at(Outside::held, NAN)));
}

TEST(Piecewise, KinksAreWhereADerivativeJumps) {
  const Numbers x{0, 1, 2, 3, 4}, y{0, 1, 2, 4, 6};
  const auto orders = [](const PiecewisePolynomial& f) {
    std::vector<std::pair<double, int>> list;
    for (const Kink& kink : f.kinks()) list.emplace_back(kink.at, kink.order);
    return list;
  };
  using List = std::vector<std::pair<double, int>>;
  const auto lines = PiecewisePolynomial::through(x, y, {}, Outside::held);
  EXPECT_EQ(orders(lines), (List{{0, 1}, {2, 1}, {4, 1}}));
  EXPECT_EQ(orders(lines.derivative()), (List{{0, 0}, {2, 0}, {4, 0}}));
  const auto spline =
      PiecewisePolynomial::through(x, y, calc_slopes(x, y, SlopeRule::spline), Outside::continued);
  for (const Kink& kink : spline.kinks())  // the ends leave a curve by a line
    EXPECT_EQ(kink.order, kink.at == 0 || kink.at == 4 ? 2 : 3);
  const Numbers around{0, 1, 2, 1, 0};
  EXPECT_EQ(orders(PiecewisePolynomial::periodic(x, around, {})), (List{{0, 1}, {2, 1}}));
}

TEST(Piecewise, MapsAreExactOnBilinearFunctions) {
  const auto f = [](double x, double y) { return 1 + 2 * x - 3 * y + 0.5 * x * y; };
  BilinearMap map{{0, 1, 3}, {-1, 0, 2, 5}, {}, Outside::continued};
  for (const double x : map.x)
    for (const double y : map.y) map.z.push_back(f(x, y));
  BilinearMap dx = map, dy = map, dxy = map;
  dx.x_order = dy.y_order = dxy.x_order = dxy.y_order = 1;
  for (double x = -2; x < 5; x += 0.31)
    for (double y = -3; y < 7; y += 0.37) {
      EXPECT_NEAR(map(x, y), f(x, y), 1e-13 * 10);
      EXPECT_NEAR(dx(x, y), 2 + 0.5 * y, 1e-13 * 10);
      EXPECT_NEAR(dy(x, y), -3 + 0.5 * x, 1e-13 * 10);
      EXPECT_NEAR(dxy(x, y), 0.5, 1e-13);
    }
  map.outside = dx.outside = Outside::held;
  EXPECT_NEAR(map(9, -4), f(3, -1), 1e-14 * 10);
  EXPECT_EQ(dx(9, 0), 0);
  map.outside = Outside::refused;
  EXPECT_TRUE(std::isnan(map(3.1, 0)));
  EXPECT_EQ(map(3, 5), f(3, 5));
}

}  // namespace
}  // namespace couplet::math
