// Between particles and expansions: W particles in a register, harmonics by recurrence.
#pragma once

#include "couplet/particles/kernels/pairs.hpp"

namespace couplet::particles {
namespace {

/// Visits (number of the cosine, of the sine, real part, imaginary part) of R_nm, all n, m ≤
/// degree, times `start`.
template <class P, class Visit>
[[gnu::always_inline]] inline void walk_regular(P x, P y, P z, P start, int degree,
                                                const ExpansionTable& table, Visit visit) {
  const P r2 = x * x + y * y + z * z;
  const double* f = table.regular.data();
  P c = start, s = P(0);
  for (int m = 0; m <= degree; ++m) {
    P c0 = c, s0 = s, c1 = P(0), s1 = P(0);  // of degrees n and n - 1
    visit(m, m, c0, s0);
    for (int n = m + 1; n <= degree; ++n, f += 2) {
      const P az = P(f[0]) * z, br2 = P(f[1]) * r2;
      const P c2 = az * c0 - br2 * c1, s2 = az * s0 - br2 * s1;
      c1 = c0, s1 = s0, c0 = c2, s0 = s2;
      visit(n, m, c0, s0);
    }
    f += 2 * (table.degree + 1 - std::max(degree, m));  // the table goes to its degree + 1
    const P half(0.5 / (m + 1));
    const P next = (c * x - s * y) * half;
    s = (s * x + c * y) * half;
    c = next;
  }
}

/// The same of I_nm.
template <class P, class Visit>
[[gnu::always_inline]] inline void walk_irregular(P x, P y, P z, P start, int degree,
                                                  const ExpansionTable& table, Visit visit) {
  const P inverse = inverse_root(x * x + y * y + z * z), u = inverse * inverse;
  const P xu = x * u, yu = y * u, zu = z * u;
  const double* f = table.irregular.data();
  P c = start * inverse, s = P(0);
  for (int m = 0; m <= degree; ++m) {
    P c0 = c, s0 = s, c1 = P(0), s1 = P(0);
    visit(m, m, c0, s0);
    for (int n = m + 1; n <= degree; ++n, f += 2) {
      const P az = P(f[0]) * zu, bu = P(f[1]) * u;
      const P c2 = az * c0 - bu * c1, s2 = az * s0 - bu * s1;
      c1 = c0, s1 = s0, c0 = c2, s0 = s2;
      visit(n, m, c0, s0);
    }
    f += 2 * (table.degree + 1 - std::max(degree, m));
    const P odd(2 * m + 1);
    const P next = (c * xu - s * yu) * odd;
    s = (s * xu + c * yu) * odd;
    c = next;
  }
}

template <int W>
double sum_of_lanes(const Pack<W>& x) {
  double sum = 0;
  for (int i = 0; i < W; ++i) sum += x[i];
  return sum;
}

/// Σ q R / f or Σ q I w f over the sources.
template <int W, bool regular>
void expand(const Sources& sources, const Cube& cube, const ExpansionTable& table,
            std::vector<double>& scratch, double* expansion) {
  const int size = size_of(table.degree);
  scratch.assign(static_cast<size_t>(size * W), 0);
  double* const sums = scratch.data();
  const double unit = 1 / cube.side;
  for (int first = 0; first < sources.count; first += W) {
    Pack<W> x, y, z, q;
    for (int i = 0; i < W; ++i) {
      const int j = std::min(first + i, sources.count - 1);
      x.r[i] = (sources.x[j] - cube.x) * unit;
      y.r[i] = (sources.y[j] - cube.y) * unit;
      z.r[i] = (sources.z[j] - cube.z) * unit;
      q.r[i] = first + i < sources.count ? sources.strength[j] : 0;
    }
    const auto add = [&](int n, int m, const Pack<W>& c, const Pack<W>& s) {
      double *const cosines = sums + cosine(n, m) * W, *const sines = sums + sine(n, m) * W;
      (Pack<W>::load(cosines) + c).store(cosines);
      if (m > 0) (Pack<W>::load(sines) + s).store(sines);
    };
    if constexpr (regular)
      walk_regular(x, y, z, q, table.degree, table, add);
    else
      walk_irregular(x, y, z, q, table.degree, table, add);
  }
  for (int n = 0, i = 0; n <= table.degree; ++n)
    for (int k = 0; k <= 2 * n; ++k, ++i) {
      const double f = table.scales[static_cast<size_t>(i)], w = k == 0 ? 1 : 2;
      expansion[i] += sum_of_lanes(Pack<W>::load(sums + i * W)) * (regular ? 1 / f : w * f);
    }
}

template <int W>
void to_multipole(const Sources& sources, const Cube& cube, const ExpansionTable& table,
                  std::vector<double>& scratch, double* multipole) {
  expand<W, true>(sources, cube, table, scratch, multipole);
}
template <int W>
void to_local(const Sources& sources, const Cube& cube, const ExpansionTable& table,
              std::vector<double>& scratch, double* local) {
  expand<W, false>(sources, cube, table, scratch, local);
}

template <int W, bool regular>
void evaluate(const double* weights, const Cube& cube, const ExpansionTable& table,
              const Targets& targets) {
  const double unit = 1 / cube.side;
  for (int first = 0; first < targets.count; first += W) {
    Felt<W> at = load_targets<W>(targets, first);
    const auto add = [&](int n, int m, const Pack<W>& c, const Pack<W>& s) {
      const double *const a = weights + 4 * cosine(n, m), *const b = weights + 4 * sine(n, m);
      at.potential += Pack<W>(a[0]) * c;
      at.gx += Pack<W>(a[1]) * c;
      at.gy += Pack<W>(a[2]) * c;
      at.gz += Pack<W>(a[3]) * c;
      if (m == 0) return;
      at.potential += Pack<W>(b[0]) * s;
      at.gx += Pack<W>(b[1]) * s;
      at.gy += Pack<W>(b[2]) * s;
      at.gz += Pack<W>(b[3]) * s;
    };
    const Pack<W> x = (at.x - Pack<W>(cube.x)) * Pack<W>(unit),
                  y = (at.y - Pack<W>(cube.y)) * Pack<W>(unit),
                  z = (at.z - Pack<W>(cube.z)) * Pack<W>(unit);
    if constexpr (regular)
      walk_regular(x, y, z, Pack<W>(1), table.degree, table, add);
    else
      walk_irregular(x, y, z, Pack<W>(1), table.degree + 1, table, add);
    add_to_targets(at, targets, first);
  }
}

template <int W>
void from_local(const double* weights, const Cube& cube, const ExpansionTable& table,
                const Targets& targets) {
  evaluate<W, true>(weights, cube, table, targets);
}
template <int W>
void from_multipole(const double* weights, const Cube& cube, const ExpansionTable& table,
                    const Targets& targets) {
  evaluate<W, false>(weights, cube, table, targets);
}

}  // namespace
}  // namespace couplet::particles
