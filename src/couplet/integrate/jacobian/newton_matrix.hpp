// A Newton matrix that is a sum of parts, each with its own coefficient: when only the step
// changes, so do only the coefficients, and the parts (J̃ and M of Arnold 1998, section 3) are kept.
#pragma once

#include <complex>
#include <span>

#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/jacobian/descriptor_jacobian.hpp"
#include "couplet/math/dense_lu.hpp"
#include "couplet/math/sparse_lu.hpp"

namespace couplet::integrate {

/// parts[part] times coefficients[coefficient] is added to the entry (row, column).
struct Placement {
  int part, row, column, coefficient;
};

/// A rectangle of a DescriptorJacobian and where it goes.
struct Rectangle {
  int row, rows, column, columns;  // in the Jacobian
  int to_row, to_column, coefficient;
  bool transposed = false;
};
/// What to say when a matrix is singular.
base::ComputationError singular_matrix(const std::string& unknown);

void place(const DescriptorJacobian& jacobian, const Rectangle& rectangle,
           std::vector<Placement>& placements);

template <class Scalar>
class NewtonMatrix {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// sparse: off for a dense factorisation, to compare with.
  void set_structure(int size, std::span<const Placement> placements, bool sparse);
  /// Forms and factorises the matrix. Returns a column that depends on the others when it is
  /// singular.
  std::optional<int> factorise(const std::vector<double>& parts,
                               std::span<const Scalar> coefficients);
  /// b becomes the solution.
  void solve(Vector& b);
  void forget() { lu_.forget(); }

  int size() const { return size_; }
  int entries() const { return static_cast<int>(rows_.size()); }

 private:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  struct Term {
    int part, coefficient, entry;
  };
  std::optional<int> factorise_dense();

  int size_ = 0;
  bool sparse_ = true;
  std::vector<Term> terms_;
  std::vector<int> starts_, rows_;  // compressed columns
  std::vector<Scalar> values_;
  math::SparseLu<Scalar> lu_;
  Matrix dense_;
  math::DenseLu<Scalar> dense_lu_;
};

}  // namespace couplet::integrate
