// The editable description of a mechanical system: everything that a file or a person says.
//
// Elements refer to each other by index; names are unique paths ("left.arm.elbow"). Expressions use
// global names only: `t`, the full name of a parameter or a state, `<joint>.<coordinate>`
// (joints.hpp lists the coordinate names of each joint type), and in a force element what it says
// of itself, as `<spring>.length`.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/math/spatial.hpp"
#include "couplet/model/element.hpp"
#include "couplet/model/joints.hpp"
#include "couplet/model/rare.hpp"
#include "couplet/symbolic/expr.hpp"

namespace couplet::model {

using base::SourceLocation;
using math::MassProperties;
using math::Mat3;
using math::Pose;
using math::Vec3;
using symbolic::Expr;

/// A named number that expressions may use and that the user may change without editing the file.
struct Parameter {
  std::string name;
  double value = 0;
  SourceLocation where;
  bool hidden = false;                  // not the user's: a condition that changes at events
  std::optional<Expr> definition = {};  // by other parameters; absent: it is a number
  SourceLocation fixed_by = {};         // what was read once with its value; nowhere: nothing
};

/// A function by points, which expressions may call.
struct Table {
  std::string name;
  std::string function;  // of symbolic/table.hpp, as it is called inside expressions
  SourceLocation where;
};

/// A first-order state of the model's own, ẋ = rate: the integral of a controller, a filter, the
/// current in a motor. Expressions use it by its name; prescribed motions and constraints may not.
struct StateVariable {
  std::string name, unit;
  double start = 0;
  Expr rate = 0;  // of t, coordinates, speeds, states and parameters
  SourceLocation where;
};

/// A rigid body, or a particle (no inertia of its own). Body 0 is the inertial frame, "world".
struct Body {
  std::string name;
  MassProperties mass;
  bool particle = false;
  int origin = 0;  // index of its own point
  SourceLocation where;
  bool imported = false;  // its numbers are somebody else's: what no body can have is a warning
  int half_of = -1;  // a body that compile() has split in two at a loop: this is the other half
};

/// A handle: a frame fixed on a body. Every body has one of its own name at its origin.
struct Point {
  std::string name;
  int body = 0;
  Pose X_BP;
  SourceLocation where;
};

/// Range of one freedom's position. In simulation its ends are stops, which throw the joint back
/// with `restitution` times its speed.
struct Limits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double restitution = 0;  // 0: stays there, 1: bounces without loss
};

/// q of this joint = ratio * q of `joint` + offset (URDF's mimic); both have one freedom.
struct Mimic {
  int joint = -1;
  double ratio = 1;
  double offset = 0;
};

/// Dry friction on a joint's freedoms: resists with `coefficient` times the force that the joint
/// transmits across them, on turning freedoms at the arm `radius`, and with a force or torque that
/// is always there, as that of a seal or a gear.
struct Friction {
  double coefficient = 0;
  std::optional<double> static_coefficient = {};  // while it sticks; absent: the same
  double radius = 0;                              // m
  double stick_speed = 0;  // rad/s or m/s: below it friction is viscous; 0: sticks as Coulomb says
  double force = 0;        // N, on freedoms that slide
  double torque = 0;       // N m, on those that turn

  bool none() const {
    return coefficient == 0 && static_coefficient.value_or(0) == 0 && force == 0 && torque == 0;
  }
};

/// Lets frame M on point `to` move relative to frame F on point `from`. Both frames are the points'
/// own, turned by `R_axes`: its z axis is the joint's axis (of two axes: x first, then y).
struct Joint {
  std::string name;
  JointType type = JointType::weld;
  int from = 0;  // point index
  int to = 0;    // point index
  Mat3 R_axes = Mat3::Identity();
  double pitch = 0;         // screw only, m per rad
  RareList<double> q0, v0;  // initial coordinates and speeds; empty: info().q_zero, 0
  RareList<Limits> limits;  // one per freedom, or empty
  RareList<Expr> motion;    // prescribed q(t), one per freedom, or empty
  Rare<Mimic> mimic;
  Rare<Friction> friction;
  std::optional<bool> cut;  // whether it closes a loop; absent: compile() chooses
  int split_for =
      -1;  // a weld between halves of a body: the joint that keeps its coordinates by it
  SourceLocation where;
};

