// Sparse LU factorisation with KLU of SuiteSparse: made for matrices of circuits and mechanisms,
// which are too sparse for dense blocks to pay.
#pragma once

#include <memory>
#include <optional>
#include <vector>

namespace couplet::math {

/// What a factorisation expects: pivots on the diagonal, or (at the price of more entries) anywhere
/// in a column, as without a diagonal worth the name.
enum class Ordering { diagonal, columns };

/// Scalar: double or std::complex<double>.
template <class Scalar>
class SparseLu {
 public:
  SparseLu();
  ~SparseLu();
  SparseLu(const SparseLu&) = delete;
  SparseLu& operator=(const SparseLu&) = delete;

  /// Takes the structure, in compressed columns, and orders it; once for many factorisations.
  void analyse(const std::vector<int>& starts, const std::vector<int>& rows,
               Ordering ordering = Ordering::diagonal);
  /// With the pivots of the last factorisation while these are still good (nothing is allocated
  /// then), otherwise with new ones. Returns a column that depends on the others when the matrix is
  /// singular.
  std::optional<int> factorise(const std::vector<Scalar>& values);
  /// b becomes the solution.
  void solve(Scalar* b);
  /// The next factorisation chooses its pivots afresh: it does not depend on what was before.
  void forget();

 private:
  struct Klu;
  std::unique_ptr<Klu> klu_;
};

}  // namespace couplet::math
