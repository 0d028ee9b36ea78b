#include "couplet/workbench/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/only_trees.hpp"
#include "couplet/forces/force_set.hpp"

namespace couplet::workbench {
namespace {

namespace fs = std::filesystem;

generate::What check_what(const std::string& name) {
  if (const generate::WhatEntry* entry = generate::find_what(name)) return entry->what;
  std::vector<std::string> names;
  for (const generate::WhatEntry& entry : generate::whats()) names.emplace_back(entry.name);
  throw base::UserError({}, fmt::format("{} cannot be generated", base::quoted(name)),
                        base::suggest(name, names));
}

std::vector<std::string> list_omissions(const model::Mechanism& mechanism, generate::What what) {
  std::vector<std::string> notes;
  const model::Model& model = *mechanism.model;
  const auto any_joint = [&](const auto& has) {
    return std::any_of(model.joints.begin(), model.joints.end(), has);
  };
  if (mechanism.constrained())
    notes.push_back("q must close the loops: the code does not, as of " +
                    dynamics::describe_loop(mechanism));
  if (what == generate::What::kinematics || what == generate::What::jacobian) return notes;
  if (!forces::ForceSet(mechanism).empty())
    notes.push_back(
        std::holds_alternative<model::PointGravity>(model.gravity)
            ? "point gravity and the model's force elements are not in the code; add "
              "their forces to tau"
            : "the model's force elements are not in the code; add their forces to tau");
  if (any_joint(
          [](const model::Joint& joint) { return joint.friction && !joint.friction->none(); }))
    notes.push_back("the friction of joints is not in the code");
  if (any_joint([](const model::Joint& joint) { return !joint.limits.empty(); }))
    notes.push_back("the limits of joints are not in the code");
  if (!model.rules.empty()) notes.push_back("the model's rules are not in the code");
  return notes;
}

}  // namespace

std::pair<std::string, std::string> GeneratedCode::write_to(const std::string& directory,
                                                            bool overwrite) const {
  std::error_code error;
  fs::create_directories(directory, error);
  if (!fs::is_directory(directory))
    throw base::UserError({}, fmt::format("{} is no directory", base::quoted(directory)),
                          "give `out` the name of a directory; a new one is made");
  const base::Output source{fs::path(directory) / (file.stem + ".c"), "the code", overwrite},
      header{fs::path(directory) / (file.stem + ".h"), "the header", overwrite};
  base::check_output(source);
  base::check_output(header);  // both or none
  base::save_file(source, file.source);
  base::save_file(header, file.header);
  return {source.path.string(), header.path.string()};
}

// What has an entry for each link and each that it hangs on. A link's share of inverse dynamics
// says how general its joint is; times the depths it was counted for chains of 25 to 125 joints,
// with parallel and with any axes: 7.5 to 9 times for gradients (each share is differentiated by
// all joints below), 0.22 times for the mass matrix, 0.06 to 0.08 times for a Jacobian.
double estimate_operations(const LoadedModel& model, const GenerateOptions& options) {
  check_is_mechanism(model);
  const model::Mechanism& mechanism = *model.mechanism;
  const generate::What what = check_what(options.what);
  const double factor = what == generate::What::gradients     ? 9
                        : what == generate::What::mass_matrix ? 0.22
                        : what == generate::What::jacobian    ? 0.08
                                                              : 0;
  if (factor == 0 || mechanism.links.empty()) return 0;
  const generate::Formulas inverse =
      generate::make_formulas(mechanism, {generate::What::inverse, options.keep, false});
  double operations = 0, depths = 0;
  for (const generate::Formulas::Function& f : inverse.functions)
    operations += static_cast<double>(f.counts.multiplications + f.counts.additions);
  std::vector<int> depth;
  for (const model::Link& link : mechanism.links) {
    depth.push_back(link.parent < 0 ? 1 : depth[static_cast<size_t>(link.parent)] + 1);
    depths += depth.back();
  }
  return factor * operations / static_cast<double>(mechanism.links.size()) * depths;
}

// Measured: 3 µs and 320 bytes for each.
std::string describe_cost(double operations) {
  if (operations < 1e6) return {};
  return fmt::format(
      "about {:.1g} million operations, which take some {:.1g} s and {:.1g} GB to find; Ctrl-C "
      "ends "
      "it, and nothing is written before the end",
      operations / 1e6, operations * 3e-6, operations * 320e-9);
}

GeneratedCode generate_code(const LoadedModel& model, const GenerateOptions& options) {
  check_is_mechanism(model);
  const generate::What what = check_what(options.what);
  if (options.batch != 1 && options.batch != 2 && options.batch != 4 && options.batch != 8)
    throw base::UserError({},
                          fmt::format("a batch of {} states does not fill vectors", options.batch),
                          "`batch` takes 2, 4 or 8");
  GeneratedCode out;
  out.notes = list_omissions(*model.mechanism, what);
  const generate::Formulas formulas =
      generate::make_formulas(*model.mechanism, {what, options.keep, false});
  const std::string stem = generate::c_identifier(
      options.name.empty() ? fs::path(model.path).stem().string() : options.name);
  out.file = generate::write_c_file(formulas, *model.mechanism, stem, options.batch);
  for (const generate::Formulas::Function& f : formulas.functions)
    out.functions.push_back({stem + "_" + f.code.name, f.form, f.counts});
  return out;
}

}  // namespace couplet::workbench
