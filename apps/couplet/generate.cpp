// couplet generate: straight-line C of a mechanism, one .c and one .h that compile alone.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "couplet/base/text.hpp"
#include "couplet/forces/force_set.hpp"
#include "couplet/generate/c_file.hpp"
#include "json.hpp"
#include "verbs.hpp"

namespace couplet::app {
namespace {

generate::What find_what(const std::string& name) {
  if (const generate::WhatEntry* entry = generate::find_what(name)) return entry->what;
  std::vector<std::string> names;
  for (const generate::WhatEntry& entry : generate::whats()) names.emplace_back(entry.name);
  throw base::UserError(
      {}, fmt::format("{} cannot be generated", base::quoted(name)),
      fmt::format("{}; --what is one of {}", base::suggest(name, names), fmt::join(names, ", ")));
}

// A file is there whole or not at all.
void write_file(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path part = path.string() + ".part";
  {
    std::ofstream out(part);
    out << text;
    if (!out.flush())
      throw base::UserError({}, fmt::format("cannot write {}", base::quoted(path.string())),
                            "choose a directory that you may write to with --out");
  }
  std::filesystem::rename(part, path);
}

void check_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!std::filesystem::is_directory(directory))
    throw base::UserError({}, fmt::format("{} is no directory", base::quoted(directory)),
                          "give --out the name of a directory; a new one is made");
}

}  // namespace

int generate(const GenerateOptions& options) {
  const generate::What what = find_what(options.what);
  if (options.batch != 1 && options.batch != 2 && options.batch != 4 && options.batch != 8)
    throw base::UserError({},
                          fmt::format("a batch of {} states does not fill vectors", options.batch),
                          "--batch takes 2, 4 or 8");
  const auto mechanism = load_mechanism(options.model);
  if (!forces::ForceSet(*mechanism).empty())
    fmt::print(stderr,
               "note: the model's force elements are not in the code; add their forces to tau\n");
  if (std::any_of(mechanism->model->joints.begin(), mechanism->model->joints.end(),
                  [](const model::Joint& joint) {
                    return joint.friction && joint.friction->coefficient > 0;
                  }))
    fmt::print(stderr, "note: the friction of joints is not in the code\n");
  const generate::Formulas formulas =
      generate::make_formulas(*mechanism, {what, options.keep, false});
  const std::string stem = generate::c_identifier(
      options.name.empty() ? std::filesystem::path(options.model.path).stem().string()
                           : options.name);
  const generate::CFile file = generate::write_c_file(formulas, *mechanism, stem, options.batch);
  check_directory(options.out);
  const std::filesystem::path source = std::filesystem::path(options.out) / (stem + ".c"),
                              header = std::filesystem::path(options.out) / (stem + ".h");
  write_file(source, file.source);
  write_file(header, file.header);

  JsonWriter json;
  json.begin_object();
  json.key("source").value(source.string());
  json.key("header").value(header.string());
  json.key("functions").begin_array();
  for (const generate::Formulas::Function& f : formulas.functions) {
    json.begin_object();
    json.key("name").value(stem + "_" + f.code.name);
    json.key("form").value(f.form);
    json.key("multiplications").value(static_cast<int>(f.counts.multiplications));
    json.key("additions").value(static_cast<int>(f.counts.additions));
    json.key("functions").value(static_cast<int>(f.counts.functions));
    json.end_object();
  }
  json.end_array().end_object();
  if (options.model.json) {
    fmt::print("{}\n", json.text());
    return 0;
  }
  for (const generate::Formulas::Function& f : formulas.functions)
    fmt::print(
        "{}_{}: {} multiplications and divisions, {} additions and subtractions, {} functions;"
        " {}\n",
        stem, f.code.name, f.counts.multiplications, f.counts.additions, f.counts.functions,
        f.form);
  fmt::print("written: {} and {}\n", source.string(), header.string());
  return 0;
}

}  // namespace couplet::app
