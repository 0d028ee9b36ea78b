#include "couplet/formats/urdf/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/formats/urdf/names.hpp"

namespace couplet::formats::urdf {
namespace {

using base::quoted;

class TreeFinder {
 public:
  TreeFinder(const Robot& robot, base::Diagnostics& found)
      : robot_(robot), found_(found), joint_above_(robot.links.size(), -1) {}

  Tree find() {
    Names names(robot_.links, "link", found_);
    complete_ = names.unique();
    for (const Joint& joint : robot_.joints) {
      if (found_.full()) break;
      tree_.parent.push_back(look_up(joint, joint.parent, names));
      tree_.child.push_back(look_up(joint, joint.child, names));
      connect(static_cast<int>(tree_.child.size()) - 1);
    }
    find_cycles();
    if (complete_) find_root();  // else links would look like roots only because of other errors
    return std::move(tree_);
  }

 private:
  const Joint& joint(int j) const { return robot_.joints[static_cast<size_t>(j)]; }
  const Link& link(int l) const { return robot_.links[static_cast<size_t>(l)]; }
  int parent_of(int l) const {
    const int above = joint_above_[static_cast<size_t>(l)];
    return above < 0 ? -1 : tree_.parent[static_cast<size_t>(above)];
  }

  int look_up(const Joint& joint, const Reference& reference, Names& names) {
    if (const std::optional<int> index = names.find(reference.name)) return *index;
    complete_ = false;
    if (!reference.name.empty())  // an empty one was an error when it was read
      found_.error(
          reference.where,
          fmt::format("joint {}: there is no link {}", quoted(joint.name), quoted(reference.name)),
          names.suggest(reference.name));
    return -1;
  }

  void connect(int j) {
    const int parent = tree_.parent[static_cast<size_t>(j)];
    const int child = tree_.child[static_cast<size_t>(j)];
    if (child < 0) return;
    int& above = joint_above_[static_cast<size_t>(child)];
    if (child == parent) {
      complete_ = false;
      found_.error(joint(j).where,
                   fmt::format("joint {} connects link {} with itself", quoted(joint(j).name),
                               quoted(link(child).name)),
                   "parent and child must be two links");
    } else if (above >= 0) {
      found_.error(joint(j).child.where,
                   fmt::format("link {} has two parents, through joint {} (line {}) and joint {}",
                               quoted(link(child).name), quoted(joint(above).name),
                               joint(above).where.line, quoted(joint(j).name)),
                   "a URDF is a tree: remove one of the joints (models in YAML may have loops)");
    } else {
      above = j;
    }
  }

  // Every link has at most one parent. Walk up from each link; meeting the own trail is a cycle.
  void find_cycles() {
    constexpr int unseen = -1;
    std::vector<int> trail_of(robot_.links.size(), unseen);
    for (int start = 0; start < static_cast<int>(robot_.links.size()); ++start) {
      int l = start;
      while (l >= 0 && trail_of[static_cast<size_t>(l)] == unseen) {
        trail_of[static_cast<size_t>(l)] = start;
        l = parent_of(l);
      }
      if (l >= 0 && trail_of[static_cast<size_t>(l)] == start) report_cycle(l);
    }
  }

  void report_cycle(int l) {
    complete_ = false;
    std::vector<int> cycle = {l};
    for (int up = parent_of(l); up != l; up = parent_of(up)) cycle.push_back(up);
    std::reverse(cycle.begin() + 1, cycle.end());  // from parent to child
    constexpr size_t shown = 8;
    std::string text;
    for (size_t i = 0; i < cycle.size() && i < shown; ++i)
      text += quoted(link(cycle[i]).name) + " → ";
    if (cycle.size() > shown) text += fmt::format("… ({} links) → ", cycle.size());
    found_.error(joint(joint_above_[static_cast<size_t>(cycle[0])]).where,
                 "links form a cycle: " + text + quoted(link(cycle[0]).name),
                 "a URDF is a tree: remove one of the joints (models in YAML may have loops)");
  }

  void find_root() {
    std::vector<int> roots;
    for (size_t l = 0; l < joint_above_.size(); ++l)
      if (joint_above_[l] < 0) roots.push_back(static_cast<int>(l));
    if (roots.empty()) return;  // no links at all: said when they were read
    tree_.root = roots[0];
    if (roots.size() == 1) return;

    constexpr size_t shown = 10;
    std::string text;
    for (size_t i = 0; i < roots.size() && i < shown; ++i)
      text += fmt::format("{}{} (line {})", i ? ", " : "", quoted(link(roots[i]).name),
                          link(roots[i]).where.line);
    if (roots.size() > shown) text += ", …";
    found_.error(link(roots[1]).where,
                 fmt::format("{} links have no parent: {}", roots.size(), text),
                 "a robot has one root: connect the others by joints, type=\"fixed\" if need be");
  }

  const Robot& robot_;
  base::Diagnostics& found_;
  std::vector<int> joint_above_;  // by link; -1: none
  bool complete_ = true;          // names are unique, joints connect two links, no cycles
  Tree tree_;
};

}  // namespace

Tree find_tree(const Robot& robot, base::Diagnostics& found) {
  return TreeFinder(robot, found).find();
}

}  // namespace couplet::formats::urdf
