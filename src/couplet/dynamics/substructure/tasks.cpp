#include "couplet/dynamics/substructure/tasks.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <memory>

namespace couplet::dynamics {

void for_all(int n, int grain, IndexVisit visit) {
  if (n <= grain) {
    for (int k = 0; k < n; ++k) visit(k);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<int>(0, n, grain), [&](const tbb::blocked_range<int>& some) {
    for (int k = some.begin(); k < some.end(); ++k) visit(k);
  });
}

void limit_workers(int most) {
  static std::unique_ptr<tbb::global_control> limit;
  limit.reset();
  if (most > 0)
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<size_t>(most));
}

TreeSweeps::TreeSweeps(const AssemblyTree& tree, std::vector<double> cost) : roots_(tree.roots) {
  for (size_t k = 0; k < tree.nodes.size(); ++k) {
    const AssemblyNode& given = tree.nodes[k];
    Node node{static_cast<int>(k), given.left, given.right, cost[k]};
    for (const int child : {given.left, given.right}) {
      if (child < 0) continue;
      node.first = std::min(node.first, nodes_[static_cast<size_t>(child)].first);
      node.cost += nodes_[static_cast<size_t>(child)].cost;
    }
    nodes_.push_back(node);
  }
  for (const int root : roots_) cost_ += nodes_[static_cast<size_t>(root)].cost;
}

void TreeSweeps::up(double grain, IndexVisit visit) const {
  const auto one = [&](int k) { up_from(roots_[static_cast<size_t>(k)], grain, visit); };
  const auto n = static_cast<int>(roots_.size());
  for_all(n, cost_ > grain ? 1 : n, one);
}

void TreeSweeps::down(double grain, IndexVisit visit) const {
  const auto one = [&](int k) { down_from(roots_[static_cast<size_t>(k)], grain, visit); };
  const auto n = static_cast<int>(roots_.size());
  for_all(n, cost_ > grain ? 1 : n, one);
}

void TreeSweeps::up_from(int k, double grain, const IndexVisit& visit) const {
  const Node& node = nodes_[static_cast<size_t>(k)];
  if (node.cost <= grain || node.left < 0) {
    for (int j = node.first; j <= k; ++j) visit(j);
    return;
  }
  if (node.right < 0)
    up_from(node.left, grain, visit);
  else
    tbb::parallel_invoke([&] { up_from(node.left, grain, visit); },
                         [&] { up_from(node.right, grain, visit); });
  visit(k);
}

void TreeSweeps::down_from(int k, double grain, const IndexVisit& visit) const {
  const Node& node = nodes_[static_cast<size_t>(k)];
  if (node.cost <= grain || node.left < 0) {
    for (int j = k; j >= node.first; --j) visit(j);
    return;
  }
  visit(k);
  if (node.right < 0)
    down_from(node.left, grain, visit);
  else
    tbb::parallel_invoke([&] { down_from(node.left, grain, visit); },
                         [&] { down_from(node.right, grain, visit); });
}

}  // namespace couplet::dynamics
