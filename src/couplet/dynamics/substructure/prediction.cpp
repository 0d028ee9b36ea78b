// How long the sweeps of an assembly would take on many processors.
#include <algorithm>
#include <cmath>

#include "couplet/dynamics/substructure/assembly.hpp"

namespace couplet::dynamics {

// Processors are shared between the two subsystems of a node by the work in them, until one is
// left, or messages would take longer than what they save. Subsystems of one processor wait for
// nobody.
double Assembly::predict(int processors, const TaskCosts& costs) const {
  const size_t n = nodes_.size();
  std::vector<double> work(n, 0);
  for (size_t k = 0; k < n; ++k) {
    work[k] = count(nodes_[k]);
    for (const int child : {nodes_[k].left, nodes_[k].right})
      if (child >= 0) work[k] += work[static_cast<size_t>(child)];
  }
  const auto time_of = [&](const auto& self, int k, int share) -> double {  // as deep as the tree
    const Node& node = nodes_[static_cast<size_t>(k)];
    const double alone = costs.multiplication * work[static_cast<size_t>(k)];
    if (share == 1 || node.left < 0) return alone;
    const double own = costs.multiplication * count(node);
    if (node.right < 0) return own + self(self, node.left, share);
    const double left = work[static_cast<size_t>(node.left)],
                 right = work[static_cast<size_t>(node.right)];
    const int to_left =
        std::clamp(static_cast<int>(std::lround(share * left / (left + right))), 1, share - 1);
    // Φ and b of the right one's handles come up, forces go down, and loads once more up and down.
    const double m = 6.0 * nodes_[static_cast<size_t>(node.right)].handles;
    const double message =
        costs.sweeps * costs.latency + (m * (m + 1) / 2 + costs.sweeps * m) * costs.number;
    return std::min(alone, own + std::max(self(self, node.left, to_left),
                                          self(self, node.right, share - to_left) + message));
  };
  // Groups of parts that do not hang together: all processors for each, or one group each.
  double whole = 0, longest = 0;
  for (const int root : joined_.roots) {
    whole += time_of(time_of, root, processors);
    longest = std::max(longest, time_of(time_of, root, 1));
  }
  const auto groups = static_cast<double>(joined_.roots.size());
  if (groups <= 1) return whole;
  double all = 0;
  for (const int root : joined_.roots) all += time_of(time_of, root, 1);
  return std::min(whole, std::max(longest, all / processors));
}

}  // namespace couplet::dynamics
