// The kernel that joins subsystems, and the tree along which it does, on graphs of random parts.
#include "couplet/dynamics/substructure/assembly.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <random>

namespace couplet::dynamics {
namespace {

using math::MatX;
using math::VecX;

std::vector<std::vector<int>> chain(int n) {  // the first part is on the world
  std::vector<std::vector<int>> ties{{0}};
  for (int k = 1; k < n; ++k) ties.push_back({k - 1, k});
  return ties;
}

size_t most_handles(const AssemblyTree& tree) {
  size_t most = 0;
  for (const AssemblyNode& node : tree.nodes) most = std::max(most, node.handles.size());
  return most;
}

TEST(AssemblyTree, OfAChainIsBalancedWithTwoHandles) {
  for (int n = 1; n <= 5000; n = n < 70 ? n + 1 : 3 * n / 2) {
    const AssemblyTree tree = make_assembly_tree(n, chain(n));
    EXPECT_LE(tree.depth, 1.5 * std::log2(n) + 2) << n;
    EXPECT_LE(most_handles(tree), 2u) << n;
    EXPECT_EQ(tree.roots.size(), 1u);
  }
}

// Whatever hangs on whatever: a multiple of the logarithm, and no more handles than in a chain. The
// degree of a part is at most five here (parts.hpp divides bodies with more).
TEST(AssemblyTree, OfATreeIsOfLogarithmicDepthWithTwoHandles) {
  std::mt19937 random(1);
  for (const int n : {10, 100, 1000, 10000}) {
    std::vector<std::vector<int>> ties{{0}};
    std::vector<int> degree(static_cast<size_t>(n), 0);
    for (int k = 1; k < n; ++k) {
      int parent = static_cast<int>(random() % static_cast<unsigned>(k));
      while (degree[static_cast<size_t>(parent)] == 5)
        parent = static_cast<int>(random() % static_cast<unsigned>(k));
      ++degree[static_cast<size_t>(parent)], ++degree[static_cast<size_t>(k)];
      ties.push_back({parent, k});
    }
    const AssemblyTree tree = make_assembly_tree(n, ties);
    EXPECT_LE(tree.depth, 3 * std::log2(n) + 3) << n;
    EXPECT_LE(most_handles(tree), 2u) << n;
  }
}

// Loops side by side, each hanging on the one before: a ladder. Four handles, two at either end.
TEST(AssemblyTree, OfALadderIsOfLogarithmicDepthWithFourHandles) {
  for (const int rungs : {10, 100, 1000}) {
    std::vector<std::vector<int>> ties{{0}, {1}};
    for (int k = 0; k < rungs; ++k) {
      ties.push_back({2 * k, 2 * k + 1});
      for (int side = 0; side < 2 && k > 0; ++side)
        ties.push_back({2 * k - 2 + side, 2 * k + side});
    }
    const AssemblyTree tree = make_assembly_tree(2 * rungs, ties);
    EXPECT_LE(tree.depth, 2 * std::log2(2 * rungs) + 4) << rungs;
    EXPECT_LE(most_handles(tree), 4u) << rungs;
  }
}

TEST(AssemblyTree, ClosesEveryTieOnceWhereAllItsPartsAre) {
  std::mt19937 random(2);
  const int n = 60;
  std::vector<std::vector<int>> ties = chain(n);
  for (int k = 0; k < 15; ++k) {  // loops, some between four parts
    std::vector<int> parts;
    while (parts.size() < (k % 3 == 0 ? 4u : 2u))
      if (const int part = static_cast<int>(random() % n);
          std::find(parts.begin(), parts.end(), part) == parts.end())
        parts.push_back(part);
    ties.push_back(parts);
  }
  const AssemblyTree tree = make_assembly_tree(n, ties);
  std::vector<int> closed(ties.size(), 0);
  std::vector<std::vector<int>> inside(tree.nodes.size());
  for (size_t k = 0; k < tree.nodes.size(); ++k) {
    const AssemblyNode& node = tree.nodes[k];
    if (node.part >= 0) inside[k] = {node.part};
    for (const int child : {node.left, node.right})
      if (child >= 0)
        inside[k].insert(inside[k].end(), inside[static_cast<size_t>(child)].begin(),
                         inside[static_cast<size_t>(child)].end());
    for (const int tie : node.ties) {
      ++closed[static_cast<size_t>(tie)];
      for (const int part : ties[static_cast<size_t>(tie)])
        EXPECT_NE(std::find(inside[k].begin(), inside[k].end(), part), inside[k].end());
    }
  }
  for (const int times : closed) EXPECT_EQ(times, 1);
  ASSERT_EQ(tree.roots.size(), 1u);
  EXPECT_EQ(inside[static_cast<size_t>(tree.roots.front())].size(), static_cast<size_t>(n));
}

/// Random parts and ties, and the same as one dense system.
struct Sample {
  int parts;
  std::vector<Tie> ties;
  Assembly assembly;
  VecX f, gamma;
  MatX Phi, R;

