#include "couplet/formats/yaml.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "couplet/base/memory.hpp"
#include "couplet/base/text.hpp"
#include "couplet/formats/yaml/reader.hpp"

namespace couplet::formats::yaml {

void read_model(const Node& node, bool is_file, Part& part) {
  const Section section(
      node, part.title,
      {"couplet", "name", "description", "tables", "parameters", "states", "gravity", "points",
       "frames", "bodies", "subsystems", "joints", "constraints", "forces", "when", "outputs"},
      part.diagnostics());
  if (!node.is_mapping()) return;

  const Node* version = section.find("couplet");
  if (!version && is_file)
    part.diagnostics().error(node.where, part.title + " does not say its format version",
                             "begin with couplet: 1");
  if (version && !(version->is_scalar() && version->text() == "1"))
    part.diagnostics().error(version->where, "expected format version 1, got " + describe(*version),
                             "write couplet: 1");
  if (const Node* name = section.find("name"))
    if (const std::optional<std::string> text = find_text(*name, "a name", part.diagnostics()))
      if (part.scope.prefix().empty()) part.reading.model.name = *text;
  if (const Node* description = section.find("description"))
    find_text(*description, "a text", part.diagnostics());

  if (const Node* tables = section.find("tables")) read_tables(*tables, part);
  read_parameters(section.find("parameters"), part);
  const Node* states = section.find("states");
  if (states) declare_states(*states, part);
  const Node* outputs = section.find("outputs");
  if (outputs) declare_outputs(*outputs, part);
  if (const Node* gravity = section.find("gravity")) read_gravity(*gravity, part);
  for (const char* key : {"points", "frames"})
    if (const Node* points = section.find(key)) read_world_points(*points, part);
  if (const Node* bodies = section.find("bodies")) read_bodies(*bodies, part);
  if (const Node* subsystems = section.find("subsystems")) read_subsystems(*subsystems, part);
  if (const Node* joints = section.find("joints")) read_joints(*joints, part);
  if (states) read_state_rates(*states, part);
  if (const Node* constraints = section.find("constraints")) read_constraints(*constraints, part);
  if (const Node* forces = section.find("forces")) read_forces(*forces, part);
  if (const Node* when = section.find("when")) read_events(*when, part);
  if (outputs) read_outputs(*outputs, part);
  for (const auto& [parameter, where] : part.scope.folded())
    if (const auto index = part.reading.model.find_parameter(part.full(parameter)))
      part.reading.model.parameters[static_cast<size_t>(*index)].fixed_by = where;
}

namespace {

constexpr double standard_gravity = 9.81;  // m/s²

// A subsystem that is used twice reports its mistakes twice, under two names; the user needs them
// once.
base::Diagnostics without_repetition(const base::Diagnostics& diagnostics) {
  base::Diagnostics result;
  std::set<std::string> seen;
  for (const base::Diagnostic& d : diagnostics.list()) {
    const std::string mistake = d.where.str() + (d.where.line > 0 ? d.fix : d.str());
    if (!seen.insert(mistake).second) continue;
    if (d.severity == base::Severity::error)
      result.error(d.where, d.what, d.fix);
    else
      result.warning(d.where, d.what, d.fix);
  }
  return result;
}

void check_overrides(Reading& reading) {
  std::vector<std::string> names;
  for (const model::Parameter& parameter : reading.model.parameters)
    names.push_back(parameter.name);
  for (const auto& [name, node] : reading.overrides)
    if (!reading.used_overrides.contains(name))
      reading.diagnostics.error(node.where, "the model has no parameter " + base::quoted(name),
                                base::suggest(name, names));
}

model::Model read_whole(std::string text, const std::string& file_name, const ReadOptions& options,
                        base::Diagnostics& warnings) {
  Reading reading;
  reading.model.gravity = model::UniformGravity{{0, 0, -standard_gravity}};
  reading.points["world"] = 0;
  reading.outside = options.outside;
  for (const auto& [name, value] : options.overrides) {
    const base::SourceLocation option{fmt::format("`set` {}={}", name, value), 0, 0};
    reading.overrides.insert_or_assign(name, Node(option, value));
  }

  const base::FileName file(file_name);
  const std::shared_ptr<const Tree> tree = parse_yaml(std::move(text), file, reading.diagnostics);
  std::error_code ignored;
  const std::string key = std::filesystem::weakly_canonical(file_name, ignored).string();
  reading.trees[key] = tree;
  reading.open_files.push_back({file_name, key, tree});
  if (tree->root().is_null()) {
    reading.diagnostics.error({file, 0, 0}, "the file is empty", "begin with couplet: 1");
  } else {
    Part part{reading, Scope("", reading.diagnostics), "the model", 0, {}};
    read_model(tree->root(), true, part);
    if (!reading.diagnostics.has_errors()) check_overrides(reading);
  }

  const base::Diagnostics found = without_repetition(reading.diagnostics);
  found.check();
  warnings.append(found);
  if (options.files) *options.files = std::move(reading.files);
  return std::move(reading.model);
}

}  // namespace
}  // namespace couplet::formats::yaml

namespace couplet::formats {

using namespace yaml;

model::Model read_yaml_text(std::string text, const std::string& file_name,
                            const ReadOptions& options, base::Diagnostics& warnings) {
  model::Model model = read_whole(std::move(text), file_name, options, warnings);
  base::give_back_memory(model.bodies.size());  // of names and of the text
  model.shrink();
  return model;
}

model::Model read_yaml(const std::string& path, const ReadOptions& options,
                       base::Diagnostics& warnings) {
  return read_yaml_text(read_text_file(path), path, options, warnings);
}

}  // namespace couplet::formats
