// Relations and whole numbers of an event, with everything that depends on them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "couplet/equations/runtime.hpp"
#include "couplet/symbolic/differentiate.hpp"

namespace couplet::equations {
namespace {

using base::ComputationError;

constexpr size_t most_visited = 100;
constexpr double moving = 1e-11;      // per second
constexpr size_t most_doubtful = 14;  // relations whose values are all tried

bool holds(const Relation& r, double gap) { return r.strict ? gap < 0 : gap <= 0; }

}  // namespace

void EquationProblem::make_relevance() {
  const Dae& dae = model_->dae;
  std::vector<Expr> deciding = model_->system.residuals;
  for (const Relation& r : dae.relations) {
    deciding.push_back(r.gap);
    gap_inputs_.push_back(Function({&r.gap, 1}, *model_->map).inputs());
  }
  for (const Whole& w : dae.wholes) deciding.push_back(w.argument);
  for (const Delay& d : dae.delays) deciding.push_back(d.argument);
  for (const Reinit& r : dae.reinits) deciding.insert(deciding.end(), {r.trigger, r.value});
  for (const Termination& t : dae.terminations) deciding.push_back(t.trigger);
  for (const Assertion& a : dae.assertions) deciding.push_back(a.condition);
  relevance_ = Relevance(dae, *model_->map, deciding);
  relevant_.assign(dae.relations.size(), 1);
  find_relevant();
}

void EquationProblem::find_relevant() {
  if (initialised_) relevance_.find(slots_, relevant_);
  std::vector<int> wanted = whole_arguments_.inputs();
  for (const size_t k : rooted_)
    if (relevant_[k]) wanted.insert(wanted.end(), gap_inputs_[k].begin(), gap_inputs_[k].end());
  watch_.find_steps(wanted, watch_steps_);
}

// How fast gaps change, as far as the derivatives of what they consist of are known.
void EquationProblem::make_gap_rates() {
  const Dae& dae = model_->dae;
  std::vector<Expr> rates;
  for (const Relation& r : dae.relations) {
    std::unordered_map<Expr, Expr> along;
    bool known = true;
    for (const int v : dae.variables_of(r.gap)) {
      const Variable& x = dae.variables[static_cast<size_t>(v)];
      if (x.kind != Kind::continuous) continue;
      known = known && x.derivative >= 0;
      if (known)
        along.emplace(x.symbol,
                      dae.resolve(dae.variables[static_cast<size_t>(x.derivative)].symbol));
    }
    rates.push_back(known ? symbolic::differentiate_along(r.gap, along) : Expr(0));
  }
  gap_rates_ = Function(rates, *model_->map);
}

// From the gaps as they are; `just_after`: of the time, those that vanish now count as passed.
bool EquationProblem::update_relations(double t, bool just_after) {
  const SlotMap& map = *model_->map;
  const Dae& dae = model_->dae;
  gaps_.evaluate(slots_, gap_values_);
  if (just_after && !timed_.empty()) {
    time_rates_.evaluate(slots_, rate_values_);
    for (size_t i = 0; i < timed_.size(); ++i)
      gap_values_[timed_[i]] += 4 * grain(t) * rate_values_[i];
  }
  if (just_after) {  // what is at zero and moves has left it
    gap_rates_.evaluate(slots_, gap_rate_values_);
    for (size_t k = 0; k < dae.relations.size(); ++k)
      if (std::abs(gap_values_[k]) < past_zero / 2 && std::abs(gap_rate_values_[k]) > moving)
        gap_values_[k] += std::copysign(past_zero, gap_rate_values_[k]);
  }
  bool changed = false;
  for (size_t k = 0; k < dae.relations.size(); ++k) {
    double& slot = slots_[static_cast<size_t>(map.relation(k))];
    const double value = holds(dae.relations[k], gap_values_[k]) ? 1 : 0;
    changed = changed || slot != value;
    slot = value;
  }
  whole_arguments_.evaluate(slots_, whole_values_);
  for (size_t k = 0; k < whole_values_.size(); ++k) {
    double& slot = slots_[static_cast<size_t>(map.whole(k))];
    const double value = std::floor(whole_values_[k] + (just_after ? 4 * grain(t) : 0));
    changed = changed || slot != value;
    slot = value;
  }
  return changed;
}

std::vector<double> EquationProblem::get_switches() const {
  const auto begin = slots_.begin() + model_->map->relation(0);
  return {begin,
          begin + static_cast<long>(model_->dae.relations.size() + model_->dae.wholes.size())};
}

void EquationProblem::set_switches(const std::vector<double>& values) {
  std::copy(values.begin(), values.end(), slots_.begin() + model_->map->relation(0));
}

// Relations with everything that depends on them, pre(v) being kept. All that are wrong are
// changed at once; where that goes round in a circle, those that it changes are tried one by one.
void EquationProblem::settle(const Program& program, double t, bool just_after) {
  const std::vector<double> before = get_switches();
  std::vector<std::vector<double>> visited{before};
  for (;;) {
    solve(program);
    if (!update_relations(t, just_after)) return;
    std::vector<double> now = get_switches();
    const bool again = std::find(visited.begin(), visited.end(), now) != visited.end();
    visited.push_back(std::move(now));
    if (again || visited.size() > most_visited) break;
  }
  std::vector<size_t> doubtful;
  for (size_t k = 0; k < before.size(); ++k)
    for (const auto& switches : visited)
      if (switches[k] != before[k]) {
        doubtful.push_back(k);
        break;
      }
  if (try_switches(program, t, just_after, before, doubtful)) return;
  std::string names;
  for (const size_t k : doubtful)
    names += (names.empty() ? "" : ", ") + (k < model_->dae.relations.size()
                                                ? model_->dae.relations[k].text
                                                : std::string("a whole number"));
  throw ComputationError(fmt::format(
      "at t = {:.9g} s no values of these relations agree with each other: {}", t, names));
}

// Values of relations that agree with each other: the fewest changes first.
bool EquationProblem::try_switches(const Program& program, double t, bool just_after,
                                   const std::vector<double>& before,
                                   std::vector<size_t> doubtful) {
  std::erase_if(doubtful, [&](size_t k) { return k >= model_->dae.relations.size(); });
  const size_t n = doubtful.size();
  if (n == 0 || n > most_doubtful) return false;
  std::vector<unsigned> combinations(size_t{1} << n);
  std::iota(combinations.begin(), combinations.end(), 0U);
  std::stable_sort(combinations.begin(), combinations.end(),
                   [](unsigned a, unsigned b) { return std::popcount(a) < std::popcount(b); });
  const std::vector<double> start = slots_;
  for (const unsigned c : combinations) {
    std::vector<double> switches = before;
    for (size_t i = 0; i < n; ++i)
      if (c >> i & 1U) switches[doubtful[i]] = switches[doubtful[i]] != 0 ? 0 : 1;
    slots_ = start;
    set_switches(switches);
    if (!program.run(slots_)) continue;
    if (!update_relations(t, just_after)) return true;
    // What differs by round-off alone agrees: a diode at the moment in which it closes.
    double wrong = 0;
    const std::vector<double> found = get_switches();
    for (size_t k = 0; k < found.size(); ++k)
      if (found[k] != switches[k])
        wrong = std::max(wrong, k < gap_values_.size() ? std::abs(gap_values_[k]) : 1.0);
    if (wrong > past_zero) continue;
    set_switches(switches);
    return true;
  }
  slots_ = start;
  return false;
}

}  // namespace couplet::equations
