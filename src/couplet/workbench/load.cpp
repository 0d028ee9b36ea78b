#include "couplet/workbench/load.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/files.hpp"
#include "couplet/base/memory.hpp"
#include "couplet/base/text.hpp"
#include "couplet/forces/plugin.hpp"
#include "couplet/formats/urdf.hpp"
#include "couplet/formats/yaml.hpp"
#include "couplet/workbench/catalogue.hpp"
#include "couplet/workbench/modelica_run.hpp"

namespace couplet::workbench {
namespace {

[[noreturn]] void refuse_modelica(const std::string& path) {
  throw base::UserError(
      {},
      fmt::format("{} names a Modelica class, which has no bodies and joints", base::quoted(path)),
      "it can be checked, flattened, translated, run, swept, linearized and inverted; for this, "
      "give "
      "a .yaml, .json or .urdf file");
}

void check_fits(Format format, const LoadOptions& options) {
  if (format == Format::modelica)
    for (const auto& [name, given] : {std::pair("gravity", options.gravity.has_value()),
                                      {"floating_base", options.floating_base},
                                      {"strict", options.strict}})
      if (given)
        throw base::UserError({}, fmt::format("a Modelica model has no option `{}`", name),
                              "leave it out; parameters change with `set`");
  if (format != Format::modelica && (!options.prescribe.empty() || !options.solve_for.empty()))
    throw base::UserError({}, "inverse problems by `prescribe` are for Modelica classes",
                          "of a mechanism prescribe a joint with `motion:`, which gives its force; "
                          "evaluate takes accelerations \"vdot\" of one state");
  if (format == Format::yaml && options.floating_base)
    throw base::UserError({}, "`floating_base` is for URDF robots",
                          "in YAML, connect the base by a joint of type 'free'");
}

Format find_format(const std::string& path) {
  const auto ends = [&](const char* ending) { return path.ends_with(ending); };
  if (ends(".urdf") || ends(".xml")) return Format::urdf;
  if (ends(".yaml") || ends(".yml") || ends(".json") || path == "-") return Format::yaml;
  auto read = base::try_read_file(path, 0);
  if (const auto* trouble = std::get_if<base::ReadTrouble>(&read);
      trouble && trouble->kind != base::ReadTrouble::Kind::too_large)
    throw base::explain(*trouble, path, 0);
  throw base::UserError({}, fmt::format("{}: the ending says no known format", base::quoted(path)),
                        "models are .yaml, .yml, .json (Couplet), .urdf or .mo (Modelica)");
}

formats::UrdfOptions urdf_options(const LoadOptions& options) {
  formats::UrdfOptions urdf;
  if (options.gravity) urdf.gravity = *options.gravity;
  urdf.floating_base = options.floating_base;
  urdf.strict = options.strict;
  urdf.set = options.set;
  return urdf;
}

formats::ReadOptions yaml_options(const LoadOptions& options, std::vector<std::string>& files) {
  return {options.set, options.trust, &files};
}

model::Model read(const std::string& path, Format format, const LoadOptions& options,
                  base::Diagnostics& warnings, std::vector<std::string>& files) {
  check_fits(format, options);
  return format == Format::urdf ? formats::read_urdf(path, urdf_options(options), warnings)
                                : formats::read_yaml(path, yaml_options(options, files), warnings);
}

/// What can be said of plug-ins without running them.
void look_at_plugins(const model::Model& model, const LoadOptions& options) {
  for (const forces::PluginForce& plugin : forces::list_plugins(model))
    options.trust ? forces::trust_plugin(plugin) : forces::check_plugin_file(plugin);
}

LoadedModel finish(model::Model model, const std::string& path, Format format,
                   const LoadOptions& options, base::Diagnostics& warnings,
                   std::vector<std::string> files) {
  formalisms();  // all are known before anything is evaluated
  if (format == Format::yaml && options.gravity)
    model.gravity = model::UniformGravity{*options.gravity};
  look_at_plugins(model, options);
  for (const std::string& plugin : list_plugins(model)) files.push_back(plugin);
  const bool lenient = format == Format::urdf && !options.strict;
  auto mechanism = std::make_shared<const model::Mechanism>(
      model::compile(std::move(model),
                     lenient ? model::Strictness::lenient : model::Strictness::strict, &warnings));
  base::give_back_memory(mechanism->bodies.size());
  return {path, format, std::move(mechanism), warnings.list(), std::move(files)};
}

}  // namespace

namespace {

LoadedModel load_class(const std::string& target, const LoadOptions& options) {
  check_fits(Format::modelica, options);
  LoadedModel model;
  model.path = target;
  model.format = Format::modelica;
  auto loaded = std::make_shared<LoadedModelica>(
      load_modelica(target, {options.set, options.prescribe, options.solve_for}));
  model.files = loaded->files;
  for (const std::string& name : loaded->structural)
    model.warnings.push_back(
        {base::Severity::warning,
         {},
         fmt::format("{} shapes the model, which was translated again for it", base::quoted(name)),
         {}});
  model.modelica = std::move(loaded);
  return model;
}

}  // namespace

void check_is_mechanism(const LoadedModel& model) {
  if (!model.mechanism) refuse_modelica(model.path);
}

const std::string& LoadedModel::name() const {
  if (!mechanism) return path;
  return mechanism->model->name.empty() ? path : mechanism->model->name;
}

model::State LoadedModel::start() const {
  check_is_mechanism(*this);
  model::State state = mechanism->default_state();
  if (format != Format::urdf) return state;
  for (const model::TreeJoint& slot : mechanism->joints) {
    const std::vector<model::Limits>& limits =
        mechanism->model->joints[static_cast<size_t>(slot.joint)].limits;
    for (size_t k = 0; k < limits.size(); ++k) {
      double& q = state.q[slot.iq + static_cast<int>(k)];
      q = std::clamp(q, limits[k].lower, limits[k].upper);
    }
  }
  return state;
}

LoadedModel load(const std::string& path, const LoadOptions& options) {
  return is_modelica(path) ? load_class(path, options) : load_mechanism(path, options);
}

LoadedModel load_mechanism(const std::string& path, const LoadOptions& options) {
  if (is_modelica(path)) refuse_modelica(path);
  if (path == "-") {
    const std::string& text = base::read_standard_input("the model");
    const size_t first = text.find_first_not_of("\xef\xbb\xbf \t\r\n");
    const bool is_xml = first != std::string::npos && text[first] == '<';
    return load_text(text, "standard input", is_xml ? Format::urdf : Format::yaml, options);
  }
  const Format format = find_format(path);
  base::Diagnostics warnings;
  std::vector<std::string> files;
  model::Model model = read(path, format, options, warnings, files);
  files.insert(files.begin(), path);
  return finish(std::move(model), path, format, options, warnings, std::move(files));
}

model::Model read_model(const std::string& path, const LoadOptions& options) {
  if (is_modelica(path)) refuse_modelica(path);
  const Format format = find_format(path);
  base::Diagnostics warnings;
  std::vector<std::string> files;
  model::Model model = read(path, format, options, warnings, files);
  look_at_plugins(model, options);
  if (format == Format::yaml && options.gravity)
    model.gravity = model::UniformGravity{*options.gravity};
  return model;
}

LoadedModel load_text(const std::string& text, const std::string& name, Format format,
                      const LoadOptions& options) {
  if (format == Format::modelica)
    throw base::UserError({}, "Modelica is read from files", "write the text to a file NAME.mo");
  check_fits(format, options);
  base::Diagnostics warnings;
  std::vector<std::string> files;
  model::Model model =
      format == Format::urdf
          ? formats::read_urdf_text(text, name, urdf_options(options), warnings)
          : formats::read_yaml_text(text, name, yaml_options(options, files), warnings);
  return finish(std::move(model), name, format, options, warnings, std::move(files));
}

LoadedModel load(model::Model model, const std::string& name) {
  base::Diagnostics warnings;
  return finish(std::move(model), name, Format::yaml, {}, warnings, {});
}

std::vector<std::string> list_plugins(const model::Model& model) {
  std::vector<std::string> paths;
  for (const forces::PluginForce& plugin : forces::list_plugins(model))
    paths.push_back(plugin.path);
  return paths;
}

void check_plugins(const LoadedModel& model) {
  if (!model.mechanism) return;
  const model::Model& written = *model.mechanism->model;
  for (const forces::PluginForce& plugin : forces::list_plugins(written))
    forces::Plugin(plugin, written).load();
}

}  // namespace couplet::workbench
