// Nodes of the expression DAG and the table that makes equal nodes one node. Everything outside
// this room sees them through Expr.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "couplet/symbolic/op.hpp"

namespace couplet::symbolic {

/// What a product has among its factors; bits, so that most sums need not look further.
enum TrigFactors : std::uint8_t {
  one_trig = 1,     // sin or cos
  trig_square = 2,  // sin² or cos²
  two_trigs = 4,    // two different ones
};

/// One operation, constant or symbol; immutable but for the count and the table's link. 56 bytes.
struct Node {
  std::atomic<std::uint32_t> references{1};
  Op op = Op::constant;
  std::uint8_t arity = 0;
  bool immortal = false;     // 0, 1, -1: not counted, so that threads do not fight for them
  std::uint8_t trig = 0;     // TrigFactors of a product, see trigonometry.cpp
  std::uint64_t hash = 0;    // of the structure: the same in every run, on every machine
  std::uint64_t serial = 0;  // later than its arguments': the order of creation
  Node* next = nullptr;      // in its bucket; later in the list of the dead
  union {
    double value;
    const std::string* name;  // owned
    Node* args[3];            // counted
  };

  Node() : args{} {}
};

// Each returns the one node of that structure, with one reference added for the caller.
Node* intern_constant(double value);
Node* intern_symbol(std::string_view name);
Node* intern_operation(Op op, Node* a, Node* b = nullptr, Node* c = nullptr);

inline void retain(Node* node) {
  if (!node->immortal) node->references.fetch_add(1, std::memory_order_relaxed);
}
void release(Node* node);  // frees what nobody uses any more, without recursion

/// Nodes alive in this process; for tests and memory reports.
std::size_t live_node_count();

}  // namespace couplet::symbolic
