#include "couplet/workbench/modelica_run.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/equations/observables.hpp"

namespace couplet::workbench {
namespace {

bool can_begin(const std::shared_ptr<const equations::Model>& model, double t) {
  try {
    equations::EquationProblem(model).make_start(t, {});
    return true;
  } catch (const base::ComputationError&) {
    return false;
  }
}

}  // namespace

LoadedModelica load_modelica(ModelicaClass& found, const std::string& name,
                             const modelica::lower::Formulation& formulation) {
  modelica::lower::Translated t = modelica::lower::translate(found.library(), name, formulation);
  found.check();
  std::shared_ptr<const equations::Model> model = std::move(t.model);
  if (model->dae.has_homotopy && !can_begin(model, t.experiment.start)) {
    modelica::lower::Formulation approached = formulation;
    approached.continued = true;
    std::shared_ptr<const equations::Model> other =
        modelica::lower::translate(found.library(), name, approached).model;
    if (can_begin(other, t.experiment.start)) model = std::move(other);
  }
  LoadedModelica loaded{name, std::move(model), t.experiment, {}, std::move(t.structural), {}};
  for (const auto& path : found.library().made_from()) loaded.files.push_back(path.string());
  return loaded;
}

LoadedModelica load_modelica(const std::string& target,
                             const modelica::lower::Formulation& formulation) {
  ModelicaClass found(target);
  return load_modelica(found, found.name(), formulation);
}

std::shared_ptr<const LoadedModelica> try_change(
    const LoadedModelica& loaded, const std::vector<std::pair<std::string, std::string>>& values) {
  auto changed = std::make_shared<LoadedModelica>(loaded);
  for (const auto& [name, text] : values) {
    const auto value = base::parse_double(text);
    const int v = value ? equations::find_changeable(*loaded.model, name, *value) : -1;
    if (v < 0) return nullptr;
    changed->values.emplace_back(v, *value);
  }
  return changed;
}

simulate::Subject make_subject(const LoadedModelica& loaded) {
  auto problem = std::make_unique<equations::EquationProblem>(loaded.model);
  for (const auto& [variable, value] : loaded.values) problem->set_parameter(variable, value);
  auto observables = std::make_unique<equations::EquationObservables>(*problem);
  return {std::move(problem), std::move(observables)};
}

std::string describe_stages(const LoadedModelica& loaded) {
  const equations::Model& m = *loaded.model;
  std::string text = loaded.name + "\n";
  for (const equations::Stage& s : m.stages)
    text += fmt::format("  {:<10}{:>8.3f} s  {}\n", s.name, s.seconds, s.text);
  const equations::EquationProblem problem(loaded.model);
  const auto systems = [&](const char* title, const equations::Program& program) {
    text += fmt::format("{}: {} operations\n", title, program.instructions());
    for (const equations::SystemSize& s : program.systems()) {
      std::string names;
      for (size_t i = 0; i < s.unknowns.size() && i < 8; ++i)
        names += (i ? ", " : "") + m.dae.variables[static_cast<size_t>(s.unknowns[i])].name;
      text += fmt::format("  {} system of {} equations, torn to {}: {}{}\n",
                          s.linear ? "linear" : "nonlinear", s.size, s.torn, names,
                          s.unknowns.size() > 8 ? ", …" : "");
    }
  };
  systems("derivatives", problem.program());
  systems("beginning", problem.initial_program());
  text += "states:";
  for (const int s : m.states) text += " " + m.dae.variables[static_cast<size_t>(s)].name;
  return text + "\n";
}

}  // namespace couplet::workbench
