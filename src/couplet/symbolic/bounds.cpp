#include "couplet/symbolic/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "couplet/base/diagnostics.hpp"
#include "couplet/symbolic/external.hpp"
#include "couplet/symbolic/order.hpp"

namespace couplet::symbolic {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity(), pi = std::numbers::pi;
constexpr Interval anything{-infinite, infinite}, either{0, 1}, no{0, 0}, yes{1, 1};

Interval ordered(double a, double b) { return a < b ? Interval{a, b} : Interval{b, a}; }

// A function of two variables that is monotonic in each.
template <class F>
Interval of_corners(const F& f, Interval a, Interval b) {
  const double values[] = {f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)};
  if (std::ranges::any_of(values, [](double x) { return std::isnan(x); })) return anything;
  return {*std::ranges::min_element(values), *std::ranges::max_element(values)};
}

Interval magnitude(Interval x) {
  if (x.low >= 0) return x;
  if (x.high <= 0) return {-x.high, -x.low};
  return {0, std::max(-x.low, x.high)};
}

// It is 1 at `top` + 2kπ and -1 half a period from there.
Interval wave(double (*f)(double), double top, Interval x) {
  const auto meets = [&](double place) {
    return place + 2 * pi * std::ceil((x.low - place) / (2 * pi)) <= x.high;
  };
  if (!(x.width() < 2 * pi)) return {-1, 1};
  const Interval ends = ordered(f(x.low), f(x.high));
  return {meets(top + pi) ? -1 : ends.low, meets(top) ? 1 : ends.high};
}

Interval power(Interval base, Interval exponent) {
  const auto f = [](double x, double y) { return std::pow(x, y); };
  const double n = exponent.low;
  if (exponent.width() == 0 && n == std::floor(n)) {
    const bool even = n / 2 == std::floor(n / 2);
    if (n < 0 && base.has(0)) return even ? Interval{0, infinite} : anything;
    const Interval x = even ? magnitude(base) : base;
    return ordered(f(x.low, n), f(x.high, n));
  }
  return base.low >= 0 ? of_corners(f, base, exponent) : anything;
}

Interval less(Interval a, Interval b, bool or_equal) {
  if (or_equal ? a.high <= b.low : a.high < b.low) return yes;
  if (or_equal ? a.low > b.high : a.low >= b.high) return no;
  return either;
}

Interval equal(Interval a, Interval b) {
  if (a.high < b.low || b.high < a.low) return no;
  return a.width() == 0 && b.width() == 0 ? yes : either;
}

Interval negation(Interval a) {
  if (!a.has(0)) return no;
  return a.width() == 0 ? yes : either;
}

Interval truth(Interval a) { return negation(negation(a)); }

Interval hull(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

template <class F>
Interval rising(const F& f, Interval x) {
  return {f(x.low), f(x.high)};
}

// Of functions from outside nothing is known but values, if they do not say more.
Interval called(const ExternalFunction& function, Interval a, Interval b) {
  const bool is_one = function.arity == 1 || b.width() == 0;
  if (function.bounds && is_one && a.width() != 0) return function.bounds(a, b.low);
  if (a.width() != 0 || (function.arity == 2 && b.width() != 0)) return anything;
  const double value = function.value(a.low, b.low);
  return {value, value};
}

}  // namespace

Interval product_of(Interval a, Interval b) {
  const auto times = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };
  return of_corners(times, a, b);
}

bool is_in_pieces(const Expr& e) {
  const Order order(e);
  for (std::size_t i = 0; i < order.size(); ++i) switch (order.op(i)) {
      case Op::abs:
      case Op::min:
      case Op::max:
      case Op::sign:
      case Op::floor:
      case Op::ceil:
      case Op::mod:
      case Op::less:
      case Op::less_equal:
      case Op::select:
        return true;
      case Op::call1:
      case Op::call2:
        if (function_of(order.expr(i).node()).is_in_pieces) return true;
        break;
      default:
        break;
    }
  return false;
}

bool Bounds::cover(const Expr& e, const std::function<bool(const std::string& name)>& is_fixed) {
  const Order order(e);
  std::vector<char> moves(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    moves[i] = order.op(i) == Op::symbol && !(is_fixed && is_fixed(order.name(i)));
    for (int k = 0; k < order.arity(i); ++k) moves[i] |= moves[order.arg(i, k)];
    if (order.op(i) != Op::call1 && order.op(i) != Op::call2) continue;
    const ExternalFunction& function = function_of(order.expr(i).node());
    const bool second_moves = order.op(i) == Op::call2 && moves[order.arg(i, 1)];
    if ((moves[i] || !is_fixed) && (!function.bounds || second_moves)) return false;
  }
  return true;
}

