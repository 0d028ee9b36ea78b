#include "couplet/symbolic/switches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/symbolic/bounds.hpp"
#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/external.hpp"
#include "couplet/symbolic/order.hpp"
#include "couplet/symbolic/print.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::symbolic {

Switches::Switches(std::string prefix, std::function<bool(const std::string&)> is_fixed)
    : prefix_(std::move(prefix)), is_fixed_(std::move(is_fixed)) {}

bool Switches::changes(const Expr& e, bool with_time) const {
  const std::vector<std::string> names = find_symbols(e);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    if (name == "t") return with_time;
    const auto is_it = [&](const Switch& each) { return each.symbol.name() == name; };
    return std::none_of(list_.begin(), list_.end(), is_it) && !is_fixed_(name);
  });
}

Expr Switches::add(const Expr& value, Makes what,
                   const std::function<std::vector<Expr>(const Expr& symbol)>& gaps,
                   std::string text) {
  for (Switch& each : list_) {
    if (each.value != value) continue;
    each.is_kink = each.is_kink && what == Makes::kink;
    return each.symbol;
  }
  const Expr symbol = Expr::symbol(fmt::format("{}{}", prefix_, list_.size())),
             t = Expr::symbol("t");
  if (text.empty()) text = print(value, 60);
  list_.push_back({symbol, value, gaps(symbol), {}, std::move(text), what == Makes::kink});
  Switch& added = list_.back();
  for (const Expr& gap : added.gaps) {
    const Expr rate = differentiate(gap, t);
    if (changes(gap, false)) break;
    if (changes(rate, true) && !(Bounds::cover(gap) && Bounds::cover(rate))) break;
    added.rates.push_back(rate);
  }
  if (added.rates.size() < added.gaps.size()) added.rates.clear();
  return symbol;
}

Expr Switches::condition(Op op, const Expr& a, const Expr& b, Makes what) {
  const Expr value = make(op, a, b), difference = b - a;  // ≥ 0 while a < b
  if (!changes(difference, true)) return value;
  return add(value, what,
             [&](const Expr& s) { return std::vector{select(s, difference, -difference)}; });
}

Expr Switches::whole(const Expr& x) {
  if (!changes(x, true)) return floor(x);
  return add(floor(x), Makes::jump, [&](const Expr& n) { return std::vector{x - n, n + 1 - x}; });
}

Expr Switches::table(const ExternalFunction& table, const Expr& a, const Expr& b) {
  Expr smooth = call(table, a, b);
  std::vector<Expr> numbers;
  for (int k = 0; k < table.arity; ++k) {
    const Expr& x = k == 0 ? a : b;
    const std::optional<TableRanges> ranges = find_ranges(table, k, smooth_);
    if (!ranges) continue;
    if (!changes(x, true)) {
      numbers.push_back(call(*ranges->number, x));
      continue;
    }
    const auto gaps = [&](const Expr& n) {
      return std::vector{x - call(*ranges->begin, n), call(*ranges->begin, n + 1) - x};
    };
    const Expr n = add(call(*ranges->number, x), smooth_ == 1 ? Makes::kink : Makes::jump, gaps,
                       fmt::format("{}({})", table.table->name, print(x, 60)));
    numbers.push_back(n);
    if (ranges->value) smooth = call(*ranges->value, x, n);
  }
  if (table.arity == 2 && numbers.size() == 2 && changes(smooth, true))
    smooth = call_on_cell(table, a, b, numbers[0], numbers[1]);
  return smooth;
}

// An operation on arguments that are frozen already.
Expr Switches::frozen(const Expr& old, const Expr& a, const Expr& b, const Expr& c) {
  switch (old.op()) {
    case Op::less:
    case Op::less_equal:
      return condition(old.op(), a, b);
    case Op::equal:
    case Op::not_equal:
      if (changes(a - b, true))
        throw base::UserError({},
                              fmt::format("{} asks whether two quantities that change are equal, "
                                          "and they are so for no time at all",
                                          base::quoted(print(old))),
                              "compare with < or >, or put it in noevent(…)");
      return make(old.op(), a, b);
    case Op::min:
      return select(condition(Op::less, a, b, Makes::kink), a, b);
    case Op::max:
      return select(condition(Op::less, b, a, Makes::kink), a, b);
    case Op::abs:
      return select(condition(Op::less, a, 0, Makes::kink), -a, a);
    case Op::sign:
      return select(condition(Op::less, 0, a), 1, select(condition(Op::less, a, 0), -1, 0));
    case Op::floor:
      return whole(a);
    case Op::ceil:
      return -whole(-a);
    case Op::mod:
      return a - b * whole(a / b);
    case Op::call1:
    case Op::call2:
      if (function_of(old.node()).table) return table(function_of(old.node()), a, b);
      return call(function_of(old.node()), a, b);
    default:
      return make(old.op(), a, b, c);
  }
}

Expr Switches::freeze(const Expr& e, int smooth) {
  smooth_ = smooth;
  const Order order = Order::by_creation(std::span(&e, 1));
  std::vector<Expr> results(order.size());
  std::vector<char> wanted(order.size(), 0);  // not only inside of noevent
  wanted[order.roots()[0]] = 1;
  for (std::size_t i = order.size(); i-- > 0;)
    for (int k = 0; k < order.arity(i) && wanted[i] && order.op(i) != Op::noevent; ++k)
      wanted[order.arg(i, k)] = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!wanted[i]) continue;
    const Expr old = order.expr(i);
    if (order.arity(i) == 0) {
      results[i] = old;
    } else if (old.is(Op::noevent)) {
      results[i] = old.arg(0);
    } else {
      Expr args[3];
      for (int k = 0; k < order.arity(i); ++k) args[k] = results[order.arg(i, k)];
      results[i] = frozen(old, args[0], args[1], args[2]);
    }
  }
  return results[order.roots()[0]];
}

double calc_next(const Switch& each, size_t gap, double value) {
  if (each.gaps.size() == 1) return 1 - value;
  return gap == 0 ? value - 1 : value + 1;
}

}  // namespace couplet::symbolic
