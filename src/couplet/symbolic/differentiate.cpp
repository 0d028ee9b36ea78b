#include "couplet/symbolic/differentiate.hpp"

#include <algorithm>
#include <unordered_map>

#include "couplet/base/diagnostics.hpp"
#include "couplet/symbolic/external.hpp"
#include "couplet/symbolic/order.hpp"

namespace couplet::symbolic {
namespace {

Expr power_derivative(const Expr& e, const Expr& a, const Expr& b, const Expr& da, const Expr& db) {
  if (db.is_constant(0)) return b * pow(a, b - 1) * da;
  return e * (db * log(a) + b * da / a);
}

// d e for e = op(a, b, c), from the derivatives of the arguments. Unused ones are 0.
Expr derivative(const Expr& e, const Expr& a, const Expr& b, const Expr& da, const Expr& db,
                const Expr& dc) {
  switch (e.op()) {
    case Op::neg:
      return -da;
    case Op::add:
      return da + db;
    case Op::sub:
      return da - db;
    case Op::mul:
      return da * b + a * db;
    case Op::div:
      return (da - e * db) / b;
    case Op::pow:
      return power_derivative(e, a, b, da, db);
    case Op::sin:
      return cos(a) * da;
    case Op::cos:
      return -(sin(a) * da);
    case Op::tan:
      return (1 + e * e) * da;
    case Op::asin:
      return da / sqrt(1 - a * a);
    case Op::acos:
      return -(da / sqrt(1 - a * a));
    case Op::atan:
      return da / (1 + a * a);
    case Op::atan2:
      return (b * da - a * db) / (a * a + b * b);
    case Op::sinh:
      return cosh(a) * da;
    case Op::cosh:
      return sinh(a) * da;
    case Op::tanh:
      return (1 - e * e) * da;
    case Op::exp:
      return e * da;
    case Op::log:
      return da / a;
    case Op::sqrt:
      return 0.5 * da / e;
    case Op::abs:
      return sign(a) * da;
    case Op::min:
      return select(less(a, b), da, db);
    case Op::max:
      return select(less(b, a), da, db);
    case Op::mod:
      return da - floor(a / b) * db;
    case Op::select:
      return select(a, db, dc);
    case Op::noevent:
      return noevent(da);
    case Op::call1:
      return function_of(e.node()).partial(a, b, 0) * da;
    case Op::call2:
      return function_of(e.node()).partial(a, b, 0) * da +
             function_of(e.node()).partial(a, b, 1) * db;
    case Op::constant:
    case Op::symbol:
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
      break;
  }
  return 0;
}

/// Who uses node i: the DAG with its arrows turned round, as one array with offsets.
class Users {
 public:
  explicit Users(const Order& order) : begin_(order.size() + 1) {
    for_each_arrow(order, [&](std::uint32_t arg, std::uint32_t) { ++begin_[arg + 1]; });
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    users_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for_each_arrow(order,
                   [&](std::uint32_t arg, std::uint32_t user) { users_[next[arg]++] = user; });
  }

  std::span<const std::uint32_t> of(std::size_t i) const {
    return std::span(users_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }

 private:
  template <class Visit>
  static void for_each_arrow(const Order& order, Visit visit) {
    for (std::uint32_t i = 0; i < order.size(); ++i)
      for (int k = 0; k < order.arity(i); ++k) visit(order.arg(i, k), i);
  }

  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> users_;
};

class Differentiator {
 public:
  explicit Differentiator(std::span<const Expr> outputs)
      : order_(outputs), users_(order_), derivative_(order_.size()), reached_(order_.size()) {
    for (std::uint32_t i = 0; i < order_.size(); ++i)
      if (order_.op(i) == Op::symbol) symbols_.emplace(order_.expr(i), i);
    for (std::size_t row = 0; row < outputs.size(); ++row)
      rows_[order_.roots()[row]].push_back(row);
  }

