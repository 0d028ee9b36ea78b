#include "couplet/dynamics/substructure/assembly_tree.hpp"

#include <algorithm>
#include <tuple>

namespace couplet::dynamics {
namespace {

constexpr size_t few = 2;  // handles that a subsystem may have without a reason: those of a chain
constexpr size_t nowhere = 10;  // a round gets somewhere that joins one in so many subsystems

/// A subsystem that is not part of another one yet.
struct Cluster {
  int node;
  std::vector<std::pair<int, int>> open;  // ties, ascending, and how many of their parts are inside
  std::vector<int> handles;
};

class Contraction {
 public:
  Contraction(int parts, const std::vector<std::vector<int>>& ties)
      : ties_(ties), ties_of_part_(static_cast<size_t>(parts)), cluster_of_(ties_of_part_.size()) {
    for (size_t t = 0; t < ties.size(); ++t)
      for (const int part : ties[t])
        ties_of_part_[static_cast<size_t>(part)].push_back(static_cast<int>(t));
    for (int part = 0; part < parts; ++part) add_leaf(part);
  }

  AssemblyTree run() {
    while (join_neighbours()) {
    }
    for (const Cluster& cluster : clusters_) tree_.roots.push_back(cluster.node);
    for (const AssemblyNode& node : tree_.nodes) tree_.depth = std::max(tree_.depth, node.depth);
    return sort_depth_first();
  }

 private:
  struct Candidate {
    size_t handles;
    int depth;
    size_t a, b;  // clusters, a < b
    auto operator<=>(const Candidate&) const = default;
  };

  int add(AssemblyNode node) {
    tree_.nodes.push_back(std::move(node));
    return static_cast<int>(tree_.nodes.size()) - 1;
  }
  void add_leaf(int part) {
    Cluster cluster{add({.part = part, .ties = {}, .handles = {part}}), {}, {}};
    std::vector<int> own;
    for (const int tie : ties_of_part_[static_cast<size_t>(part)])
      if (ties_[static_cast<size_t>(tie)].size() == 1)
        own.push_back(tie);
      else
        cluster.open.emplace_back(tie, 1);
    if (!cluster.open.empty()) cluster.handles = {part};
    if (!own.empty())
      cluster.node =
          add({.left = cluster.node, .ties = own, .handles = cluster.handles, .depth = 1});
    cluster_of_[static_cast<size_t>(part)] = clusters_.size();
    members_.push_back({part});
    clusters_.push_back(std::move(cluster));
  }

  /// Both as one; the ties that this closes.
  std::pair<Cluster, std::vector<int>> merge(const Cluster& a, const Cluster& b) const {
    Cluster both{-1, {}, {}};
    std::vector<int> closed;
    std::vector<std::pair<int, int>> all;
    std::merge(a.open.begin(), a.open.end(), b.open.begin(), b.open.end(), std::back_inserter(all));
    for (size_t k = 0; k < all.size(); ++k) {
      auto [tie, inside] = all[k];
      if (k + 1 < all.size() && all[k + 1].first == tie) inside += all[++k].second;
      if (inside == static_cast<int>(ties_[static_cast<size_t>(tie)].size()))
        closed.push_back(tie);
      else
        both.open.emplace_back(tie, inside);
    }
    const auto is_held = [&](int part) {
      const std::vector<int>& ties = ties_of_part_[static_cast<size_t>(part)];
      return std::any_of(ties.begin(), ties.end(), [&](int tie) {
        const auto found = std::lower_bound(both.open.begin(), both.open.end(), std::pair(tie, 0));
        return found != both.open.end() && found->first == tie;
      });
    };
    for (const Cluster* each : {&a, &b})
      std::copy_if(each->handles.begin(), each->handles.end(), std::back_inserter(both.handles),
                   is_held);
    return {std::move(both), std::move(closed)};
  }

