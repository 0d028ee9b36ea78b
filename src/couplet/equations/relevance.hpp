// Which relations decide anything at present: of `a and b` with a false only a counts, of a choice
// only the branch that is taken. While those keep their values the others change nothing, so that
// nobody has to look for the moment when they change.
#pragma once

#include "couplet/equations/program.hpp"
#include "couplet/symbolic/order.hpp"

namespace couplet::equations {

class Relevance {
 public:
  Relevance() = default;
  /// Of relations in these expressions.
  Relevance(const Dae& dae, const SlotMap& map, const std::vector<Expr>& expressions);
  /// For each relation, at the present values of relations and discrete variables.
  void find(const std::vector<double>& slots, std::vector<char>& relevant);

 private:
  double evaluate(size_t node) const;
  void mark(size_t node);

  std::optional<symbolic::Order> order_;
  std::vector<Expr> roots_;
  std::vector<int> slot_;        // of a node that is a symbol
  std::vector<int> relation_;    // that a node is; -1: none
  std::vector<char> is_steady_;  // changes at events only
  std::vector<char> has_any_;    // relation in it
  std::vector<double> value_;    // of steady nodes
  std::vector<char> marked_;
  std::vector<size_t> stack_;
  size_t relations_ = 0;
};

}  // namespace couplet::equations
