// The numbers of a mechanism from those of its model: where joints, bodies and links are at q = 0,
// in which frames, and with which masses. The tree is given; so compile() and a change of
// parameters compute them by the same arithmetic.
#pragma once

#include "couplet/model/canonical.hpp"

namespace couplet::model {

class NumbersCalculator {
 public:
  explicit NumbersCalculator(const Mechanism& tree);

  /// Of `mechanism.model`, into the mechanism, which has the tree given above. Allocates nothing.
  void calc(Mechanism& mechanism);

 private:
  void place_joint(const Joint& joint, TreeJoint& slot, Mechanism& m);
  void place_links(const Joint& joint, const TreeJoint& slot, Mechanism& m);
  void choose_frames(Mechanism& m);
  void add_masses(Mechanism& m);

  std::vector<int> heirs_;    // per link: the child that decides on its frame; -1: none
  std::vector<RawLink> raw_;  // per link
  std::vector<MassProperties> total_;
};

}  // namespace couplet::model