  std::vector<Candidate> find_candidates() const {
    std::vector<std::pair<size_t, size_t>> pairs;
    for (const std::vector<int>& tie : ties_)
      for (size_t i = 0; i < tie.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
          const size_t a = cluster_of_[static_cast<size_t>(tie[i])],
                       b = cluster_of_[static_cast<size_t>(tie[j])];
          if (a != b) pairs.emplace_back(std::min(a, b), std::max(a, b));
        }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<Candidate> out;
    for (const auto& [a, b] : pairs) {
      const auto depth = [&](size_t c) {
        return tree_.nodes[static_cast<size_t>(clusters_[c].node)].depth;
      };
      out.push_back({merge(clusters_[a], clusters_[b]).first.handles.size(),
                     std::max(depth(a), depth(b)), a, b});
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  /// One round: each subsystem is joined with at most one neighbour, where that leaves no more
  /// handles than there were. Where this gets nowhere, as along a chain of loops, which has cheap
  /// places at its ends only, the next number of handles is allowed as well. False: nothing is left
  /// to do.
  bool join_neighbours() {
    const std::vector<Candidate> candidates = find_candidates();
    if (candidates.empty()) return false;
    std::vector<char> taken(clusters_.size(), 0);
    size_t pairs = 0;
    const auto join_where = [&](const auto& is_allowed) {
      for (const Candidate& c : candidates)
        if (!taken[c.a] && !taken[c.b] && is_allowed(c)) {
          taken[c.a] = taken[c.b] = 1;
          ++pairs;
          join(c);
        }
    };
    const auto is_cheap = [&](const Candidate& c) {
      return c.handles <=
             std::max({few, clusters_[c.a].handles.size(), clusters_[c.b].handles.size()});
    };
    join_where(is_cheap);
    if (pairs * nowhere < clusters_.size()) {
      const auto next = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
        return !taken[c.a] && !taken[c.b];
      });
      if (next != candidates.end())
        join_where([most = next->handles](const Candidate& c) { return c.handles <= most; });
    }
    drop_empty();
    return true;
  }

  void join(const Candidate& c) {
    auto [both, closed] = merge(clusters_[c.a], clusters_[c.b]);
    both.node = add({.left = clusters_[c.a].node,
                     .right = clusters_[c.b].node,
                     .ties = std::move(closed),
                     .handles = both.handles,
                     .depth = 1 + c.depth});
    members_[c.a].insert(members_[c.a].end(), members_[c.b].begin(), members_[c.b].end());
    members_[c.b].clear();
    clusters_[c.a] = std::move(both);
  }

  void drop_empty() {
    size_t kept = 0;
    for (size_t c = 0; c < clusters_.size(); ++c) {
      if (members_[c].empty()) continue;
      if (kept != c) {
        clusters_[kept] = std::move(clusters_[c]);
        members_[kept] = std::move(members_[c]);
      }
      for (const int part : members_[kept]) cluster_of_[static_cast<size_t>(part)] = kept;
      ++kept;
    }
    clusters_.resize(kept);
    members_.resize(kept);
  }

  AssemblyTree sort_depth_first() {
    AssemblyTree out{{}, {}, tree_.depth};
    for (const int root : tree_.roots) out.roots.push_back(take_subtree(root, out));
    return out;
  }
  int take_subtree(int k, AssemblyTree& out) {  // NOLINT(misc-no-recursion): as deep as the tree
    AssemblyNode node = std::move(tree_.nodes[static_cast<size_t>(k)]);
    for (int* child : {&node.left, &node.right})
      if (*child >= 0) *child = take_subtree(*child, out);
    out.nodes.push_back(std::move(node));
    return static_cast<int>(out.nodes.size()) - 1;
  }

  const std::vector<std::vector<int>>& ties_;
  std::vector<std::vector<int>> ties_of_part_;
  std::vector<size_t> cluster_of_;  // of a part
  std::vector<Cluster> clusters_;
  std::vector<std::vector<int>> members_;  // parts of a cluster
  AssemblyTree tree_;
};

}  // namespace

AssemblyTree make_assembly_tree(int parts, const std::vector<std::vector<int>>& ties) {
  return Contraction(parts, ties).run();
}

}  // namespace couplet::dynamics
