// Mass matrix by composite rigid bodies, in world axes about the world's origin.  [RBDA section 6.2]
//
// With all bodies in the same frame, composite inertias are sums, and row i of M is F_iᵀ S over the
// columns of the joints that carry i: six multiplications an entry, several columns in each pack.
// P is a pack of T, or T itself for scalars that do not come in packs.
#pragma once

#include <type_traits>

#include "couplet/dynamics/minimal/recursions/tree.hpp"

namespace couplet::dynamics {
namespace {

template <class P, class T>
inline P load(const T* p) {
  if constexpr (std::is_same_v<P, T>) return *p; else return P::load(p);
}
template <class P, class T>
inline void store(const P& x, T* p) {
  if constexpr (std::is_same_v<P, T>) *p = x; else x.store(p);
}
template <class P, class T>
constexpr int lanes() {
  if constexpr (std::is_same_v<P, T>) return 1; else return P::width;
}

/// R Rz(c, s): turns the first two columns.
template <class T>
inline void turn_columns_z(const T& c, const T& s, Mat3x3<T>& R) {
  const T xx = c * R.xx + s * R.xy, yx = c * R.yx + s * R.yy, zx = c * R.zx + s * R.zy;
  R.xy = c * R.xy - s * R.xx, R.yy = c * R.yy - s * R.yx, R.zy = c * R.zy - s * R.zx;
  R.xx = xx, R.yx = yx, R.zx = zx;
}
/// R Rx(c, s): turns the last two columns.
template <class T, class C>
inline void turn_columns_x(const C& c, const C& s, Mat3x3<T>& R) {
  const T xy = c * R.xy + s * R.xz, yy = c * R.yy + s * R.yz, zy = c * R.zy + s * R.zz;
  R.xz = c * R.xz - s * R.xy, R.yz = c * R.yz - s * R.yy, R.zz = c * R.zz - s * R.zy;
  R.xy = xy, R.yy = yy, R.zy = zy;
}

/// Pose of a link in the world from that of its parent (R, p, in and out).
template <class T>
inline void advance_pose(const TreeView& tree, const Link& link, const T* q, const T& c, const T& s,
                         Mat3x3<T>& R, V3<T>& p) {
  if (has_axis(link)) {
    p = p + R * origin_in_parent(link, q);
    if (!link.plain) turn_columns_z(T(link.x.cos_beta), T(link.x.sin_beta), R);
    turn_columns_x(link.x.cos_alpha, link.x.sin_alpha, R);
    turn_columns_z(c, s, R);
  } else {
    Mat3x3<T> R_PB;
    V3<T> p_PB;
    calc_quaternion_pose(tree, link, q, R_PB, p_PB);
    p = p + R * p_PB;
    R = R * R_PB;
  }
}

template <class T>
inline void calc_world_poses(const TreeView& tree, const T* q, const MassMatrixArrays<T>& x) {
  for (int i = 0; i < tree.n; ++i) {
    const Link& link = tree.links[i];
    Mat3x3<T> R{T(1.0), T{}, T{}, T{}, T(1.0), T{}, T{}, T{}, T(1.0)};
    V3<T> p{T{}, T{}, T{}};
    if (link.parent >= 0) {
      const int k = link.parent;
      R = {x.R[0][k], x.R[1][k], x.R[2][k], x.R[3][k], x.R[4][k],
           x.R[5][k], x.R[6][k], x.R[7][k], x.R[8][k]};
      p = {x.p[0][k], x.p[1][k], x.p[2][k]};
    }
    advance_pose(tree, link, q, x.cosine[i], x.sine[i], R, p);
    x.R[0][i] = R.xx, x.R[1][i] = R.xy, x.R[2][i] = R.xz;
    x.R[3][i] = R.yx, x.R[4][i] = R.yy, x.R[5][i] = R.yz;
    x.R[6][i] = R.zx, x.R[7][i] = R.zy, x.R[8][i] = R.zz;
    x.p[0][i] = p.x, x.p[1][i] = p.y, x.p[2][i] = p.z;
  }
}

/// Inertia of each link in world axes about the world's origin, a pack of links at a time:
///   h_W = R h + m p,   I_W = R I Rᵀ + 2 (p·g) 1 - g pᵀ - p gᵀ  with  g = R h + ½ m p.
template <class P, class T>
inline void calc_world_inertias(int n, const MassMatrixArrays<T>& x) {
  for (int i = 0; i < n; i += lanes<P, T>()) {
    const auto at = [i](const T* array) { return load<P>(array + i); };
    const Mat3x3<P> R{at(x.R[0]), at(x.R[1]), at(x.R[2]), at(x.R[3]), at(x.R[4]),
                      at(x.R[5]), at(x.R[6]), at(x.R[7]), at(x.R[8])};
    const V3<P> p{at(x.p[0]), at(x.p[1]), at(x.p[2])};
    const P mass = at(x.body[0]);
    const V3<P> h = R * V3<P>{at(x.body[1]), at(x.body[2]), at(x.body[3])};
    const V3<P> g = h + (P(0.5) * mass) * p;
    Sym3<P> I = rotated(R, Sym3<P>{at(x.body[4]), at(x.body[5]), at(x.body[6]), at(x.body[7]),
                                   at(x.body[8]), at(x.body[9])});
    const P gx = g.x * p.x, gy = g.y * p.y, gz = g.z * p.z;
    I.xx += P(2.0) * (gy + gz);
    I.yy += P(2.0) * (gx + gz);
    I.zz += P(2.0) * (gx + gy);
    I.xy -= g.x * p.y + p.x * g.y;
    I.xz -= g.x * p.z + p.x * g.z;
    I.yz -= g.y * p.z + p.y * g.z;
    store(mass, x.composite[0] + i);
    store(h.x + mass * p.x, x.composite[1] + i);
    store(h.y + mass * p.y, x.composite[2] + i);
    store(h.z + mass * p.z, x.composite[3] + i);
    store(I.xx, x.composite[4] + i), store(I.xy, x.composite[5] + i);
    store(I.xz, x.composite[6] + i), store(I.yy, x.composite[7] + i);
    store(I.yz, x.composite[8] + i), store(I.zz, x.composite[9] + i);
  }
}

/// F = Ic S for one column S = (w; v).
template <class P>
inline void composite_force(const P& mass, const V3<P>& h, const Sym3<P>& I, const V3<P>& w,
                            const V3<P>& v, V3<P>& n, V3<P>& f) {
  n = I * w + cross(h, v);
  f = mass * v - cross(h, w);
}

/// Joint columns S and forces F = Ic S of links with an axis, a pack of links at a time, written to
/// the link's place; quaternion links and holes are treated by calc_columns.
template <class P, class T>
inline void calc_axis_columns(int n, const MassMatrixArrays<T>& x) {
  for (int i = 0; i < n; i += lanes<P, T>()) {
    const auto at = [i](const T* array) { return load<P>(array + i); };
    const P sigma = at(x.sigma), slide = at(x.h);
    const V3<P> z{at(x.R[2]), at(x.R[5]), at(x.R[8])};
    const V3<P> p{at(x.p[0]), at(x.p[1]), at(x.p[2])};
    const V3<P> w = sigma * z;
    const V3<P> v = cross(p, w) + slide * z;
    V3<P> N, F;
    composite_force(at(x.composite[0]), V3<P>{at(x.composite[1]), at(x.composite[2]), at(x.composite[3])},
                    Sym3<P>{at(x.composite[4]), at(x.composite[5]), at(x.composite[6]),
                            at(x.composite[7]), at(x.composite[8]), at(x.composite[9])},
                    w, v, N, F);
    store(w.x, x.link_S[0] + i), store(w.y, x.link_S[1] + i), store(w.z, x.link_S[2] + i);
    store(v.x, x.link_S[3] + i), store(v.y, x.link_S[4] + i), store(v.z, x.link_S[5] + i);
    store(N.x, x.link_F[0] + i), store(N.y, x.link_F[1] + i), store(N.z, x.link_F[2] + i);
    store(F.x, x.link_F[3] + i), store(F.y, x.link_F[4] + i), store(F.z, x.link_F[5] + i);
  }
}

/// Columns of a spherical or free link: its axes, and for free its directions.
template <class T>
inline void calc_quaternion_columns(const Link& link, int i, const MassMatrixArrays<T>& x) {
  const V3<T> p{x.p[0][i], x.p[1][i], x.p[2][i]}, none{T{}, T{}, T{}};
  const Sym3<T> I{x.composite[4][i], x.composite[5][i], x.composite[6][i],
                  x.composite[7][i], x.composite[8][i], x.composite[9][i]};
  const V3<T> h{x.composite[1][i], x.composite[2][i], x.composite[3][i]};
  const int columns = link.kind == LinkKind::free ? 6 : 3;
  for (int k = 0; k < columns; ++k) {
    const int axis = k % 3;
    const V3<T> e{x.R[axis][i], x.R[3 + axis][i], x.R[6 + axis][i]};
    const V3<T> w = k < 3 ? e : none, v = k < 3 ? cross(p, e) : e;
    V3<T> n, f;
    composite_force(x.composite[0][i], h, I, w, v, n, f);
    const int j = x.column[link.iv + k], r = link.iv + k;
    x.S[0][j] = w.x, x.S[1][j] = w.y, x.S[2][j] = w.z;
    x.S[3][j] = v.x, x.S[4][j] = v.y, x.S[5][j] = v.z;
    x.F[0][r] = n.x, x.F[1][r] = n.y, x.F[2][r] = n.z;
    x.F[3][r] = f.x, x.F[4][r] = f.y, x.F[5][r] = f.z;
  }
}

/// S by column and F by row of M, from the links' places.
template <class P, class T>
inline void calc_columns(const TreeView& tree, const MassMatrixArrays<T>& x) {
  calc_axis_columns<P>(tree.n, x);
  if (x.direct) return;  // one freedom per link, one segment: S and F are already in place
  for (int i = 0; i < tree.n; ++i) {
    const Link& link = tree.links[i];
    if (!has_axis(link)) {
      calc_quaternion_columns(link, i, x);
      continue;
    }
    const int j = x.column[link.iv], r = link.iv;
    for (int k = 0; k < 6; ++k) {
      x.S[k][j] = x.link_S[k][i];
      x.F[k][r] = x.link_F[k][i];
    }
  }
}

/// Entries [begin, end) of `rows` successive rows, starting at column `column` of S.
template <class P, class T, int rows>
inline void fill_rows(const MassMatrixArrays<T>& x, int row, int begin, int end, int column, int nv,
                      T* M, int stride) {
  constexpr int width = lanes<P, T>();
  P F[rows][6];
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < 6; ++k) F[r][k] = P(x.F[k][row + r]);
  for (int j = begin; j < end; j += width, column += width) {
    P S[6];
    for (int k = 0; k < 6; ++k) S[k] = load<P>(x.S[k] + column);
    for (int r = 0; r < rows; ++r) {
      const P sum = ((F[r][0] * S[0] + F[r][1] * S[1]) + (F[r][2] * S[2] + F[r][3] * S[3])) +
                    (F[r][4] * S[4] + F[r][5] * S[5]);
      T* out = M + static_cast<long>(row + r) * stride + j;
      if (j + width <= nv) {
        store(sum, out);
      } else {
        T tail[width];
        store(sum, tail);
        for (int k = 0; j + k < nv; ++k) out[k] = tail[k];
      }
    }
  }
}

/// Rows of one block: the same ancestors for all of them.
template <class P, class T, int rows>
inline void fill_block(const MassMatrixArrays<T>& x, int row, int nv, T* M, int stride) {
  const int own = x.segment_of[row];
  const MassMatrixSegment& segment = x.segments[own];
  for (int r = 0; r < rows; ++r)
    for (int j = 0; j < segment.first; ++j) M[static_cast<long>(row + r) * stride + j] = T{};
  // From the root outward: the tail of a pack only meets zeros or entries that come later.
  x.path[segment.depth] = own;  // rows come depth first, so the entries before are its ancestors
  for (int k = 0; k < segment.depth; ++k) {
    const MassMatrixSegment& ancestor = x.segments[x.path[k]];
    fill_rows<P, T, rows>(x, row, ancestor.first, ancestor.last + 1, ancestor.column, nv, M, stride);
  }
  fill_rows<P, T, rows>(x, row, segment.first, row + rows, segment.column, nv, M, stride);
}

/// M(row, col) for col <= row at M[row * stride + col]; what lies beyond the diagonal is undefined.
template <class P, class T>
inline void mass_matrix(const TreeView& tree, int nv, const T* q, const MassMatrixArrays<T>& x, T* M,
                        int stride) {
  calc_angles(tree, q, x.angle, x.cosine, x.sine);
  calc_world_poses(tree, q, x);
  calc_world_inertias<P>(tree.n, x);
  for (int i = tree.n - 1; i >= 0; --i) {
    const int parent = tree.links[i].parent;
    if (parent < 0) continue;
    for (int k = 0; k < 10; ++k) x.composite[k][parent] += x.composite[k][i];
  }
  calc_columns<P>(tree, x);
  int row = 0;
  while (row < nv) {
    const int left = x.segments[x.segment_of[row]].last + 1 - row;
    if (left >= 4) {
      fill_block<P, T, 4>(x, row, nv, M, stride);
      row += 4;
    } else if (left >= 2) {
      fill_block<P, T, 2>(x, row, nv, M, stride);
      row += 2;
    } else {
      fill_block<P, T, 1>(x, row, nv, M, stride);
      row += 1;
    }
  }
}

}  // namespace
}  // namespace couplet::dynamics
