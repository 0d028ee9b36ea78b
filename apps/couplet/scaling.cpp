// couplet scaling: how long an evaluation would take on many processors, as a table and a picture.
#include "couplet/workbench/scaling.hpp"

#include <fmt/format.h>

#include <memory>

#include "model_options.hpp"
#include "result_files.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct ScalingChoices {
  ModelOptions model;
  workbench::ScalingOptions prediction;
  std::string out;  // picture; empty: none
  bool overwrite = false;
};

using workbench::ScalingLine;
using workbench::ScalingReport;

void print_json(const ScalingReport& report) {
  workbench::JsonWriter json;
  json.begin_object();
  json.members("model", report.model, "degrees_of_freedom", report.freedoms, "parts", report.parts,
               "levels", report.levels, "undivided_seconds", report.undivided);
  json.objects("lines", report.lines, [&](const ScalingLine& line) {
    json.key("processors").value(line.processors);
    json.key("seconds").begin_object();
    for (size_t k = 0; k < report.formalisms.size(); ++k)
      json.key(report.formalisms[k]).value(line.seconds[k]);
    json.end_object();
  });
  json.key("verdicts").value(report.verdicts());
  json.end_object();
  fmt::print("{}\n", json.text());
}

void print_table(const ScalingReport& report) {
  fmt::print("{}: {}, {} parts joined in {} levels\n", report.model, freedoms_text(report.freedoms),
             report.parts, report.levels);
  fmt::print(
      "predicted time of an evaluation, µs; {:.3g} of it for motions of bodies, forces and rows, "
      "which are not "
      "divided\n",
      1e6 * report.undivided);
  fmt::print("{:>10}", "processors");
  for (const std::string& name : report.formalisms) fmt::print("{:>22}", name);
  fmt::print("\n");
  for (const ScalingLine& line : report.lines) {
    fmt::print("{:>10}", line.processors);
    for (const double seconds : line.seconds) fmt::print("{:>22.4g}", 1e6 * seconds);
    fmt::print("\n");
  }
  for (const std::string& verdict : report.verdicts()) fmt::print("{}\n", verdict);
}

int scaling(const ScalingChoices& choices) {
  const workbench::LoadedModel model = load_mechanism(choices.model);
  const std::vector<std::filesystem::path> inputs(model.files.begin(), model.files.end());
  const base::Output picture{choices.out, "the picture", choices.overwrite, inputs};
  if (!choices.out.empty()) base::check_output(picture);
  const ScalingReport report = workbench::predict_scaling(model, choices.prediction);
  if (!choices.out.empty()) write_picture(report.picture(), picture, 2);
  if (choices.out == "-") return 0;
  if (choices.model.json)
    print_json(report);
  else if (!choices.model.quiet)
    print_table(report);
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto choices = std::make_shared<ScalingChoices>();
  add_model(arguments, choices->model);
  arguments.add_number("--latency", "S", choices->prediction.latency, 0, 10,
                       "seconds that a message takes (1e-6)");
  arguments.add_number("--bandwidth", "B", choices->prediction.bandwidth, 1, 1e18,
                       "bytes a second that messages carry beside that (1e10)");
  arguments.add_number("--processors", "N", choices->prediction.processors, 1, 10000,
                       "at most (10000)");
  arguments.add_output("--out", "FILE", choices->out, "a picture, too: .svg or .png",
                       choices->overwrite, "a picture");
  return [choices] { return scaling(*choices); };
}

}  // namespace

extern const Verb scaling_verb;
const Verb scaling_verb{
    "scaling",
    "predicts the time of an evaluation on many processors",
    "From times measured here on one processor and what messages cost; a prediction, no "
    "measurement of many.",
    {"couplet scaling models/humanoid.yaml",
     "couplet scaling models/humanoid.yaml --latency 2e-6 --bandwidth 1e9 --out scaling.svg"},
    declare};

}  // namespace couplet::app
