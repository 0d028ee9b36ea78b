#include "couplet/model/joints.hpp"

#include <cmath>

namespace couplet::model {
namespace {

using math::Cols6;
using math::Pose;
using math::Quaternion;
using math::Vec3;
using math::Vec6;
using Kind = Primitive::Kind;
using Axis = Primitive::Axis;

Pose turn(const Vec3& axis, double angle) { return {math::rotation(axis, angle), Vec3::Zero()}; }
Pose slide(double x, double y, double z) { return {math::Mat3::Identity(), Vec3(x, y, z)}; }

Cols6 columns(int n) { return Cols6::Zero(6, n); }
Vec6 no_bias(const double*, const double*) { return Vec6::Zero(); }

template <int n>
void same_speeds(const double*, const double* v, double* qdot) {
  for (int i = 0; i < n; ++i) qdot[i] = v[i];
}

// q̇ = ½ q ∘ (0, ω), with ω in the axes of the moving frame.
void quaternion_rate(const double* q, const double* w, double* qdot) {
  qdot[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
  qdot[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
  qdot[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
  qdot[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

// Products of elementary motions that equal a joint, for the compiled mechanism.
constexpr Primitive about_z[] = {{Kind::revolute, Axis::z}};
constexpr Primitive along_z[] = {{Kind::prismatic, Axis::z}};
constexpr Primitive screw_z[] = {{Kind::screw, Axis::z}};
constexpr Primitive about_and_along_z[] = {{Kind::revolute, Axis::z}, {Kind::prismatic, Axis::z}};
constexpr Primitive about_x_then_y[] = {{Kind::revolute, Axis::x}, {Kind::revolute, Axis::y}};
constexpr Primitive in_plane[] = {
    {Kind::prismatic, Axis::x}, {Kind::prismatic, Axis::y}, {Kind::revolute, Axis::z}};
constexpr Primitive along_xyz[] = {
    {Kind::prismatic, Axis::x}, {Kind::prismatic, Axis::y}, {Kind::prismatic, Axis::z}};

// What each joint does not allow.
constexpr Closure along_x{Closure::Kind::along, 0}, along_y{Closure::Kind::along, 1},
    along_axis{Closure::Kind::along, 2};
constexpr Closure no_turn_x{Closure::Kind::normal, 1, 2}, no_turn_y{Closure::Kind::normal, 0, 2},
    no_turn_z{Closure::Kind::normal, 0, 1};
constexpr Closure all_closed[] = {along_x, along_y, along_axis, no_turn_x, no_turn_y, no_turn_z};
constexpr Closure all_but_turn_z[] = {along_x, along_y, along_axis, no_turn_x, no_turn_y};
constexpr Closure all_but_slide_z[] = {along_x, along_y, no_turn_x, no_turn_y, no_turn_z};
constexpr Closure all_but_z[] = {along_x, along_y, no_turn_x, no_turn_y};
constexpr Closure crossed[] = {along_x, along_y, along_axis, no_turn_z};  // x of F normal to y of M
constexpr Closure point_closed[] = {along_x, along_y, along_axis};
constexpr Closure plane_closed[] = {along_axis, no_turn_x, no_turn_y};
constexpr Closure turns_closed[] = {no_turn_x, no_turn_y, no_turn_z};

// ---- weld: M does not move.
Pose weld_pose(const double*, double) { return {}; }
Cols6 weld_S(const double*, double) { return columns(0); }

// ---- revolute: M turns about z by q.   S = [z; 0]
Pose revolute_pose(const double* q, double) { return turn(Vec3::UnitZ(), q[0]); }
Cols6 revolute_S(const double*, double) {
  Cols6 S = columns(1);
  S(2, 0) = 1;
  return S;
}

// ---- prismatic: M slides along z by q.   S = [0; z]
Pose prismatic_pose(const double* q, double) { return slide(0, 0, q[0]); }
Cols6 prismatic_S(const double*, double) {
  Cols6 S = columns(1);
  S(5, 0) = 1;
  return S;
}

// ---- screw: M turns about z by q and slides along z by pitch q.   S = [z; pitch z]
Pose screw_pose(const double* q, double pitch) {
  return {math::rotation(Vec3::UnitZ(), q[0]), Vec3(0, 0, pitch * q[0])};
}
Cols6 screw_S(const double*, double pitch) {
  Cols6 S = columns(1);
  S(2, 0) = 1;
  S(5, 0) = pitch;
  return S;
}

// ---- cylindrical: turns about z by q1, slides along z by q2.
Pose cylindrical_pose(const double* q, double) {
  return {math::rotation(Vec3::UnitZ(), q[0]), Vec3(0, 0, q[1])};
}
Cols6 cylindrical_S(const double*, double) {
  Cols6 S = columns(2);
  S(2, 0) = 1;
  S(5, 1) = 1;
  return S;
}

// ---- universal: turns about x by q1, then about the new y by q2.   S = [(c2, 0, s2), y; 0]
Pose universal_pose(const double* q, double) {
  return turn(Vec3::UnitX(), q[0]) * turn(Vec3::UnitY(), q[1]);
}
Cols6 universal_S(const double* q, double) {
  Cols6 S = columns(2);
  S(0, 0) = std::cos(q[1]);
  S(2, 0) = std::sin(q[1]);
  S(1, 1) = 1;
  return S;
}
Vec6 universal_bias(const double* q, const double* v) {
  Vec6 c = Vec6::Zero();
  c[0] = -std::sin(q[1]) * v[1] * v[0];
  c[2] = std::cos(q[1]) * v[1] * v[0];
  return c;
}

// ---- spherical: unit quaternion; v is the angular velocity in M axes.   S = [1; 0]
Pose spherical_pose(const double* q, double) {
  return {math::rotation(Quaternion(q[0], q[1], q[2], q[3])), Vec3::Zero()};
}
Cols6 spherical_S(const double*, double) {
  Cols6 S = columns(3);
  S.topRows<3>().setIdentity();
  return S;
}

// ---- planar: slides by (x, y) in F axes, then turns about z.
Pose planar_pose(const double* q, double) {
  return {math::rotation(Vec3::UnitZ(), q[2]), Vec3(q[0], q[1], 0)};
}
Cols6 planar_S(const double* q, double) {
  const double c = std::cos(q[2]), s = std::sin(q[2]);
  Cols6 S = columns(3);
  S(3, 0) = c;
  S(4, 0) = -s;
  S(3, 1) = s;
  S(4, 1) = c;
  S(2, 2) = 1;
  return S;
}
Vec6 planar_bias(const double* q, const double* v) {
  const double c = std::cos(q[2]), s = std::sin(q[2]);
  Vec6 a = Vec6::Zero();
  a[3] = v[2] * (-s * v[0] + c * v[1]);
  a[4] = v[2] * (-c * v[0] - s * v[1]);
  return a;
}

// ---- xyz: three translations in F axes.
Pose xyz_pose(const double* q, double) { return slide(q[0], q[1], q[2]); }
Cols6 xyz_S(const double*, double) {
  Cols6 S = columns(3);
  S.bottomRows<3>().setIdentity();
  return S;
}

// ---- free: quaternion and position of M in F; v = V_FM_M, the motion in M axes.   S = 1
Pose free_pose(const double* q, double) {
  return {math::rotation(Quaternion(q[0], q[1], q[2], q[3])), Vec3(q[4], q[5], q[6])};
}
Cols6 free_S(const double*, double) {
  Cols6 S = columns(6);
  S.setIdentity();
  return S;
}
void free_qdot(const double* q, const double* v, double* qdot) {
  quaternion_rate(q, v, qdot);
  const Vec3 pdot = math::rotation(Quaternion(q[0], q[1], q[2], q[3])) * Vec3(v[3], v[4], v[5]);
  for (int i = 0; i < 3; ++i) qdot[4 + i] = pdot[i];
}

using enum JointType;
constexpr JointInfo types[] = {
    {weld,
     "weld",
     0,
     0,
     {},
     {},
     0b0,
     "no motion: the two bodies are one",
     weld_pose,
     weld_S,
     no_bias,
     same_speeds<0>,
     {},
     all_closed},
    {revolute,
     "revolute",
     1,
     1,
     {"q"},
     {"v"},
     0b1,
     "turns about its axis",
     revolute_pose,
     revolute_S,
     no_bias,
     same_speeds<1>,
     about_z,
     all_but_turn_z},
    {prismatic,
     "prismatic",
     1,
     1,
     {"q"},
     {"v"},
     0b0,
     "slides along its axis",
     prismatic_pose,
     prismatic_S,
     no_bias,
     same_speeds<1>,
     along_z,
     all_but_slide_z},
    {screw,
     "screw",
     1,
     1,
     {"q"},
     {"v"},
     0b1,
     "turns about its axis and slides by pitch * angle",
     screw_pose,
     screw_S,
     no_bias,
     same_speeds<1>,
     screw_z,
     {}},
    {cylindrical,
     "cylindrical",
     2,
     2,
     {"q1", "q2"},
     {"v1", "v2"},
     0b01,
     "turns about its axis (q1) and slides along it (q2)",
     cylindrical_pose,
     cylindrical_S,
     no_bias,
     same_speeds<2>,
     about_and_along_z,
     all_but_z},
    {universal,
     "universal",
     2,
     2,
     {"q1", "q2"},
     {"v1", "v2"},
     0b11,
     "turns about x (q1), then about the turned y (q2)",
     universal_pose,
     universal_S,
     universal_bias,
     same_speeds<2>,
     about_x_then_y,
     crossed},
    {spherical,
     "spherical",
     4,
     3,
     {"qw", "qx", "qy", "qz"},
     {"wx", "wy", "wz"},
     0b111,
     "turns freely: unit quaternion, angular velocity in the axes of `to`",
     spherical_pose,
     spherical_S,
     no_bias,
     quaternion_rate,
     {},
     point_closed},
    {planar,
     "planar",
     3,
     3,
     {"x", "y", "angle"},
     {"vx", "vy", "w"},
     0b100,
     "slides in the plane normal to its axis and turns about the axis",
     planar_pose,
     planar_S,
     planar_bias,
     same_speeds<3>,
     in_plane,
     plane_closed},
    {xyz,
     "xyz",
     3,
     3,
     {"x", "y", "z"},
     {"vx", "vy", "vz"},
     0b000,
     "three translations",
     xyz_pose,
     xyz_S,
     no_bias,
     same_speeds<3>,
     along_xyz,
     turns_closed},
    {free,
     "free",
     7,
     6,
     {"qw", "qx", "qy", "qz", "x", "y", "z"},
     {"wx", "wy", "wz", "vx", "vy", "vz"},
     0b000111,
     "no constraint: unit quaternion and position; angular and linear velocity in the axes of `to`",
     free_pose,
     free_S,
     no_bias,
     free_qdot,
     {},
     {}},
};

}  // namespace

std::span<const JointInfo> joint_types() { return types; }

const JointInfo& info(JointType type) { return types[static_cast<int>(type)]; }

std::optional<JointType> find_joint_type(std::string_view name) {
  for (const JointInfo& joint : types)
    if (name == joint.name) return joint.type;
  return std::nullopt;
}

std::vector<std::string> joint_type_names() {
  std::vector<std::string> names;
  for (const JointInfo& joint : types) names.emplace_back(joint.name);
  return names;
}

std::vector<double> zero_position(const JointInfo& joint) {
  std::vector<double> q(static_cast<size_t>(joint.nq), 0.0);
  if (joint.on_quaternion()) q[0] = 1;
  return q;
}

}  // namespace couplet::model
