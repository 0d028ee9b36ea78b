#include "couplet/symbolic/sign_changes.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/expr.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::symbolic {
namespace {

constexpr int most_intervals = 2000;
constexpr double shortest_part = 1e-7;  // of a quarter of a step

bool is_linear_in(const Expr& e, const std::vector<Expr>& symbols) {
  if (is_in_pieces(e)) return false;
  for (const Expr& a : symbols) {
    const Expr slope = differentiate(e, a);
    for (const Expr& b : symbols)
      if (!differentiate(slope, b).is_constant(0)) return false;
  }
  return true;
}

}  // namespace

SignChanges::SignChanges(std::span<const Expr> functions, std::span<const std::string> inputs,
                         Moving moving)
    : moving_(moving), list_(functions.size()) {
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < inputs.size(); ++i) places.emplace(inputs[i], i);
  const auto is_fixed = [&](const std::string& name) {
    const auto found = places.find(name);
    return found != places.end() && !moving.has(found->second, inputs.size());
  };
  size_t most_used = 0;
  for (size_t k = 0; k < functions.size(); ++k) {
    std::vector<size_t> used;
    std::vector<Expr> symbols;
    bool is_known = Bounds::cover(functions[k], is_fixed);
    for (const std::string& name : find_symbols(functions[k])) {
      const auto found = places.find(name);
      is_known = is_known && found != places.end();
      if (!is_known || !moving.has(found->second, inputs.size())) continue;
      used.push_back(found->second);
      symbols.push_back(Expr::symbol(name));
    }
    if (!is_known || used.empty() || is_linear_in(functions[k], symbols)) continue;
    std::vector<Expr> all{functions[k]};
    for (const Expr& symbol : symbols) all.push_back(differentiate(functions[k], symbol));
    if (!std::ranges::all_of(all, [&](const Expr& e) { return Bounds::cover(e, is_fixed); }))
      continue;
    most_used = std::max(most_used, used.size());
    list_[k].emplace(Function{std::move(used), Bounds(all, inputs)});
    any_ = true;
  }
  if (!any_) return;
  inputs_.resize(inputs.size());
  outputs_.resize(most_used + 1);
  curves_.resize(most_used);
}

std::optional<SignChanges::Bracket> SignChanges::find(size_t k, std::span<const double> inputs,
                                                      const StepPoints& points, double from,
                                                      double to, bool negative) {
  Function& function = *list_[k];
  for (size_t i = 0; i < inputs.size(); ++i) inputs_[i] = {inputs[i], inputs[i]};
  for (size_t i = 0; i < function.used.size(); ++i)
    curves_[i] = points.curve(function.used[i], moving_, inputs.size());
  side_ = negative ? -1 : 1;
  left_ = most_intervals;
  return search(function, from, to);
}

/// Times side_, so that the change is to below zero.
SignChanges::Values SignChanges::calc(Function& function, double from, double to) {
  for (size_t i = 0; i < function.used.size(); ++i) {
    const auto [low, high] = curves_[i].range(from, to);
    inputs_[function.used[i]] = {low, high};
  }
  const std::span<Interval> out(outputs_.data(), function.used.size() + 1);
  function.bounds.calc(inputs_, out);
  Interval rate{0, 0};
  for (size_t i = 0; i < function.used.size(); ++i) {
    const auto [low, high] = curves_[i].slope_range(from, to);
    const Interval part = product_of(out[i + 1], {low, high});
    rate = {rate.low + part.low, rate.high + part.high};
  }
  const auto turned = [&](Interval x) { return side_ < 0 ? Interval{-x.high, -x.low} : x; };
  return {turned(out[0]), turned(rate)};
}

std::optional<SignChanges::Bracket> SignChanges::search(Function& function, double from,
                                                        double to) {
  if (--left_ < 0) return std::nullopt;
  const auto [value, rate] = calc(function, from, to);
  if (value.low >= 0 || rate.low > 0) return std::nullopt;
  const double half = (to - from) / 2, middle = from + half;
  const bool is_tiny = half <= shortest_part;
  if (rate.high < 0 || is_tiny) {
    const bool falls = calc(function, to, to).value.high < 0;
    return falls ? std::optional(Bracket{from, to}) : std::nullopt;
  }
  const double steepest = std::max(-rate.low, rate.high);
  if (calc(function, middle, middle).value.low - steepest * half >= 0) return std::nullopt;
  const std::optional<Bracket> first = search(function, from, middle);
  return first ? first : search(function, middle, to);
}

}  // namespace couplet::symbolic
