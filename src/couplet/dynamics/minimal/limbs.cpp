#include "couplet/dynamics/minimal/limbs.hpp"

#include <algorithm>

namespace couplet::dynamics {
namespace {

using model::Link;
using model::LinkNumbers;

// A step of a group costs as much as this many links one by one (measured: 1.3; the rest is
// caution).
constexpr double cost_of_step = 1.6;

bool turns_freely(const Link& link) {
  return link.kind == model::LinkKind::revolute && !link.prescribed;
}

/// Chains [begin, end) that start from a link with several children, or from the world, and reach a
/// tip.
std::vector<Run> find_limbs(const std::vector<Link>& links) {
  std::vector<int> children(links.size() + 1, 0);  // [0]: of the world
  for (const Link& link : links) ++children[link.parent + 1];
  std::vector<Run> limbs;
  const int n = static_cast<int>(links.size());
  for (int begin = 0; begin < n; ++begin) {
    if (children[links[begin].parent + 1] == 1 && links[begin].parent >= 0) continue;
    int end = begin;
    while (turns_freely(links[end]) && children[end + 1] == 1) ++end;
    if (turns_freely(links[end]) && children[end + 1] == 0) limbs.push_back({begin, end + 1});
  }
  return limbs;
}

int length(const Run& limb) { return limb.end - limb.begin; }

void copy_numbers(const LinkNumbers<double>& from, int lane, LinkNumbers<Lanes<4>>& to) {
  static_assert(sizeof(LinkNumbers<Lanes<4>>) == 4 * sizeof(LinkNumbers<double>));
  const double* x = &from.a;
  Lanes<4>* lanes = &to.a;
  for (size_t k = 0; k < sizeof(from) / sizeof(double); ++k) lanes[k].x[lane] = x[k];
}

LimbStep make_step(const std::vector<Link>& links, const Run* limbs, int count, int step) {
  LinkNumbers<double> massless{};
  massless.cos_alpha = massless.cos_beta = massless.sigma = 1;
  LimbStep out{};
  out.plain = true;
  for (int lane = 0; lane < 4; ++lane) {
    const Run& limb = limbs[std::min(lane, count - 1)];
    const bool active = lane < count && step < length(limb);
    const int i = std::min(limb.begin + step, limb.end - 1);
    copy_numbers(active ? links[i].x : massless, lane, out.x);
    out.active.x[lane] = active;
    out.link[lane] = i;
    out.iv[lane] = links[i].iv;
    out.plain = out.plain && (!active || links[i].plain);
  }
  return out;
}

}  // namespace

LimbPlan::LimbPlan(const model::Mechanism& mechanism) {
  const std::vector<Link>& links = mechanism.links;
  std::vector<Run> limbs = find_limbs(links);
  std::stable_sort(limbs.begin(), limbs.end(),
                   [](const Run& a, const Run& b) { return length(a) > length(b); });
  std::vector<char> grouped(links.size(), 0);
  std::vector<const Run*> first_members;  // of each group
  int steps = 0;
  for (size_t first = 0; first < limbs.size();) {
    const int count = static_cast<int>(std::min<size_t>(4, limbs.size() - first));
    const Run* members = limbs.data() + first;
    int total = 0;
    for (int k = 0; k < count; ++k) total += length(members[k]);
    const int longest = length(members[0]);
    if (cost_of_step * longest >= total) {  // the longest one is too long for the others
      ++first;
      continue;
    }
    LimbGroup group{steps, longest, count, {}, {}, {}};
    for (int lane = 0; lane < 4; ++lane) {
      const Run& limb = members[std::min(lane, count - 1)];
      group.parent[lane] = links[limb.begin].parent;
      group.branch[lane] = group.parent[lane] < 0 ? -1 : links[group.parent[lane]].branch;
      group.length[lane] = lane < count ? length(limb) : 0;
      std::fill(grouped.begin() + limb.begin, grouped.begin() + limb.end, 1);
    }
    groups_.push_back(group);
    first_members.push_back(members);
    steps += longest;
    first += count;
  }
  steps_.reserve(static_cast<size_t>(steps));
  for (size_t g = 0; g < groups_.size(); ++g)
    for (int step = 0; step < groups_[g].steps; ++step)
      steps_.push_back(make_step(links, first_members[g], groups_[g].lanes, step));
  for (int i = 0; i < static_cast<int>(links.size()); ++i) {
    if (grouped[i]) continue;
    if (runs_.empty() || runs_.back().end != i) runs_.push_back({i, i});
    runs_.back().end = i + 1;
  }
  view_ = {steps_.data(), groups_.data(), static_cast<int>(groups_.size()), runs_.data(),
           static_cast<int>(runs_.size())};
}

void LimbPlan::refresh(const model::Mechanism& mechanism) {
  for (LimbStep& step : steps_) {
    step.plain = true;
    for (int lane = 0; lane < 4; ++lane) {
      if (step.active.x[lane] == 0) continue;
      const Link& link = mechanism.links[step.link[lane]];
      copy_numbers(link.x, lane, step.x);
      step.plain = step.plain && link.plain;
    }
  }
}

}  // namespace couplet::dynamics
