#include "couplet/symbolic/time_sight.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/order.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::symbolic {

std::vector<Expr> find_functions_of_time(
    const Expr& e, const std::function<bool(const std::string& name)>& is_fixed) {
  enum Kind : char { fixed, of_time, other };
  const Expr t = Expr::symbol("t");
  const Order order(e);
  const auto is_time = [&](std::size_t i) {
    return order.op(i) == Op::symbol && order.name(i) == t.name();
  };
  bool has_time = false;
  for (std::size_t i = 0; i < order.size(); ++i) has_time = has_time || is_time(i);
  if (!has_time) return {};
  std::vector<Kind> kinds(order.size());
  std::vector<char> is_part(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    kinds[i] = order.op(i) != Op::symbol ? fixed
               : is_time(i)              ? of_time
               : is_fixed(order.name(i)) ? fixed
                                         : other;
    for (int k = 0; k < order.arity(i); ++k) kinds[i] = std::max(kinds[i], kinds[order.arg(i, k)]);
    is_part[i] = kinds[i] == of_time;
    for (int k = 0; k < order.arity(i) && is_part[i]; ++k) is_part[order.arg(i, k)] = 0;
  }
  std::vector<Expr> found;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!is_part[i] || !Bounds::cover(order.expr(i))) continue;
    const Expr rate = differentiate(order.expr(i), t);
    const bool is_linear = differentiate(rate, t).is_constant(0) && !is_in_pieces(order.expr(i));
    if (!is_linear && Bounds::cover(rate)) found.push_back(order.expr(i));
  }
  return found;
}

TimeSight::TimeSight(const std::vector<Expr>& functions, std::span<const std::string> inputs)
    : inputs_(inputs.size()) {
  for (const Expr& e : functions) {
    const std::array both{e, differentiate(e, Expr::symbol("t"))};
    functions_.push_back({Tape(std::span(&e, 1), inputs), Bounds(both, inputs), 0});
    registers_.resize(std::max(registers_.size(), functions_.back().tape.register_count()));
  }
}

double TimeSight::reach(std::span<const double> inputs, double t, double end) {
  constexpr int most_halves = 40;
  constexpr double long_time = 1000;  // times the end: not all time, as what grows has no bounds
  std::copy(inputs.begin(), inputs.end(), inputs_.begin());
  for (Function& function : functions_) {
    Interval all[2];  // not kept: what a step sees must not depend on where a run began
    function.bounds.calc(inputs_, {t, std::max(long_time * std::abs(end), end)}, all);
    const double most = std::max(std::abs(all[0].low), std::abs(all[0].high));
    function.most = std::isfinite(most) ? most : 0;
    double seen = end;
    int halves = 0;
    for (; halves < most_halves && !shows(function, t, seen); ++halves) seen = t + (seen - t) / 2;
    if (halves < most_halves) end = seen;  // else it is the bounds that say nothing here
  }
  return end;
}

// From one point to the next it cannot change by much more than it does over all of them, or by
// next to nothing.
bool TimeSight::shows(Function& function, double t, double end) {
  constexpr int points = 5;
  constexpr double more = 4, nothing = 1e-6;
  double low = 0, high = 0;
  for (int k = 0; k < points; ++k) {
    double value = 0;
    inputs_[0] = t + (end - t) * k / (points - 1);
    function.tape.evaluate(inputs_, {&value, 1}, registers_);
    low = k == 0 ? value : std::min(low, value);
    high = k == 0 ? value : std::max(high, value);
  }
  Interval found[2];
  function.bounds.calc(inputs_, {t, end}, found);
  const auto& [bounds, rate] = found;
  const double steepest = std::max(std::abs(rate.low), std::abs(rate.high));
  const double scale = std::max({function.most, std::abs(low), std::abs(high)});
  return bounds.width() <= nothing * scale ||
         steepest * (end - t) / (points - 1) <= more * (high - low) + nothing * scale;
}

}  // namespace couplet::symbolic
