#include "couplet/symbolic/path_sight.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/order.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::symbolic {
namespace {

const char* const place_on_path = "place_on_path";

// Of a degree that rules see at their points: powers, as of drag and springs, hide nothing.
bool is_polynomial(const Expr& function, const Expr& u) {
  constexpr int highest = 8;
  if (is_in_pieces(function)) return false;
  Expr derivative = function;
  for (int degree = 0; degree <= highest; ++degree) {
    derivative = differentiate(derivative, u);
    if (derivative.is_constant(0)) return true;
  }
  return false;
}

bool is_smooth(const Expr& function) {
  const Order order(function);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Op op = order.op(i);
    if (op == Op::abs || op == Op::min || op == Op::max || op == Op::sign || op == Op::floor ||
        op == Op::ceil || op == Op::mod || op == Op::select || op == Op::less ||
        op == Op::less_equal || op == Op::sqrt || op == Op::log || op == Op::asin || op == Op::acos)
      return false;
    if (op != Op::pow) continue;
    const Expr exponent = order.expr(order.arg(i, 1));
    if (!exponent.is_constant() || exponent.value() != std::floor(exponent.value())) return false;
  }
  return true;
}

}  // namespace

// Each node is fixed, or a function of what one node is, or else such a node itself.
std::vector<Shape> find_shapes(const Expr& e,
                               const std::function<bool(const std::string& name)>& is_fixed,
                               const std::function<bool(const std::string& name)>& moves) {
  constexpr std::size_t fixed = SIZE_MAX;
  const Expr t = Expr::symbol("t"), u = Expr::symbol(place_on_path);
  const Order order(e);
  std::vector<std::size_t> of(order.size(), fixed);
  std::vector<char> is_part(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.op(i) == Op::symbol && !is_fixed(order.name(i))) {
      if (!moves(order.name(i))) return {};  // it is not known how
      of[i] = i;
    }
    for (int k = 0; k < order.arity(i); ++k) {
      const std::size_t each = of[order.arg(i, k)];
      if (each == fixed || each == of[i]) continue;
      of[i] = of[i] == fixed ? each : i;
    }
    is_part[i] = of[i] != fixed && of[i] != i;
    for (int k = 0; k < order.arity(i) && is_part[i]; ++k)
      if (of[order.arg(i, k)] == of[i]) is_part[order.arg(i, k)] = 0;
  }
  std::vector<Shape> found;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!is_part[i]) continue;
    const Expr argument = order.expr(of[i]);
    if (argument == t) continue;
    const Expr function = substitute(order.expr(i), {{argument, u}});
    const std::vector<std::string> left = find_symbols(function);
    const bool is_whole = std::ranges::all_of(
        left, [&](const std::string& name) { return name == u.name() || is_fixed(name); });
    if (!is_whole || !Bounds::cover(function, is_fixed) || is_polynomial(function, u)) continue;
    if (Bounds::cover(differentiate(function, u), is_fixed)) found.push_back({function, argument});
  }
  return found;
}

PathSight::PathSight(std::span<const Shape> shapes, std::vector<std::string> inputs, Moving moving)
    : moving_(moving), inputs_(inputs.size()), with_place_(inputs.size() + 1) {
  std::vector<std::string> names{place_on_path};
  names.insert(names.end(), inputs.begin(), inputs.end());
  const Expr u = Expr::symbol(place_on_path);
  curves_.resize(inputs.size());
  for (const Shape& shape : shapes) {
    const std::array both{shape.function, differentiate(shape.function, u)};
    std::vector<size_t> used;
    const std::vector<std::string> symbols = find_symbols(shape.argument);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (moving.has(i, inputs.size()) && std::ranges::find(symbols, inputs[i]) != symbols.end())
        used.push_back(i);
    shapes_.push_back({Tape(std::span(&shape.argument, 1), inputs), Bounds(both, names),
                       std::move(used), is_smooth(shape.function)});
    registers_.resize(std::max(registers_.size(), shapes_.back().argument.register_count()));
  }
}

