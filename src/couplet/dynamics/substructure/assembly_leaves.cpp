// Which subsystems of an assembly are condensed by the serial recursion, and in which order.
#include <algorithm>

#include "couplet/dynamics/substructure/assembly.hpp"

namespace couplet::dynamics {
namespace {

size_t nth(int k) { return static_cast<size_t>(k); }

/// A subsystem as the recursion has to know it.
struct Contents {
  int parts = 0, joints = 0;  // joints between two parts
  int on_world = -1;          // the part that a joint holds to the world
  bool only_joints = true;    // and none of them closes a loop
};

Contents contents_of(const AssemblyNode& node, const std::vector<Tie>& ties,
                     const std::vector<Contents>& all) {
  Contents out;
  if (node.part >= 0) out.parts = 1;
  for (const int child : {node.left, node.right}) {
    if (child < 0) continue;
    const Contents& below = all[nth(child)];
    out.parts += below.parts, out.joints += below.joints;
    out.only_joints = out.only_joints && below.only_joints;
    if (below.on_world >= 0 && out.on_world >= 0) out.only_joints = false;
    out.on_world = std::max(out.on_world, below.on_world);
  }
  for (const int t : node.ties) {
    const Tie& tie = ties[nth(t)];
    if (!tie.is_joint) out.only_joints = false;
    if (tie.parts.size() == 2) {
      ++out.joints;
    } else if (tie.parts.size() == 1) {
      if (out.on_world >= 0) out.only_joints = false;
      out.on_world = tie.parts.front();
    }
  }
  return out;
}

bool can_be_condensed(const AssemblyNode& node, const Contents& contents) {
  const std::vector<int>& handles = node.handles;
  if (!contents.only_joints || contents.parts < 2 || contents.joints != contents.parts - 1 ||
      handles.size() > 2)
    return false;
  return contents.on_world < 0 || handles.size() < 2 ||
         std::find(handles.begin(), handles.end(), contents.on_world) != handles.end();
}

}  // namespace

void Assembly::condense(int in_leaf) {
  const std::vector<AssemblyNode>& nodes = tree_.nodes;
  std::vector<Contents> contents;
  std::vector<int> first;  // of each subtree
  for (size_t k = 0; k < nodes.size(); ++k) {
    contents.push_back(contents_of(nodes[k], ties_, contents));
    first.push_back(nodes[k].left < 0 ? static_cast<int>(k) : first[nth(nodes[k].left)]);
  }
  std::vector<char> is_leaf(nodes.size(), 0), is_inside(nodes.size(), 0);
  for (size_t k = nodes.size(); k-- > 0;) {
    if (is_inside[k] || contents[k].parts > in_leaf || !can_be_condensed(nodes[k], contents[k]))
      continue;
    is_leaf[k] = 1;
    std::fill(is_inside.begin() + first[k], is_inside.begin() + static_cast<std::ptrdiff_t>(k), 1);
  }
  std::vector<int> place(nodes.size(), -1);
  joined_.depth = 0;
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (is_inside[k]) continue;
    place[k] = static_cast<int>(joined_.nodes.size());
    AssemblyNode node = nodes[k];
    leaf_of_.push_back(is_leaf[k] ? static_cast<int>(leaves_.size()) : -1);
    if (is_leaf[k]) {
      if (node.handles.size() == 2 && contents[k].on_world == node.handles[1])
        std::swap(node.handles[0], node.handles[1]);
      const std::vector<AssemblyNode> inside(nodes.begin() + first[k],
                                             nodes.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      add_leaf(inside, node.handles, contents[k].on_world);
      node.left = node.right = -1;
      node.depth = 0;
    } else {
      node.depth = 0;
      for (int* child : {&node.left, &node.right})
        if (*child >= 0) {
          *child = place[nth(*child)];
          node.depth = std::max(node.depth, 1 + joined_.nodes[nth(*child)].depth);
        }
    }
    joined_.depth = std::max(joined_.depth, node.depth);
    joined_.nodes.push_back(std::move(node));
  }
  for (const int root : tree_.roots) joined_.roots.push_back(place[nth(root)]);
}

/// From the root outwards along the joints, and the other way round.
void Assembly::add_leaf(const std::vector<AssemblyNode>& inside, const std::vector<int>& handles,
                        int on_world) {
  std::vector<int> ties, parts;
  for (const AssemblyNode& node : inside) {
    if (node.part >= 0) parts.push_back(node.part);
    ties.insert(ties.end(), node.ties.begin(), node.ties.end());
  }
  const int root = on_world >= 0 ? on_world : !handles.empty() ? handles.front() : parts.front();
  const bool root_is_handle = !handles.empty() && handles.front() == root;
  std::vector<SerialLeaf::Step> steps{{root, -1, -1, 0, true, false}};  // outwards
  std::vector<char> used(ties.size(), 0);
  for (size_t k = 0; k < steps.size(); ++k)
    for (size_t i = 0; i < ties.size(); ++i) {
      const Tie& tie = ties_[nth(ties[i])];
      const int row = first_row_[nth(ties[i])];
      if (used[i]) continue;
      if (tie.parts.size() == 1) {
        used[i] = 1;
        steps.front().tie = ties[i], steps.front().row = row;
        continue;
      }
      const bool is_first = tie.parts[1] == steps[k].part;  // the other one
      if (!is_first && tie.parts[0] != steps[k].part) continue;
      used[i] = 1;
      steps.push_back(
          {tie.parts[is_first ? 0 : 1], static_cast<int>(k), ties[i], row, is_first, false});
    }
  std::reverse(steps.begin(), steps.end());
  const auto last = static_cast<int>(steps.size()) - 1;
  int far = -1;
  for (int k = 0; k <= last; ++k) {
    SerialLeaf::Step& step = steps[nth(k)];
    if (step.parent >= 0) step.parent = last - step.parent;
    if (step.part != root && !handles.empty() && step.part == handles.back()) far = k;
  }
  for (int k = far; k >= 0; k = steps[nth(k)].parent) steps[nth(k)].on_path = true;
  leaves_.emplace_back(std::move(steps), root_is_handle, far);
}

}  // namespace couplet::dynamics
