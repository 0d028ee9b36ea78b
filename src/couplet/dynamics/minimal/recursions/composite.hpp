// Composite rigid bodies in world axes, and the columns of the mass matrix that follow from them.
// [RBDA section 6.2]
//
// The common origin of a tree is where its first body is, not the world's: a satellite is 7,000 km
// away from there, and the square of that would drown its inertia. With all bodies in one frame,
// composite inertias are sums along the chain. Freedoms are lanes: P is a pack of T. A joint with
// several freedoms has one lane for each, whose frame has that freedom's axis as its z axis; its
// last lane is the link itself and has the mass.
#pragma once

#include "couplet/dynamics/minimal/recursions/tree.hpp"

namespace couplet::dynamics {
namespace {

/// Axes and origin of a link in the world; Column is a pack (x, y, z, unused) or V3<T>.
template <class Column>
struct MovingFrame {
  Column x, y, z, p;
};

template <class Column, class T>
[[gnu::always_inline]] inline Column along(const MovingFrame<Column>& B, const T& x, const T& y,
                                           const T& z) {
  return x * B.x + y * B.y + z * B.z;
}

/// Turns two axes in their plane, a towards b.
template <class Column, class T>
[[gnu::always_inline]] inline void turn_axes(const T& c, const T& s, Column& a, Column& b) {
  const Column turned = c * a + s * b;
  b = c * b - s * a;
  a = turned;
}

/// From the frame of a link's parent to its own.
template <class Column, class T, class L>
[[gnu::always_inline]] inline void advance(const Tree<L>& tree, const L& link, const T* q,
                                           const T& c, const T& s, MovingFrame<Column>& B) {
  if (has_axis(link)) {
    const V3<T> p = origin_in_parent(link, q);
    B.p = B.p + along(B, p.x, p.y, p.z);
    if (!link.plain) turn_axes(link.x.cos_beta, link.x.sin_beta, B.x, B.y);
    turn_axes(link.x.cos_alpha, link.x.sin_alpha, B.y, B.z);
    turn_axes(c, s, B.x, B.y);
  } else {
    Mat3x3<T> R;
    V3<T> p;
    calc_quaternion_pose(tree, link, q, R, p);
    B.p = B.p + along(B, p.x, p.y, p.z);
    B = {along(B, R.xx, R.yx, R.zx), along(B, R.xy, R.yy, R.zy), along(B, R.xz, R.yz, R.zz), B.p};
  }
}

template <class T>
[[gnu::always_inline]] inline void put(const Pack<4>& v, T* out) {
  v.store(out);
}
template <class T>
[[gnu::always_inline]] inline void put(const V3<T>& v, T* out) {
  out[0] = v.x, out[1] = v.y, out[2] = v.z;
}
[[gnu::always_inline]] inline void get(const double* in, Pack<4>& v) { v = Pack<4>::load(in); }
template <class T>
[[gnu::always_inline]] inline void get(const T* in, V3<T>& v) {
  v = {in[0], in[1], in[2]};
}

template <class Column, class T>
[[gnu::always_inline]] inline void put(const Column& x, const Column& y, const Column& z,
                                       const Column& p, WorldFrame<T>& out) {
  put(x, out.x), put(y, out.y), put(z, out.z), put(p, out.p);
}

/// Outward: frames of all lanes in the world.
template <class P, class T, class L>
[[gnu::always_inline]] inline void calc_world_frames(const Tree<L>& tree, const T* q,
                                                     const MassMatrixPointers<T>& ws) {
  using Column = std::conditional_t<lanes<P> == 4, Pack<4>, V3<T>>;
  constexpr WorldFrame<T> axes{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 0}};
  const auto frame = [](const WorldFrame<T>& in) {
    MovingFrame<Column> out;
    get(in.x, out.x), get(in.y, out.y), get(in.z, out.z), get(in.p, out.p);
    return out;
  };
  MovingFrame<Column> B = frame(axes);
  bool at_origin = false;  // nothing but massless slides so far: the origin moves along
  for (int i = 0; i < tree.n; ++i) {
    const L& link = tree.links[i];
    if (link.parent != i - 1 || i == 0) at_origin = link.parent < 0;
    if (link.parent != i - 1) {
      const L& parent = tree.links[link.parent < 0 ? 0 : link.parent];
      B = frame(link.parent < 0 ? axes : ws.frames[ws.lane[parent.iv] + freedoms(parent) - 1]);
    }
    advance(tree, link, q, ws.cosine[i], ws.sine[i], B);
    if (at_origin) B.p = Column{};
    at_origin =
        at_origin && link.kind == LinkKind::helical && link.x.sigma == 0 && link.x.mass == 0;
    WorldFrame<T>* out = ws.frames + ws.lane[link.iv];
    if (!has_axis(link)) {  // a lane for each axis, the translations (if any) after the turns
      put(B.y, B.z, B.x, B.p, out[0]);
      put(B.z, B.x, B.y, B.p, out[1]);
      if (link.kind == LinkKind::free) {
        put(B.x, B.y, B.z, B.p, out[2]);
        put(B.y, B.z, B.x, B.p, out[3]);
        put(B.z, B.x, B.y, B.p, out[4]);
        out += 3;
      }
      out += 2;
    }
    put(B.x, B.y, B.z, B.p, *out);
  }
}

/// Inertia of links in world axes about the tree's origin:
///   h_W = R h + m p,   I_W = R I Rᵀ + 2 (p·g) 1 - g pᵀ - p gᵀ  with  g = R h + ½ m p.
template <class P>
[[gnu::always_inline]] inline Composite<P> in_world(const Mat3x3<P>& R, const V3<P>& p,
                                                    const P& mass, const V3<P>& moment,
                                                    const Sym3<P>& inertia) {
  const V3<P> h = R * moment, g = h + (P(0.5) * mass) * p;
  Sym3<P> I = rotated(R, inertia);
  const P gx = g.x * p.x, gy = g.y * p.y, gz = g.z * p.z;
  I.xx += P(2.0) * (gy + gz);
  I.yy += P(2.0) * (gx + gz);
  I.zz += P(2.0) * (gx + gy);
  I.xy -= g.x * p.y + p.x * g.y;
  I.xz -= g.x * p.z + p.x * g.z;
  I.yz -= g.y * p.z + p.y * g.z;
  return {h + mass * p, I};
}

/// What is outward of each lane, given the sum of what is outward of the last one.
template <class P>
[[gnu::always_inline]] inline void sum_onward(const Composite<P>& outward, Composite<P>& x) {
  x.h = {sum_onward(x.h.x) + outward.h.x, sum_onward(x.h.y) + outward.h.y,
         sum_onward(x.h.z) + outward.h.z};
  x.I = {sum_onward(x.I.xx) + outward.I.xx, sum_onward(x.I.xy) + outward.I.xy,
         sum_onward(x.I.xz) + outward.I.xz, sum_onward(x.I.yy) + outward.I.yy,
         sum_onward(x.I.yz) + outward.I.yz, sum_onward(x.I.zz) + outward.I.zz};
}
template <class P, class Q>
[[gnu::always_inline]] inline Composite<Q> first_lane(const Composite<P>& x) {
  const auto first = [](const P& y) {
    if constexpr (lanes<P> == 1)
      return y;
    else
      return Q(y[0]);
  };
  return {
      {first(x.h.x), first(x.h.y), first(x.h.z)},
      {first(x.I.xx), first(x.I.xy), first(x.I.xz), first(x.I.yy), first(x.I.yz), first(x.I.zz)}};
}

/// Joint columns S and forces F = Ic S of a pack of freedoms; `outward` is updated to include them.
template <class P, class T>
[[gnu::always_inline]] inline void calc_columns(const WorldFrame<T>* frames,
                                                const MassLanes<T>& body, int lane,
                                                Composite<P>& outward, Columns<T>& S_out,
                                                Columns<T>& F_out) {
  constexpr int stride = sizeof(WorldFrame<T>) / sizeof(T);
  P x[3], y[3], z[3], o[3];
  load_across(frames->x, stride, x);
  load_across(frames->y, stride, y);
  load_across(frames->z, stride, z);
  load_across(frames->p, stride, o);
  const Mat3x3<P> R{x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
  const V3<P> p{o[0], o[1], o[2]}, axis{z[0], z[1], z[2]};
  const auto at = [lane](const T* array) { return load<P>(array + lane); };

  Composite<P> body_W = in_world(
      R, p, at(body.mass), V3<P>{at(body.moment[0]), at(body.moment[1]), at(body.moment[2])},
      Sym3<P>{at(body.inertia[0]), at(body.inertia[1]), at(body.inertia[2]), at(body.inertia[3]),
              at(body.inertia[4]), at(body.inertia[5])});
  sum_onward(outward, body_W);
  outward = first_lane<P, P>(body_W);

  const V3<P> w = at(body.sigma) * axis, v = cross(p, w) + at(body.h) * axis;
  const V3<P>& h = body_W.h;
  const V3<P> n = body_W.I * w + cross(h, v), f = at(body.carried) * v - cross(h, w);
  store(w.x, S_out.x[0] + lane), store(w.y, S_out.x[1] + lane), store(w.z, S_out.x[2] + lane);
  store(v.x, S_out.x[3] + lane), store(v.y, S_out.x[4] + lane), store(v.z, S_out.x[5] + lane);
  store(n.x, F_out.x[0] + lane), store(n.y, F_out.x[1] + lane), store(n.z, F_out.x[2] + lane);
  store(f.x, F_out.x[3] + lane), store(f.y, F_out.x[4] + lane), store(f.z, F_out.x[5] + lane);
}

template <class T>
[[gnu::always_inline]] inline void add(const Composite<T>& A, Composite<T>& B) {
  B.h = B.h + A.h;
  add(A.I, B.I);
}
template <class P, class T>
[[gnu::always_inline]] inline Composite<P> broadcast(const Composite<T>& x) {
  return {{P(x.h.x), P(x.h.y), P(x.h.z)},
          {P(x.I.xx), P(x.I.xy), P(x.I.xz), P(x.I.yy), P(x.I.yz), P(x.I.zz)}};
}

/// Inward: composite bodies and the columns of all freedoms.
template <class P, class T>
[[gnu::always_inline]] inline void calc_all_columns(const MassMatrixPointers<T>& ws) {
  for (int s = ws.segment_count - 1; s >= 0; --s) {
    const Segment& segment = ws.segments[s];
    Composite<P> outward = broadcast<P>(ws.arrivals[s]);
    ws.arrivals[s] = Composite<T>{};
    for (int b = segment.block + segment.blocks - 1; b >= segment.block; --b)
      for (int lane = 4 - lanes<P>; lane >= 0; lane -= lanes<P>)
        calc_columns(ws.frames + 4 * b + lane, ws.bodies[b], lane, outward, ws.S[b], ws.F[b]);
    if (segment.parent >= 0) add(first_lane<P, T>(outward), ws.arrivals[segment.parent]);
  }
}

}  // namespace
}  // namespace couplet::dynamics
