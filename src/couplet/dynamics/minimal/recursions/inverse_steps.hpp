// What a link does in the two sweeps of inverse dynamics. T and C may be packs: then several links
// do it side by side (limbs.hpp).
#pragma once

#include "couplet/dynamics/minimal/recursions/forward_steps.hpp"

namespace couplet::dynamics {
namespace {

/// A r + b, with b last: it arrives last.
template <class T, class S>
[[gnu::always_inline]] inline V3<T> plus_product(const V3<T>& b, const Mat3x3<T>& A,
                                                 const V3<S>& r) {
  return {A.xx * r.x + A.xy * r.y + A.xz * r.z + b.x, A.yx * r.x + A.yy * r.y + A.yz * r.z + b.y,
          A.zx * r.x + A.zy * r.y + A.zz * r.z + b.z};
}

/// How the acceleration of points grows with their distance r from the origin: a + Ω r, with
/// Ω r = α × r + w × (w × r). The products of w serve the torque, too.
template <class T>
struct Gradient {
  T xx, yy, zz;  // squares of w
  T yz, zx, xy;  // products of w
  Mat3x3<T> omega;

  [[gnu::always_inline]] Gradient(const V3<T>& w, const V3<T>& alpha)
      : xx(w.x * w.x),
        yy(w.y * w.y),
        zz(w.z * w.z),
        yz(w.y * w.z),
        zx(w.z * w.x),
        xy(w.x * w.y),
        omega{-(yy + zz),   xy - alpha.z, zx + alpha.y, xy + alpha.z, -(zz + xx),
              yz - alpha.x, zx - alpha.y, yz + alpha.x, -(xx + yy)} {}

  /// I α + w × I w
  template <class C>
  [[gnu::always_inline]] V3<T> torque(const LinkNumbers<C>& I, const V3<T>& alpha) const {
    const auto Ixx = value(I.Ixx), Iyy = value(I.Iyy), Izz = value(I.Izz);
    return {
        (Izz - Iyy) * yz + Ixx * alpha.x - I.Ixy * omega.zx + I.Ixz * omega.yx + I.Iyz * (yy - zz),
        (Ixx - Izz) * zx + Iyy * alpha.y - I.Iyz * omega.xy + I.Ixy * omega.zy + I.Ixz * (zz - xx),
        (Iyy - Ixx) * xy + Izz * alpha.z - I.Ixz * omega.yz + I.Iyz * omega.xz + I.Ixy * (xx - yy)};
  }
};

/// Outward, across a revolute joint: from the motion of the parent to the link's own.
template <class T, class C>
[[gnu::always_inline]] inline void step_motion(const LinkNumbers<C>& x, bool plain, const T& c,
                                               const T& s, const T& rate, const T& vdot,
                                               const Gradient<T>& parent, LinkMotion<T>& B) {
  B.a = pulled(x, plain, c, s, plus_product(B.a, parent.omega, origin(x)));
  B.w = pulled(x, plain, c, s, B.w);
  B.alpha = pulled(x, plain, c, s, B.alpha);
  B.alpha = {B.alpha.x + B.w.y * rate, B.alpha.y - B.w.x * rate, B.alpha.z + vdot};
  B.w.z += rate;
}

/// The torque and force that the motion of the link takes.
template <class T, class C>
[[gnu::always_inline]] inline InverseScratch<T> force_of_motion(const LinkNumbers<C>& x,
                                                                const Gradient<T>& g,
                                                                const LinkMotion<T>& B) {
  const V3<C> h{x.hx, x.hy, x.hz};
  return {plus_cross(g.torque(x, B.alpha), h, B.a), plus_product(x.mass * B.a, g.omega, h)};
}

}  // namespace
}  // namespace couplet::dynamics
