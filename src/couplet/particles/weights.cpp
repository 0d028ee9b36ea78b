// (∂x - i∂y) R_nm = R_{n-1,m-1},  (∂x + i∂y) R_nm = -R_{n-1,m+1},  ∂z R_nm = R_{n-1,m},
// (∂x - i∂y) I_nm = I_{n+1,m-1},  (∂x + i∂y) I_nm = -I_{n+1,m+1},  ∂z I_nm = -I_{n+1,m}.
// An expansion Σ Re(A*_nm H_nm) over all orders, A_{n,-m} = (-1)^m A*_nm, so has derivatives with
// ½ (A_{n',m+1} - A_{n',m-1}), -i/2 (A_{n',m+1} + A_{n',m-1}), ±A_{n',m}, n' = n ± 1.
#include "couplet/particles/weights.hpp"

#include <cstdlib>

namespace couplet::particles {
namespace {

struct Complex {
  double re, im;
};

/// A_nm of any order, from numbers that are multiplied by scale(i, m).
template <class Scale>
Complex number(const double* A, const ExpansionTable& table, const Scale& scale, int n, int m) {
  const int k = std::abs(m);
  if (n < 0 || n > table.degree || k > n) return {0, 0};
  const double f = scale(table.scales[static_cast<size_t>(cosine(n, k))], k);
  const double re = f * A[cosine(n, k)], im = k ? f * A[sine(n, k)] : 0;
  if (m >= 0) return {re, im};
  return k % 2 ? Complex{-re, im} : Complex{re, -im};
}

template <class Scale>
void calc_weights(const double* A, const ExpansionTable& table, const Scale& scale, int degree,
                  int step, double side, std::vector<double>& weights) {
  weights.assign(static_cast<size_t>(4 * size_of(degree)), 0);
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m) {
      const double w = (m ? 2 : 1) / side, g = w / side;
      const auto at = [&](int degree_of, int order) {
        return number(A, table, scale, degree_of, order);
      };
      const Complex p = at(n, m), up = at(n + step, m + 1), down = at(n + step, m - 1),
                    z = at(n + step, m);
      double* c = weights.data() + 4 * cosine(n, m);
      c[0] = w * p.re;
      c[1] = g * 0.5 * (up.re - down.re);
      c[2] = g * 0.5 * (up.im + down.im);
      c[3] = step * g * z.re;
      if (m == 0) continue;
      double* s = weights.data() + 4 * sine(n, m);
      s[0] = w * p.im;
      s[1] = g * 0.5 * (up.im - down.im);
      s[2] = -g * 0.5 * (up.re + down.re);
      s[3] = step * g * z.im;
    }
}

}  // namespace

void calc_local_weights(const double* local, const ExpansionTable& table, double side,
                        std::vector<double>& weights) {
  const auto scale = [](double f, int m) { return 1 / (f * (m ? 2 : 1)); };
  calc_weights(local, table, scale, table.degree, 1, side, weights);
}

void calc_multipole_weights(const double* multipole, const ExpansionTable& table, double side,
                            std::vector<double>& weights) {
  const auto scale = [](double f, int) { return f; };
  calc_weights(multipole, table, scale, table.degree + 1, -1, side, weights);
}

}  // namespace couplet::particles
