#include "couplet/equations/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/symbolic/differentiate.hpp"
#include "couplet/symbolic/order.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {
namespace {

using base::ComputationError;

constexpr int most_rounds = 100;  // of event iteration
std::vector<int> join(std::initializer_list<const Function*> functions) {
  std::vector<int> all;
  for (const Function* f : functions) all.insert(all.end(), f->inputs().begin(), f->inputs().end());
  return all;
}

}  // namespace

EquationProblem::EquationProblem(std::shared_ptr<const Model> model)
    : model_(std::move(model)), parameter_blocks_(model_->parameter_blocks) {
  const Dae& dae = model_->dae;
  slots_.assign(model_->map->size(), 0);
  layout_.nx = static_cast<int>(model_->states.size());
  for (const int s : model_->states) {
    const Variable& v = dae.variables[static_cast<size_t>(s)];
    layout_.components.push_back({v.name, v.unit, 1});
  }
  if (layout_.nx == 0) {  // rules need something to step: x' = 0
    layout_.nx = 1;
    layout_.components.push_back({"no state", "", 1});
  }
  make_functions();
  run_parameters();
  find_nominals();
}

void EquationProblem::set_parameter(int variable, double value) {
  for (Block& block : parameter_blocks_)
    for (auto& [v, expression] : block.solution.values)
      if (v == variable) expression = value;
  parameters_ = Program(model_->dae, *model_->map, model_->parameter_system, parameter_blocks_,
                        model_->parameters);
  run_parameters();
  find_nominals();
}

void EquationProblem::run_parameters() const {
  if (!parameters_.run(slots_)) throw ComputationError("parameters: " + parameters_.failure());
}

void EquationProblem::find_nominals() {
  const Dae& dae = model_->dae;
  for (size_t i = 0; i < model_->states.size(); ++i) {
    const Expr& nominal = dae.variables[static_cast<size_t>(model_->states[i])].nominal;
    std::vector<double> value(1);
    Function({&nominal, 1}, *model_->map).evaluate(slots_, value);
    if (std::isfinite(value[0]) && value[0] != 0)
      layout_.components[i].nominal = std::abs(value[0]);
  }
}

void EquationProblem::make_functions() {
  const Dae& dae = model_->dae;
  const SlotMap& map = *model_->map;
  const symbolic::Replacements running = dae.while_running();
  const auto function = [&](const auto& list, auto get) {
    std::vector<Expr> all;
    for (const auto& one : list) all.push_back(symbolic::substitute(get(one), running));
    return Function(all, map);
  };
  rates_ = Function(model_->rates, map);
  gaps_ = function(dae.relations, [](const Relation& r) { return r.gap; });
  whole_arguments_ = function(dae.wholes, [](const Whole& w) { return w.argument; });
  make_gap_rates();
  gap_values_.resize(dae.relations.size());
  gap_rate_values_.resize(dae.relations.size());
  whole_values_.resize(dae.wholes.size());
  std::vector<Expr> timed, rates;
  for (size_t k = 0; k < dae.relations.size(); ++k) {
    const Expr& gap = dae.relations[k].gap;
    bool only_time = true;
    for (const int v : dae.variables_of(gap))
      only_time = only_time && dae.variables[static_cast<size_t>(v)].kind != Kind::continuous;
    const Expr rate = only_time ? symbolic::differentiate(gap, dae.time) : Expr();
    if (only_time && !dae.is_continuous(rate)) {
      timed_.push_back(k);
      timed.push_back(gap);
      rates.push_back(rate);
    } else {
      rooted_.push_back(k);
    }
  }
  timed_gaps_ = Function(timed, map);
  time_rates_ = Function(rates, map);
  rate_values_.resize(timed.size());
  std::vector<Expr> sample_data;
  for (const Sample& s : dae.samples) {
    sample_data.push_back(s.start);
    sample_data.push_back(s.interval);
  }
  samples_ = Function(sample_data, map);
  sample_values_.resize(sample_data.size());
  std::vector<Expr> reinits;
  for (const Reinit& r : dae.reinits) {
    reinits.push_back(symbolic::substitute(r.trigger, running));
    reinits.push_back(r.value);
  }
  reinits_ = Function(reinits, map);
  assertions_ = function(dae.assertions, [](const Assertion& a) { return a.condition; });
  warned_.assign(dae.assertions.size(), 0);
  terminations_ = function(dae.terminations, [](const Termination& t) { return t.trigger; });
  checks_ = function(model_->to_check, [](const Equation& e) { return e.residual; });
  std::vector<Expr> starts;
  for (size_t v = 0; v < dae.variables.size(); ++v) {
    const Variable& x = dae.variables[v];
    if (x.kind == Kind::parameter && x.value) continue;
    if (dae.replaced.contains(x.symbol) || !x.start) continue;
    start_slots_.push_back(static_cast<int>(v));
    starts.push_back(*x.start);
  }
  starts_ = Function(starts, map);

  parameters_ = Program(dae, map, model_->parameter_system, parameter_blocks_, model_->parameters);
  std::vector<int> all;
  for (size_t v = 0; v < dae.variables.size(); ++v) all.push_back(static_cast<int>(v));
  initial_ = Program(dae, map, model_->initial_system, model_->initial_blocks, all);
  std::vector<Block> running_blocks;
  for (size_t b = 0; b < model_->blocks.size(); ++b)
    if (!model_->is_event_block[b]) running_blocks.push_back(model_->blocks[b]);
  projection_ = Projection(*model_, running_blocks);
  delays_ = Delays(*model_, running_blocks);
  continuous_ = Program(dae, map, model_->system, running_blocks, join({&rates_}));
  watch_ = Program(dae, map, model_->system, running_blocks, join({&gaps_, &whole_arguments_}));
  assertion_ = Program(dae, map, model_->system, running_blocks, join({&assertions_}));
  std::vector<int> at_events = join(
      {&rates_, &gaps_, &gap_rates_, &whole_arguments_, &reinits_, &assertions_, &terminations_});
  at_events.insert(at_events.end(), model_->event_variables.begin(), model_->event_variables.end());
  event_ = Program(dae, map, model_->system, model_->blocks, at_events);
  make_relevance();
  for (const Expr& r : model_->system.residuals)
    if (symbolic::Order(r).size() > 0)
      for (const std::string& name : symbolic::find_symbols(r))
        depends_on_time_ = depends_on_time_ || name == "time";
  depends_on_time_ = depends_on_time_ || !delays_.empty();
}

