// Nodes of the expression DAG and the table that makes equal nodes one node. Everything outside
// this room sees them through Expr.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "couplet/symbolic/op.hpp"

namespace couplet::symbolic {

/// One operation, constant or symbol; immutable but for the count and the table's link. 48 bytes.
struct Node {
  std::atomic<std::uint32_t> references{1};
  Op op = Op::constant;
  std::uint8_t arity = 0;
  bool immortal = false;         // 0, 1, -1: not counted, so that threads do not fight for them
  bool has_trig_square = false;  // a product with sin² or cos² as a factor, see trigonometry.cpp
  std::uint64_t hash = 0;        // of the structure: the same in every run, on every machine
  Node* next = nullptr;          // in its bucket; later in the list of the dead
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