PathSight::Sight PathSight::look(std::span<const double> inputs, const StepPoints& points) {
  constexpr int most_halves = 40, most_without_bounds = 6;
  std::ranges::copy(inputs, inputs_.begin());
  std::ranges::copy(inputs, with_place_.begin() + 1);
  Sight sight;
  for (size_t k = 0; k < shapes_.size(); ++k) {
    for (const size_t i : shapes_[k].used) curves_[i] = points.curve(i, moving_, inputs.size());
    double until = sight.until;
    int halves = 0;
    const double size = find_size(shapes_[k], until);
    const int most = size > 0 ? most_halves : most_without_bounds;
    for (; halves < most && !shows(shapes_[k], until, size); ++halves) until /= 2;
    if (halves == 0 || halves == most) continue;  // else it is the bounds that say nothing
    sight = {until, k};
  }
  return sight;
}

Interval PathSight::value(Bound& shape, Interval argument, Interval* rate) {
  Interval found[2];
  shape.bounds.calc(with_place_, argument, found);
  if (rate) *rate = found[1];
  return found[0];
}

Interval PathSight::find_places(Bound& shape, double until, std::array<double, 5>& places) {
  constexpr int pieces = 16;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (size_t p = 0; p < 5; ++p) {
    for (const size_t i : shape.used) inputs_[i] = curves_[i](static_cast<double>(p) * until);
    shape.argument.evaluate(inputs_, {&places[p], 1}, registers_);
  }
  const math::Quartic path(places);
  Interval reached{infinite, -infinite};
  for (int i = 0; i < pieces; ++i) {
    const auto [a, b] = path.range(4.0 * i / pieces, 4.0 * (i + 1) / pieces);
    reached = {std::min(reached.low, a), std::max(reached.high, b)};
  }
  return reached;
}

// Of what has no bounds, as |v|^2.5, on the way of the whole step: it looks alike at all scales,
// and is not followed to its zero. 0: not known.
double PathSight::find_size(Bound& shape, double until) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto largest = [](Interval x) { return std::max(std::abs(x.low), std::abs(x.high)); };
  const double always = largest(value(shape, {-infinite, infinite}));
  if (std::isfinite(always)) return always;
  if (!shape.is_smooth) return 0;
  std::array<double, 5> places;
  const double here = largest(value(shape, find_places(shape, until, places)));
  return std::isfinite(here) ? here : 0;
}

// From one of five points to the next it cannot change by much more than it does over four of them,
// the first or the last: what shows at an end alone a rule may not have evaluated.
bool PathSight::shows(Bound& shape, double until, double size) {
  constexpr double more = 4, fine = 0.5, little = 0.1, more_of_monotonic = 2, nothing = 1e-6,
                   infinite = std::numeric_limits<double>::infinity();
  std::array<double, 5> places, values;
  const Interval reached = find_places(shape, until, places);
  double longest = 0;
  for (size_t p = 0; p < 5; ++p) {
    values[p] = value(shape, {places[p], places[p]}).low;
    if (p > 0) longest = std::max(longest, std::abs(places[p] - places[p - 1]));
  }
  const auto [low, high] = std::ranges::minmax(values);
  if (!(reached.width() < infinite) || !(high - low < infinite)) return true;  // no numbers
  const auto change_of = [](auto begin, auto end) {
    const auto [least, most] = std::ranges::minmax(std::ranges::subrange(begin, end));
    return most - least;
  };
  const double shown = std::min(change_of(values.begin(), values.end() - 1),
                                change_of(values.begin() + 1, values.end()));
  Interval rate;
  const Interval bounds = value(shape, reached, &rate);
  const double scale = std::max({size, std::abs(low), std::abs(high)});
  if (bounds.width() <= nothing * scale) return true;
  if (rate.low >= 0 || rate.high <= 0) {
    const double change = std::abs(value(shape, {reached.high, reached.high}).low -
                                   value(shape, {reached.low, reached.low}).low);
    return change <= more_of_monotonic * shown + nothing * scale;
  }
  // Large ones finely: a rule may not notice what a few of its points show.
  return std::max(-rate.low, rate.high) * longest <=
         std::min(more * shown + nothing * scale, fine * shown + little * scale);
}

}  // namespace couplet::symbolic
