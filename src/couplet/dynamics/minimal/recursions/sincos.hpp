// Sine and cosine of many angles at once.
//
// k = round(2 x / π), r = x - k π/2 with π/2 split in three, then the polynomials of fdlibm's __sin
// and __cos on |r| <= π/4 and the quadrant from k mod 4. Below 1.5 ulp for |x| <= 1e5; larger
// angles, NaN and infinity go to the library function. Where there is no fused multiply-add, π/2 is
// split so that its first two products with |k| < 2^20 are exact.
#pragma once

#include <bit>

#include "couplet/dynamics/minimal/recursions/pack.hpp"

namespace couplet::dynamics {
namespace {

constexpr double largest_fast_angle = 1e5;

#ifdef __AVX2__
constexpr int sincos_width = 4;
#else
constexpr int sincos_width = 2;
#endif

/// In each lane b where the sign bit of `sign` is set, a elsewhere.
template <int W>
[[gnu::always_inline]] inline typename Pack<W>::Register choose(typename Pack<W>::Bits sign,
                                                                typename Pack<W>::Register a,
                                                                typename Pack<W>::Register b) {
#ifdef __AVX2__
  if constexpr (W == 4) return __builtin_ia32_blendvpd256(a, b, typename Pack<W>::Register(sign));
#endif
  return sign < 0 ? b : a;
}

/// An angle as r + k π/2; k is in the last bits of `quadrant`.
template <int W>
struct Reduced {
  typename Pack<W>::Register r;
  typename Pack<W>::Bits quadrant;
};
template <int W>
[[gnu::always_inline]] inline Reduced<W> reduced(const Pack<W>& angle) {
  using Register = typename Pack<W>::Register;
  constexpr double shifter = 0x1.8p52;
  const Register x = angle.r;
  const Register shifted = x * 0.63661977236758134308 + shifter;
  const Register k = shifted - shifter;
#ifdef __FMA__
  // π/2 in three doubles: the first step is exact, the last one matters only where r is tiny
  const Register r =
      ((x - k * 0x1.921fb54442d18p0) - k * 0x1.1a62633145c07p-54) + k * 0x1.f1976b7ed8fbcp-110;
#else
  // π/2 = c1 + c2 + c3, the first two with 33 bits each (fdlibm's pio2_1, pio2_2, pio2_2t)
  constexpr double c1 = 1.57079632673412561417e+00, c2 = 6.07710050630396597660e-11,
                   c3 = 2.02226624879595063154e-21;
  const Register r1 = x - k * c1;  // exact
  const Register r2 = r1 - k * c2;
  const Register r = r2 - (k * c3 - ((r1 - r2) - k * c2));  // with what was rounded off r2
#endif
  return {r, typename Pack<W>::Bits(shifted)};
}

template <int W>
[[gnu::always_inline]] inline void sincos_pack(const Reduced<W>& angle, double* cosine,
                                               double* sine) {
  using Register = typename Pack<W>::Register;
  using Bits = typename Pack<W>::Bits;
  const Register r = angle.r, z = r * r;

  // In two halves each, which run side by side; cos as 1 - z/2 with what that rounds off.
  const Register zz = z * z;
  const Register sin_part =
      (8.33333333332248946124e-03 +
       z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)) +
      (z * zz) * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
  const Register cos_part =
      z * (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
      (zz * zz) * (-2.75573143513906633035e-07 +
                   z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
  const Register sin_r = r + (z * r) * (-1.66666666666666324348e-01 + z * sin_part);
  const Register half = 0.5 * z, most = 1.0 - half;
  const Register cos_r = most + (((1.0 - most) - half) + z * cos_part);
  // Odd quadrants swap; the sign of sin is bit 1 of k, that of cos bit 1 of k + 1: bits 0 and 1
  // differ.
  const Bits bit0 = angle.quadrant << 63, bit1 = angle.quadrant << 62, sign = Bits{} + (1LL << 63);
  const Bits s = Bits(choose<W>(bit0, sin_r, cos_r)) ^ (bit1 & sign);
  const Bits c = Bits(choose<W>(bit0, cos_r, sin_r)) ^ ((bit0 ^ bit1) & sign);
  std::memcpy(sine, &s, sizeof s);
  std::memcpy(cosine, &c, sizeof c);
}

/// Cosines and sines of n packs: of angle(0), … angle(n - 1). In two loops: one after the other,
/// the steps for a pack take longer than the processor can read ahead to the next packs.
template <int W, class Angle>
[[gnu::always_inline]] inline void calc_sincos_packs(int n, const Angle& angle, double* cosine,
                                                     double* sine) {
  // Positive doubles are ordered like their bits: negative after one that is too large, or NaN.
  typename Pack<W>::Bits left{};
  for (int i = 0; i < n; ++i) {
    const Pack<W> x = angle(i);
    left |=
        std::bit_cast<long long>(largest_fast_angle) - (typename Pack<W>::Bits(x.r) & ~(1LL << 63));
    const Reduced<W> y = reduced(x);
    std::memcpy(cosine + W * i, &y.r, sizeof y.r);
    std::memcpy(sine + W * i, &y.quadrant, sizeof y.quadrant);
  }
  for (int i = 0; i < n; ++i) {
    Reduced<W> y;
    std::memcpy(&y.r, cosine + W * i, sizeof y.r);
    std::memcpy(&y.quadrant, sine + W * i, sizeof y.quadrant);
    sincos_pack(y, cosine + W * i, sine + W * i);
  }
  long long any = 0;
  for (int l = 0; l < W; ++l) any |= left[l];
  if (any >= 0) [[likely]]
    return;
  for (int i = 0; i < n; ++i) {
    const Pack<W> x = angle(i);
    for (int l = 0; l < W; ++l) {
      if (std::fabs(x[l]) <= largest_fast_angle) continue;
      cosine[W * i + l] = std::cos(x[l]);
      sine[W * i + l] = std::sin(x[l]);
    }
  }
}
template <int W, class Angle>
[[gnu::always_inline]] inline void calc_sincos(int n, const Angle& angle, Pack<W>* cosine,
                                               Pack<W>* sine) {
  calc_sincos_packs<W>(n, angle, reinterpret_cast<double*>(cosine),
                       reinterpret_cast<double*>(sine));
}

/// Of the angles in an array; all arrays are padded to whole packs.
inline void calc_sincos(int n, const double* angle, double* cosine, double* sine) {
  constexpr int W = sincos_width;
  calc_sincos_packs<W>((n + W - 1) / W, [=](int i) { return Pack<W>::load(angle + W * i); }, cosine,
                       sine);
}

/// Of angle(0), … angle(n - 1), into arrays that are padded to whole packs.
template <class Angle>
[[gnu::always_inline]] inline void calc_sincos(int n, const Angle& angle, double* cosine,
                                               double* sine) {
  constexpr int W = sincos_width;
  const auto at = [&](int k) { return angle(k < n ? k : n - 1); };
  calc_sincos_packs<W>(
      (n + W - 1) / W,
      [&](int i) {
        if constexpr (W == 4)
          return Pack<4>(Pack<4>::Register{at(4 * i), at(4 * i + 1), at(4 * i + 2), at(4 * i + 3)});
        else
          return Pack<2>(Pack<2>::Register{at(2 * i), at(2 * i + 1)});
      },
      cosine, sine);
}

/// Any other scalar: its own functions.
template <class T, class Angle>
inline void calc_sincos(int n, const Angle& angle, T* cosine, T* sine) {
  for (int i = 0; i < n; ++i) {
    cosine[i] = cos(angle(i));
    sine[i] = sin(angle(i));
  }
}

}  // namespace
}  // namespace couplet::dynamics
