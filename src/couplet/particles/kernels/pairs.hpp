// Sums over pairs: W targets in a register, one source after the other.
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>

#include "couplet/dynamics/minimal/recursions/pack.hpp"
#include "couplet/particles/kernels.hpp"

namespace couplet::particles {
namespace {

using dynamics::Pack;

// 12 bits of 1/√x; below 1e-36 nothing that is of use.
#ifdef __x86_64__
[[gnu::always_inline]] inline Pack<2> guess_inverse_root(const Pack<2>& x) {
  return Pack<2>(_mm_cvtps_pd(_mm_rsqrt_ps(_mm_cvtpd_ps(x.r))));
}
#ifdef __AVX2__
[[gnu::always_inline]] inline Pack<4> guess_inverse_root(const Pack<4>& x) {
  return Pack<4>(_mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps(x.r))));
}
#endif
#else
[[gnu::always_inline]] inline Pack<2> guess_inverse_root(const Pack<2>& x) {
  return Pack<2>(Pack<2>::Register{1 / std::sqrt(x[0]), 1 / std::sqrt(x[1])});
}
#endif

/// 1/√x to the last bits: with e = 1 - x y², 1/√x = y (1 - e)^(-1/2), and e⁵ is below round-off.
template <int W>
[[gnu::always_inline]] inline Pack<W> inverse_root(const Pack<W>& x) {
  const Pack<W> y = guess_inverse_root(x), e = Pack<W>(1) - x * y * y;
  const Pack<W> series =
      Pack<W>(0.5) + e * (Pack<W>(0.375) + e * (Pack<W>(0.3125) + e * Pack<W>(0.2734375)));
  return y + y * e * series;
}

/// Lanes where x is too small for the above; 0 belongs to them.
template <int W>
[[gnu::always_inline]] inline bool any_below(const Pack<W>& x, double least) {
  const typename Pack<W>::Bits below = x.r < Pack<W>(least).r;
  long long any = 0;
  for (int i = 0; i < W; ++i) any |= below[i];
  return any != 0;
}
#ifdef __AVX2__
template <>
[[gnu::always_inline]] inline bool any_below<4>(const Pack<4>& x, double least) {
  return _mm256_movemask_pd(_mm256_cmp_pd(x.r, Pack<4>(least).r, _CMP_LT_OQ)) != 0;
}
#endif

template <int W>
struct Felt {
  Pack<W> x, y, z;
  Pack<W> potential = 0.0, gx = 0.0, gy = 0.0, gz = 0.0;
};

template <int W>
[[gnu::noinline, gnu::cold]] Pack<W> slow_inverse_root(const Pack<W>& x) {
  Pack<W> y;
  for (int i = 0; i < W; ++i) y.r[i] = x[i] > 0 ? 1 / std::sqrt(x[i]) : 0;
  return y;
}

template <int W>
[[gnu::always_inline]] inline void feel(Felt<W>& at, double x, double y, double z, double q,
                                        double softening_squared) {
  constexpr double least = 1e-36;
  const Pack<W> dx = at.x - Pack<W>(x), dy = at.y - Pack<W>(y), dz = at.z - Pack<W>(z);
  const Pack<W> distance2 = dx * dx + dy * dy + dz * dz;
  const Pack<W> r2 = distance2 + Pack<W>(softening_squared);
  Pack<W> inverse = inverse_root(r2);
  if (any_below(distance2, least)) [[unlikely]] {
    inverse = slow_inverse_root(r2);
    for (int i = 0; i < W; ++i)
      if (distance2[i] == 0) inverse.r[i] = 0;
  }
  const Pack<W> potential = Pack<W>(q) * inverse, f = potential * inverse * inverse;
  at.potential += potential;
  at.gx -= f * dx;
  at.gy -= f * dy;
  at.gz -= f * dz;
}

template <int W>
Felt<W> load_targets(const Targets& t, int first) {
  Felt<W> at;
  for (int i = 0; i < W; ++i) {
    const int j = std::min(first + i, t.count - 1);
    at.x.r[i] = t.x[j];
    at.y.r[i] = t.y[j];
    at.z.r[i] = t.z[j];
  }
  return at;
}
template <int W>
void add_to_targets(const Felt<W>& at, const Targets& t, int first) {
  for (int i = 0; i < W && first + i < t.count; ++i) {
    t.potential[first + i] += at.potential[i];
    t.gradient_x[first + i] += at.gx[i];
    t.gradient_y[first + i] += at.gy[i];
    t.gradient_z[first + i] += at.gz[i];
  }
}

template <int W>
void sum(const Sources& s, double softening_squared, const Targets& t) {
  for (int first = 0; first < t.count; first += 2 * W) {
    Felt<W> a = load_targets<W>(t, first), b = load_targets<W>(t, first + W);
    for (int j = 0; j < s.count; ++j) {
      feel(a, s.x[j], s.y[j], s.z[j], s.strength[j], softening_squared);
      feel(b, s.x[j], s.y[j], s.z[j], s.strength[j], softening_squared);
    }
    add_to_targets(a, t, first);
    add_to_targets(b, t, first + W);
  }
}

}  // namespace
}  // namespace couplet::particles
