// Mass matrix by composite rigid bodies (composite.hpp): row i is F_iᵀ S over the columns of the joints
// that carry i. Six multiplications an entry, several columns in each pack, two rows at a time: their
// F stays in registers.
#pragma once

#include "couplet/dynamics/minimal/recursions/composite.hpp"

namespace couplet::dynamics {
namespace {

/// Entries of `rows` successive rows (whose F starts at `lane` of a block) in the columns of `blocks`
/// blocks from S on; they go to M[0], M[1], …, of which there are `room`.
template <class P, int rows, class T>
[[gnu::always_inline]] inline void fill(const Columns<T>& F_in, int lane, const Columns<T>* S, int blocks, T* M,
                                        long stride, int room) {
  P F[rows][6];
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < 6; ++k) F[r][k] = P(F_in.x[k][lane + r]);
  const auto entries = [&](const Columns<T>& block, int part, int r) {
    const auto at = [&](int k) { return load<P>(block.x[k] + part); };
    return F[r][0] * at(0) + F[r][1] * at(1) + F[r][2] * at(2) + F[r][3] * at(3) + F[r][4] * at(4) +
           F[r][5] * at(5);
  };
  const int whole = 4 * blocks <= room ? blocks : blocks - 1;  // they fit into the rows
  for (int b = 0; b < whole; ++b)
    for (int part = 0; part < 4; part += lanes<P>)
      for (int r = 0; r < rows; ++r) store(entries(S[b], part, r), M + r * stride + 4 * b + part);
  if (whole == blocks) return;
  for (int part = 0; part < 4; part += lanes<P>)
    for (int r = 0; r < rows; ++r) {
      T tail[lanes<P>];
      store(entries(S[whole], part, r), tail);
      for (int k = 0; k < lanes<P> && 4 * whole + part + k < room; ++k)
        M[r * stride + 4 * whole + part + k] = tail[k];
    }
}

template <class P, class T>
[[gnu::always_inline]] inline void fill_zero(T* begin, T* end) {
  for (; begin + lanes<P> <= end; begin += lanes<P>) store(P(0.0), begin);
  for (; begin < end; ++begin) *begin = T{};
}

/// Rows of one segment. From the world outward: what a pack writes beyond the columns of its segment
/// are zeros, or is overwritten later.
template <class P, int rows, class T>
[[gnu::always_inline]] inline void fill_rows(const MassMatrixPointers<T>& ws, const Segment& own, int row, int nv,
                                             T* M, long stride) {
  T* const start = M + row * stride;
  const int lane = row - own.first;
  const Columns<T>& F = ws.F[own.block + lane / 4];
  int filled = 0;
  for (int k = 0; k <= own.depth; ++k) {
    const Segment& segment = ws.segments[ws.path[k]];
    for (int r = 0; r < rows; ++r) fill_zero<P>(start + r * stride + filled, start + r * stride + segment.first);
    const int blocks = k < own.depth ? segment.blocks : lane / 4 + 1;
    fill<P, rows>(F, lane % 4, ws.S + segment.block, blocks, start + segment.first, stride,
                  nv - segment.first);
    filled = segment.last + 1;
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
    const Segment& segment = ws.segments[s];
    ws.path[segment.depth] = s;  // depth first: the entries before are its ancestors
    int row = segment.first;
    for (; row < segment.last; row += 2) fill_rows<P, 2>(ws, segment, row, nv, M, stride);
    if (row == segment.last) fill_rows<P, 1>(ws, segment, row, nv, M, stride);
  }
}

}  // namespace
}  // namespace couplet::dynamics
