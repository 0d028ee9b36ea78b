// L D Lᵀ of a sparse symmetric matrix, for matrices of one pattern factorised again and again.
//
// Up-looking, one row of L at a time along the elimination tree: T. A. Davis, Algorithm 849: LDL,
// ACM TOMS 31(4), 2005. Allocates in analyse() only.
#pragma once

#include <vector>

#include "couplet/math/spatial.hpp"

namespace couplet::math {

class SparseLdl {
 public:
  /// `neighbours[k]`: rows l < k with an entry A_kl, ascending. Entries are then given in that
  /// order, each row's diagonal last.
  void analyse(const std::vector<std::vector<int>>& neighbours, bool reorder = true);

  /// Entries of A, row by row as above. Rows that depend on earlier ones, D_k ≤ least · A_kk, are
  /// left out: their unknown is 0. Returns how many.
  int factorise(const std::vector<double>& entries, double least = 0);
  bool left_out(int row) const { return ratio(row) == 0; }
  /// D_k / A_kk: for a matrix of scalar products, the squared sine of the angle to the rows before.
  /// 0: left out.
  double ratio(int row) const {
    return ratio_[static_cast<size_t>(place_[static_cast<size_t>(row)])];
  }

  /// x ← A⁻¹ x.
  void solve(VecX& x);

  int size() const { return static_cast<int>(parent_.size()); }

 private:
  std::vector<int> place_, order_;           // row → place in the elimination order, and back
  std::vector<int> row_begin_, row_column_;  // A in that order: per place, places before it
  std::vector<int> row_entry_, diagonal_;    // where its entries are in `entries`
  std::vector<int> parent_, begin_, count_, index_, flag_, pattern_;
  std::vector<double> value_, D_inv_, ratio_, Y_, work_;
};

}  // namespace couplet::math
