// Mass matrix by composite rigid bodies (composite.hpp): row i is F_iᵀ S over the columns of the
// joints that carry i. Six multiplications an entry, several columns in each pack, two rows at a
// time: their F stays in registers.
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

/// One or two rows of M, whose F is at `lane` of a block and next to it, in the columns of `blocks`
/// blocks from S on.
template <class P, int rows, class T>
[[gnu::always_inline]] inline void fill_rows(const Columns<T>& F, int lane, const Columns<T>* S,
                                             int blocks, T* out, long stride) {
  const SpatialVector<P> F0 = broadcast<P>(F, lane), F1 = broadcast<P>(F, lane + rows - 1);
  for (const Columns<T>* end = S + blocks; S != end; ++S)
    for (int part = 0; part < 4; part += lanes<P>, out += lanes<P>) {
      const SpatialVector<P> column = columns_at<P>(*S, part);
      store(power(F0, column), out);
      if (rows == 2) store(power(F1, column), out + stride);
    }
}

/// The first `columns` entries of a block in one row, where the matrix ends.
template <class T>
[[gnu::noinline]] void fill_some(const Columns<T>& F, int lane, const Columns<T>& S, int columns,
                                 T* out) {
  const SpatialVector<T> force = broadcast<T>(F, lane);
  for (int k = 0; k < columns; ++k) out[k] = power(force, columns_at<T>(S, k));
}

/// Columns [begin, end) of some rows. If there is `room` beyond, whole packs are written.
template <class P, class T>
[[gnu::always_inline]] inline void fill_zero(T* M, long stride, int rows, int begin, int end,
                                             bool room) {
  for (int r = 0; r < rows; ++r, M += stride) {
    int j = begin;
    if (room)
      for (; j < end; j += lanes<P>) store(P(0.0), M + j);
    for (; j < end; ++j) M[j] = T{};
  }
}

/// Rows of one segment. From the world outward: what a pack writes beyond the columns of its
/// segment are zeros, or is overwritten later.
template <class P, class T>
[[gnu::always_inline]] inline void fill_segment(const MassMatrixPointers<T>& ws, const Segment own,
                                                int nv, T* M, long stride) {
  const Columns<T>* const F = ws.F + own.block;
  const int rows = own.last - own.first + 1;
  M += own.first * stride;
  int filled = 0;  // columns so far
  for (int k = 0; k <= own.depth; ++k) {
    const Segment carrier = ws.segments[ws.path[k]];
    const Columns<T>* const S = ws.S + carrier.block;
    if (filled < carrier.first)
      fill_zero<P>(M, stride, rows, filled, carrier.first, carrier.first + 3 <= nv);
    filled = carrier.last + 1;
    const int fitting = (nv - carrier.first) / 4;  // blocks that do not reach beyond the matrix
    T* out = M + carrier.first;
    for (int row = 0; row < rows; row += 2, out += 2 * stride) {
      const int block = row / 4, lane = row % 4;
      const int blocks = k < own.depth ? carrier.blocks : block + 1;
      const int whole = blocks <= fitting ? blocks : fitting;
      const bool two = row + 1 < rows;
      if (two)
        fill_rows<P, 2>(F[block], lane, S, whole, out, stride);
      else
        fill_rows<P, 1>(F[block], lane, S, whole, out, stride);
      if (whole == blocks) [[likely]]
        continue;
      const int columns = nv - carrier.first - 4 * whole;
      for (int r = 0; r < 1 + two; ++r)
        fill_some(F[block], lane + r, S[whole], columns, out + r * stride + 4 * whole);
    }
  }
}

/// M(row, col) for col <= row at M[row * stride + col]; what lies beyond the diagonal is undefined.
template <class P, class T, class L>
[[gnu::always_inline]] inline void mass_matrix(const Tree<L>& tree, int nv, const T* q,
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
