// The joint types: what each lets frame M do relative to frame F, as data.
//
// X_FM(q) is the pose of M in F, V_FM_M = S(q) v its motion (in M axes, at Mo) and q̇ = N(q) v.
// Every algorithm that works in the user's frames knows joints only through JointInfo. A type is
// one entry in a file of joints/ and its name in joints/list.cpp; readers, messages and the
// conformance tests follow from the list.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "couplet/math/spatial.hpp"

namespace couplet::model {

struct JointInfo;

/// A joint type: an entry of the list.
class JointType {
 public:
  /// Those that programs name, each defined beside its entry; all others by find_joint_type.
  static const JointType weld, revolute, prismatic, screw, cylindrical, universal, spherical,
      planar, xyz, free;

  explicit constexpr JointType(const JointInfo& entry) : entry_(&entry) {}
  friend constexpr bool operator==(JointType, JointType) = default;
  friend constexpr const JointInfo& info(JointType type);

 private:
  const JointInfo* entry_;
};
constexpr const JointInfo& info(JointType type) { return *type.entry_; }

/// One elementary motion about or along a local z axis, after a constant rotation from the previous
/// one. Joints that are products of these are compiled into chains of them (mechanism.hpp).
struct Primitive {
  enum class Kind { revolute, prismatic, screw } kind;
  enum class Axis { x, y, z } axis;  // in F axes turned by the primitives before it
};

/// One motion that a joint does not allow, as an equation between F and M: the position of Mo along
/// an axis of F vanishes, or an axis of F stays normal to an axis of M.
struct Closure {
  enum class Kind { along, normal } kind;
  int axis;        // of F: 0 x, 1 y, 2 z
  int other = -1;  // of M; normal only

  /// The axis that M must not turn about (normal).
  int turn() const { return 3 - axis - other; }
};

struct JointInfo {
  /// How the axes of F and M are given: not at all, as z (`axis`), or as x and y (`axes`).
  enum class Axes { none, one, two };

  const char* name;
  const char* doc;
  int nq, nv;
  std::array<const char*, 7> q_names{};  // names of coordinates in expressions and results
  std::array<const char*, 6> v_names{};
  unsigned angular = 0;  // bit i: freedom i is a rotation (rad), else a translation (m)
  Axes axes = Axes::none;
  bool has_pitch = false;
  bool reversible = false;  // X_FM(-q) = X_FM(q)⁻¹, S v of -v: it may be drawn towards the world

  math::Pose (*pose)(const double* q, double pitch);
  math::Cols6 (*motion_subspace)(const double* q, double pitch);   // S, 6 × nv
  math::Vec6 (*bias)(const double* q, const double* v) = no_bias;  // Ṡ v
  void (*qdot)(const double* q, const double* v, double* qdot);    // N(q) v
  std::span<const Primitive> primitives{};  // empty: weld or quaternion joint
  std::span<const Closure> closure{};       // 6 - nv equations; a screw has none of its own

  bool on_quaternion() const { return nq > nv; }
  static math::Vec6 no_bias(const double*, const double*) { return math::Vec6::Zero(); }
};

/// The entry of a type by the name that joints/list.cpp gives it: joint_entry<struct Revolute>().
template <class Name>
const JointInfo& joint_entry();

/// All of them, in the order in which people see them.
std::span<const JointInfo* const> joint_types();
std::optional<JointType> find_joint_type(std::string_view name);
std::vector<std::string> joint_type_names();

/// q at which F and M coincide: zeros, and (1, 0, 0, 0) for a quaternion.
std::vector<double> zero_position(const JointInfo& joint);

}  // namespace couplet::model
