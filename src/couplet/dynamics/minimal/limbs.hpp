// Limbs: chains of freely turning links from a branch of the tree to a tip. Up to four of them run
// side by side in the lanes of packs (recursions/limbs.hpp); which ones is decided once per
// mechanism.
#pragma once

#include <vector>

#include "couplet/dynamics/minimal/recursions/types.hpp"
#include "couplet/model/mechanism.hpp"

namespace couplet::dynamics {

/// Links [begin, end).
struct Run {
  int begin, end;
};

/// One link of each limb of a group. A limb that is shorter than the others ends in massless links
/// that copy the coordinates of its tip.
struct LimbStep {
  model::LinkNumbers<Lanes<4>> x;
  Lanes<4> active;  // 1, or 0 for a massless copy
  int link[4];      // a copy: its tip
  int iv[4];
  bool plain;  // all of them are
};

struct LimbGroup {
  int first_step, steps;
  int lanes;      // limbs in it; further lanes are copies of massless links
  int parent[4];  // link that the limb starts from, -1: the world
  int branch[4];  // its Link::branch
  int length[4];
};

/// Arrays of a plan, for the kernels, which call no functions of other translation units.
struct LimbView {
  const LimbStep* steps;
  const LimbGroup* groups;
  int group_count;
  const Run* runs;
  int run_count;
};

/// Which links run side by side, and which one by one.
class LimbPlan {
 public:
  explicit LimbPlan(const model::Mechanism& mechanism);
  LimbPlan(const LimbPlan&) = delete;
  LimbPlan& operator=(const LimbPlan&) = delete;

  /// Takes the numbers of the links anew; which of them run side by side stays.
  void refresh(const model::Mechanism& mechanism);

  const LimbView& view() const { return view_; }
  size_t step_count() const { return steps_.size(); }

 private:
  std::vector<LimbStep> steps_;
  std::vector<LimbGroup> groups_;
  std::vector<Run> runs_;  // of the other links
  LimbView view_;
};

}  // namespace couplet::dynamics
