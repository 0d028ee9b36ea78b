#include "couplet/formats/urdf/mimic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/formats/urdf/names.hpp"

namespace couplet::formats::urdf {
namespace {

using base::quoted;

/// The joint that each joint mimics directly, -1 for none.
std::vector<int> find_leaders(const Robot& robot, base::Diagnostics& found) {
  Names names(robot.joints, "joint", found);
  std::vector<int> leaders(robot.joints.size(), -1);
  for (size_t j = 0; j < robot.joints.size() && !found.full(); ++j) {
    const Joint& joint = robot.joints[j];
    if (!joint.mimic) continue;
    const Reference& reference = joint.mimic->joint;
    const std::optional<int> leader = names.find(reference.name);
    if (!leader) {
      found.error(reference.where,
                  fmt::format("joint {} mimics {}, but there is no such joint", quoted(joint.name),
                              quoted(reference.name)),
                  names.suggest(reference.name));
      continue;
    }
    const Joint& followed = robot.joints[static_cast<size_t>(*leader)];
    const int freedoms = model::info(followed.type).nv;
    if (freedoms == 1)
      leaders[j] = *leader;
    else
      found.error(reference.where,
                  fmt::format("joint {} mimics {}, which has {} freedoms", quoted(joint.name),
                              quoted(followed.name), freedoms),
                  "mimic a revolute, continuous or prismatic joint");
  }
  return leaders;
}

void report_cycle(const Robot& robot, const std::vector<int>& cycle, base::Diagnostics& found) {
  constexpr size_t shown = 8;
  std::string text;
  for (size_t i = 0; i < cycle.size() && i < shown; ++i)
    text += quoted(robot.joints[static_cast<size_t>(cycle[i])].name) + " → ";
  if (cycle.size() > shown) text += fmt::format("… ({} joints) → ", cycle.size());
  const Joint& first = robot.joints[static_cast<size_t>(cycle[0])];
  found.error(first.mimic->joint.where,
              "joints mimic each other in a circle: " + text + quoted(first.name),
              "one of them must move by itself");
}

}  // namespace

std::vector<std::optional<Follower>> find_followers(const Robot& robot, base::Diagnostics& found) {
  const std::vector<int> leaders = find_leaders(robot, found);
  std::vector<std::optional<Follower>> followers(robot.joints.size());
  std::vector<bool> done(robot.joints.size());
  std::vector<int> place(robot.joints.size(), -1);  // on the path, -1: not there
  for (int start = 0; start < static_cast<int>(robot.joints.size()); ++start) {
    // From this joint to its leader's leader's … until one that is known or mimics nothing.
    std::vector<int> path;
    int j = start;
    while (!done[static_cast<size_t>(j)] && place[static_cast<size_t>(j)] < 0) {
      place[static_cast<size_t>(j)] = static_cast<int>(path.size());
      path.push_back(j);
      if (leaders[static_cast<size_t>(j)] < 0) break;
      j = leaders[static_cast<size_t>(j)];
    }
    const int meeting = place[static_cast<size_t>(j)];
    if (meeting >= 0 && leaders[static_cast<size_t>(j)] >= 0)
      report_cycle(robot, {path.begin() + meeting, path.end()}, found);

    // Back again:  q = m (ratio q_leader + offset) + o
    std::reverse(path.begin(), path.end());
    for (int follower : path) {
      const size_t f = static_cast<size_t>(follower);
      done[f] = true;
      place[f] = -1;
      if (leaders[f] < 0) continue;
      const MimicTag& tag = *robot.joints[f].mimic;
      const Follower through =
          followers[static_cast<size_t>(leaders[f])].value_or(Follower{leaders[f], 1, 0});
      followers[f] = {through.leader, tag.multiplier * through.ratio,
                      tag.multiplier * through.offset + tag.offset};
      if (!std::isfinite(followers[f]->ratio) || !std::isfinite(followers[f]->offset))
        found.error(tag.joint.where,
                    fmt::format("joint {}: its multiplier or offset is infinite",
                                quoted(robot.joints[f].name)),
                    "multipliers of joints that mimic each other are multiplied");
    }
  }
  return followers;
}

}  // namespace couplet::formats::urdf
