// In which order a tape works: rows of three sums, of which none waits for another.
#pragma once

#include "couplet/symbolic/plan.hpp"

namespace couplet::symbolic {

struct Schedule {
  Schedule(const Order& order, const Plan& plan);

  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  /// Nodes: a sum a·b + c·d, a difference a·b - c·d, a sum a·b + c; or nothing.
  using Row = std::array<std::uint32_t, 3>;
  /// Any other operation, done before the row `before`.
  struct Other {
    std::size_t before;
    std::uint32_t node;
  };

  std::vector<char> absorbed;        // products that only sums read: these do them by themselves
  std::vector<std::uint32_t> reads;  // how often a row or another operation or an output reads it
  std::vector<Row> rows;
  std::vector<Other> others;
};

}  // namespace couplet::symbolic
