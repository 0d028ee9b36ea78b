// A tree of rigid bodies and its state, in plain numbers and in Couplet's conventions, for engines
// that serve as independent oracles. Standard library only, and C++17: Simbody's headers need it.
//
// Frames: joint frame F is fixed on the parent body P, joint frame M on the child body B, and the
// joint variables say how M moves in F:
//
//   joint_type   q                              v (force tau: so that the power is tau·v)
//   weld         -                              -
//   revolute     angle about z                  its rate
//   prismatic    slide along z                  its rate
//   screw        angle about z; slide along z   its rate
//                is pitch · angle
//   cylindrical  angle about z, slide along z   their rates
//   universal    angle about x of F, then       their rates
//                angle about the turned y
//   gimbal       angles about x of F, the       their rates
//                turned y and the turned z
//   spherical    unit quaternion of R_FM        angular velocity of M in F, in M axes
//                (w, x, y, z)
//   planar       x and y of Mo in F, then       their rates
//                angle about z
//   xyz          position of Mo in F            its rate
//   free         unit quaternion of R_FM, then  angular velocity of M in F, then velocity of Mo in
//                position of Mo in F            F, both in M axes
//
// Accelerations vdot are the time derivatives of the components of v.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace couplet::oracles {

struct OraclePose {
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  // row-major
  std::array<double, 3> position{0, 0, 0};                    // m
};

struct OracleBody {
  int parent = -1;  // index of an earlier body; -1 is the world
  std::string joint_type = "weld";
  OraclePose X_PF, X_BM;
  double pitch = 0;                    // of a screw, m per rad
  double mass = 0;                     // kg
  std::array<double, 3> com{0, 0, 0};  // centre of mass from Bo in B axes, m
  std::array<double, 9> inertia{};     // about the centre of mass in B axes, row-major, kg m²
};

/// Closes a loop between bodies a and b (-1 is the world), frame F on a and M on b:
///   spherical  their origins coincide        weld      they coincide
///   revolute   also their z axes             distance  their origins are `length` apart
///   plane      the origin of M is in the xy plane of F
struct OracleLoop {
  std::string kind;
  int a = -1, b = -1;
  OraclePose X_AF, X_BM;
  double length = 0;  // m
};

struct OracleTree {
  std::array<double, 3> gravity{0, 0, -9.81};  // m/s², in world axes
  std::vector<OracleBody> bodies;              // parents first
  std::vector<OracleLoop> loops;               // Simbody only
};

/// The variables of all joints, one after the other in the order of the bodies.
struct OracleState {
  std::vector<double> q, v;
};

struct JointSize {
  int nq, nv;
};

inline JointSize joint_size(const std::string& joint_type) {
  struct Entry {
    const char* joint_type;
    JointSize size;
  };
  static const Entry entries[] = {
      {"weld", {0, 0}},        {"revolute", {1, 1}},  {"prismatic", {1, 1}}, {"screw", {1, 1}},
      {"cylindrical", {2, 2}}, {"universal", {2, 2}}, {"spherical", {4, 3}}, {"planar", {3, 3}},
      {"xyz", {3, 3}},         {"free", {7, 6}},      {"gimbal", {3, 3}}};
  for (const Entry& entry : entries)
    if (joint_type == entry.joint_type) return entry.size;
  throw std::invalid_argument("unknown joint type '" + joint_type + "'");
}

/// Sizes of q and v of the whole tree.
inline JointSize tree_size(const OracleTree& tree) {
  JointSize sum{0, 0};
  for (const OracleBody& body : tree.bodies) {
    sum.nq += joint_size(body.joint_type).nq;
    sum.nv += joint_size(body.joint_type).nv;
  }
  return sum;
}

/// Throws when a vector does not fit the tree.
inline void check_sizes(const OracleTree& tree, const OracleState& state,
                        const std::vector<double>& tau_or_vdot) {
  const JointSize size = tree_size(tree);
  if (static_cast<int>(state.q.size()) != size.nq || static_cast<int>(state.v.size()) != size.nv ||
      static_cast<int>(tau_or_vdot.size()) != size.nv)
    throw std::invalid_argument("state does not fit the tree: it has " + std::to_string(size.nq) +
                                " coordinates and " + std::to_string(size.nv) + " speeds");
}

}  // namespace couplet::oracles
