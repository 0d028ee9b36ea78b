#include "couplet/mechanics/simulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "couplet/base/text.hpp"
#include "couplet/mechanics/mechanism_observables.hpp"

namespace couplet::mechanics {
namespace {

std::string names_of_rules(integrate::Asks asks) {
  std::vector<const char*> names;
  for (const integrate::RuleEntry& rule : integrate::rules())
    if (rule.asks == asks) names.push_back(rule.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Those that answer, for a mechanism with constraints or without.
std::string names_of_formalisms(bool dynamics::Answers::*answer, const Mechanism& mechanism) {
  std::vector<const char*> names;
  for (const dynamics::FormalismEntry& entry : dynamics::formalisms())
    if (entry.answers.*answer && entry.applies(mechanism)) names.push_back(entry.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Equations read_equations(const RunOptions& options) {
  if (options.equations.empty()) return Equations::residual;
  if (integrate::check_rule(options.integrator).asks != integrate::Asks::residuals)
    throw base::UserError(
        {},
        fmt::format("integrator {} asks for accelerations, and has no choice of equations",
                    base::quoted(options.integrator)),
        fmt::format("leave out the form of the `equations`, or choose one of: {}",
                    names_of_rules(integrate::Asks::residuals)));
  if (options.equations == "residual") return Equations::residual;
  if (options.equations == "explicit") return Equations::solved;
  throw base::UserError(
      {}, fmt::format("there is no form {} of the equations", base::quoted(options.equations)),
      "the equations are residual or explicit");
}

/// Rules that ask for residuals take them from the formalism that was asked for, or not at all.
void check_answers(const RunOptions& options, Equations equations, const Mechanism& mechanism) {
  const dynamics::FormalismEntry* entry = dynamics::find_formalism(options.formalism);
  if (!entry || integrate::check_rule(options.integrator).asks != integrate::Asks::residuals)
    return;
  if (equations == Equations::residual && !entry->answers.residuals)
    throw base::UserError(
        {},
        fmt::format("integrator {} asks for the balance of forces, and formalism {} gives "
                    "accelerations only",
                    base::quoted(options.integrator), base::quoted(entry->name)),
        fmt::format(
            "use the explicit form of the `equations`, a rule that asks for accelerations, or "
            "one of the formalisms: {}",
            names_of_formalisms(&dynamics::Answers::residuals, mechanism)));
  if (equations == Equations::solved && !entry->answers.free_motion)
    throw base::UserError(
        {},
        fmt::format("the explicit form of the equations takes accelerations without the "
                    "constraints, which formalism {} does not find",
                    base::quoted(entry->name)),
        fmt::format("leave out the form of the `equations`, or choose one of the formalisms: {}",
                    names_of_formalisms(&dynamics::Answers::free_motion, mechanism)));
}

}  // namespace

simulate::Subject make_subject(std::shared_ptr<const Mechanism> mechanism,
                               std::string_view formalism, Equations equations) {
  auto problem = std::make_unique<MechanismProblem>(std::move(mechanism), formalism, equations);
  auto observables = std::make_unique<MechanismObservables>(*problem);
  return {std::move(problem), std::move(observables)};
}

Simulation make_simulation(std::shared_ptr<const Mechanism> mechanism, const RunOptions& options) {
  const Equations equations = read_equations(options);
  check_answers(options, equations, *mechanism);
  auto problem =
      std::make_unique<MechanismProblem>(std::move(mechanism), options.formalism, equations);
  if (options.given) problem->set_given(*options.given);
  auto observables = std::make_unique<MechanismObservables>(*problem);
  return Simulation({std::move(problem), std::move(observables)}, options);
}

VecX make_y(const State& state) {
  VecX y(state.q.size() + state.v.size() + state.x.size());
  y << state.q, state.v, state.x;
  return y;
}

results::Recording simulate(std::shared_ptr<const Mechanism> mechanism, const RunOptions& options,
                            Summary* summary) {
  Simulation simulation = make_simulation(std::move(mechanism), options);
  return simulate::record(simulation, summary);
}

}  // namespace couplet::mechanics
