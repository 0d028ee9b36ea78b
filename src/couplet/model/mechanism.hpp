// The compiled mechanism: a tree of links in canonical frames, immutable, shared by all threads.
//
// Compiling merges welded bodies into one link, splits joints that are products of elementary
// motions into chains of massless links, orders links depth first, and re-chooses each link's frame
// B:
//   z axis on its own joint axis, origin and x axis on the common normal to its first child's axis.
// The pose of a link in its parent is then
//   X_PB(q) = Tz(b) Rz(β) T(a, e, 0) Rx(α) Tz(d + h q) Rz(θ0 + σ q),
// with b = β = e = 0 ("plain", Denavit-Hartenberg) wherever the common normal is well conditioned.
// Users never see these frames: `bodies` and `joints` map to their own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "couplet/model/model.hpp"
#include "couplet/model/names.hpp"

namespace couplet::model {

using math::VecX;

/// revolute: σ = 1, h = 0. helical: any other σ, h (prismatic: 0, 1; screw: 1, pitch).
enum class LinkKind : signed char { revolute, helical, spherical, free };

/// The numbers of a link that the recursions read, for one link (C = double) or for several in
/// lanes.
template <class C>
struct LinkNumbers {
  C a, e, b, d;                    // m
  C cos_alpha, sin_alpha;          // twist between the axes
  C cos_beta, sin_beta;            // extra turn in front, 1 and 0 when plain
  C theta0;                        // rad, angle of the joint's frame at q = 0
  C sigma, h;                      // what q does: turns by σ q, slides by h q
  C px, py, pz;                    // origin of the link at q = 0, in P axes, m
  C mass;                          // kg
  C hx, hy, hz;                    // mass * centre of mass, kg m
  C Ixx, Ixy, Ixz, Iyy, Iyz, Izz;  // about the origin, kg m²
};

struct Link {
  LinkKind kind;
  bool plain;       // b = β = e = 0
  bool prescribed;  // its acceleration is given, its force is an output
  bool
      simple;  // a plain revolute joint, not prescribed, on the link before; only the next is on it
  int parent;  // link index, -1: the world; the link before it, or a branch starts here
  int iq, iv;  // first coordinate and speed
  int frame = -1;   // spherical, free: index of its X_PF in Mechanism::quaternion_frames
  int heavy = -1;   // quaternion or prescribed joint: index of its scratch
  int branch = -1;  // has children besides the next link: index of its scratch
  LinkNumbers<double> x;
};

/// The pose X_PF of a quaternion link's joint frame at the zero position, row by row.
struct FrameNumbers {
  double R[9];
  double p[3];
};

/// Where a body of the model is: on a link (-1: the world), at a fixed pose in it.
struct BodyPlacement {
  int link = -1;
  Pose X_LB;
};

/// A joint of the model in the tree, in the user's own frames.
struct TreeJoint {
  int joint = 0;  // index in Model::joints
  int parent_body = 0, child_body = 0;
  bool reversed = false;  // the parent is on the joint's `to` side
  Pose X_PF, X_MB;        // joint frames: F in the parent body, child body in M
  int iq = 0, iv = 0;     // first coordinate and speed (nq and nv from its JointInfo)
  int link = -1;          // last link of the joint; welds: the link both sides are on
};

/// A joint that closes a loop: no coordinates, it constrains what the tree has. Frames F and M as
/// in Joint.
struct CutJoint {
  int joint = 0;  // index in Model::joints
  int from_body = 0, to_body = 0;
  Pose X_AF, X_BM;  // F in the body of `from`, M in the body of `to`
};

/// q[iq] = ratio * q[source_iq] + offset, for speeds and accelerations without the offset.
struct Coupling {
  int iq, iv, source_iq, source_iv;
  double ratio, offset;
  int joint;
};

/// Time, coordinates, speeds, the model's own first-order states: a plain value.
struct State {
  double t = 0;
  VecX q, v;
  VecX x{};
};

struct Mechanism {
  std::shared_ptr<const Model> model;
  int nq = 0, nv = 0, nx = 0;
  std::vector<Link> links;                      // parents before children, depth first
  std::vector<FrameNumbers> quaternion_frames;  // X_PF of spherical and free links
  std::vector<BodyPlacement> bodies;            // one per body of the model
  std::vector<TreeJoint> joints;                // depth first, welds included
  std::vector<int> joint_slot;            // Model joint index → index in `joints`; -1: it is cut
  std::vector<CutJoint> cuts;             // in the order of the model
  std::vector<Coupling> couplings;        // mimic joints
  Names dof_names;                        // nv
  Names coordinate_names;                 // nq, as expressions name them
  Names speed_names;                      // nv, as expressions name them
  std::vector<char> turns;                // nv: a rotation, its force is a torque
  int heavy_links = 0, branch_links = 0;  // how many links have such an index
  Vec3 uniform_gravity = Vec3::Zero();    // m/s²

  State default_state() const;
  /// Sets coupled coordinates and normalises quaternions.
  void make_consistent(State& state) const;
  /// q̇ = N(q) v.
  void calc_qdot(const VecX& q, const VecX& v, VecX& qdot) const;
  /// q moved for unit time at constant speeds dq: quaternions turn, free bodies go along a screw,
  /// all else adds.
  void move(const VecX& dq, VecX& q) const;
  bool has_prescribed() const;
  /// Some joint is cut, or the model has constraints.
  bool constrained() const { return !cuts.empty() || !model->constraints.empty(); }
};

/// Checks and compiles. Where joints close loops, some are cut: those whose cut leaves the fewest
/// equations and the shortest loops. A joint with limits, forces, friction or a motion of its own
/// keeps its coordinates: the body beyond it is split in two instead, and a weld between the halves
/// is cut. Throws UserError for disconnected bodies and whatever `check` finds.
Mechanism compile(Model model, Strictness strictness = Strictness::strict,
                  base::Diagnostics* warnings = nullptr);

}  // namespace couplet::model
