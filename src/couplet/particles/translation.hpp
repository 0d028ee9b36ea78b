// Expansions move along z only: a translation turns its direction to z, moves, and turns back,
// which takes O(p³) operations (C. A. White, M. Head-Gordon, J. Chem. Phys. 105 (1996) 5061).
#pragma once

#include <Eigen/Core>
#include <vector>

#include "couplet/particles/harmonics.hpp"

namespace couplet::particles {

/// Matrices as the kernel reads them: groups of `rows_together` rows, the last one smaller; in a
/// group column by column.
constexpr int rows_together = 4;
std::vector<double> interleave(const Eigen::MatrixXd& matrix);

/// About y, by the polar angle of a direction: first the cosines, then the sines of each degree.
struct Turn {
  std::vector<double> there, back;
};
Turn make_turn(double cos_polar, int degree);

/// One matrix an order m = 0 … p, of degrees m … p.
struct Shift {
  std::vector<double> matrices;
};
/// M' = Σ q R(y + r) from M = Σ q R(y); r along z, M of a box of half the side.
Shift make_upward_shift(double r, int degree);
/// The other way, for local expansions.
Shift make_downward_shift(double r, int degree);
/// Local expansion from multipoles at distance 1; those of distance r need powers of r before and
/// behind.
Shift make_across_shift(int degree);

/// By d, in sides of a box.
struct Translation {
  int turn = 0;                        // which one
  std::vector<double> cosines, sines;  // of m φ
  std::vector<double> before, behind;  // factors of each degree; empty: 1
};
Translation make_translation(const Eigen::Vector3d& d, int turn, bool across, int degree);

}  // namespace couplet::particles