Bounds::Bounds(std::span<const Expr> outputs, std::span<const std::string> inputs) {
  const Order order(outputs);
  for (std::size_t i = 0; i < order.size(); ++i) {
    Node node{order.op(i), 0, 0, 0, 0, nullptr};
    if (node.op == Op::call1 || node.op == Op::call2)
      node.function = &function_of(order.expr(i).node());
    if (node.op == Op::constant) node.value = order.value(i);
    if (node.op == Op::symbol) {
      const auto found = std::ranges::find(inputs, order.name(i));
      if (found == inputs.end())
        throw base::UserError({}, fmt::format("unknown name {}", order.name(i)), "");
      node.a = static_cast<std::uint32_t>(found - inputs.begin());
    }
    std::uint32_t* const args[] = {&node.a, &node.b, &node.c};
    for (int k = 0; k < order.arity(i); ++k) *args[k] = order.arg(i, k);
    nodes_.push_back(node);
  }
  outputs_.assign(order.roots().begin(), order.roots().end());
  values_.resize(nodes_.size(), anything);
}

void Bounds::calc(std::span<const double> inputs, Interval x, std::span<Interval> outputs) {
  calc_all([&](std::size_t i) { return i == 0 ? x : Interval{inputs[i], inputs[i]}; }, outputs);
}

void Bounds::calc(std::span<const Interval> inputs, std::span<Interval> outputs) {
  calc_all([&](std::size_t i) { return inputs[i]; }, outputs);
}

template <class Input>
void Bounds::calc_all(const Input& input, std::span<Interval> outputs) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    Interval& value = values_[i];
    if (node.op == Op::constant)
      value = {node.value, node.value};
    else if (node.op == Op::symbol)
      value = input(node.a);
    else
      value = calc(node);
    if (!(value.low <= value.high)) value = anything;  // where it is no number
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) outputs[i] = values_[outputs_[i]];
}

Interval Bounds::calc(const Node& node) const {
  const Interval a = values_[node.a], b = values_[node.b], c = values_[node.c];
  const auto value = [&](double x) { return apply(node.op, x); };
  switch (node.op) {
    case Op::neg:
      return {-a.high, -a.low};
    case Op::add:
      return {a.low + b.low, a.high + b.high};
    case Op::sub:
      return {a.low - b.high, a.high - b.low};
    case Op::mul:
      return node.a == node.b ? power(a, {2, 2}) : product_of(a, b);
    case Op::div:
      return b.has(0) ? anything : product_of(a, {1 / b.high, 1 / b.low});
    case Op::pow:
      return power(a, b);
    case Op::sin:
      return wave([](double x) { return std::sin(x); }, pi / 2, a);
    case Op::cos:
      return wave([](double x) { return std::cos(x); }, 0, a);
    case Op::tan:
      return std::floor(a.low / pi + 0.5) == std::floor(a.high / pi + 0.5) ? rising(value, a)
                                                                           : anything;
    case Op::acos:
      return {value(a.high), value(a.low)};
    case Op::asin:
    case Op::atan:
    case Op::sinh:
    case Op::tanh:
    case Op::exp:
    case Op::sign:
    case Op::floor:
    case Op::ceil:
      return rising(value, a);
    case Op::log:
    case Op::sqrt:
      return rising(value, {std::max(a.low, 0.0), a.high});
    case Op::cosh:
      return rising(value, magnitude(a));
    case Op::atan2:
      return {-pi, pi};
    case Op::abs:
      return magnitude(a);
    case Op::min:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::max:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Op::mod:
      if (b.width() == 0 && b.low != 0 && std::floor(a.low / b.low) == std::floor(a.high / b.low)) {
        const double whole = b.low * std::floor(a.low / b.low);
        return {a.low - whole, a.high - whole};
      }
      return hull(b, {0, 0});
    case Op::less:
      return less(a, b, false);
    case Op::less_equal:
      return less(a, b, true);
    case Op::equal:
      return equal(a, b);
    case Op::not_equal:
      return negation(equal(a, b));
    case Op::logical_and:
      return {std::min(truth(a).low, truth(b).low), std::min(truth(a).high, truth(b).high)};
    case Op::logical_or:
      return {std::max(truth(a).low, truth(b).low), std::max(truth(a).high, truth(b).high)};
    case Op::logical_not:
      return negation(a);
    case Op::select:
      return !a.has(0) ? b : a.width() == 0 ? c : hull(b, c);
    case Op::noevent:
      return a;
    case Op::call1:
    case Op::call2:
      return called(*node.function, a, b);
    default:
      return anything;
  }
}

}  // namespace couplet::symbolic
