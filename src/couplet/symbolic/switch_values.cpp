#include "couplet/symbolic/switch_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::symbolic {
namespace {

bool depends_on(const Expr& e, const char* symbol) {
  const std::vector<std::string> names = find_symbols(e);
  return std::ranges::find(names, symbol) != names.end();
}

}  // namespace

SwitchValues::SwitchValues(std::vector<Switch> switches, std::vector<std::string> names,
                           const std::vector<std::string>& inputs)
    : switches_(std::move(switches)), names_(std::move(names)) {
  if (switches_.empty()) return;
  first_ = static_cast<size_t>(std::ranges::find(inputs, switches_.front().symbol.name()) -
                               inputs.begin());
  std::vector<Expr> gaps, rates, values;
  for (size_t k = 0; k < switches_.size(); ++k) {
    const Switch& each = switches_[k];
    values.push_back(each.value);
    for (size_t i = 0; i < each.gaps.size(); ++i) {
      (each.rates.empty() ? states_ : timed_).push_back(gaps_.size());
      if (!each.rates.empty()) {
        rates.push_back(each.rates[i]);
        std::optional<FirstTime>& search = searches_.emplace_back();
        if (depends_on(each.rates[i], "t")) search.emplace(each.gaps[i], each.rates[i], inputs);
      }
      gaps_.push_back({k, i});
      gaps.push_back(each.gaps[i]);
    }
  }
  gap_tape_.emplace(gaps, inputs);
  value_tape_.emplace(values, inputs);
  if (!rates.empty()) rate_tape_.emplace(rates, inputs);
  gap_values_.resize(gaps.size());
  rate_values_.resize(rates.size());
  values_.resize(values.size());
  times_.assign(timed_.size(), std::numeric_limits<double>::infinity());
  registers_.resize(std::max({gap_tape_->register_count(), value_tape_->register_count(),
                              rate_tape_ ? rate_tape_->register_count() : 0}));
}

std::string SwitchValues::name(size_t root) const { return names_[gaps_[states_[root]].owner]; }

std::vector<Expr> SwitchValues::root_functions() const {
  std::vector<Expr> list;
  for (const size_t k : states_) list.push_back(switches_[gaps_[k].owner].gaps[gaps_[k].index]);
  return list;
}

std::span<double> SwitchValues::values(std::span<double> inputs) const {
  return inputs.subspan(first_, switches_.size());
}

std::vector<double> SwitchValues::memory() const {
  std::vector<double> memory;
  for (const std::optional<FirstTime>& search : searches_)
    if (search) search->append_memory(memory);
  return memory;
}

bool SwitchValues::restore(std::span<double> inputs, std::span<const double> memory) {
  size_t size = 0;
  for (const std::optional<FirstTime>& search : searches_)
    size += search ? search->memory_size() : 0;
  if (memory.size() != size) return false;
  for (std::optional<FirstTime>& search : searches_) {
    if (!search) continue;
    search->set_memory(memory.first(search->memory_size()));
    memory = memory.subspan(search->memory_size());
  }
  find_times(inputs);
  return true;
}

void SwitchValues::calc_roots(std::span<const double> inputs, double* roots) {
  if (states_.empty()) return;
  gap_tape_->evaluate(inputs, gap_values_, registers_);
  for (size_t i = 0; i < states_.size(); ++i) roots[i] = gap_values_[states_[i]];
}

double SwitchValues::next_time(double t) const {
  double next = std::numeric_limits<double>::infinity();
  for (const double time : times_)
    if (time > t) next = std::min(next, time);
  return next;
}

void SwitchValues::start(std::span<double> inputs) {
  if (switches_.empty()) return;
  for (size_t k = 0; k < switches_.size(); ++k) {  // each depends on those before it alone
    value_tape_->evaluate(inputs, values_, registers_);
    values(inputs)[k] = values_[k];
  }
  settle(inputs);
}

void SwitchValues::flip(std::span<double> inputs, std::span<const size_t> fired) const {
  const std::span<double> now = values(inputs);
  for (const size_t root : fired) {
    const Gap& gap = gaps_[states_[root]];
    now[gap.owner] = calc_next(switches_[gap.owner], gap.index, now[gap.owner]);
  }
}

void SwitchValues::change(std::span<double> inputs, std::span<const size_t> fired) {
  if (switches_.empty()) return;
  flip(inputs, fired);
  settle(inputs);
}

// Conditions of the time that are due change to what holds right after it, and those that are
// contradicted by others to what they say.
void SwitchValues::settle(std::span<double> inputs) {
  constexpr int most = 100;
  const double t = inputs[0];
  const std::span<double> now = values(inputs);
  for (int i = 0; i < most; ++i) {
    find_times(inputs);
    bool changed = false;
    for (size_t k = 0; k < timed_.size() && !changed; ++k) {
      const Gap& gap = gaps_[timed_[k]];
      if (!(times_[k] <= t)) continue;
      now[gap.owner] = calc_next(switches_[gap.owner], gap.index, now[gap.owner]);
      changed = true;
    }
    if (changed) continue;
    gap_tape_->evaluate(inputs, gap_values_, registers_);
    value_tape_->evaluate(inputs, values_, registers_);
    const auto is_contradicted = [&](size_t k) {  // beyond what t, rounded, may have missed
      const auto timed = std::find(timed_.begin(), timed_.end(), k);
      if (timed == timed_.end()) return gap_values_[k] < 0;
      const double rate = std::abs(rate_values_[static_cast<size_t>(timed - timed_.begin())]);
      return gap_values_[k] < -1e-9 * rate * std::max(1.0, std::abs(t));
    };
    for (size_t k = 0; k < gaps_.size(); ++k) {
      const size_t owner = gaps_[k].owner;
      if (!is_contradicted(k) || now[owner] == values_[owner]) continue;
      now[owner] = values_[owner];
      changed = true;
      break;
    }
    if (!changed) return;
  }
  throw base::ComputationError(fmt::format(
      "t = {:.9g}: conditions contradict each other, among them {}", t, names_.front()));
}

// A gap that is linear in the time is zero at t - gap/rate, whatever t.
void SwitchValues::find_times(std::span<double> inputs) {
  if (timed_.empty()) return;
  const double t = inputs[0];
  inputs[0] = 0;
  gap_tape_->evaluate(inputs, gap_values_, registers_);
  inputs[0] = t;
  rate_tape_->evaluate(inputs, rate_values_, registers_);
  for (size_t k = 0; k < timed_.size(); ++k)
    times_[k] = searches_[k]          ? searches_[k]->find(inputs, t)
                : rate_values_[k] < 0 ? -gap_values_[timed_[k]] / rate_values_[k]
                                      : std::numeric_limits<double>::infinity();
}

}  // namespace couplet::symbolic
