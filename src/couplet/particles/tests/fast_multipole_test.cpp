// The fast multipole method against the sum over pairs, on sets that are meant to be hard.
#include "couplet/particles/fast_multipole.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "couplet/base/diagnostics.hpp"

namespace couplet::particles {
namespace {

using Generator = std::mt19937_64;

double uniform(Generator& generator) {
  return std::uniform_real_distribution<double>(0, 1)(generator);
}
Eigen::Vector3d gaussian(Generator& generator) {
  std::normal_distribution<double> normal;
  const double x = normal(generator), y = normal(generator), z = normal(generator);
  return {x, y, z};
}

struct Shape {
  const char* name;
  Eigen::Vector3d (*make)(Generator&, int i);
};
constexpr Shape shapes[] = {
    {"cube",
     [](Generator& g, int) {
       const double x = uniform(g), y = uniform(g);
       return Eigen::Vector3d(x, y, uniform(g));
     }},
    {"sphere", [](Generator& g, int) { return Eigen::Vector3d(gaussian(g).normalized()); }},
    {"line", [](Generator& g, int) { return Eigen::Vector3d(uniform(g), 0.25, 0); }},
    {"grid, some at the same place",
     [](Generator& g, int) {
       const auto cell = [&] { return std::floor(uniform(g) * 32) / 32; };
       const double x = cell(), y = cell();
       return Eigen::Vector3d(x, y, cell());
     }},
    {"long tails",
     [](Generator& g, int) {
       const double r = 0.1 / std::cbrt(uniform(g));
       return Eigen::Vector3d(r * gaussian(g).normalized());
     }},
    {"two clusters",
     [](Generator& g, int i) {
       return Eigen::Vector3d(0.01 * gaussian(g) + (i % 2) * Eigen::Vector3d(1, 0.3, 0.2));
     }},
    {"one far away",
     [](Generator& g, int i) {
       return i == 0 ? Eigen::Vector3d(-1e4, 3, 5) : Eigen::Vector3d(gaussian(g));
     }},
};

struct Strength {
  const char* name;
  double (*make)(Generator&, int i);
};
constexpr Strength strengths[] = {
    {"masses", [](Generator& g, int) { return uniform(g); }},
    {"neutral", [](Generator&, int i) { return i % 2 ? 1.0 : -1.0; }},
    {"from 1e-12 to 1e12",
     [](Generator& g, int) {
       const double sign = uniform(g) - 0.5;
       return sign * std::pow(10.0, 24 * uniform(g) - 12);
     }},
};

struct Set {
  Positions x;
  Eigen::VectorXd q;
};
Set make_set(const Shape& shape, const Strength& strength, int n) {
  Generator generator(7);
  Set set{Positions(3, n), Eigen::VectorXd(n)};
  for (int i = 0; i < n; ++i) {
    set.x.col(i) = shape.make(generator, i);
    set.q[i] = strength.make(generator, i);
  }
  return set;
}

double relative(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return b.norm() == 0 ? a.norm() : (a - b).norm() / b.norm();
}

TEST(FastMultipole, KeepsItsToleranceOnHardSets) {
  for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
    // Leaves of few particles: so many expansions are at work.
    FastMultipole fmm({.tolerance = tolerance, .most_in_leaf = 15});
    for (const Shape& shape : shapes)
      for (const Strength& strength : strengths) {
        const Set set = make_set(shape, strength, 2000);
        Field exact, field;
        calc_direct(set.x, set.q, 0, exact);
        fmm.calc(set.x, set.q, field);
        const std::string which =
            fmt::format("{}, {}, tolerance {}", shape.name, strength.name, tolerance);
        EXPECT_LT(relative(field.potential, exact.potential), tolerance) << which;
        EXPECT_LT(relative(field.gradient, exact.gradient), tolerance) << which;
      }
  }
}

// The direct sum itself against plain arithmetic in extended precision.
TEST(DirectSum, IsExactToRoundOff) {
  const Set set = make_set(shapes[0], strengths[0], 203);  // no multiple of a register
  for (const double scale : {1e-140, 1e-9, 1.0, 1e120})
    for (const double softening : {0.0, 0.1}) {
      Field field;
      calc_direct(scale * set.x, set.q, softening * scale, field);
      for (int i = 0; i < set.q.size(); i += 7) {
        long double potential = 0, gradient = 0;
        for (int j = 0; j < set.q.size(); ++j) {
          if (i == j) continue;
          long double r2 = static_cast<long double>(softening) * softening;
          for (int k = 0; k < 3; ++k) {
            const long double d = static_cast<long double>(set.x(k, i)) - set.x(k, j);
            r2 += d * d;
          }
          const long double r = std::sqrt(r2);
          potential += set.q[j] / r;
          gradient -= set.q[j] * (static_cast<long double>(set.x(0, i)) - set.x(0, j)) / (r * r2);
        }
        EXPECT_NEAR(field.potential[i] * scale, static_cast<double>(potential),
                    2e-14 * std::abs(static_cast<double>(potential)));
        EXPECT_NEAR(field.gradient(0, i) * scale * scale, static_cast<double>(gradient), 2e-12);
      }
    }
}

// Σ q ∇φ = 0: action and reaction, which the sum over pairs has exactly and expansions to their
// tolerance.
TEST(FastMultipole, ForcesBalance) {
  const Set set = make_set(shapes[4], strengths[0], 5000);
  Field field;
  FastMultipole fmm({.tolerance = 1e-8});
  fmm.calc(set.x, set.q, field);
  const Eigen::Vector3d sum = field.gradient * set.q;
  EXPECT_LT(sum.norm(), 1e-8 * (field.gradient.colwise().norm() * set.q).norm());
}

// A shell of even charge: no field inside, that of its centre outside (Newton).
TEST(FastMultipole, AShellActsAsNewtonFound) {
  constexpr int n = 20000, outside = 50;
  Positions x(3, n + 2 * outside);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(n + 2 * outside);
  for (int i = 0; i < n; ++i) {  // Fibonacci's lattice: even to O(1/n)
    const double z = 1 - (2 * i + 1.0) / n, phi = i * M_PI * (3 - std::sqrt(5.0)),
                 r = std::sqrt(1 - z * z);
    x.col(i) = Eigen::Vector3d(r * std::cos(phi), r * std::sin(phi), z);
    q[i] = 1.0 / n;
  }
  Generator generator(3);
  for (int i = 0; i < outside; ++i) {
    x.col(n + i) = 0.7 * uniform(generator) * gaussian(generator).normalized();
    x.col(n + outside + i) = (1.5 + uniform(generator)) * gaussian(generator).normalized();
  }
  Field field;
  FastMultipole fmm({.tolerance = 1e-8});
  fmm.calc(x, q, field);
  for (int i = 0; i < outside; ++i) {
    EXPECT_NEAR(field.potential[n + i], 1, 1e-5);
    EXPECT_LT(field.gradient.col(n + i).norm(), 1e-4);
    const Eigen::Vector3d far = x.col(n + outside + i);
    EXPECT_NEAR(field.potential[n + outside + i], 1 / far.norm(), 1e-6);
    EXPECT_LT((field.gradient.col(n + outside + i) + far / std::pow(far.norm(), 3)).norm(), 1e-6);
  }
}

TEST(FastMultipole, SoftensAsTheSumDoes) {
  const Set set = make_set(shapes[0], strengths[0], 4000);
  for (const double softening : {1e-5, 1e-4, 1e-3, 0.03, 3.0}) {
    Field exact, field;
    calc_direct(set.x, set.q, softening, exact);
    FastMultipole fmm({.tolerance = 1e-5, .softening = softening, .most_in_leaf = 15});
    fmm.calc(set.x, set.q, field);
    EXPECT_LT(relative(field.potential, exact.potential), 1e-5) << softening;
    EXPECT_LT(relative(field.gradient, exact.gradient), 1e-5) << softening;
  }
}

TEST(FastMultipole, FewParticles) {
  Field field;
  FastMultipole fmm({});
  fmm.calc(Positions(3, 0), Eigen::VectorXd(0), field);
  EXPECT_EQ(field.potential.size(), 0);
  fmm.calc(Eigen::Vector3d(1, 2, 3), Eigen::VectorXd::Ones(1), field);
  EXPECT_EQ(field.potential[0], 0);
  EXPECT_EQ(field.gradient.norm(), 0);

  Positions two(3, 2);
  two << 0, 3, 0, 4, 0, 0;
  fmm.calc(two, Eigen::Vector2d(2, -5), field);
  EXPECT_DOUBLE_EQ(field.potential[0], -1);
  EXPECT_DOUBLE_EQ(field.potential[1], 0.4);
  EXPECT_NEAR(field.gradient(0, 0), -5.0 / 25 * 0.6, 1e-16);

  const Positions same = Positions::Constant(3, 5000, 0.3);
  fmm.calc(same, Eigen::VectorXd::Ones(5000), field);
  EXPECT_EQ(field.potential.norm(), 0);
}

TEST(FastMultipole, RefusesWhatIsNoNumber) {
  Field field;
  FastMultipole fmm({});
  Positions x = Positions::Random(3, 10);
  Eigen::VectorXd q = Eigen::VectorXd::Ones(10);
  EXPECT_THROW(fmm.calc(x, Eigen::VectorXd::Ones(9), field), base::UserError);
  q[3] = NAN;
  EXPECT_THROW(fmm.calc(x, q, field), base::ComputationError);
  q[3] = 1;
  x(1, 7) = INFINITY;
  EXPECT_THROW(fmm.calc(x, q, field), base::ComputationError);
  EXPECT_THROW(FastMultipole({.tolerance = 1e-13}), base::UserError);
  EXPECT_THROW(FastMultipole({.softening = -1})
                   .calc(Positions::Random(3, 10), Eigen::VectorXd::Ones(10), field),
               base::UserError);
}

// Every pair is in exactly one list: with all strengths 1 and kernels that only count.
TEST(Octree, HoldsEveryParticleOnce) {
  const Set set = make_set(shapes[4], strengths[0], 3000);
  Octree tree;
  tree.build(set.x, 20);
  std::vector<int> seen(3000, 0);
  for (const Box& box : tree.boxes())
    if (box.is_leaf())
      for (int i = box.first; i < box.last; ++i)
        ++seen[static_cast<size_t>(tree.order()[static_cast<size_t>(i)])];
  for (const int times : seen) EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace couplet::particles
