#include "couplet/symbolic/first_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "couplet/symbolic/substitute.hpp"

namespace couplet::symbolic {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double longest = 0x1p60;    // s: no run is longer
constexpr long most = 200'000;        // intervals
constexpr double resolution = 1e-15,  // relative
    coarse = 1e-4;                    // where there are no bounds, as beside a pole

}  // namespace

FirstTime::FirstTime(const Expr& function, const Expr& rate, std::span<const std::string> inputs)
    : tape_(std::span(&function, 1), inputs),
      bounds_(std::array{function, rate}, inputs),
      inputs_(inputs.size()),
      registers_(tape_.register_count()) {
  const std::vector<std::string> names = find_symbols(function);
  for (size_t i = 1; i < inputs.size(); ++i)
    if (std::ranges::find(names, inputs[i]) != names.end()) used_.push_back(i);
}

double FirstTime::value(double t) {
  double result = 0;
  inputs_[0] = t;
  tape_.evaluate(inputs_, {&result, 1}, registers_);
  return result;
}

void FirstTime::append_memory(std::vector<double>& memory) const {
  memory.push_back(t_);
  memory.push_back(found_);
  for (const size_t i : used_) memory.push_back(inputs_[i]);
}

void FirstTime::set_memory(std::span<const double> memory) {
  t_ = memory[0];
  found_ = memory[1];
  for (size_t i = 0; i < used_.size(); ++i) inputs_[used_[i]] = memory[2 + i];
}

double FirstTime::find(std::span<const double> inputs, double t) {
  constexpr double at_once = 1e-15;  // relative, or s near the beginning
  const auto has_changed = [&](size_t i) { return inputs[i] != inputs_[i]; };
  if (t >= t_ && std::ranges::none_of(used_, has_changed)) return found_;
  std::ranges::copy(inputs, inputs_.begin());
  t_ = t;
  left_ = most;
  found_ = find_first();
  if (found_ - t <= at_once * std::max(1.0, std::abs(t))) found_ = t;
  return found_;
}

// Intervals are halves of halves of [0, 1], [1, 2], [2, 4] …, wherever the search begins: a run
// that was interrupted finds the same bits.
double FirstTime::find_first() {
  for (double begin = -longest; begin < -1 && t_ < 0; begin /= 2)
    if (const double found = search(begin, begin / 2); found < never) return found;
  if (const double found = search(-1, 0); found < never) return found;
  for (double begin = 0, end = 1; begin < longest; begin = end, end *= 2)
    if (const double found = search(begin, end); found < never) return found;
  return never;
}

double FirstTime::search(double begin, double end) {
  if (end <= t_) return never;
  const double from = std::max(begin, t_), half = (end - from) / 2;
  const double size = std::max({1.0, std::abs(begin), std::abs(end)});
  if (--left_ < 0) return std::max(from, t_ + 1e-3 * size);
  Interval found[2];
  bounds_.calc(inputs_, {from, end}, found);
  const auto& [function, rate] = found;
  if (function.low >= 0 || rate.low > 0) return never;
  const double steepest = std::max(std::abs(rate.low), std::abs(rate.high));
  if (value(from + half) - steepest * half >= 0) return never;
  if (rate.high < 0) return value(end) < 0 ? bisect(begin, end) : never;
  const bool is_bounded = std::isfinite(function.low) || std::isfinite(steepest);
  if (!is_bounded && std::isnan(value(from)) && std::isnan(value(from + half)) &&
      std::isnan(value(end)))
    return never;  // nor is it a number, as a root of what is below zero
  if (end - begin <= (is_bounded ? resolution : coarse) * size)
    return value(end) < 0 ? bisect(begin, end) : never;
  const double middle = begin + (end - begin) / 2;
  const double first = search(begin, middle);
  return first < never ? first : search(middle, end);
}

double FirstTime::bisect(double begin, double end) {
  while (true) {
    const double middle = begin + (end - begin) / 2;
    if (!(middle > begin && middle < end)) return end;
    (middle > t_ && value(middle) < 0 ? end : begin) = middle;
  }
}

}  // namespace couplet::symbolic