/// What happens when a condition becomes true, or at given times: speeds and states are reset,
/// parameters switched, or the simulation ends. Values are those just before the event.
struct EventRule {
  std::string name;
  std::optional<Expr> condition;                       // absent: `times` say when
  std::vector<double> times;                           // s, ascending
  std::vector<std::pair<std::string, Expr>> resets;    // speeds and states, as in expressions
  std::vector<std::pair<std::string, Expr>> switches;  // parameters
  bool stop = false;
  SourceLocation where;
};

/// A quantity to be recorded under a name of its own.
struct Output {
  std::string name, unit;
  Expr value;
  SourceLocation where;
};

struct UniformGravity {
  Vec3 g = Vec3::Zero();  // m/s²
};
/// Attraction m * mu / r² towards a centre that is fixed in the world, acting at centres of mass.
struct PointGravity {
  double mu = 0;               // m³/s²
  Vec3 centre = Vec3::Zero();  // m, world
};
using Gravity = std::variant<UniformGravity, PointGravity>;

/// A model that was put into this one; its elements' names start with `name` and a dot.
struct Subsystem {
  std::string name;
  std::string file;  // empty: written inline
  SourceLocation where;
};

class Model;

/// Numbers of the model that come from expressions of parameters, and how to get them again.
struct Derived {
  enum class Kind { gravity, mass, point, axes, start, limits, friction, constraint, force };
  Kind kind = Kind::mass;
  int element = 0;      // index of the body, point, joint, state, constraint or force
  int base_point = -1;  // a point that they depend on as well
  SourceLocation where;
  std::vector<Expr> inputs = {};  // of parameters
  /// Sets the numbers, from the values of the inputs. Throws UserError where they cannot be.
  std::function<void(std::span<const double> values, Model& model)> apply = {};
};

class Model {
 public:
  Model();  // holds the body and the point "world"

  std::string name;
  std::vector<Table> tables;
  std::vector<Parameter> parameters;
  std::vector<StateVariable> states;
  std::vector<Body> bodies;
  std::vector<Point> points;
  std::vector<Joint> joints;
  std::vector<Element> constraints;  // besides joints; their types: constraints/entry.hpp
  std::vector<Element> forces;       // their types: forces/entry.hpp
  std::vector<EventRule> rules;
  std::vector<Output> outputs;
  std::vector<Subsystem> subsystems;
  Gravity gravity;
  std::vector<Derived> derived;  // in an order in which each may use what the ones before set

  /// Adds the body and its point of the same name; returns the body's index.
  int add_body(std::string body_name, const MassProperties& mass, SourceLocation where = {});
  int add_point(std::string point_name, int body, const Pose& X_BP, SourceLocation where = {});
  /// Adds a joint between two points with the given axis (z of the points' frames by default).
  Joint& add_joint(std::string joint_name, JointType type, int from, int to,
                   const Vec3& axis = Vec3::UnitZ(), SourceLocation where = {});

  /// Makes room for elements to come, no more than that in large models.
  void expect(size_t more_bodies, size_t more_points, size_t more_joints);
  /// Gives back the memory that lists have for elements to come.
  void shrink();

  std::optional<int> find_body(std::string_view body_name) const;
  std::optional<int> find_point(std::string_view point_name) const;
  std::optional<int> find_joint(std::string_view joint_name) const;
  std::optional<int> find_parameter(std::string_view parameter_name) const;
};

/// How strictly mass properties are judged: own models must be possible, imported robots often are
/// not.
enum class Strictness { lenient, strict };

/// Judges masses, inertias (triangle inequality), limits, duplicate names. Reports all that it
/// finds.
void check(const Model& model, Strictness strictness, base::Diagnostics& diagnostics);
void check_body(const Body& body, Strictness strictness, base::Diagnostics& diagnostics);

}  // namespace couplet::model
