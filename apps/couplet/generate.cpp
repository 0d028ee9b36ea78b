// couplet generate: straight-line C of a mechanism, one .c and one .h that compile alone.
#include "couplet/workbench/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "model_options.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct GenerateOptions {
  ModelOptions model;
  std::string what = "forward";
  std::vector<std::string> keep;  // mass, com, inertia, length, gravity
  std::string out = ".";          // directory
  bool overwrite = false;
  std::string name;  // of the files and functions; empty: that of the model's file
  int batch = 1;     // states at once, 1: no such form
};

int generate(const GenerateOptions& options) {
  if (options.out == "-")
    throw base::UserError({}, "two files, NAME.c and NAME.h, do not go to standard output",
                          "give a folder, as in --out build");
  const workbench::LoadedModel model = load_mechanism(options.model);
  const workbench::GenerateOptions wanted{options.what, options.keep, options.name, options.batch};
  if (const std::string cost =
          workbench::describe_cost(workbench::estimate_operations(model, wanted));
      !cost.empty())
    print_note(options.model, cost);
  const workbench::GeneratedCode code = workbench::generate_code(model, wanted);
  for (const std::string& note : code.notes) print_note(options.model, note);
  const auto [source, header] = code.write_to(options.out, options.overwrite);
  if (options.model.json) {
    workbench::JsonWriter json;
    json.begin_object();
    json.members("source", source, "header", header);
    json.objects("functions", code.functions, [&](const workbench::GeneratedFunction& f) {
      json.members("name", f.name, "form", f.form, "multiplications", f.counts.multiplications,
                   "additions", f.counts.additions, "functions", f.counts.functions);
    });
    json.end_object();
    fmt::print("{}\n", json.text());
    return 0;
  }
  if (options.model.quiet) return 0;
  for (const workbench::GeneratedFunction& f : code.functions)
    fmt::print(
        "{}: {} multiplications and divisions, {} additions and subtractions, {} functions; {}\n",
        f.name, f.counts.multiplications, f.counts.additions, f.counts.functions, f.form);
  fmt::print("written: {} and {}\n", source, header);
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<GenerateOptions>();
  std::vector<std::string> all;
  for (const couplet::generate::WhatEntry& entry : couplet::generate::whats())
    all.emplace_back(entry.name);
  add_model(arguments, options->model);
  arguments
      .add("--what", "WHAT", options->what,
           fmt::format("forward (default), or: {}", fmt::join(all.begin() + 1, all.end(), ", ")))
      .with_hints(all);
  arguments
      .add("--keep", "WORD", options->keep,
           "numbers that stay arguments: mass, com, inertia, length, gravity")
      .split_at(',')
      .with_hints({"mass", "com", "inertia", "length", "gravity"});
  arguments.add_output("--out", "FOLDER", options->out, "for NAME.c and NAME.h (.)",
                       options->overwrite, "files");
  arguments.add("--name", "NAME", options->name, "of files and functions");
  arguments.add("--batch", "N", options->batch, "also a form for 2, 4 or 8 states at once");
  return [options] { return generate(*options); };
}

}  // namespace

extern const Verb generate_verb;
const Verb generate_verb{
    "generate",
    "writes straight-line C of a mechanism, and counts its operations",
    "",
    {"couplet generate models/manutec_r3.yaml --what inverse",
     "couplet generate models/arm7.urdf --what gradients --keep mass --out build"},
    declare};

}  // namespace couplet::app
