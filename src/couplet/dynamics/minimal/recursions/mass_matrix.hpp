// Mass matrix by composite rigid bodies (composite.hpp): row i is F_iᵀ S over the columns of the joints
// that carry i. Six multiplications an entry, several columns in each pack, two rows at a time: their
// F stays in registers.
#pragma once

#include "couplet/dynamics/minimal/recursions/composite.hpp"

namespace couplet::dynamics {
namespace {

template <class P>
struct SpatialVector {
  V3<P> angular, linear;
};
template <class P, class T>
[[gnu::always_inline]] inline SpatialVector<P> columns_at(const Columns<T>& S, int lane) {
  const auto at = [&](int k) { return load<P>(S.x[k] + lane); };
  return {{at(0), at(1), at(2)}, {at(3), at(4), at(5)}};
}
template <class P, class T>
[[gnu::always_inline]] inline SpatialVector<P> broadcast(const Columns<T>& F, int lane) {
  const auto at = [&](int k) { return P(F.x[k][lane]); };
  return {{at(0), at(1), at(2)}, {at(3), at(4), at(5)}};
}
template <class P>
[[gnu::always_inline]] inline P power(const SpatialVector<P>& F, const SpatialVector<P>& S) {
  return F.angular.x * S.angular.x + F.angular.y * S.angular.y + F.angular.z * S.angular.z +
         F.linear.x * S.linear.x + F.linear.y * S.linear.y + F.linear.z * S.linear.z;
}

/// The last pack of a row, of which only some lanes are inside.
template <class P, class T>
[[gnu::always_inline]] inline void store_some(const P& x, int some, T* out) {
  T all[lanes<P>];
  store(x, all);
  for (int k = 0; k < some && k < lanes<P>; ++k) out[k] = all[k];
}

/// Entries of one or two rows, whose F is at `lane` of a block and next to it, in the columns of
/// `blocks` blocks from S on. They go to M[0], M[1], …, and there is room for `room` of them.
template <class P, int rows, class T>
[[gnu::always_inline]] inline void fill(const Columns<T>& F, int lane, const Columns<T>* S, int blocks, int room,
                                        T* M, long stride) {
  const SpatialVector<P> F0 = broadcast<P>(F, lane), F1 = broadcast<P>(F, lane + rows - 1);
  const int whole = 4 * blocks <= room ? blocks : blocks - 1;  // blocks that fit into the rows
  T* out = M;
  for (int b = 0; b < whole; ++b)
    for (int part = 0; part < 4; part += lanes<P>, out += lanes<P>) {
      const SpatialVector<P> column = columns_at<P>(S[b], part);
      store(power(F0, column), out);
      if (rows == 2) store(power(F1, column), out + stride);
    }
  for (int part = 4 * whole; part < 4 * blocks && part < room; part += lanes<P>) {
    const SpatialVector<P> column = columns_at<P>(S[whole], part % 4);
    store_some(power(F0, column), room - part, M + part);
    if (rows == 2) store_some(power(F1, column), room - part, M + stride + part);
  }
}

template <class P, class T>
[[gnu::always_inline]] inline void fill_zero(T* begin, T* end) {
  for (; begin + lanes<P> <= end; begin += lanes<P>) store(P(0.0), begin);
  for (; begin < end; ++begin) *begin = T{};
}

/// Rows of one segment. From the world outward: what a pack writes beyond the columns of its segment
/// are zeros, or is overwritten later.
template <class P, class T>
[[gnu::always_inline]] inline void fill_segment(const MassMatrixPointers<T>& ws, const Segment& own, int nv, T* M,
                                                long stride) {
  int filled = 0;  // columns so far
  for (int k = 0; k <= own.depth; ++k) {
    const Segment& ancestor = ws.segments[ws.path[k]];
    const Columns<T>* S = ws.S + ancestor.block;
    const int room = nv - ancestor.first;
    for (int row = own.first; row <= own.last && filled < ancestor.first; ++row)
      fill_zero<P>(M + row * stride + filled, M + row * stride + ancestor.first);
    filled = ancestor.last + 1;
    for (int row = own.first; row <= own.last; row += 2) {
      const int lane = row - own.first;
      const Columns<T>& F = ws.F[own.block + lane / 4];
      const int blocks = k < own.depth ? ancestor.blocks : lane / 4 + 1;
      T* out = M + row * stride + ancestor.first;
      if (row < own.last)
        fill<P, 2>(F, lane % 4, S, blocks, room, out, stride);
      else
        fill<P, 1>(F, lane % 4, S, blocks, room, out, stride);
    }
  }
}

/// M(row, col) for col <= row at M[row * stride + col]; what lies beyond the diagonal is undefined.
template <class P, class T>
[[gnu::always_inline]] inline void mass_matrix(const TreeView& tree, int nv, const T* q,
                                               const MassMatrixPointers<T>& ws, T* M, int stride) {
  calc_angles(tree, q, ws.cosine, ws.sine);
  calc_world_frames<P>(tree, q, ws);
  calc_all_columns<P>(ws);
  for (int s = 0; s < ws.segment_count; ++s) {
    ws.path[ws.segments[s].depth] = s;  // depth first: the entries before are its ancestors
    fill_segment<P>(ws, ws.segments[s], nv, M, stride);
  }
}

}  // namespace
}  // namespace couplet::dynamics
