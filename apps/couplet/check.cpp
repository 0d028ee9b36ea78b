// couplet check: what a model is (bodies, freedoms, tree) and what is odd about it.
#include "couplet/workbench/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "check_class.hpp"
#include "couplet/base/text.hpp"
#include "couplet/workbench/modelica.hpp"
#include "model_options.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct CheckOptions {
  ModelOptions model;
  bool all = false;  // every example below a Modelica package
};

using workbench::CheckReport;
using workbench::JsonWriter;

constexpr size_t longest = 60;   // lines of a list
constexpr int least_parts = 10;  // smaller models are not worth dividing

void print_tree(const CheckReport& report) {
  for (size_t k = 0; k < std::min(report.tree.size(), longest); ++k) {
    const workbench::TreeLine& line = report.tree[k];
    fmt::print("  {:{}}{} ({}{}{}) → {}\n", "", 2 * line.depth, line.joint, line.type,
               line.prescribed ? ", prescribed" : "", line.mimic ? ", mimic" : "", line.body);
  }
  if (report.tree.size() > longest)
    fmt::print("  … and {} more joints\n", report.tree.size() - longest);
}

void print_loops(const CheckReport& report) {
  for (size_t i = 0; i < std::min(report.loops.size(), longest); ++i) {
    const workbench::LoopLine& loop = report.loops[i];
    fmt::print("loop {}: cut at {} ({}), {}\n  {}\n", i + 1, loop.cut, loop.type, loop.reason,
               fmt::join(loop.joints, " – "));
  }
  if (report.loops.size() > longest)
    fmt::print("… and {} more loops\n", report.loops.size() - longest);
  for (const workbench::SplitLine& split : report.split_bodies)
    fmt::print("body {} is split in two, so that joint {} keeps its coordinates: {}\n",
               base::quoted(split.body), base::quoted(split.joint), split.reason);
  for (const workbench::ConstraintLine& constraint : report.constraints)
    fmt::print("constraint {} ({})\n", constraint.name, constraint.type);
}

void print_analysis(const CheckReport& report) {
  const dynamics::ConstraintAnalysis& analysis = report.analysis;
  if (analysis.rows == 0) return;
  fmt::print("constraints: {} of rank {}\n", counted(analysis.rows, "equation"), analysis.rank);
  for (const dynamics::Redundancy& r : analysis.redundant)
    fmt::print("  redundant at {}: {}; {}\n", base::quoted(r.element),
               fmt::join(r.directions, ", "), r.suggestion);
  for (const std::string& sentence : report.dependent_motions) fmt::print("  {}\n", sentence);
  if (!analysis.not_unique.empty())
    fmt::print("  reactions that are not unique (the smallest are reported): {}\n",
               fmt::join(analysis.not_unique, ", "));
  if (!report.friction_not_unique.empty())
    fmt::print(
        "  friction depends on reactions that are not unique; it follows from the smallest: {}\n",
        fmt::join(report.friction_not_unique, ", "));
  if (analysis.singular)
    fmt::print(
        "  the initial position is singular: constraints that are independent nearby depend on "
        "each other here\n");
  else if (analysis.singularity < 1e-4)
    fmt::print("  the initial position is close to a singular one\n");
}

/// `warnings`: those of reading the file included.
void print_text(const CheckReport& report, size_t warnings) {
  fmt::print("{}: {}, {}, {}, {:.6g} kg\n", report.name, counted(report.bodies, "body", "bodies"),
             counted(report.joints, "joint"), counted(report.forces, "force element"), report.mass);
  fmt::print("degrees of freedom {}, coordinates {}, a tree of {}\n", report.analysis.freedoms,
             report.coordinates, counted(report.links, "moving link"));
  print_tree(report);
  for (const workbench::StateLine& state : report.states)
    fmt::print("state {} = {:.6g}{}{} at the start, rate {}\n", state.name, state.start,
               state.unit.empty() ? "" : " ", state.unit, state.rate);
  print_loops(report);
  print_analysis(report);
  if (report.assembly.parts >= least_parts)
    fmt::print("divide and conquer: {} parts joined in {} levels, with at most {}\n",
               report.assembly.parts, report.assembly.levels,
               counted(report.assembly.handles, "handle"));
  for (const std::string& plugin : report.plugins)
    fmt::print("native code: {}; not loaded here, verbs that evaluate it ask for --trust\n",
               plugin);
  for (const std::string& warning : report.warnings) fmt::print("warning: {}\n", warning);
  const std::string count = warnings == 0
                                ? "no faults found"
                                : fmt::format("{} warning{}", warnings, warnings == 1 ? "" : "s");
  fmt::print("{}\n", report.closed() ? count
                                     : fmt::format("{}; not usable: {} cannot be closed; couplet "
                                                   "assemble shows more",
                                                   count, base::quoted(report.open)));
}

