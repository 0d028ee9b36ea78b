// Particles sorted along a Morton curve into the boxes of an adaptive octree.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

namespace couplet::particles {

using Positions = Eigen::Matrix3Xd;

/// A cube; its side is that of the root, halved `level` times. Its particles are [first, last) of
/// the sorted ones.
struct Box {
  std::array<int32_t, 3> at;  // its place in the grid of its level
  int level;
  int first, last;
  int parent;
  int first_child = 0, children = 0;  // boxes without particles do not exist

  bool is_leaf() const { return children == 0; }
  int count() const { return last - first; }
};

/// Expansions are about its centre, in units of its side.
struct Cube {
  double x, y, z, side;
};

/// Boxes touch: share at least a corner, or one holds the other.
bool are_adjacent(const Box& a, const Box& b);

class Octree {
 public:
  static constexpr int deepest = 20;  // the Morton key has three times as many bits, and three more

  /// Boxes of more than `most` particles have children, as long as their level is below `depth`.
  /// Boxes of a level follow each other.
  void build(const Positions& positions, int most, int depth = deepest);

  const std::vector<Box>& boxes() const { return boxes_; }
  int levels() const { return static_cast<int>(begin_.size()) - 1; }
  /// Boxes of a level: [begin(level), begin(level + 1)).
  int begin(int level) const { return begin_[static_cast<size_t>(level)]; }
  const std::vector<int>& order() const { return order_; }  // of the sorted particle in the input
  /// m: a power of two, so that positions in it are as exact as they were given. The root's side is
  /// 1/2 to 1.
  double unit() const { return unit_; }
  /// Of sorted particles.
  const std::vector<double>& x(int axis) const { return x_[static_cast<size_t>(axis)]; }
  Cube cube(const Box& box) const;

 private:
  void sort(const Positions& positions);
  void divide(int parent);

  std::vector<Box> boxes_;
  std::vector<int> begin_, order_;
  std::vector<std::uint64_t> keys_, unsorted_;
  std::array<std::vector<double>, 3> x_;
  double unit_ = 1, side_ = 1;
  Eigen::Vector3d low_ = Eigen::Vector3d::Zero();
};

}  // namespace couplet::particles
