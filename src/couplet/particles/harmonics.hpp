// Solid harmonics, real and orthonormal in degree, as expansions keep them.
//
// R_nm = r^n P_nm(cos θ) e^{imφ} / (n+m)!, I_nm = (n-m)! P_nm(cos θ) e^{imφ} / r^{n+1} (without the
// sign of Condon and Shortley):
//   1/|x - y| = Σ_n [R_n0(y) I_n0(x) + 2 Σ_{m>0} Re(R*_nm(y) I_nm(x))],  |y| < |x|.
// Real and imaginary parts of degree n are numbers n² + m and n² + n + m of an expansion.
// Multipoles are stored as Σ q R / f, local expansions as Σ q I w f, where f_nm = 1/(s √((n-m)!
// (n+m)!)), w = s² = 1 for m = 0 and 2 otherwise: then rotations are orthogonal matrices, the same
// for both. W. Dehnen, Computational Astrophysics and Cosmology 1:1 (2014), appendix A, has the
// recurrences.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace couplet::particles {

constexpr int size_of(int degree) {
  return (degree + 1) * (degree + 1);
}  // numbers of an expansion
constexpr int cosine(int n, int m) { return n * n + m; }
constexpr int sine(int n, int m) { return n * n + n + m; }  // m > 0

/// f_nm of every number of an expansion.
std::vector<double> calc_scales(int degree);

/// How real, orthonormal harmonics of degrees 0 to `degree` change when the frame turns: Y(Q x) =
/// R(Q) Y(x). The matrix of degree n has 2n + 1 rows; rows and columns are in the order above.
std::vector<Eigen::MatrixXd> calc_rotations(const Eigen::Matrix3d& Q, int degree);

}  // namespace couplet::particles
