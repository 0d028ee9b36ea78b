#include "couplet/particles/octree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "couplet/base/diagnostics.hpp"

namespace couplet::particles {
namespace {

constexpr int bits = Octree::deepest + 1;

/// Two zeros between the bits of x.
std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffff;
  x = (x | x << 16) & 0x001f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

std::uint64_t key_of(double x, double y, double z) {
  const auto cell = [](double u) {
    return std::min(static_cast<std::uint64_t>(u * (1 << bits)), (std::uint64_t{1} << bits) - 1);
  };
  return spread(cell(x)) << 2 | spread(cell(y)) << 1 | spread(cell(z));
}

}  // namespace

bool are_adjacent(const Box& a, const Box& b) {
  const Box &fine = a.level > b.level ? a : b, &coarse = a.level > b.level ? b : a;
  const int shift = fine.level - coarse.level;
  for (size_t k = 0; k < 3; ++k) {
    const int begin = coarse.at[k] << shift, end = (coarse.at[k] + 1) << shift;
    if (fine.at[k] + 1 < begin || fine.at[k] > end) return false;
  }
  return true;
}

void Octree::sort(const Positions& positions) {
  const size_t n = static_cast<size_t>(positions.cols());
  if (!positions.allFinite()) throw base::ComputationError("positions of particles are not finite");
  low_.setZero();
  double extent = 0;
  if (n > 0) {
    low_ = positions.rowwise().minCoeff();
    extent = (positions.rowwise().maxCoeff() - low_).maxCoeff();
  }
  if (!(extent < 1e300)) throw base::ComputationError("particles are too far apart");
  // Particles on a grid, as in crystals, shall not lie on the corners of boxes, where expansions
  // are worst.
  constexpr double margin = 0.0131, width = 1.0371;
  int exponent = 0;
  std::frexp(extent * width, &exponent);
  unit_ = extent > 0 ? std::ldexp(1.0, std::max(exponent, -1000)) : 1;
  side_ = extent > 0 ? extent * width / unit_ : 1;
  low_ = (low_.array() - margin * extent) / unit_;

  unsorted_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const Eigen::Vector3d u = (positions.col(static_cast<Eigen::Index>(i)) / unit_ - low_) / side_;
    unsorted_[i] = key_of(u.x(), u.y(), u.z());
  }
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](int a, int b) {
    const auto ka = unsorted_[static_cast<size_t>(a)], kb = unsorted_[static_cast<size_t>(b)];
    return ka != kb ? ka < kb : a < b;
  });
  keys_.resize(n);
  for (std::vector<double>& x : x_) x.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const size_t from = static_cast<size_t>(order_[i]);
    keys_[i] = unsorted_[from];
    for (int k = 0; k < 3; ++k)
      x_[static_cast<size_t>(k)][i] = positions(k, static_cast<Eigen::Index>(from)) / unit_;
  }
}

Cube Octree::cube(const Box& box) const {
  const double side = std::ldexp(side_, -box.level);
  const auto centre = [&](int k) {
    return low_[k] + (box.at[static_cast<size_t>(k)] + 0.5) * side;
  };
  return {centre(0), centre(1), centre(2), side};
}

// The children of a box are runs of keys that agree in three bits more.
void Octree::divide(int parent) {
  const Box box = boxes_[static_cast<size_t>(parent)];
  const int shift = 3 * (bits - box.level - 1);
  const auto child_of = [&](int i) {
    return static_cast<int>(keys_[static_cast<size_t>(i)] >> shift & 7);
  };
  const int first_child = static_cast<int>(boxes_.size());
  for (int i = box.first; i < box.last;) {
    const int child = child_of(i);
    const auto begin = keys_.begin() + i, end = keys_.begin() + box.last;
    const int last =
        static_cast<int>(std::partition_point(begin, end,
                                              [&](std::uint64_t key) {
                                                return static_cast<int>(key >> shift & 7) == child;
                                              }) -
                         keys_.begin());
    Box b;
    b.level = box.level + 1;
    b.at = {2 * box.at[0] + (child >> 2), 2 * box.at[1] + (child >> 1 & 1),
            2 * box.at[2] + (child & 1)};
    b.first = i;
    b.last = last;
    b.parent = parent;
    boxes_.push_back(b);
    i = last;
  }
  boxes_[static_cast<size_t>(parent)].first_child = first_child;
  boxes_[static_cast<size_t>(parent)].children = static_cast<int>(boxes_.size()) - first_child;
}

void Octree::build(const Positions& positions, int most, int depth) {
  sort(positions);
  boxes_.clear();
  begin_ = {0};
  Box root;
  root.at = {0, 0, 0};
  root.level = 0;
  root.first = 0;
  root.last = static_cast<int>(positions.cols());
  root.parent = -1;
  boxes_.push_back(root);
  for (int level = 0; begin_.back() < static_cast<int>(boxes_.size()); ++level) {
    const int begin = begin_.back(), end = static_cast<int>(boxes_.size());
    begin_.push_back(end);
    for (int b = begin; b < end && level < std::min(depth, deepest); ++b)
      if (boxes_[static_cast<size_t>(b)].count() > most) divide(b);
  }
}

}  // namespace couplet::particles