void write_states(const CheckReport& report, JsonWriter& json) {
  json.key("states").begin_object();
  for (const workbench::StateLine& state : report.states) {
    json.key(state.name).object("unit", state.unit, "start", state.start, "rate", state.rate);
  }
  json.end_object();
}

void write_loops(const CheckReport& report, JsonWriter& json) {
  json.objects("loops", report.loops, [&](const workbench::LoopLine& loop) {
    json.members("cut", loop.cut, "type", loop.type, "joints", loop.joints, "reason", loop.reason);
  });
  json.objects("split_bodies", report.split_bodies, [&](const workbench::SplitLine& split) {
    json.members("body", split.body, "joint", split.joint, "reason", split.reason);
  });
  json.key("divide_and_conquer")
      .object("parts", report.assembly.parts, "levels", report.assembly.levels, "handles",
              report.assembly.handles);
  json.key("plugins").value(report.plugins);
  json.objects("constraints", report.constraints, [&](const workbench::ConstraintLine& constraint) {
    json.members("name", constraint.name, "type", constraint.type);
  });
}

void write_analysis(const CheckReport& report, JsonWriter& json) {
  const dynamics::ConstraintAnalysis& analysis = report.analysis;
  json.members("friction_not_unique", report.friction_not_unique, "equations", analysis.rows,
               "rank", analysis.rank);
  json.objects("redundant", analysis.redundant, [&](const dynamics::Redundancy& r) {
    json.members("element", r.element, "directions", r.directions, "suggestion", r.suggestion);
  });
  json.key("dependent_motions").begin_array();
  for (const std::vector<std::string>& motions : analysis.dependent_motions) json.value(motions);
  json.end_array();
  json.members("reactions_not_unique", analysis.not_unique, "singular", analysis.singular);
}

void print_json(const CheckReport& report, const std::string& name) {
  JsonWriter json;
  json.begin_object();
  json.members("name", name, "bodies", report.bodies, "joints", report.joints, "forces",
               report.forces, "links", report.links, "degrees_of_freedom", report.analysis.freedoms,
               "coordinates", report.coordinates, "dofs", report.dofs);
  if (!report.states.empty()) write_states(report, json);
  json.key("mass").value(report.mass);
  write_loops(report, json);
  write_analysis(report, json);
  json.key("warnings").value(report.warnings);
  json.end_object();
  fmt::print("{}\n", json.text());
}

int check(const CheckOptions& verb) {
  const ModelOptions& options = verb.model;
  if (workbench::is_modelica(options.path)) {
    for (const auto& [name, given] : {std::pair("set", !options.set.empty()),
                                      {"gravity", !options.gravity.empty()},
                                      {"floating_base", options.floating_base}})
      if (given)
        throw base::UserError({},
                              fmt::format("the check of a Modelica class has no option `{}`", name),
                              "leave it out: equations are counted as the class is written");
    return check_class(options, verb.all);
  }
  if (verb.all)
    throw base::UserError({}, fmt::format("{} is no Modelica package", base::quoted(options.path)),
                          "leave out --all");
  const workbench::LoadedModel model = load_mechanism(options);
  const CheckReport report = workbench::check(model);
  const size_t warnings = report.warnings.size() + model.warnings.size();
  if (options.json)
    print_json(report, model.mechanism->model->name);
  else if (!options.quiet)
    print_text(report, warnings);
  if (!report.closed()) return 1;
  return options.strict && warnings > 0 ? 2 : 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<CheckOptions>();
  add_model(arguments, options->model, any_model);
  arguments.add_switch("--all", options->all, "every example below a Modelica package, as a table");
  return [options] { return check(*options); };
}

}  // namespace

extern const Verb check_verb;
const Verb check_verb{
    "check",
    "says what a model is, and what is wrong with it",
    "A model may also be Modelica: File.mo, File.mo:Package.Class, or a class on MODELICAPATH "
    "or in Couplet's own library, such as Couplet.Examples.DoublePendulum.",
    {"couplet check models/two_arms.yaml --set left.upper_length=0.4",
     "couplet check robot.urdf --strict"},
    declare};

}  // namespace couplet::app
