#include "couplet/model/spanning_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "couplet/base/text.hpp"

namespace couplet::model {
namespace {

using base::quoted;

/// Bodies that are connected so far, each set with a leader.
class Clusters {
 public:
  explicit Clusters(size_t bodies) : leader_(bodies) {
    std::iota(leader_.begin(), leader_.end(), 0);
  }
  /// False: they were connected already.
  bool join(int a, int b) {
    a = find(a), b = find(b);
    leader_[a] = b;
    return a != b;
  }

 private:
  int find(int body) {
    while (leader_[body] != body) body = leader_[body] = leader_[leader_[body]];
    return body;
  }
  std::vector<int> leader_;
};

struct Ends {
  int from, to;  // bodies
};

Ends ends_of(const Model& model, const Joint& joint) {
  return {model.points[joint.from].body, model.points[joint.to].body};
}

// Breadth first from the world, then from whatever it does not reach, along the joints in
// `in_tree`.
std::vector<Hanger> hang(const JointGraph& graph, const std::vector<char>& in_tree) {
  std::vector<Hanger> tree(graph.size());
  std::vector<char> met(graph.size(), 0);
  std::vector<int> queue;
  for (int root = 0; root < static_cast<int>(graph.size()); ++root) {
    if (met[root]) continue;
    met[root] = 1;
    queue.assign(1, root);
    for (size_t i = 0; i < queue.size(); ++i)
      for (const Neighbour& step : graph[queue[i]]) {
        if (!in_tree[step.joint] || met[step.body]) continue;
        met[step.body] = 1;
        tree[step.body] = {queue[i], step.joint, tree[queue[i]].depth + 1};
        queue.push_back(step.body);
      }
  }
  return tree;
}

// Kruskal's algorithm: the joints in this order, each unless it closes a loop.
std::vector<char> grow(const Model& model, const std::vector<int>& order) {
  Clusters clusters(model.bodies.size());
  std::vector<char> in_tree(model.joints.size(), 0);
  for (const int k : order) {
    const Ends ends = ends_of(model, model.joints[k]);
    in_tree[k] = clusters.join(ends.from, ends.to);
  }
  return in_tree;
}

void check_wishes(const Model& model, const std::vector<char>& in_tree,
                  const std::vector<Hanger>& tree, base::Diagnostics& diagnostics) {
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    const Joint& joint = model.joints[k];
    if (!joint.cut || *joint.cut != static_cast<bool>(in_tree[k])) continue;
    const Ends ends = ends_of(model, joint);
    if (in_tree[k]) {
      const int beyond = tree[ends.from].joint == k ? ends.from : ends.to;
      diagnostics.error(joint.where,
                        fmt::format("joint {} is to be cut, but no other joint would hold body {}",
                                    quoted(joint.name), quoted(model.bodies[beyond].name)),
                        "remove `cut: true`; of a loop, one joint is cut");
    } else {
      std::string names = quoted(joint.name);
      for (const int other : find_path(tree, ends.to, ends.from))
        names += ", " + quoted(model.joints[other].name);
      diagnostics.error(joint.where,
                        fmt::format("joints {} form a loop, and none of them may be cut", names),
                        "remove `cut: false` from one of them");
    }
  }
}

}  // namespace

JointGraph make_joint_graph(const Model& model) {
  JointGraph graph(model.bodies.size());
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    const Ends ends = ends_of(model, model.joints[k]);
    graph[ends.from].push_back({k, ends.to});
    graph[ends.to].push_back({k, ends.from});
  }
  return graph;
}

// What it costs to cut a joint decides: cutting one with many freedoms leaves few equations; among
// equals, joints near the world stay, so that loops are short. Joints that are drawn inward and
// cannot be turned round are better cut: which these are is known when there is a tree, so they are
// marked and the tree is chosen again.
std::vector<char> choose_tree(const Model& model, const JointGraph& graph,
                              const std::vector<std::string>& features,
                              base::Diagnostics& diagnostics) {
  std::vector<int> order(model.joints.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<char> in_tree = grow(model, order);
  std::vector<Hanger> tree = hang(graph, std::vector<char>(model.joints.size(), 1));
  if (std::find(in_tree.begin(), in_tree.end(), 0) == in_tree.end()) {
    check_wishes(model, in_tree, tree, diagnostics);
    return in_tree;
  }
  std::vector<std::array<int, 6>> cost(model.joints.size());  // small: rather in the tree
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    const Joint& joint = model.joints[k];
    const Ends ends = ends_of(model, joint);
    const int wish = !joint.cut ? 1 : *joint.cut ? 2 : 0;
    cost[k] = {wish,
               0,
               features[k].empty(),
               info(joint.type).nv,
               tree[ends.from].depth + tree[ends.to].depth,
               k};
  }
  for (bool changed = true; changed;) {
    std::sort(order.begin(), order.end(), [&](int a, int b) { return cost[a] < cost[b]; });
    in_tree = grow(model, order);
    tree = hang(graph, in_tree);
    changed = false;
    for (const Hanger& hanger : tree) {
      if (hanger.joint < 0) continue;
      const Joint& joint = model.joints[hanger.joint];
      const bool inward = hanger.body != ends_of(model, joint).from && !info(joint.type).reversible;
      if (inward && cost[hanger.joint][1] == 0) cost[hanger.joint][1] = 1, changed = true;
    }
  }
  check_wishes(model, in_tree, tree, diagnostics);
  return in_tree;
}

std::vector<int> find_path(const std::vector<Hanger>& tree, int a, int b) {
  std::vector<int> up, down;
  while (a != b) {
    int& deeper = tree[a].depth >= tree[b].depth ? a : b;
    (&deeper == &a ? up : down).push_back(tree[deeper].joint);
    deeper = tree[deeper].body;
  }
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

std::vector<int> find_loop(const Mechanism& mechanism, const CutJoint& cut) {
  std::vector<Hanger> tree(mechanism.bodies.size());
  for (const TreeJoint& slot : mechanism.joints)  // parents come first
    tree[slot.child_body] = {slot.parent_body, slot.joint, tree[slot.parent_body].depth + 1};
  std::vector<int> loop = find_path(tree, cut.from_body, cut.to_body);
  loop.push_back(cut.joint);
  return loop;
}

}  // namespace couplet::model
