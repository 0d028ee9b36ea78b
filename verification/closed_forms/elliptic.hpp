// Elliptic functions and integrals for any argument. Abramowitz, Stegun, "Handbook of Mathematical
// Functions", chapters 16 and 17.
#pragma once

namespace couplet::verification {

/// m = k² and m1 = 1 - k², both: near m = 1 the smaller one cannot be had from the other to all
/// digits.
struct Modulus {
  double m, m1;
};

/// sn, cn, dn and their amplitude am (sn = sin am), which grows with u.
struct Jacobi {
  double sn, cn, dn, am;
};

/// By the arithmetic-geometric mean and descending Landen transformations.  [16.4]
Jacobi calc_jacobi(double u, Modulus k);

double calc_quarter_period(Modulus k);  // K

/// F(φ) = ∫ dφ / √(1 - m sin² φ), the inverse of am.
double calc_F(double phi, Modulus k);
/// Π(n; φ) = ∫ dφ / ((1 - n sin² φ) √(1 - m sin² φ)) = ∫ du / (1 - n sn² u), n < 1.
double calc_Pi(double n, double phi, Modulus k);

}  // namespace couplet::verification
