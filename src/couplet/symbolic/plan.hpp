// What an evaluation does for each node of an order: its operation, its arguments, how often its
// value is read. The tape and the C output follow the same plan, so that they agree bit by bit.
#pragma once

#include "couplet/symbolic/order.hpp"

namespace couplet::symbolic {

/// What is done for each node.
struct Plan {
  explicit Plan(const Order& order) : op(order.size()), args(order.size()), uses(order.size()) {
    for (const std::uint32_t root : order.roots()) ++uses[root];
    for (std::size_t i = order.size(); i-- > 0;) {
      op[i] = order.op(i);
      if (uses[i] == 0) continue;
      for (int k = 0; k < order.arity(i); ++k)
        args[i][static_cast<std::size_t>(k)] = order.arg(i, k);
      if (const std::uint32_t x = args[i][0]; op[i] == Op::neg && order.op(x) == Op::sub) {
        op[i] = Op::sub;  // -(a - b) = b - a, which may make a - b itself superfluous
        args[i] = {order.arg(x, 1), order.arg(x, 0), 0};
      }
      for (int k = 0; k < info(op[i]).arity; ++k) ++uses[args[i][static_cast<std::size_t>(k)]];
    }
  }

  bool is_needed(std::size_t i) const { return uses[i] > 0; }

  std::vector<Op> op;
  std::vector<std::array<std::uint32_t, 3>> args;  // nodes
  std::vector<std::uint32_t> uses;                 // as argument or output
};

}  // namespace couplet::symbolic
