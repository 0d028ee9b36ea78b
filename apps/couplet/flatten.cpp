// couplet flatten: flat Modelica of a class.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "couplet/workbench/modelica.hpp"
#include "remarks.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct FlattenOptions {
  std::string target;
  std::vector<std::string> without;  // names of passes
  bool list_passes = false, times = false, quiet = false;
};

int flatten(const FlattenOptions& options) {
  if (options.list_passes) {
    for (const modelica::PassInfo& pass : modelica::list_passes())
      fmt::print("{:<14} {}{}\n", pass.name, pass.doc, pass.needed ? "" : " (can be left out)");
    return 0;
  }
  if (options.target.empty())
    throw base::UserError({}, "no class to flatten", "couplet flatten File.mo:Package.Class");
  const workbench::FlatModelica flat =
      workbench::flatten_class(options.target, options.without, options.times);
  for (const base::Diagnostic& each : flat.warnings)
    if (!options.quiet) remark(each);
  std::fwrite(flat.text.data(), 1, flat.text.size(), stdout);
  if (options.times)
    for (const modelica::PassTime& pass : flat.times)
      complain("{:<14} {:.4f} s\n", pass.name, pass.seconds);
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<FlattenOptions>();
  Option& word = arguments.add_word("class", options->target,
                                    "File.mo, File.mo:Package.Class or Qualified.Name");
  word.of_files().required = false;
  arguments.add("--without", "PASS", options->without, "a pass to leave out").once();
  arguments.add_switch("--list-passes", options->list_passes, "what the passes are called and do");
  arguments.add_switch("--times", options->times, "seconds of each pass, on standard error");
  arguments.add_switch("--quiet", options->quiet, "errors only").with_letter('q');
  return [options] { return flatten(*options); };
}

}  // namespace

extern const Verb flatten_verb;
const Verb flatten_verb{
    "flatten",
    "writes a Modelica class as flat Modelica",
    "Libraries are found in the directories of MODELICAPATH; Couplet's own is always there. "
    "Results "
    "are kept in the user's cache folder until a file they come from changes; COUPLET_CACHE=off "
    "does without.",
    {"couplet flatten models/modelica/Circuit.mo:Circuit.Main",
     "couplet flatten Modelica.Mechanics.MultiBody.Examples.Elementary.Pendulum"},
    declare};

}  // namespace couplet::app
