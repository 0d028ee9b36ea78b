// couplet export: a robot as a model in YAML.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "couplet/base/files.hpp"
#include "couplet/formats/yaml_writer.hpp"
#include "model_options.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct ExportOptions {
  ModelOptions model;
  bool yaml = false, overwrite = false;
  std::string out = "-";
};

/// As a run of the robot does.
void begin_inside_limits(model::Model& model) {
  for (model::Joint& joint : model.joints)
    for (size_t k = 0; k < joint.limits.size() && !joint.mimic; ++k) {
      const double q = k < joint.q0.size() ? joint.q0[k] : 0;
      const double inside = std::clamp(q, joint.limits[k].lower, joint.limits[k].upper);
      if (inside == q) continue;
      joint.q0.resize(joint.limits.size());
      joint.q0[k] = inside;
    }
}

int export_model(const ExportOptions& options) {
  const workbench::LoadedModel loaded = load_mechanism(options.model);
  model::Model model = *loaded.mechanism->model;
  if (loaded.format == workbench::Format::urdf) begin_inside_limits(model);
  const std::string text = formats::write_yaml(model);
  if (options.out == "-")
    std::fwrite(text.data(), 1, text.size(), stdout);
  else
    base::save_file({options.out, "the model", options.overwrite, {options.model.path}}, text);
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<ExportOptions>();
  add_model(arguments, options->model, "robot.urdf");
  arguments.add_switch("--yaml", options->yaml, "as YAML, which is the only format so far");
  arguments.add_output("--out", "FILE", options->out, "the new file (standard output, -)",
                       options->overwrite, "a file");
  return [options] { return export_model(*options); };
}

}  // namespace

extern const Verb export_verb;
const Verb export_verb{
    "export",
    "writes a URDF robot as a YAML model, to be edited",
    "The YAML model moves as the robot does. To use a robot as it is in a larger "
    "model, name its file in a subsystem instead.",
    {"couplet export robot.urdf --yaml --out robot.yaml"},
    declare};

}  // namespace couplet::app