  Sample(int n, std::vector<Tie> given, unsigned seed)
      : parts(n), ties(std::move(given)), assembly(n, ties) {
    std::srand(seed);
    const auto rows = assembly.rows();
    f = VecX::Random(6 * n), gamma = VecX::Random(rows);
    Phi = MatX::Zero(6 * n, 6 * n), R = MatX::Zero(rows, 6 * n);
    for (int p = 0; p < n; ++p) {
      const math::Mat3 A = math::Mat3::Random();
      assembly.part(p).turns = A * A.transpose() + 0.1 * math::Mat3::Identity();
      assembly.part(p).slides = 0.5 + std::abs(math::Vec3::Random().x());
      Phi.block<3, 3>(6 * p, 6 * p) = assembly.part(p).turns;
      Phi.block<3, 3>(6 * p + 3, 6 * p + 3).diagonal().setConstant(assembly.part(p).slides);
    }
    int first = 0;
    for (int t = 0; t < static_cast<int>(ties.size()); ++t) {
      const Tie& tie = ties[static_cast<size_t>(t)];
      for (int end = 0; end < static_cast<int>(tie.parts.size()); ++end)
        for (int r = 0; r < tie.rows; ++r) {
          Eigen::Map<math::Vec6> row(assembly.row(t, end, r));
          row = math::Vec6::Random();
          R.block<1, 6>(first + r, 6 * tie.parts[static_cast<size_t>(end)]) = row.transpose();
        }
      first += tie.rows;
    }
  }

  /// Repeats row r of tie `from` as that of tie `to`, between the same parts.
  void repeat(int from, int to, int r, double factor) {
    int first_from = 0, first_to = 0;
    for (int t = 0; t < from; ++t) first_from += ties[static_cast<size_t>(t)].rows;
    for (int t = 0; t < to; ++t) first_to += ties[static_cast<size_t>(t)].rows;
    for (int end = 0; end < static_cast<int>(ties[static_cast<size_t>(to)].parts.size()); ++end)
      for (int i = 0; i < 6; ++i)
        assembly.row(to, end, r)[i] = factor * assembly.row(from, end, r)[i];
    R.row(first_to + r) = factor * R.row(first_from + r);
    gamma[first_to + r] = factor * gamma[first_from + r];
  }