bool EquationProblem::load(double t, const VecX& y) const {
  slots_[static_cast<size_t>(model_->map->time())] = t;
  if (initialised_ && !delays_.put(t, slots_)) {
    failure_ =
        fmt::format("; the step is longer than the shortest delay, {:g} s", delays_.shortest());
    return false;
  }
  const bool some = initialised_ && !projection_.empty();
  for (size_t i = 0; i < model_->states.size(); ++i)
    if (!some || !projection_.dependent()[i])
      slots_[static_cast<size_t>(model_->states[i])] = y[static_cast<long>(i)];
  if (!some || projection_.solve(slots_)) return true;
  for (size_t i = 0; i < model_->states.size();
       ++i)  // from what it was, not from where it got lost
    slots_[static_cast<size_t>(model_->states[i])] = y[static_cast<long>(i)];
  if (projection_.solve(slots_)) return true;
  failure_ = projection_.failure();
  return false;
}

void EquationProblem::store(VecX& y) const {
  y.setZero(layout_.nx);
  for (size_t i = 0; i < model_->states.size(); ++i)
    y[static_cast<long>(i)] = slots_[static_cast<size_t>(model_->states[i])];
}

void EquationProblem::solve(const Program& program) const {
  if (!program.run(slots_))
    throw ComputationError(fmt::format(
        "at t = {:.9g} s {}", slots_[static_cast<size_t>(model_->map->time())], program.failure()));
}

