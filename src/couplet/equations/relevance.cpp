#include "couplet/equations/relevance.hpp"

#include <cmath>
#include <limits>

namespace couplet::equations {

using symbolic::Op;

Relevance::Relevance(const Dae& dae, const SlotMap& map, const std::vector<Expr>& expressions)
    : relations_(dae.relations.size()) {
  std::unordered_map<Expr, int> relation;
  for (size_t k = 0; k < dae.relations.size(); ++k)
    relation.emplace(dae.relations[k].symbol, static_cast<int>(k));
  for (const Expr& e : expressions) {
    const symbolic::Order order(e);
    for (size_t i = 0; i < order.size(); ++i)
      if (order.op(i) == Op::symbol && relation.contains(order.expr(i))) {
        roots_.push_back(e);
        break;
      }
  }
  order_.emplace(std::span<const Expr>(roots_));
  const size_t n = order_->size();
  slot_.assign(n, -1);
  relation_.assign(n, -1);
  is_steady_.assign(n, 0);
  has_any_.assign(n, 0);
  value_.assign(n, 0);
  for (size_t i = 0; i < n; ++i) {
    if (order_->op(i) == Op::symbol) {
      const Expr symbol = order_->expr(i);
      slot_[i] = map.of(symbol);
      const auto found = relation.find(symbol);
      if (found != relation.end()) relation_[i] = found->second;
      has_any_[i] = found != relation.end();
      is_steady_[i] = !dae.is_continuous(symbol);
      continue;
    }
    is_steady_[i] = order_->op(i) != Op::call1 && order_->op(i) != Op::call2;
    for (int k = 0; k < order_->arity(i); ++k) {
      is_steady_[i] = is_steady_[i] && is_steady_[order_->arg(i, k)];
      has_any_[i] = has_any_[i] || has_any_[order_->arg(i, k)];
    }
  }
}

double Relevance::evaluate(size_t i) const {
  if (order_->op(i) == Op::constant) return order_->value(i);
  const auto arg = [&](int k) {
    return k < order_->arity(i) ? Expr(value_[order_->arg(i, k)]) : Expr();
  };
  const Expr folded = symbolic::make(order_->op(i), arg(0), arg(1), arg(2));
  return folded.is_constant() ? folded.value() : std::numeric_limits<double>::quiet_NaN();
}

void Relevance::mark(size_t i) {
  if (!has_any_[i] || marked_[i]) return;
  marked_[i] = 1;
  stack_.push_back(i);
}

void Relevance::find(const std::vector<double>& slots, std::vector<char>& relevant) {
  relevant.assign(relations_, 0);
  if (!order_) return;
  for (size_t i = 0; i < order_->size(); ++i)
    if (is_steady_[i])
      value_[i] = slot_[i] >= 0 ? slots[static_cast<size_t>(slot_[i])] : evaluate(i);
  marked_.assign(order_->size(), 0);
  stack_.clear();
  for (const std::uint32_t root : order_->roots()) mark(root);
  while (!stack_.empty()) {
    const size_t i = stack_.back();
    stack_.pop_back();
    if (relation_[i] >= 0) relevant[static_cast<size_t>(relation_[i])] = 1;
    const Op op = order_->op(i);
    const auto arg = [&](int k) { return static_cast<size_t>(order_->arg(i, k)); };
    const auto decides = [&](int k) {  // the result by itself
      return is_steady_[arg(k)] && !std::isnan(value_[arg(k)]) &&
             (value_[arg(k)] != 0) == (op == Op::logical_or);
    };
    if (op == Op::logical_and || op == Op::logical_or) {
      int by = -1;  // what needs no relation for it comes first
      for (const int k : {0, 1})
        if (decides(k) && (by < 0 || !has_any_[arg(k)])) by = k;
      if (by >= 0) {
        mark(arg(by));
        continue;
      }
    }
    if (op == Op::select && is_steady_[arg(0)]) {
      mark(arg(0));
      mark(arg(value_[arg(0)] != 0 ? 1 : 2));
      continue;
    }
    for (int k = 0; k < order_->arity(i); ++k) mark(arg(k));
  }
}

}  // namespace couplet::equations
