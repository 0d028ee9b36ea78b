// couplet modes: natural frequencies and damping around a state of rest.
#include "couplet/workbench/modes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>

#include "couplet/base/files.hpp"
#include "model_options.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

using workbench::Mode;
using workbench::ModesReport;

struct ModesVerbOptions {
  ModelOptions model;
  std::string state, end_state;
  bool equilibrium = false, overwrite = false;
};

std::string shape_text(const Mode& mode) {
  constexpr size_t most = 4;
  std::string text;
  for (size_t k = 0; k < std::min(most, mode.shape.size()); ++k)
    text += fmt::format("{}{} {:.3g}", k > 0 ? ", " : "", mode.shape[k].name, mode.shape[k].share);
  return text + (mode.shape.size() > most ? ", …" : "");
}

void print_json(const ModesReport& report) {
  workbench::JsonWriter json;
  json.begin_object();
  json.key("modes").begin_array();
  for (const Mode& mode : report.modes) {
    json.begin_object();
    json.members("frequency", mode.frequency(), "damping", mode.damping(), "real",
                 mode.eigenvalue.real(), "imaginary", mode.eigenvalue.imag());
    json.key("shape").begin_object();
    for (const workbench::Participation& each : mode.shape) json.key(each.name).value(each.share);
    json.end_object().end_object();
  }
  json.end_array();
  json.key("acceleration").value(report.acceleration);
  json.end_object();
  fmt::print("{}\n", json.text());
}

void print_table(const ModesReport& report) {
  fmt::print("{:>14} {:>14} {:>16}  {}\n", "frequency, Hz", "damping ratio", "eigenvalue, 1/s",
             "shape");
  const double fastest = report.modes.empty() ? 0 : std::abs(report.modes.back().eigenvalue);
  for (const Mode& mode : report.modes) {
    const bool oscillates = mode.eigenvalue.imag() > 0;
    constexpr double rounding = 1e-9;
    if (!oscillates && std::abs(mode.eigenvalue) < rounding * fastest) {
      fmt::print("{:>14} {:>14} {:>16}  {}\n", "-", 0, 0, shape_text(mode));
      continue;
    }
    const double damping = std::abs(mode.damping()) < rounding ? 0 : mode.damping();
    const double real = damping == 0 && oscillates ? 0 : mode.eigenvalue.real();
    fmt::print("{:>14} {:>14.6g} {:>16}  {}\n",
               oscillates ? fmt::format("{:.9g}", mode.frequency()) : "-", damping,
               oscillates ? fmt::format("{:.3g} ± {:.3g}i", real, mode.eigenvalue.imag())
                          : fmt::format("{:.6g}", real),
               shape_text(mode));
  }
}

int modes(const ModesVerbOptions& options) {
  const workbench::LoadedModel model = load_any(options.model);
  if (model.modelica)
    for (const auto& [name, text] :
         {std::pair("state", options.state), {"end_state", options.end_state}})
      if (!text.empty())
        throw base::UserError({}, fmt::format("a Modelica model has no option `{}`", name),
                              "leave it out; it begins where the class says");
  workbench::ModesOptions asked;
  asked.equilibrium = options.equilibrium;
  if (!options.state.empty()) asked.state = workbench::read_state(options.state, *model.mechanism);
  base::Output end{
      options.end_state, "the state", options.overwrite, {model.files.begin(), model.files.end()}};
  if (!options.state.empty())
    end.inputs.push_back(workbench::split_state_place(options.state).path);
  if (!options.end_state.empty()) base::check_output(end);
  const ModesReport report = workbench::find_modes(model, asked);
  for (const std::string& note : report.notes) print_note(options.model, note);
  constexpr double at_rest = 1e-6;  // rad/s² or m/s²
  if (report.acceleration > at_rest && model.modelica)
    print_note(options.model,
               fmt::format("this is no equilibrium: {} changes by {:.3g} of its nominal value a "
                           "second; --equilibrium looks for one nearby",
                           report.accelerating, report.acceleration));
  else if (report.acceleration > at_rest)
    print_note(
        options.model,
        fmt::format("this is no equilibrium: the acceleration of {} is {:.3g}; --equilibrium "
                    "looks for one nearby",
                    report.accelerating, report.acceleration));
  const bool prints_state = options.end_state == "-";
  if (options.model.json && !prints_state)
    print_json(report);
  else if (!options.model.quiet && !prints_state)
    print_table(report);
  if (!options.end_state.empty()) workbench::write_state_file(*model.mechanism, report.state, end);
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<ModesVerbOptions>();
  add_model(arguments, options->model);
  arguments
      .add("--state", "FILE", options->state,
           "around which state: JSON as for evaluate, or a row of a result, as in swing.csv@2.5")
      .of_files();
  arguments.add_switch("--equilibrium", options->equilibrium,
                       "look for a state of rest nearby first");
  arguments.add_output("--end-state", "FILE", options->end_state,
                       "the state around which it was, for --state of run and evaluate",
                       options->overwrite, "a state file");
  return [options] { return modes(*options); };
}

}  // namespace

extern const Verb modes_verb;
const Verb modes_verb{"modes",
                      "finds natural frequencies, damping and shapes of small motions",
                      "Around a state of rest, with springs, dampers, controllers and their "
                      "states. Prescribed motions "
                      "stand still at the time of the state; closed loops stay closed. Of a "
                      "Modelica class: eigenvalues of its states around its beginning.",
                      {"couplet modes models/recipes/frequencies.yaml",
                       "couplet modes models/recipes/suspension.yaml --equilibrium"},
                      declare};

}  // namespace couplet::app