  /// The largest error of accelerations, and of rows.
  double error() {
    assembly.factorise();
    VecX a(6 * parts), lambda(assembly.rows());
    assembly.solve({f.data(), static_cast<size_t>(f.size())},
                   {gamma.data(), static_cast<size_t>(gamma.size())},
                   {a.data(), static_cast<size_t>(a.size())},
                   {lambda.data(), static_cast<size_t>(lambda.size())});
    const MatX A = R * Phi * R.transpose();
    const VecX free = Phi * f, missing = R * free + gamma;
    const VecX expected =
        free - Phi * (R.transpose() * A.completeOrthogonalDecomposition().solve(missing));
    return std::max((a - expected).lpNorm<Eigen::Infinity>() / expected.lpNorm<Eigen::Infinity>(),
                    (R * a + gamma).lpNorm<Eigen::Infinity>());
  }
};

std::vector<Tie> chain_of_joints(int n) {
  std::vector<Tie> ties{{5, {0}}};
  for (int k = 1; k < n; ++k) ties.push_back({k % 4 + 2, {k - 1, k}});
  return ties;
}

// The condition of these systems is below 1e4.
TEST(Assembly, SolvesWhatTheWholeSystemSolves) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const int n = 2 + static_cast<int>(seed) * 2;
    EXPECT_LT(Sample(n, chain_of_joints(n), seed).error(), 1e-11) << seed;
    std::vector<Tie> loops = chain_of_joints(n);
    loops.push_back({1, {0, n - 1}});
    if (n > 6) loops.push_back({1, {1, 3, 5, n - 1}});
    EXPECT_LT(Sample(n, loops, seed).error(), 1e-11) << seed;
  }
}

// Parts in two groups that have nothing to do with each other, one part alone, and one tie that
// holds nothing.
TEST(Assembly, SolvesWhatDoesNotHangTogether) {
  std::vector<Tie> ties{{3, {0, 1}}, {4, {2}}, {2, {2, 3}}};
  EXPECT_LT(Sample(5, ties, 3).error(), 1e-13);
}

// Whatever is asked twice, in the same node or in two, is done once; accelerations are the same.
TEST(Assembly, LeavesOutRowsThatDependOnOthers) {
  const int n = 8;
  std::vector<Tie> ties = chain_of_joints(n);
  const int doubled = static_cast<int>(ties.size());
  ties.push_back({ties[3].rows, ties[3].parts});
  ties.push_back({ties[6].rows, ties[6].parts});
  Sample sample(n, ties, 5);
  for (int r = 0; r < ties[3].rows; ++r) sample.repeat(3, doubled, r, 2.5);
  for (int r = 0; r < ties[6].rows; ++r) sample.repeat(6, doubled + 1, r, -0.3);
  EXPECT_LT(sample.error(), 1e-11);
  EXPECT_EQ(sample.assembly.left_out(), ties[3].rows + ties[6].rows);
}

// The critical path of a chain grows with the logarithm: by the same number for every doubling.
TEST(Assembly, HasACriticalPathOfLogarithmicLength) {
  const auto count = [](int n) {
    std::vector<Tie> ties{{5, {0}}};
    for (int k = 1; k < n; ++k) ties.push_back({5, {k - 1, k}});
    return Assembly(n, ties).count();
  };
  const auto small = count(256), middle = count(1024), large = count(4096);
  EXPECT_NEAR((large.span - middle.span) / (middle.span - small.span), 1, 0.15);
  EXPECT_NEAR(large.work / middle.work, 4, 0.1);
}

// One processor does all the work, very many follow the critical path, and messages only delay.
TEST(Assembly, PredictsWorkAndCriticalPath) {
  const int n = 500;
  std::vector<Tie> ties{{5, {0}}};
  for (int k = 1; k < n; ++k) ties.push_back({5, {k - 1, k}});
  const Assembly chain(n, ties);
  const Assembly::Operations count = chain.count();
  const TaskCosts free{.multiplication = 2e-9};
  EXPECT_NEAR(chain.predict(1, free), 2e-9 * count.work, 1e-12 * count.work);
  EXPECT_NEAR(chain.predict(1 << 20, free), 2e-9 * count.span, 1e-12 * count.span);
  double before = INFINITY;
  for (const int p : {1, 2, 4, 16, 64, 256}) {
    const double time = chain.predict(p, free);
    EXPECT_LT(time, before) << p;
    EXPECT_GE(time, 2e-9 * std::max(count.span, count.work / p) * (1 - 1e-12)) << p;
    const TaskCosts dear{.multiplication = 2e-9, .latency = 1e-3, .number = 1e-9};
    EXPECT_GE(chain.predict(p, dear), time) << p;
    EXPECT_LE(chain.predict(p, dear), chain.predict(1, free)) << p;
    before = time;
  }
}

}  // namespace
}  // namespace couplet::dynamics
