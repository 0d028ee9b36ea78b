// How a model file is read: one function per section, in an order in which everything that is named
// is known. `YamlReading` is shared by a file and its subsystems; a `YamlPart` is one of these
// models.
#pragma once

#include <memory>
#include <set>
#include <unordered_map>

#include "couplet/formats/yaml.hpp"
#include "couplet/formats/yaml_scope.hpp"
#include "couplet/formats/yaml_section.hpp"

namespace couplet::formats {

/// A file that is open: its tree, and how to tell it from others.
struct YamlFile {
  std::string path;  // as messages show it
  std::string key;   // the same for all paths to one file
  std::shared_ptr<const YamlTree> tree;
};

struct YamlReading {
  model::Model model;
  base::Diagnostics diagnostics;
  std::unordered_map<std::string, int> points;  // by full name; also "left.world"
  std::unordered_map<std::string, int> joints;
  std::unordered_map<std::string, std::optional<Dimension>> parameters;
  std::map<std::string, YamlNode> overrides;  // values that replace those of the file
  std::set<std::string> used_overrides;
  std::map<std::string, std::shared_ptr<const YamlTree>> trees;  // by YamlFile::key
  std::vector<YamlFile> open_files;                              // outermost first
  int depth = 0;                                                 // of subsystems in subsystems
};

/// Values that the enclosing model gives to parameters of this one.
struct YamlGiven {
  YamlScope::Parameter value;
  base::SourceLocation where;
};

struct YamlPart {
  YamlReading& reading;
  YamlScope scope;
  std::string title;    // "the model", "subsystem 'left'"
  int world_point = 0;  // what `world` means here
  std::map<std::string, YamlGiven> given;

  base::Diagnostics& diagnostics() const { return reading.diagnostics; }
  std::string full(const std::string& name) const { return scope.prefix() + name; }
};

// ---- the sections, in the order in which they are read
void read_parameters(const YamlNode* node, YamlPart& part);
void read_gravity(const YamlNode& node, YamlPart& part);
void read_bodies(const YamlNode& node, YamlPart& part);
void read_world_points(const YamlNode& node, YamlPart& part);
void read_subsystems(const YamlNode& node, YamlPart& part);
void read_joints(const YamlNode& node, YamlPart& part);
void read_constraints(const YamlNode& node, YamlPart& part);
void read_forces(const YamlNode& node, YamlPart& part);
void read_events(const YamlNode& node, YamlPart& part);
void read_outputs(const YamlNode& node, YamlPart& part);

/// All sections of a model: the table of contents of this reader.
void read_model(const YamlNode& node, bool is_file, YamlPart& part);

// ---- references
/// Adds a point under its full name; a name that exists is reported.
int add_point(const std::string& name, int body, const math::Pose& X_BP,
              const base::SourceLocation& where, YamlPart& part);

/// A path to a point, or {body, position, orientation}, which adds the point `anonymous`.
std::optional<int> read_point(const YamlNode& node, const std::string& title,
                              const std::string& anonymous, YamlPart& part);

/// A joint of this model or its subsystems, by path.
std::optional<int> read_joint_name(const YamlNode& node, const std::string& title,
                                   const YamlPart& part);

/// Whether "elbow.q" (or, with `speeds_only`, "elbow.v") is a coordinate of a joint in this part.
bool is_coordinate(const std::string& name, const YamlPart& part, bool speeds_only = false);
/// The speeds of this part's joints, as it writes them.
std::vector<std::string> speed_names(const YamlPart& part);

/// Which symbols an expression may use beside parameters: `t`, coordinates of joints, and names
/// that mean something only here, as `q` in a joint: short name → full name.
struct YamlSymbols {
  std::map<std::string, std::string> locals;
  bool coordinates = true;  // false: only `t`, as in a prescribed motion
  bool speeds = true;       // false: of the coordinates, positions only
  std::string user = "a prescribed motion";  // what must not depend on the others
  std::string variable = "t";                // what it is a function of
};
std::optional<model::Expr> read_expression(const YamlNode& node, const Kind& kind,
                                           const YamlSymbols& symbols, const YamlPart& part);

/// [x, y, z], an expression each.
std::array<model::Expr, 3> read_expressions(const YamlNode& node, const std::string& title, const char* key,
                                            const Kind& kind, const YamlSymbols& symbols, const YamlPart& part);

// ---- joints
/// The kinds of quantities that belong to one freedom of a joint.
struct FreedomKinds {
  Kind position, speed, force, stiffness, damping;
};
FreedomKinds kinds_of(const model::JointInfo& info, int freedom);

/// `q`, `v`, `limits`, `motion` and `friction`, as far as they are given.
void read_joint_values(const YamlSection& section, const model::JointInfo& info,
                       model::Joint& joint, const YamlPart& part);

/// Coordinates and speeds of a joint as names of their own: q → elbow.q
YamlSymbols symbols_of_joint(const std::string& joint_name, const model::JointInfo& info);

/// Springs, dampers and forces of a joint: keys stiffness, rest, damping, force or torque.
extern const std::vector<std::string> joint_force_keys;
void read_joint_forces(const YamlSection& section, const std::string& name, int joint,
                       std::optional<int> freedom, YamlPart& part);

}  // namespace couplet::formats
