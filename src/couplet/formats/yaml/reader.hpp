// How a model file is read: one function per section, in an order in which everything that is named
// is known. `Reading` is shared by a file and its subsystems; a `Part` is one of these
// models.
#pragma once

#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "couplet/formats/yaml.hpp"
#include "couplet/formats/yaml/scope.hpp"
#include "couplet/formats/yaml/section.hpp"

namespace couplet::formats::yaml {

/// A file that is open: its tree, and how to tell it from others.
struct File {
  std::string path;  // as messages show it
  std::string key;   // the same for all paths to one file
  std::shared_ptr<const Tree> tree;
};

struct Reading {
  model::Model model;
  base::Diagnostics diagnostics;
  std::unordered_map<std::string, int> points;  // by full name; also "left.world"
  std::unordered_map<std::string, int> joints;
  std::unordered_map<std::string, int> states;
  std::unordered_set<std::string> outputs;
  std::unordered_map<std::string, std::optional<Dimension>> parameters;
  std::map<std::string, Node> overrides;  // values that replace those of the file
  std::set<std::string> used_overrides;
  std::map<std::string, std::shared_ptr<const Tree>> trees;  // by File::key
  std::vector<File> open_files;                              // outermost first
  std::set<int> moving_points;                               // those that depend on parameters
  int depth = 0;                                             // of subsystems in subsystems
  bool outside = false;            // files may lie outside the folder of the model
  std::vector<std::string> files;  // that were read besides the model's own
};

/// The path of a file that the model names: relative to the file that names it, and within the
/// folder of the whole model. Nothing: it is outside, and that is reported.
std::optional<std::string> find_file(const std::string& name, const base::SourceLocation& where,
                                     Reading& reading);

/// Values that the enclosing model gives to parameters of this one.
struct Given {
  Scope::Parameter value;
  base::SourceLocation where;
};

struct Part {
  Reading& reading;
  Scope scope;
  std::string title;    // "the model", "subsystem 'left'"
  int world_point = 0;  // what `world` means here
  std::map<std::string, Given> given;

  base::Diagnostics& diagnostics() const { return reading.diagnostics; }
  std::string full(std::string_view name) const { return scope.prefix() + std::string(name); }
};

// ---- the sections, in the order in which they are read
void read_tables(const Node& node, Part& part);
void read_parameters(const Node* node, Part& part);
/// Names, units and starts of states; expressions of joints and forces may then use them.
void declare_states(const Node& node, Part& part);
void read_gravity(const Node& node, Part& part);
void read_bodies(const Node& node, Part& part);
void read_world_points(const Node& node, Part& part);
void read_subsystems(const Node& node, Part& part);
void read_joints(const Node& node, Part& part);
/// The rates of states, which may use everything that has a coordinate.
void read_state_rates(const Node& node, Part& part);
void read_constraints(const Node& node, Part& part);
void read_forces(const Node& node, Part& part);
void read_events(const Node& node, Part& part);
/// Names of outputs; all expressions may use them.
void declare_outputs(const Node& node, Part& part);
void read_outputs(const Node& node, Part& part);

/// All sections of a model: the table of contents of this reader.
void read_model(const Node& node, bool is_file, Part& part);

/// Puts a model of numbers alone, as a URDF makes, into the one that is being read; its world is
/// the point `mount`.
void insert_model(const model::Model& part, const std::string& prefix, int mount, Reading& reading);

// ---- numbers that depend on parameters
/// Calls `set`, which reads numbers with the scope and puts them into the model, and remembers it
/// in the model where they depend on parameters or on a base point that does.
void read_derived(model::Derived derived,
                  const std::function<void(const Scope& scope, model::Model& model)>& set,
                  Part& part);

// ---- references
/// Adds a point under its full name, placed on another one; a name that exists is reported.
int add_point(const std::string& name, int base_point, const Node& placement,
              const std::string& title, const base::SourceLocation& where, Part& part);

/// A path to a point, or {body, position, orientation}, which adds the point `anonymous`.
std::optional<int> read_point(const Node& node, const std::string& title,
                              const std::string& anonymous, Part& part);

/// A joint of this model or its subsystems, by path.
std::optional<int> read_joint_name(const Node& node, const std::string& title, const Part& part);

/// Whether "elbow.q" (or, with `speeds_only`, "elbow.v") is a coordinate of a joint in this part.
bool is_coordinate(const std::string& name, const Part& part, bool speeds_only = false);
/// Whether this part or a subsystem of it has such a state.
bool is_state(const std::string& name, const Part& part);
/// The states of this part and its subsystems, as it writes them.
std::vector<std::string> state_names(const Part& part);
/// The speeds of this part's joints, as it writes them.
std::vector<std::string> speed_names(const Part& part);

/// Which symbols an expression may use beside parameters and outputs: `t`, coordinates of joints,
/// where points are and how they move, states, and names that mean something only here, as `q` in a
/// joint: short name → full name.
struct Symbols {
  std::map<std::string, std::string> locals;
  bool recorded = false;                     // whatever can be recorded of elements, too
  bool coordinates = true;                   // false: only `t`, as in a prescribed motion
  bool speeds = true;                        // false: of the coordinates, positions only; no states
  std::string user = "a prescribed motion";  // what must not depend on the others
  std::string variable = "t";                // what it is a function of
};
std::optional<model::Expr> read_expression(const Node& node, const Kind& kind,
                                           const Symbols& symbols, const Part& part);

/// [x, y, z], an expression each.
std::array<model::Expr, 3> read_expressions(const Node& node, const std::string& title,
                                            const char* key, const Kind& kind,
                                            const Symbols& symbols, const Part& part);

// ---- joints
/// The kinds of quantities that belong to one freedom of a joint.
struct FreedomKinds {
  Kind position, speed, force, stiffness, damping;
};
FreedomKinds kinds_of(const model::JointInfo& info, int freedom);
Kind kind_of(model::OfFreedom quantity, const model::JointInfo& info, int freedom);

/// What people call a joint's freedoms: by coordinates, on quaternions by speeds.
std::vector<std::string> freedom_names(const model::JointInfo& info);
std::optional<int> read_freedom(const Node& node, const model::JointInfo& info, const Part& part);

/// `q`, `v`, `limits`, `motion` and `friction` of the joint of this index, as far as they are
/// given.
void read_joint_values(const Section& section, int joint, Part& part);

/// Coordinates and speeds of a joint as names of their own: q → elbow.q
Symbols symbols_of_joint(const std::string& joint_name, const model::JointInfo& info);

/// Springs, dampers and forces of a joint: keys stiffness, rest, damping, force or torque.
std::vector<std::string> joint_force_keys();
void read_joint_forces(const Section& section, int joint, Part& part);

}  // namespace couplet::formats::yaml
