// couplet equilibrium: a state in which nothing moves.
#include <fmt/format.h>

#include <memory>

#include "couplet/base/files.hpp"
#include "couplet/workbench/linearize.hpp"
#include "model_options.hpp"
#include "point.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct EquilibriumVerbOptions {
  ModelOptions model;
  PointVerbOptions point;
  std::string end_state;
  bool overwrite = false;
};

int equilibrium(const EquilibriumVerbOptions& options) {
  const workbench::LoadedModel model = load_any(options.model);
  if (model.modelica && !options.end_state.empty())
    throw base::UserError({}, "a Modelica model has no option `end_state`",
                          "leave it out; --json gives all values");
  base::Output end{
      options.end_state, "the state", options.overwrite, {model.files.begin(), model.files.end()}};
  if (!options.end_state.empty()) base::check_output(end);
  const workbench::PointReport report =
      workbench::find_equilibrium(model, read_point_options(model, options.point));
  print_notes(options.model, report);
  const bool prints_state = options.end_state == "-";
  if (options.model.json && !prints_state) {
    workbench::JsonWriter json;
    json.begin_object();
    write_point(report, json);
    json.end_object();
    fmt::print("{}\n", json.text());
  } else if (!options.model.quiet && !prints_state) {
    print_point(report);
  }
  if (!options.end_state.empty()) workbench::write_state_file(*model.mechanism, *report.state, end);
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<EquilibriumVerbOptions>();
  add_model(arguments, options->model, any_model);
  add_point_options(arguments, options->point);
  arguments.add_output("--end-state", "FILE", options->end_state,
                       "the state as JSON, for --state of run and evaluate", options->overwrite,
                       "a state file");
  return [options] { return equilibrium(*options); };
}

}  // namespace

extern const Verb equilibrium_verb;
const Verb equilibrium_verb{
    "equilibrium",
    "finds a state in which nothing moves",
    "The nearest one to where the model begins, the time standing still. Inputs of a Modelica "
    "class keep their start values; what is sampled keeps its values.",
    {"couplet equilibrium models/recipes/suspension.yaml",
     "couplet equilibrium models/modelica/Circuit.mo:Circuit.Main --record resistor.*"},
    declare};

}  // namespace couplet::app
