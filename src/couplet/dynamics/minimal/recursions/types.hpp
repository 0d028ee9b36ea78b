// The plain values of the recursions, for any scalar T. No functions here: those have internal
// linkage (small.hpp says why), types are shared.
#pragma once

namespace couplet::dynamics {

/// Numbers of W links side by side, where a pack is loaded from (pack.hpp).
template <int W>
struct Lanes {
  alignas(8 * W) double x[W];
};

template <class T>
struct V3 {
  T x, y, z;
};
template <class T>
struct Sym3 {
  T xx, xy, xz, yy, yz, zz;
};
template <class T>
struct Mat3x3 {
  T xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

/// Articulated inertia with its bias force:
///   n = I α + H a + n0,   f = Hᵀ α + M a + f0
/// is the torque (about the origin) and force that a link needs for an angular acceleration α and
/// an acceleration a of its origin, with all joints outward of it free to move. Accelerations are
/// those of the point at the origin (not spatial ones): no linear velocity is needed anywhere.
template <class T>
struct Articulated {
  Sym3<T> I;
  Mat3x3<T> H;
  Sym3<T> M;
  V3<T> n, f;
};

/// What forward dynamics is asked.
template <class T>
struct ForwardProblem {
  const T *q, *v;
  const T* tau;             // generalised forces
  const T* body_forces;     // (torque, force) on each link at its origin, link axes; may be null
  V3<T> base_acceleration;  // of the world, -g
  T* vdot;                  // out; inputs where a joint is prescribed
  T* tau_prescribed;        // out where a joint is prescribed
};

/// What inverse dynamics is asked.
template <class T>
struct InverseProblem {
  const T *q, *v, *vdot;
  const T* body_forces;     // as above
  V3<T> base_acceleration;  // of the world, -g
  T* tau;                   // out
};

/// What the outward sweep of accelerations needs of a joint with one freedom.
template <class T>
struct Solved {
  V3<T> kn, kf;  // U / D, with U = P S and D = Sᵀ U; kn.z is 1 and not kept for a revolute joint
  T g;           // (τ - Sᵀ Z) / D
};

/// Forward dynamics, per link.
template <class T>
struct ForwardScratch {
  V3<T> centripetal;  // w × (w × p) of the parent, parent axes
  T cx, cy;           // velocity-dependent angular acceleration, link axes
  V3<T> n, f;         // forces of motion minus applied forces, link axes
  Solved<T> joint;
};

/// The motion that is handed outward: w, α, and a of the origin, in the link's axes.
template <class T>
struct LinkMotion {
  V3<T> w, alpha, a;
};

/// Forward dynamics of a link where branches start: what it hands to them, what arrives from them.
template <class T>
struct BranchScratch {
  LinkMotion<T> motion;
  Articulated<T> arrivals;  // zero between evaluations
};

/// What the few links need that are not simply freed: quaternion joints, prescribed joints.
template <class T>
struct HeavyScratch {
  Mat3x3<T> R;       // R_PB
  V3<T> p;           // p_PB_P
  V3<T> cn, cf;      // velocity-dependent acceleration, link axes
  Articulated<T> P;  // as the joint feels it
  V3<T> l, d, u;     // spherical: factors of I, τ - n
  V3<T> alpha, a;    // free: accelerations, link axes
};

/// Inverse dynamics, per link: the torque and force through its joint.
template <class T>
struct InverseScratch {
  V3<T> n, f;
};

/// Pose of a quaternion link.
template <class T>
struct PoseScratch {
  Mat3x3<T> R;  // R_PB
  V3<T> p;      // p_PB_P
};

/// Mass matrix: the axes and the origin of a link in the world, each padded to a pack.
template <class T>
struct WorldFrame {
  T x[4], y[4], z[4], p[4];
};

/// Mass matrix: what is known of four neighbouring freedoms before q is, one array of lanes per
/// number.
template <class T>
struct MassLanes {
  T sigma[4], h[4];  // what the freedom does: turns about z by σ q̇, slides along z by h q̇
  T mass[4];         // of the link that it moves; with several freedoms, the last one has the mass
  T moment[3][4];    // mass * centre of mass, link axes
  T inertia[6][4];   // xx, xy, xz, yy, yz, zz about the origin, link axes
  T carried[4];      // mass of this link and all that are outward of it
};

/// Moment and inertia of a composite body in world axes about the world's origin.
template <class T>
struct Composite {
  V3<T> h;
  Sym3<T> I;
};

/// Four neighbouring columns of spatial vectors.
template <class T>
struct Columns {
  T x[6][4];
};

}  // namespace couplet::dynamics