void EquationProblem::calc_rates(double t, const VecX& y, VecX& ydot) {
  const bool loaded = load(t, y);
  if (!loaded || !continuous_.run(slots_)) {
    if (loaded) failure_ = continuous_.failure();
    ydot.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  ydot.setZero();
  rates_.evaluate(slots_, std::span(ydot.data(), rates_.size()));
  for (size_t i = 0; i < projection_.dependent().size(); ++i)  // what they are says load()
    if (projection_.dependent()[i]) ydot[static_cast<long>(i)] = 0;
}

void EquationProblem::project(double t, VecX& y) {
  if (projection_.empty() || !initialised_) return;
  if (!load(t, y)) throw ComputationError(fmt::format("at t = {:.9g} s {}", t, failure_));
  store(y);
}

// ---- Events

int EquationProblem::root_count() const {
  // The last one never fires: steps are noted where there are root functions.
  return static_cast<int>(rooted_.size() + 2 * model_->dae.wholes.size()) +
         (projection_.empty() && delays_.empty() ? 0 : 1);
}

void EquationProblem::calc_roots(double t, const VecX& y, VecX& roots) {
  roots.setConstant(1);
  if (!load(t, y)) return;
  if (!watch_.run(slots_, watch_steps_)) {
    failure_ = watch_.failure();
    return;
  }
  gaps_.evaluate(slots_, gap_values_);
  whole_arguments_.evaluate(slots_, whole_values_);
  const SlotMap& map = *model_->map;
  for (size_t i = 0; i < rooted_.size(); ++i) {
    const size_t k = rooted_[i];
    if (!relevant_[k]) continue;
    const bool now = slots_[static_cast<size_t>(map.relation(k))] != 0;
    roots[static_cast<long>(i)] = (now ? -gap_values_[k] : gap_values_[k]) + past_zero;
  }
  for (size_t k = 0; k < whole_values_.size(); ++k) {
    const double n = slots_[static_cast<size_t>(map.whole(k))];
    roots[static_cast<long>(rooted_.size() + 2 * k)] = whole_values_[k] - n + past_zero;
    roots[static_cast<long>(rooted_.size() + 2 * k + 1)] = n + 1 - whole_values_[k] + past_zero;
  }
}

std::string EquationProblem::root_name(int root) const {
  const auto i = static_cast<size_t>(root);
  if (i >= rooted_.size()) return "a whole number";
  const Relation& r = model_->dae.relations[rooted_[i]];
  return r.text + (r.where.line > 0 ? " (" + r.where.str() + ")" : "");
}

double EquationProblem::next_time_event(double t) const {
  if (due_) return t;
  double next = delays_.next_event(t);
  const SlotMap& map = *model_->map;
  slots_[static_cast<size_t>(map.time())] = t;
  std::vector<double> gaps(timed_.size());
  timed_gaps_.evaluate(slots_, gaps);
  time_rates_.evaluate(slots_, rate_values_);
  for (size_t i = 0; i < timed_.size(); ++i) {
    const double rate = rate_values_[i];
    if (rate == 0) continue;
    const double at = t - gaps[i] / rate;
    const bool now = slots_[static_cast<size_t>(map.relation(timed_[i]))] != 0;
    if (at > t + grain(t))
      next = std::min(next, at);
    else if (now != (rate < 0))  // it should have changed: now
      next = std::min(next, t + 2 * grain(t));
  }
  for (size_t k = 0; 2 * k < sample_values_.size(); ++k) {
    const double start = sample_values_[2 * k], interval = sample_values_[2 * k + 1];
    double at = start;
    if (t + grain(t) >= start)
      at = start + (std::floor((t + grain(t) - start) / interval) + 1) * interval;
    if (at <= t + grain(t)) at += interval;
    next = std::min(next, at);
  }
  return next;
}

bool EquationProblem::reinitialise() {
  const Dae& dae = model_->dae;
  if (dae.reinits.empty()) return false;
  std::vector<double> values(2 * dae.reinits.size());
  reinits_.evaluate(slots_, values);
  bool any = false;
  for (size_t k = 0; k < dae.reinits.size(); ++k)
    if (values[2 * k] != 0) {
      const auto state = static_cast<size_t>(
          std::find(model_->states.begin(), model_->states.end(), dae.reinits[k].variable) -
          model_->states.begin());
      if (state < projection_.dependent().size() && projection_.dependent()[state])
        throw ComputationError(fmt::format(
            "{}: '{}' cannot be given a new value, for it follows from other states by constraints",
            dae.reinits[k].where.str(), layout_.components[state].name));
      slots_[static_cast<size_t>(dae.reinits[k].variable)] = values[2 * k + 1];
      any = true;
    }
  return any;
}

bool EquationProblem::take_previous() {
  bool changed = false;
  for (const int v : model_->event_variables) {
    const int p = model_->dae.variables[static_cast<size_t>(v)].previous;
    if (p < 0) continue;
    changed = changed || slots_[static_cast<size_t>(p)] != slots_[static_cast<size_t>(v)];
    slots_[static_cast<size_t>(p)] = slots_[static_cast<size_t>(v)];
  }
  return changed;
}

void EquationProblem::set_samples(double t) {
  for (size_t k = 0; 2 * k < sample_values_.size(); ++k) {
    const double start = sample_values_[2 * k], interval = sample_values_[2 * k + 1];
    const double n = std::round((t - start) / interval);
    const bool now = n >= 0 && std::abs(start + n * interval - t) <= 8 * grain(t);
    slots_[static_cast<size_t>(model_->map->sample(k))] = now ? 1 : 0;
  }
}

void EquationProblem::run_event(double t) {
  set_samples(t);
  for (int round = 0;; ++round) {
    settle(event_, t, true);
    const bool moved = reinitialise();
    if (!take_previous() && !moved) break;
    if (round > most_rounds)
      throw ComputationError(fmt::format("the events at t = {:.9g} s do not come to an end", t));
  }
  bool sampled = false;
  for (size_t k = 0; k < model_->dae.samples.size(); ++k) {
    double& slot = slots_[static_cast<size_t>(model_->map->sample(k))];
    sampled = sampled || slot != 0;
    slot = 0;
  }
  if (sampled) {
    settle(event_, t, true);
    take_previous();
  }
}

integrate::Verdict EquationProblem::handle_event(double t, VecX& y, std::span<const int>) {
  notes_.clear();
  delays_.pass(t);
  if (!load(t, y)) throw ComputationError(fmt::format("at t = {:.9g} s {}", t, failure_));
  if (due_) projection_.choose(slots_);
  due_ = false;
  const Dae& dae = model_->dae;
  set_samples(t);
  integrate::Verdict verdict = integrate::Verdict::go_on;
  // Triggers are true in the first round only.
  settle(event_, t, true);
  if (!dae.terminations.empty()) {
    std::vector<double> values(dae.terminations.size());
    terminations_.evaluate(slots_, values);
    for (size_t k = 0; k < values.size(); ++k)
      if (values[k] != 0) {
        notes_.push_back({"terminated", dae.terminations[k].text});
        verdict = integrate::Verdict::stop;
      }
  }
  run_event(t);
  find_relevant();
  note_singular();
  store(y);
  if (!delays_.empty()) delays_.note_event(t, slots_);
  return verdict;
}

// terminal() is true once.
void EquationProblem::handle_end(double t, VecX& y) {
  slot_of(model_->dae.terminal) = 1;
  handle_event(t, y, {});
  if (const std::string violation = find_violation(t, y, 0); !violation.empty())
    throw ComputationError(violation);
  slot_of(model_->dae.terminal) = 0;
}

void EquationProblem::note_step(double t, const VecX& y) {
  if (projection_.empty() && delays_.empty()) return;
  if (!load(t, y)) return;
  if (!delays_.empty()) delays_.note(t, slots_);
  if (!projection_.empty()) due_ = projection_.is_poor(slots_);
}

void EquationProblem::note_between(double t, const VecX& y) {
  if (load(t, y)) delays_.note(t, slots_);
}

// What equations left open at an event, once.
void EquationProblem::note_singular() {
  for (const std::vector<int>& unknowns : event_.find_singular())
    for (const int v : unknowns) {
      if (std::find(told_.begin(), told_.end(), v) != told_.end()) continue;
      told_.push_back(v);
      notes_.push_back({"not determined", model_->dae.variables[static_cast<size_t>(v)].name,
                        "it stays as near to what it was as the equations allow"});
    }
}

std::string EquationProblem::find_violation(double t, const VecX& y, double) const {
  const Dae& dae = model_->dae;
  if (dae.assertions.empty()) return {};
  if (!load(t, y) || !assertion_.run(slots_)) return {};
  std::vector<double> values(dae.assertions.size());
  assertions_.evaluate(slots_, values);
  for (size_t k = 0; k < values.size(); ++k)
    if (values[k] == 0 && !dae.assertions[k].warning)
      return fmt::format("an assertion fails ({}): {}", dae.assertions[k].where.str(),
                         dae.assertions[k].text);
  return {};
}

std::string EquationProblem::explain_failure(double, const VecX&) { return failure_; }

integrate::Description EquationProblem::describe() const {
  integrate::Description d;
  d.name = model_->dae.name;
  d.degrees_of_freedom = model_->count_freedoms();
  d.formalism = "equations";
  return d;
}

void EquationProblem::archive(integrate::Archive& archive) {
  archive(slots_);
  std::vector<double> dependent(projection_.dependent().begin(), projection_.dependent().end());
  archive(dependent);
  projection_.set_dependent({dependent.begin(), dependent.end()});
  delays_.archive(archive);
  initialised_ = true;
  find_relevant();
  samples_.evaluate(slots_, sample_values_);
}

}  // namespace couplet::equations
