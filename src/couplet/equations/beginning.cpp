// Where the motion begins: start values, the system of the beginning with its relations, and what
// people should know of both.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/equations/runtime.hpp"

namespace couplet::equations {

using base::ComputationError;

void EquationProblem::initialise(double t) {
  std::fill(slots_.begin(), slots_.end(), 0.0);
  slots_[static_cast<size_t>(model_->map->time())] = t;
  run_parameters();
  std::vector<double> starts(start_slots_.size());
  starts_.evaluate(slots_, starts);
  for (size_t i = 0; i < starts.size(); ++i)
    slots_[static_cast<size_t>(start_slots_[i])] = starts[i];
  starts_.evaluate(slots_, starts);
  for (size_t i = 0; i < starts.size(); ++i)
    slots_[static_cast<size_t>(start_slots_[i])] = starts[i];
  slot_of(model_->dae.homotopy) = 1;
  initialised_ = false;
  update_relations(t, false);
  settle_beginning(t);
  check_beginning();
  if (!delays_.empty()) delays_.start(t, slots_);
  if (!projection_.empty()) projection_.choose(slots_);
  samples_.evaluate(slots_, sample_values_);
  for (size_t k = 0; 2 * k < sample_values_.size(); ++k)
    if (!(sample_values_[2 * k + 1] > 0))
      throw ComputationError(
          fmt::format("sample needs an interval > 0, it is {}", sample_values_[2 * k + 1]));
  std::vector<double> checks(model_->to_check.size());
  checks_.evaluate(slots_, checks);
  for (size_t k = 0; k < checks.size(); ++k)
    if (!(std::abs(checks[k]) < 1e-6))
      throw base::UserError(
          model_->to_check[k].where,
          fmt::format(
              "initial values contradict each other: {} is wrong by {:.3g}, given all others",
              to_text(model_->to_check[k].residual), checks[k]),
          "leave out one of the fixed start values or initial equations");
  take_previous();
  run_event(t);
  for (int round = 0; !delays_.empty() && round < 10; ++round) {  // what events made of arguments
    const std::vector<double> before = slots_;
    delays_.start(t, slots_);
    if (slots_ == before) break;
    run_event(t);
  }
  initialised_ = true;
  find_relevant();
}

// All at once, or from the simplified equations to the actual ones.
void EquationProblem::settle_beginning(double t) {
  double& part = slot_of(model_->dae.homotopy);
  part = model_->dae.continued ? 0 : 1;
  settle(initial_, t, false);
  for (double step = 0.25; part < 1;) {
    const std::vector<double> before = slots_;
    const double next = std::min(1.0, part + step);
    part = next;
    try {
      settle(initial_, t, false);
      step *= 2;
    } catch (const ComputationError&) {
      slots_ = before;
      step /= 4;
      if (step < 1e-5) throw;
    }
  }
  if (delays_.empty()) return;
  for (int round = 0; round < 10; ++round) {  // relations of what is delayed
    delays_.start(t, slots_);
    const std::vector<double> before = get_switches();
    settle(initial_, t, false);
    if (get_switches() == before) break;
  }
}

// States without a value: the first unknown without one, in the order in which they were found.
void EquationProblem::check_beginning() const {
  const auto finite = [&](int v) { return std::isfinite(slots_[static_cast<size_t>(v)]); };
  if (std::all_of(model_->states.begin(), model_->states.end(), finite)) return;
  for (const Block& block : model_->initial_blocks)
    for (size_t i = 0; i < block.variables.size(); ++i) {
      const Variable& v = model_->dae.variables[static_cast<size_t>(block.variables[i])];
      if (finite(block.variables[i])) continue;
      const auto e = static_cast<size_t>(block.equations[i]);
      throw ComputationError(fmt::format("at the beginning '{}' has no finite value ({}: {})",
                                         v.name, model_->initial_system.where[e].str(),
                                         to_text(model_->initial_system.residuals[e])));
    }
}

std::string EquationProblem::list_values(const std::vector<int>& variables) const {
  constexpr size_t most = 8;
  std::string names;
  for (size_t i = 0; i < variables.size() && i < most; ++i) {
    const auto v = static_cast<size_t>(variables[i]);
    names += fmt::format("{}{} = {:.6g}", i ? ", " : "", model_->dae.variables[v].name, slots_[v]);
  }
  if (variables.size() > most) names += fmt::format(" and {} more", variables.size() - most);
  return names;
}

integrate::Start EquationProblem::make_start(double t, const VecX&) {
  initialise(t);
  integrate::Start start;
  store(start.y);
  for (const std::vector<int>& unknowns : initial_.find_singular())
    for (const int v : unknowns)
      start.notes.push_back({"not determined at the beginning",
                             model_->dae.variables[static_cast<size_t>(v)].name,
                             "it is as near to its start value as the equations allow"});
  if (!model_->assumed.empty())
    start.notes.push_back({"start values taken as fixed", list_values(model_->assumed),
                           "say fixed = true where they are meant"});
  std::vector<int> moved;
  for (const int v : model_->yielding) {
    const auto& start_value = model_->dae.variables[static_cast<size_t>(v)].start;
    const Expr value = start_value ? *start_value : Expr(0);
    std::vector<double> was(1);
    Function({&value, 1}, *model_->map).evaluate(slots_, was);
    if (!(std::abs(slots_[static_cast<size_t>(v)] - was[0]) <= 1e-9 * (1 + std::abs(was[0]))))
      moved.push_back(v);
  }
  if (!moved.empty())
    start.notes.push_back(
        {"start values given up", list_values(moved), "they follow from what is prescribed"});
  return start;
}

}  // namespace couplet::equations
