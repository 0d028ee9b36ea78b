// couplet translate: what each stage of the translation of a Modelica class does.
#include <fmt/format.h>

#include <memory>

#include "couplet/workbench/json.hpp"
#include "couplet/workbench/modelica_run.hpp"
#include "model_options.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct TranslateVerbOptions {
  std::string target;
  bool stages = false, json = false, quiet = false;
};

int translate(const TranslateVerbOptions& options) {
  const workbench::LoadedModelica loaded = workbench::load_modelica(options.target);
  const size_t states = loaded.model->states.size(),
               equations = loaded.model->system.residuals.size(),
               blocks = loaded.model->blocks.size();
  if (options.json) {
    workbench::JsonWriter json;
    json.object("name", loaded.name, "states", states, "equations", equations, "blocks", blocks);
    fmt::print("{}\n", json.text());
    return 0;
  }
  if (options.quiet) return 0;
  if (options.stages) {
    fmt::print("{}", workbench::describe_stages(loaded));
    return 0;
  }
  const auto count = [](size_t n, const char* what) { return counted(static_cast<long>(n), what); };
  fmt::print("{}: {}, {} in {}\n", loaded.name, count(states, "state"),
             count(equations, "equation"), count(blocks, "block"));
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<TranslateVerbOptions>();
  arguments.add_word("class", options->target, "File.mo, File.mo:Package.Class or Qualified.Name")
      .of_files()
      .required = true;
  arguments.add_switch(
      "--stages", options->stages,
      "sizes and times of each stage, systems of equations, torn variables, states");
  arguments.add_switch("--json", options->json, "the answer, errors and warnings as JSON");
  arguments.add_switch("--quiet", options->quiet, "errors only").with_letter('q');
  return [options] { return translate(*options); };
}

}  // namespace

extern const Verb translate_verb;
const Verb translate_verb{
    "translate",
    "sorts the equations of a Modelica class as run does",
    "Says what run will refuse. Libraries are found in the directories of MODELICAPATH.",
    {"couplet translate models/modelica/Circuit.mo:Circuit.Main --stages"},
    declare};

}  // namespace couplet::app
