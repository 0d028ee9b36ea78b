// Models inside a model: from files or inline, with parameters, mounted in the world or on a body.
#include <fmt/format.h>

#include <filesystem>

#include "couplet/base/text.hpp"
#include "couplet/formats/urdf.hpp"
#include "couplet/formats/yaml/reader.hpp"

namespace couplet::formats::yaml {
namespace {

namespace fs = std::filesystem;

constexpr int max_depth = 30;               // of subsystems in subsystems
constexpr size_t max_subsystems = 100'000;  // in all
constexpr size_t max_points = 2'000'000;    // in all

bool is_too_large(const Node& key, const Part& part) {
  const Reading& reading = part.reading;
  std::string what;
  if (reading.depth >= max_depth)
    what = fmt::format("subsystems are nested more than {} levels deep", max_depth);
  else if (reading.model.subsystems.size() >= max_subsystems)
    what = fmt::format("the model has more than {} subsystems", max_subsystems);
  else if (reading.model.points.size() >= max_points)
    what = fmt::format("the model has more than {} points", max_points);
  if (what.empty()) return false;
  throw base::UserError(key.where, what, "check whether subsystem files include each other");
}

// Opens a subsystem file, once for all its uses. Nothing: it cannot be read, and that is reported.
std::optional<File> open_file(const Node& node, const Part& part) {
  const std::optional<std::string> name = find_text(node, "the name of a file", part.diagnostics());
  if (!name) return std::nullopt;
  Reading& reading = part.reading;
  const std::optional<std::string> path = find_file(*name, node.where, reading);
  if (!path) return std::nullopt;
  File file;
  file.path = *path;
  std::error_code ignored;
  file.key = fs::weakly_canonical(file.path, ignored).string();

  std::string cycle;
  for (const File& open : reading.open_files)
    if (!cycle.empty() || open.key == file.key) cycle += open.path + " → ";
  if (!cycle.empty()) {
    part.diagnostics().error(node.where, "subsystem files form a cycle: " + cycle + file.path,
                             "a model cannot contain itself");
    return std::nullopt;
  }
  std::shared_ptr<const Tree>& tree = reading.trees[file.key];
  try {
    if (!tree) {
      tree = parse_yaml(read_text_file(file.path, node.where), file.path, part.diagnostics());
      reading.files.push_back(file.path);
    }
  } catch (const base::UserError& error) {
    for (const base::Diagnostic& d : error.diagnostics())
      part.diagnostics().error(d.where, d.what, d.fix);
    return std::nullopt;
  }
  file.tree = tree;
  return file;
}

bool is_robot(const Section& section) {
  const Node* file = section.find("file");
  return file && file->is_scalar() &&
         (file->text().ends_with(".urdf") || file->text().ends_with(".xml"));
}

// Quantities of the robot that get other values: by `parameters`, and from outside.
std::vector<std::pair<std::string, std::string>> read_quantities(const std::string& name,
                                                                 const Section& section,
                                                                 Part& part) {
  std::vector<std::pair<std::string, std::string>> set;
  if (const Node* given = section.find("parameters"))
    for (const auto& [key, value] : given->entries())
      if (const auto number = part.scope.any_number(value)) {
        const bool has_unit = number->dimension && number->dimension->str() != "1";
        set.emplace_back(key.name(),
                         fmt::format("{}{}{}", number->value, has_unit ? " " : "",
                                     has_unit ? number->dimension->str() : std::string()));
      }
  for (const auto& [full, node] : part.reading.overrides)
    if (full.starts_with(name + ".")) {
      part.reading.used_overrides.insert(full);
      set.emplace_back(full.substr(name.size() + 1), node.name());
    }
  return set;
}

// A robot from a URDF file, on the mount.
void read_robot(const Node& key, const Section& section, Part& part) {
  const std::string name = part.full(key.text());
  const Node& file = *section.find("file");
  UrdfOptions options;
  if (const Node* floating = section.find("floating"))
    options.floating_base = read_flag(*floating, part.diagnostics()).value_or(false);
  options.set = read_quantities(name, section, part);
  int mount = part.world_point;
  if (const Node* point = section.find("mount"))
    mount = read_point(*point, section.title(), key.name() + ".mount", part).value_or(mount);
  const std::optional<std::string> path = find_file(file.name(), file.where, part.reading);
  if (!path) return;
  base::Diagnostics warnings;
  try {
    const model::Model robot =
        read_urdf_text(read_text_file(*path, file.where), *path, options, warnings);
    part.diagnostics().append(warnings);
    part.reading.files.push_back(*path);
    part.reading.model.subsystems.push_back({name, *path, key.where});
    insert_model(robot, name + ".", mount, part.reading);
  } catch (const base::UserError& error) {
    for (const base::Diagnostic& d : error.diagnostics())
      part.diagnostics().error(d.where, d.what, d.fix);
  }
}

std::map<std::string, Given> read_given(const Node& node, Part& part) {
  std::map<std::string, Given> given;
  const auto lookup = [&](const std::string& name) -> std::optional<Name> {
    const Scope::Parameter* outer = part.scope.find_parameter(name);
    if (!outer) return std::nullopt;
    return Name{number_text(outer->value), outer->dimension};
  };
  for (const auto& [key, value] : named_entries(node, "parameter", part.diagnostics()))
    if (const auto parameter =
            part.scope.parameter(value, lookup, [&] { return part.scope.parameter_names(); }))
      given[key.name()] = {*parameter, key.where};
  return given;
}

void read_subsystem(const Node& key, const Node& node, Part& part) {
  if (is_too_large(key, part) || part.diagnostics().full()) return;
  Reading& reading = part.reading;
  const std::string name = part.full(key.text());
  const Section section(node, "subsystem " + base::quoted(name),
                        {"file", "model", "parameters", "mount", "floating"}, part.diagnostics());
  if (part.reading.points.contains(name))
    part.diagnostics().error(key.where, section.title() + " has the name of a body",
                             "give one of them another name");
  const Node* content = section.require_one_of({"file", "model"});
  if (is_robot(section)) return read_robot(key, section, part);
  if (section.has("floating"))
    part.diagnostics().error(section.where("floating"),
                             section.title() + ": only a URDF robot can float",
                             "remove it; in YAML, connect the base by a joint of type 'free'");
  Part inner{
      reading, Scope(name + ".", reading.diagnostics), section.title(), part.world_point, {}};
  if (const Node* given = section.find("parameters")) inner.given = read_given(*given, part);
  if (const Node* mount = section.find("mount"))
    inner.world_point =
        read_point(*mount, section.title(), key.name() + ".mount", part).value_or(0);
  reading.points.emplace(name + ".world", inner.world_point);
  if (!content) return;

  std::optional<File> file;
  if (section.has("file")) {
    file = open_file(*content, part);
    if (!file) return;
  }
  reading.model.subsystems.push_back({name, file ? file->path : "", key.where});
  const Node& root = file ? file->tree->root() : *content;
  if (file) reading.open_files.push_back(*file);
  ++reading.depth;
  read_model(root, file.has_value(), inner);
  --reading.depth;
  if (file) reading.open_files.pop_back();
}

}  // namespace

void read_subsystems(const Node& node, Part& part) {
  for (const auto& [key, value] : named_entries(node, "subsystem", part.diagnostics()))
    read_subsystem(key, value, part);
}

}  // namespace couplet::formats::yaml
