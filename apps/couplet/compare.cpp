// couplet compare: every formalism that applies, on the same random states, with differences and
// times.
#include "couplet/workbench/compare.hpp"

#include <fmt/format.h>

#include <memory>

#include "model_options.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct CompareOptions {
  ModelOptions model;
  int states = 100;
  int seed = 1;
};

using workbench::ComparisonReport;
using workbench::FormalismLine;

void print_json(const ComparisonReport& report) {
  workbench::JsonWriter json;
  json.begin_object();
  json.members("states", report.states, "degrees_of_freedom", report.freedoms, "agree",
               report.agree(), "largest_difference", report.largest_difference);
  json.objects("formalisms", report.formalisms, [&](const FormalismLine& line) {
    json.members("name", line.name, "difference", line.difference, "microseconds",
                 line.microseconds, "note", line.note);
  });
  json.end_object();
  fmt::print("{}\n", json.text());
}

void print_table(const ComparisonReport& report) {
  fmt::print("{} random states, {}; differences relative to {}\n", report.states,
             freedoms_text(report.freedoms), report.formalisms.front().name);
  fmt::print("{:<12} {:>14} {:>14}\n", "formalism", "difference", "time, µs");
  for (const FormalismLine& line : report.formalisms)
    fmt::print("{:<12} {:>14} {:>14.3g}{}{}\n", line.name,
               &line == &report.formalisms.front() ? "-" : fmt::format("{:.2e}", line.difference),
               line.microseconds, line.note.empty() ? "" : "  ", line.note);
  fmt::print("{}\n", report.agree() ? "they agree" : "THEY DISAGREE");
}

int compare(const CompareOptions& options) {
  const ComparisonReport report =
      workbench::compare(load_mechanism(options.model), {options.states, options.seed});
  if (options.model.json)
    print_json(report);
  else if (!options.model.quiet)
    print_table(report);
  return report.agree() ? 0 : 1;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<CompareOptions>();
  add_model(arguments, options->model);
  arguments.add_number("--states", "N", options->states, 1, 1000000,
                       "how many random states (100)");
  arguments.add("--seed", "N", options->seed, "of the random states (1)");
  return [options] { return compare(*options); };
}

}  // namespace

extern const Verb compare_verb;
const Verb compare_verb{"compare",
                        "compares all formalisms on random states: differences and times",
                        "",
                        {"couplet compare models/every_joint.yaml",
                         "couplet compare models/quadruped.urdf --floating-base --states 1000"},
                        declare};

}  // namespace couplet::app
