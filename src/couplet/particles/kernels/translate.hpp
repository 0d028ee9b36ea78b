// 2 W expansions of the same direction side by side in two registers: each number of a matrix is
// read once for all.
#pragma once

#include "couplet/particles/kernels/pairs.hpp"

namespace couplet::particles {
namespace {

/// `rows` of a product: out[where_out[i]] = Σ_j matrix(i, j) in[where_in[j]], each entry 2 W
/// numbers.
template <int W, int rows>
[[gnu::always_inline]] inline void multiply_rows(const double* matrix, int columns,
                                                 const double* in, const int* where_in, double* out,
                                                 const int* where_out) {
  Pack<W> sums[rows][2] = {};
  for (int j = 0; j < columns; ++j, matrix += rows) {
    const double* x = in + where_in[j] * 2 * W;
    const Pack<W> x0 = Pack<W>::load(x), x1 = Pack<W>::load(x + W);
    for (int i = 0; i < rows; ++i) {
      const Pack<W> a(matrix[i]);
      sums[i][0] += a * x0;
      sums[i][1] += a * x1;
    }
  }
  for (int i = 0; i < rows; ++i) {
    double* y = out + where_out[i] * 2 * W;
    sums[i][0].store(y);
    sums[i][1].store(y + W);
  }
}

/// A square matrix that interleave() made; returns its end.
template <int W>
const double* multiply(const double* matrix, int size, const double* in, const int* where_in,
                       double* out, const int* where_out) {
  static_assert(rows_together == 4);
  int i = 0;
  for (; i + 4 <= size; i += 4, matrix += 4 * size)
    multiply_rows<W, 4>(matrix, size, in, where_in, out, where_out + i);
  if (size - i == 3) multiply_rows<W, 3>(matrix, size, in, where_in, out, where_out + i);
  if (size - i == 2) multiply_rows<W, 2>(matrix, size, in, where_in, out, where_out + i);
  if (size - i == 1) multiply_rows<W, 1>(matrix, size, in, where_in, out, where_out + i);
  return matrix + (size - i) * size;
}

[[gnu::always_inline]] inline void transpose(const double* const* from, int i, Pack<2> out[2]) {
  const Pack<2> a = Pack<2>::load(from[0] + i), b = Pack<2>::load(from[1] + i);
  out[0] = Pack<2>(__builtin_shufflevector(a.r, b.r, 0, 2));
  out[1] = Pack<2>(__builtin_shufflevector(a.r, b.r, 1, 3));
}
[[gnu::always_inline]] inline void transpose(const double* const* from, int i, Pack<4> out[4]) {
  const Pack<4> a = Pack<4>::load(from[0] + i), b = Pack<4>::load(from[1] + i),
                c = Pack<4>::load(from[2] + i), d = Pack<4>::load(from[3] + i);
  const auto ab0 = __builtin_shufflevector(a.r, b.r, 0, 4, 2, 6),
             ab1 = __builtin_shufflevector(a.r, b.r, 1, 5, 3, 7),
             cd0 = __builtin_shufflevector(c.r, d.r, 0, 4, 2, 6),
             cd1 = __builtin_shufflevector(c.r, d.r, 1, 5, 3, 7);
  out[0] = Pack<4>(__builtin_shufflevector(ab0, cd0, 0, 1, 4, 5));
  out[1] = Pack<4>(__builtin_shufflevector(ab1, cd1, 0, 1, 4, 5));
  out[2] = Pack<4>(__builtin_shufflevector(ab0, cd0, 2, 3, 6, 7));
  out[3] = Pack<4>(__builtin_shufflevector(ab1, cd1, 2, 3, 6, 7));
}

template <int W>
void gather(const double* const* from, int size, double* rows) {
  for (int half = 0; half < 2; ++half) {
    const double* const* own = from + half * W;
    int i = 0;
    for (; i + W <= size; i += W) {
      Pack<W> columns[W];
      transpose(own, i, columns);
      for (int k = 0; k < W; ++k) columns[k].store(rows + (i + k) * 2 * W + half * W);
    }
    for (; i < size; ++i)
      for (int k = 0; k < W; ++k) rows[i * 2 * W + half * W + k] = own[k][i];
  }
}

template <int W>
void scatter(const double* rows, int size, double* const* to, int count) {
  for (int half = 0; half < 2; ++half) {
    int i = 0;
    for (; i + W <= size; i += W) {
      const double* column[W];
      for (int k = 0; k < W; ++k) column[k] = rows + (i + k) * 2 * W + half * W;
      Pack<W> lanes[W];
      transpose(column, 0, lanes);
      for (int k = 0; k < W && half * W + k < count; ++k) {
        double* own = to[half * W + k] + i;
        (Pack<W>::load(own) + lanes[k]).store(own);
      }
    }
    for (; i < size; ++i)
      for (int k = 0; k < W && half * W + k < count; ++k)
        to[half * W + k][i] += rows[i * 2 * W + half * W + k];
  }
}

/// e^{∓imφ}, and a factor of each degree: `sign` -1 turns φ away, 1 brings it back.
template <int W>
void spin(double* rows, int degree, const Translation& by, int sign,
          const std::vector<double>& factors) {
  const auto scale = [&](double* row, const Pack<W>& f) {
    (Pack<W>::load(row) * f).store(row);
    (Pack<W>::load(row + W) * f).store(row + W);
  };
  for (int n = 0; n <= degree; ++n) {
    const double f = factors.empty() ? 1 : factors[static_cast<size_t>(n)];
    if (f != 1) scale(rows + cosine(n, 0) * 2 * W, Pack<W>(f));
    for (int m = 1; m <= n; ++m) {
      double *c = rows + cosine(n, m) * 2 * W, *s = rows + sine(n, m) * 2 * W;
      const Pack<W> a(f * by.cosines[static_cast<size_t>(m)]),
          b(-sign * f * by.sines[static_cast<size_t>(m)]);
      for (int half = 0; half < 2; ++half, c += W, s += W) {
        const Pack<W> real = Pack<W>::load(c), imaginary = Pack<W>::load(s);
        (a * real + b * imaginary).store(c);
        (a * imaginary - b * real).store(s);
      }
    }
  }
}

template <int W>
void translate(const ExpansionTable& table, const Translation& by, const Turn& turn,
               const Shift& shift, const double* const* from, double* const* to, int count,
               TranslationScratch& scratch) {
  const int degree = table.degree, size = size_of(degree);
  scratch.a.resize(static_cast<size_t>(size * 2 * W));
  scratch.b.resize(scratch.a.size());
  double *const a = scratch.a.data(), *const b = scratch.b.data();
  const int *const by_order = table.by_order.data(), *const identity = table.identity.data();

  const double* all[2 * W];
  for (int k = 0; k < 2 * W; ++k) all[k] = from[std::min(k, count - 1)];
  gather<W>(all, size, a);
  spin<W>(a, degree, by, -1, by.before);

  const double* matrix = turn.there.data();
  for (int n = 0; n <= degree; ++n) {
    const int c = cosine(n, 0), s = sine(n, 1);
    matrix = multiply<W>(matrix, n + 1, a, identity + c, b, by_order + c);
    matrix = multiply<W>(matrix, n, a, identity + s, b, by_order + s);
  }
  matrix = shift.matrices.data();
  for (int m = 0, place = 0; m <= degree; ++m) {
    const int rows = degree + 1 - m;
    const double* end = matrix;
    for (int odd = 0; odd < (m == 0 ? 1 : 2); ++odd, place += rows)
      end = multiply<W>(matrix, rows, b, identity + place, a, identity + place);
    matrix = end;
  }
  matrix = turn.back.data();
  for (int n = 0; n <= degree; ++n) {
    const int c = cosine(n, 0), s = sine(n, 1);
    matrix = multiply<W>(matrix, n + 1, a, by_order + c, b, identity + c);
    matrix = multiply<W>(matrix, n, a, by_order + s, b, identity + s);
  }
  spin<W>(b, degree, by, 1, by.behind);
  scatter<W>(b, size, to, count);
}

}  // namespace
}  // namespace couplet::particles
