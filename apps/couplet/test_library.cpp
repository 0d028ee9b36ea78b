// couplet test-library: examples of a Modelica library against reference results.
#include "couplet/workbench/test_library.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "couplet/workbench/json.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

using workbench::ReferenceTest;

struct TestLibraryOptions {
  std::string package, reference, integrator = "ida";
  bool json = false, quiet = false;
};

std::string sizes_of(const ReferenceTest& test) {
  std::string text;
  for (const equations::SystemSize& s : test.systems)
    text += fmt::format("{}{}{}→{}", text.empty() ? "" : " ", s.linear ? "" : "n", s.size, s.torn);
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

void print(const ReferenceTest& test) {
  fmt::print("{:<8} {:<72} {:>9.3g} {:<28} {:>6.2f} {:>6.2f} {:>3} {:>7} {:>5} {}\n",
             name_of(test.outcome), test.model, test.error, test.worst, test.translation,
             test.simulation, test.states, test.evaluations, test.events, sizes_of(test));
  if (!test.message.empty())
    fmt::print("         {}\n",
               test.message.substr(0, test.message.find("\n  fix")).substr(0, 600));
  if (test.missing > 0)
    fmt::print("         {} of {} signals are missing\n", test.missing, test.signals);
  std::fflush(stdout);
}

void write(workbench::JsonWriter& json, const ReferenceTest& test) {
  json.begin_object();
  json.members("model", test.model, "outcome", name_of(test.outcome), "message", test.message,
               "worst_signal", test.worst, "error", test.error, "at", test.at, "signals",
               test.signals, "missing", test.missing, "translation_seconds", test.translation,
               "simulation_seconds", test.simulation, "states", test.states, "evaluations",
               test.evaluations, "steps", test.steps, "events", test.events);
  json.objects("systems", test.systems, [&](const equations::SystemSize& s) {
    json.members("size", s.size, "torn", s.torn, "linear", s.linear);
  });
  json.end_object();
}

int test_library(const TestLibraryOptions& options) {
  const bool text = !options.json && !options.quiet;
  const auto print_head = [] {
    fmt::print("{:<8} {:<72} {:>9} {:<28} {:>6} {:>6} {:>3} {:>7} {:>5} {}\n", "", "model", "error",
               "worst signal", "transl", "sim", "x", "evals", "event", "systems");
  };
  bool begun = false;
  const auto tests = workbench::test_library(options.package, options.reference, options.integrator,
                                             [&](const ReferenceTest& test) {
                                               if (!text) return;
                                               if (!std::exchange(begun, true)) print_head();
                                               print(test);
                                             });
  size_t passed = 0;
  workbench::JsonWriter json;
  json.begin_array();
  for (const ReferenceTest& test : tests) {
    passed += test.outcome == ReferenceTest::Outcome::passed && test.missing == 0;
    write(json, test);
  }
  json.end_array();
  if (options.json)
    fmt::print("{}\n", json.text());
  else if (text)
    fmt::print("{} of {} models pass\n", passed, tests.size());
  return passed == tests.size() ? 0 : 1;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<TestLibraryOptions>();
  arguments.add_word("package", options->package, "whose examples are run, or one model").required =
      true;
  arguments
      .add("--reference", "DIR", options->reference,
           "a folder with one folder of results for each model")
      .of_files();
  arguments.add("--integrator", "NAME", options->integrator, "as for run (ida)");
  arguments.add_switch("--json", options->json, "the answer, errors and warnings as JSON");
  arguments.add_switch("--quiet", options->quiet, "errors only").with_letter('q');
  return [options] { return test_library(*options); };
}

}  // namespace

extern const Verb test_library_verb;
const Verb test_library_verb{
    "test-library",
    "runs examples of a Modelica library against reference results",
    "A folder MODEL of DIR has MODEL's last name with .csv, comparisonSignals.txt and "
    "creation.txt, as the results of the "
    "Modelica Association. A signal passes in a tube of 0.2 % of its range in value and time; the "
    "error is in half heights of "
    "that tube, up to 1 passes. Systems of equations are written as size→torn, nonlinear ones with "
    "n.",
    {"couplet test-library Modelica.Mechanics.Translational --reference reference"},
    declare};

}  // namespace couplet::app
