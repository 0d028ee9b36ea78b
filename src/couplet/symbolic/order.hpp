// The nodes that some expressions are made of, each once, arguments before the operations that use
// them. Every algorithm on expressions is then a loop over 0 … size-1 with its results in a vector:
// linear in the shared DAG, and no depth of nesting can overflow the stack.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "couplet/symbolic/expr.hpp"

namespace couplet::symbolic {

class Order {
 public:
  /// From the outputs, depth first: the same for equal expressions in every run.
  explicit Order(std::span<const Expr> roots);
  explicit Order(const Expr& root) : Order(std::span(&root, 1)) {}

  std::size_t size() const { return nodes_.size(); }
  Op op(std::size_t i) const { return nodes_[i]->op; }
  int arity(std::size_t i) const { return nodes_[i]->arity; }
  /// Place of the k-th argument of node i; smaller than i.
  std::uint32_t arg(std::size_t i, int k) const { return args_[i][static_cast<std::size_t>(k)]; }
  Expr expr(std::size_t i) const { return Expr::of(nodes_[i]); }
  double value(std::size_t i) const { return nodes_[i]->value; }             // of a constant
  const std::string& name(std::size_t i) const { return *nodes_[i]->name; }  // of a symbol
  std::span<const std::uint32_t> roots() const { return roots_; }

  /// As the nodes were created: what the author wrote together stays together, so that generated
  /// code finds its arguments in registers.
  static Order by_creation(std::span<const Expr> roots);

 private:
  void sort_by_creation();

  std::vector<const Node*> nodes_;  // alive as long as the roots are
  std::vector<std::array<std::uint32_t, 3>> args_;
  std::vector<std::uint32_t> roots_;
  std::vector<Expr> keep_;
};

}  // namespace couplet::symbolic