  void run(const Expr& symbol) {
    clear();
    const auto found = symbols_.find(symbol);
    if (found == symbols_.end()) return;
    const std::uint32_t place = found->second;
    find_dependents(place);
    derivative_[place] = 1;
    for (const std::uint32_t i : dependents_)
      if (i != place)
        derivative_[i] =
            derivative(order_.expr(i), arg(i, 0), arg(i, 1), d_arg(i, 0), d_arg(i, 1), d_arg(i, 2));
  }

  const Expr& of_output(std::size_t row) const { return derivative_[order_.roots()[row]]; }

  /// The outputs that depend on the last symbol.
  std::vector<std::size_t> rows() const {
    std::vector<std::size_t> result;
    for (const std::uint32_t i : dependents_)
      if (const auto found = rows_.find(i); found != rows_.end())
        result.insert(result.end(), found->second.begin(), found->second.end());
    std::ranges::sort(result);
    return result;
  }

 private:
  Expr arg(std::uint32_t i, int k) const {
    return k < order_.arity(i) ? order_.expr(order_.arg(i, k)) : Expr();
  }
  Expr d_arg(std::uint32_t i, int k) const {
    return k < order_.arity(i) ? derivative_[order_.arg(i, k)] : Expr();
  }

  void clear() {
    for (const std::uint32_t i : dependents_) {
      derivative_[i] = 0;
      reached_[i] = 0;
    }
    dependents_.clear();
  }

  void find_dependents(std::uint32_t symbol) {
    dependents_.push_back(symbol);
    reached_[symbol] = 1;
    for (std::size_t k = 0; k < dependents_.size(); ++k) {
      for (const std::uint32_t user : users_.of(dependents_[k])) {
        if (reached_[user]) continue;
        reached_[user] = 1;
        dependents_.push_back(user);
      }
    }
    std::ranges::sort(dependents_);
  }

  Order order_;
  Users users_;
  std::vector<Expr> derivative_;
  std::vector<char> reached_;
  std::unordered_map<Expr, std::uint32_t> symbols_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>>
      rows_;                               // of each node that is an output
  std::vector<std::uint32_t> dependents_;  // of the last symbol, arguments first
};

}  // namespace

Expr differentiate(const Expr& e, const Expr& symbol) {
  base::ensure(symbol.is_symbol(), "derivatives are taken with respect to symbols");
  Differentiator differentiator(std::span(&e, 1));
  differentiator.run(symbol);
  return differentiator.of_output(0);
}

Expr differentiate_along(const Expr& e, const std::unordered_map<Expr, Expr>& direction) {
  const Order order(e);
  std::vector<Expr> d(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const Expr here = order.expr(i);
    if (here.is_symbol()) {
      if (const auto found = direction.find(here); found != direction.end()) d[i] = found->second;
      continue;
    }
    bool changes = false;
    for (int k = 0; k < order.arity(i); ++k)
      changes = changes || !d[order.arg(i, k)].is_constant(0);
    if (!changes) continue;
    const auto arg = [&](int k) {
      return k < order.arity(i) ? order.expr(order.arg(i, k)) : Expr();
    };
    const auto d_arg = [&](int k) { return k < order.arity(i) ? d[order.arg(i, k)] : Expr(); };
    d[i] = derivative(here, arg(0), arg(1), d_arg(0), d_arg(1), d_arg(2));
  }
  return d[order.roots()[0]];
}

std::vector<JacobianEntry> differentiate(std::span<const Expr> outputs,
                                         std::span<const Expr> symbols) {
  std::vector<JacobianEntry> entries;
  Differentiator differentiator(outputs);
  for (std::size_t column = 0; column < symbols.size(); ++column) {
    base::ensure(symbols[column].is_symbol(), "derivatives are taken with respect to symbols");
    differentiator.run(symbols[column]);
    for (const std::size_t row : differentiator.rows())
      if (const Expr& value = differentiator.of_output(row); !value.is_constant(0))
        entries.push_back({row, column, value});
  }
  return entries;
}

}  // namespace couplet::symbolic
