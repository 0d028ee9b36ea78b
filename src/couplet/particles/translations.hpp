// All translations of an octree: from parent to child and back, and between boxes of list V.
#pragma once

#include <array>
#include <map>

#include "couplet/particles/octree.hpp"
#include "couplet/particles/translation.hpp"

namespace couplet::particles {

class Translations {
 public:
  explicit Translations(int degree);

  static int direction(const Box& target, const Box& source);  // in `far`
  static int child(const Box& child) {                         // in `family`
    return 4 * (child.at[0] & 1) + 2 * (child.at[1] & 1) + (child.at[2] & 1);
  }
  const Turn& turn(const Translation& by) const { return turns_[static_cast<size_t>(by.turn)]; }

  static constexpr int reach = 3;  // boxes of list V are so far at most, along each axis
  static constexpr int across = 2 * reach + 1;
  std::array<Translation, across * across * across> far;
  std::array<Translation, 8> family;
  const Shift up, down, over;

 private:
  int find_turn(const Eigen::Vector3d& d, int degree);

  std::vector<Turn> turns_;
  std::map<double, int> known_;  // turns by the cosine of the polar angle
};

}  // namespace couplet::particles
