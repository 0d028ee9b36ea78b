// Work that is done side by side where there is enough of it: ranges, and the sweeps over an
// assembly tree. Results do not depend on how many threads there are: who computes a node is all
// that changes.
#pragma once

#include <type_traits>

#include "couplet/dynamics/substructure/assembly_tree.hpp"

namespace couplet::dynamics {

/// What a task calls: a function of an index, by reference.
class IndexVisit {
 public:
  template <class F>
  requires(!std::is_same_v<F, IndexVisit>)
      IndexVisit(const F& visit)  // NOLINT(google-explicit-constructor): as a function is
      : data_(&visit), call_([](const void* data, int k) { (*static_cast<const F*>(data))(k); }) {}
  void operator()(int k) const { call_(data_, k); }

 private:
  const void* data_;
  void (*call_)(const void*, int);
};

/// visit(0 … n - 1) in any order; `grain` of them are worth a task.
void for_all(int n, int grain, IndexVisit visit);

/// From now on at most so many threads work; 0: all that there are.
void limit_workers(int most);

/// Nodes of a tree, which come children before parents and each subtree in a row, with what each
/// costs.
class TreeSweeps {
 public:
  TreeSweeps() = default;
  TreeSweeps(const AssemblyTree& tree, std::vector<double> cost);

  /// Children before parents; subtrees that cost less than `grain` are one task.
  void up(double grain, IndexVisit visit) const;
  /// Parents before children.
  void down(double grain, IndexVisit visit) const;

 private:
  void up_from(int node, double grain, const IndexVisit& visit) const;
  void down_from(int node, double grain, const IndexVisit& visit) const;

  struct Node {
    int first, left, right;  // of its subtree; -1: none
    double cost;             // of its subtree
  };
  std::vector<Node> nodes_;
  std::vector<int> roots_;
  double cost_ = 0;
};

}  // namespace couplet::dynamics
