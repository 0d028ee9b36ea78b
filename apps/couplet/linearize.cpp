// couplet linearize: dx/dt = A x + B u, z = C x + D u around a point.
#include "couplet/workbench/linearize.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "model_options.hpp"
#include "point.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

using workbench::LinearReport;

struct LinearizeVerbOptions {
  ModelOptions model;
  PointVerbOptions point;
  std::vector<std::string> inputs, outputs;
  bool equilibrium = false;
};

void print_json(const LinearReport& report) {
  workbench::JsonWriter json;
  json.begin_object();
  json.members("states", report.states, "inputs", report.inputs, "outputs", report.outputs, "A",
               report.A, "B", report.B, "C", report.C, "D", report.D);
  if (report.directions.size() > 0) json.key("directions").value(report.directions);
  write_point(report.point, json);
  json.end_object();
  fmt::print("{}\n", json.text());
}

void print_matrix(const char* name, const math::MatX& matrix) {
  if (matrix.size() == 0) return;
  fmt::print("{} =\n", name);
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index k = 0; k < matrix.cols(); ++k) fmt::print(" {:>13.6g}", matrix(i, k));
    fmt::print("\n");
  }
}

void print_text(const LinearReport& report) {
  fmt::print("x: {}\n", fmt::join(report.states, ", "));
  if (!report.inputs.empty()) fmt::print("u: {}\n", fmt::join(report.inputs, ", "));
  if (!report.outputs.empty()) fmt::print("z: {}\n", fmt::join(report.outputs, ", "));
  print_matrix("A", report.A);
  print_matrix("B", report.B);
  print_matrix("C", report.C);
  print_matrix("D", report.D);
  print_matrix("speeds by d/dt z", report.directions);
}

int linearize(const LinearizeVerbOptions& options) {
  const workbench::LoadedModel model = load_any(options.model);
  workbench::PointOptions asked = read_point_options(model, options.point);
  asked.equilibrium = options.equilibrium;
  asked.inputs = options.inputs;
  asked.outputs = options.outputs;
  const LinearReport report = workbench::linearize(model, asked);
  print_notes(options.model, report.point);
  constexpr double at_rest = 1e-6;
  if (report.point.rate > at_rest)
    print_note(options.model, fmt::format("nothing rests here: the rate of {} is {:.3g}; "
                                          "--equilibrium looks for a state of rest nearby",
                                          report.point.moving, report.point.rate));
  if (options.model.json)
    print_json(report);
  else if (!options.model.quiet)
    print_text(report);
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<LinearizeVerbOptions>();
  add_model(arguments, options->model, any_model);
  add_point_options(arguments, options->point);
  arguments.add_switch("--equilibrium", options->equilibrium,
                       "look for a state of rest nearby first");
  arguments
      .add("--inputs", "NAME", options->inputs,
           "of a Modelica class: inputs or parameters u (its inputs)")
      .split_at(',');
  arguments
      .add("--outputs", "NAME", options->outputs, "of a Modelica class: variables z (its outputs)")
      .split_at(',');
  return [options] { return linearize(*options); };
}

}  // namespace

extern const Verb linearize_verb;
const Verb linearize_verb{
    "linearize",
    "finds the linear model dx/dt = A x + B u, z = C x + D u",
    "Around where the model begins, or a state of rest; the time stands still. --json writes the "
    "matrices row by row. Of a mechanism with closed loops, x are coordinates of what they allow.",
    {"couplet linearize models/modelica/Circuit.mo:Circuit.Main",
     "couplet linearize models/recipes/suspension.yaml --equilibrium --json"},
    declare};

}  // namespace couplet::app
