// couplet assemble: a state that closes all loops, from a rough guess.
#include "couplet/workbench/assemble.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "model_options.hpp"
#include "remarks.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct AssembleOptions {
  ModelOptions model;
  std::string state;                // file with the guess; empty: the model's initial state
  std::vector<std::string> lock;    // joints or freedoms that must not move
  std::vector<std::string> weight;  // name=weight: how unwilling it is to move
  std::string out;                  // state file
  bool overwrite = false;
};

using workbench::AssembleReport;
using workbench::JsonWriter;

std::pair<std::string, double> parse_weight(const std::string& text) {
  const size_t equals = text.find('=');
  const auto weight =
      base::parse_double(equals == std::string::npos ? "" : text.substr(equals + 1));
  if (!weight || !(*weight > 0))
    throw base::UserError({}, fmt::format("{} is not a weight", base::quoted(text)),
                          "give --weight joint=10, a number > 0");
  return {text.substr(0, equals), *weight};
}

void print_text(const AssembleReport& report) {
  const dynamics::AssemblyReport& a = report.assembly;
  fmt::print("residuals before: {:.3e} of positions, {:.3e} of speeds\n", a.before.position,
             a.before.velocity);
  fmt::print("residuals after:  {:.3e} of positions, {:.3e} of speeds, {}\n", a.after.position,
             a.after.velocity, counted(a.iterations, "iteration"));
  bool any = false;
  for (const workbench::FreedomChange& change : report.changes) {
    if (std::abs(change.moved) < 1e-12 && std::abs(change.speed_change) < 1e-12) continue;
    if (!any) fmt::print("{:<28} {:>16} {:>16}\n", "freedom", "moved", "speed changed");
    any = true;
    fmt::print("{:<28} {:>16.9g} {:>16.9g}{}\n", change.name, change.moved, change.speed_change,
               change.prescribed ? "  follows its prescribed motion" : "");
  }
  if (!any) fmt::print("nothing had to move\n");
}

void print_json(const AssembleReport& report, const model::Mechanism& mechanism) {
  JsonWriter json;
  json.begin_object();
  json.members("closed", report.closed(), "position_residual", report.assembly.after.position,
               "velocity_residual", report.assembly.after.velocity, "dofs", mechanism.dof_names,
               "moved", report.assembly.moved, "speed_change", report.assembly.speed_change);
  write_state(mechanism, report.state, json);
  json.key("warnings").value(report.warnings);
  json.end_object();
  fmt::print("{}\n", json.text());
}

int assemble(const AssembleOptions& options) {
  const workbench::LoadedModel model = load_mechanism(options.model);
  base::Output output{
      options.out, "the state", options.overwrite, {model.files.begin(), model.files.end()}};
  if (!options.state.empty()) output.inputs.emplace_back(options.state);
  const bool prints_state = options.out == "-";
  if (!options.out.empty() && !prints_state) base::check_output(output);
  workbench::AssembleOptions willing;
  willing.lock = options.lock;
  for (const std::string& text : options.weight) willing.weight.push_back(parse_weight(text));
  if (!options.state.empty())
    willing.state = workbench::read_state(options.state, *model.mechanism);
  const AssembleReport report = workbench::assemble(model, willing);
  if (!prints_state && options.model.json)
    print_json(report, *model.mechanism);
  else if (!prints_state && !options.model.quiet)
    print_text(report);
  for (const std::string& warning : report.warnings)
    if (!options.model.quiet) remark("warning", warning);
  if (!report.closed()) throw base::ComputationError(report.fault);
  if (prints_state) {
    fmt::print("{}", workbench::state_text(*model.mechanism, report.state));
  } else if (!options.out.empty()) {
    workbench::write_state_file(*model.mechanism, report.state, output);
    if (!options.model.json && !options.model.quiet) fmt::print("written: {}\n", options.out);
  }
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<AssembleOptions>();
  add_model(arguments, options->model);
  arguments
      .add("--state", "FILE", options->state,
           "JSON with the guess; without it the model's initial state")
      .of_files();
  arguments.add("--lock", "JOINT", options->lock, "joints that must not move").split_at(',');
  arguments.add("--weight", "JOINT=W", options->weight, "how unwilling it is to move (1)")
      .split_at(',');
  arguments.add_output("--out", "FILE", options->out,
                       "state file, for --state of run and evaluate; - prints it",
                       options->overwrite, "a state file");
  return [options] { return assemble(*options); };
}

}  // namespace

extern const Verb assemble_verb;
const Verb assemble_verb{
    "assemble",
    "closes all loops from a rough guess of the position",
    "",
    {"couplet assemble models/four_bar.yaml",
     "couplet assemble models/benchmarks/andrews_squeezer.yaml --out start.json"},
    declare};

}  // namespace couplet::app
