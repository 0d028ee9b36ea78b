#include "couplet/integrate/jacobian/newton_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "couplet/base/text.hpp"

namespace couplet::integrate {

base::ComputationError singular_matrix(const std::string& unknown) {
  return base::ComputationError(fmt::format(
      "the equations do not determine {}: their matrix is singular", base::quoted(unknown)));
}

void place(const DescriptorJacobian& jacobian, const Rectangle& r,
           std::vector<Placement>& placements) {
  for (int row = r.row; row < r.row + r.rows; ++row) {
    const std::vector<int>& columns = jacobian.pattern().rows[static_cast<size_t>(row)];
    for (size_t k = 0; k < columns.size(); ++k) {
      const int part = jacobian.start_of_row(row) + static_cast<int>(k);
      int i = row - r.row, j = columns[k] - r.column;
      if (j < 0 || j >= r.columns) continue;
      if (r.transposed) std::swap(i, j);
      placements.push_back({part, r.to_row + i, r.to_column + j, r.coefficient});
    }
  }
}

template <class Scalar>
void NewtonMatrix<Scalar>::set_structure(int size, std::span<const Placement> placements,
                                         bool sparse) {
  size_ = size;
  sparse_ = sparse;
  std::vector<Placement> sorted(placements.begin(), placements.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Placement& a, const Placement& b) {
    return std::tie(a.column, a.row) < std::tie(b.column, b.row);
  });
  terms_.clear();
  rows_.clear();
  starts_.assign(static_cast<size_t>(size) + 1, 0);
  int row = -1, column = -1;
  for (const Placement& p : sorted) {
    if (p.row != row || p.column != column) {
      rows_.push_back(p.row);
      ++starts_[static_cast<size_t>(p.column) + 1];
    }
    row = p.row, column = p.column;
    terms_.push_back({p.part, p.coefficient, static_cast<int>(rows_.size()) - 1});
  }
  for (size_t j = 1; j < starts_.size(); ++j) starts_[j] += starts_[j - 1];
  values_.assign(rows_.size(), Scalar(0));
  if (sparse_)
    lu_.analyse(starts_, rows_);
  else
    dense_ = Matrix::Zero(size, size);
}

template <class Scalar>
std::optional<int> NewtonMatrix<Scalar>::factorise(const std::vector<double>& parts,
                                                   std::span<const Scalar> coefficients) {
  std::fill(values_.begin(), values_.end(), Scalar(0));
  for (const Term& term : terms_)
    values_[static_cast<size_t>(term.entry)] +=
        coefficients[static_cast<size_t>(term.coefficient)] * parts[static_cast<size_t>(term.part)];
  return sparse_ ? lu_.factorise(values_) : factorise_dense();
}

template <class Scalar>
std::optional<int> NewtonMatrix<Scalar>::factorise_dense() {
  if (size_ == 0) return {};
  dense_.setZero();
  for (int j = 0; j < size_; ++j)
    for (int k = starts_[static_cast<size_t>(j)]; k < starts_[static_cast<size_t>(j) + 1]; ++k)
      dense_(rows_[static_cast<size_t>(k)], j) = values_[static_cast<size_t>(k)];
  dense_lu_.compute(dense_);
  const Eigen::VectorXd pivots = dense_lu_.pivots().cwiseAbs();
  int worst = 0;
  const double least = pivots.minCoeff(&worst), largest = pivots.maxCoeff();
  if (least > 1e-17 * largest) return {};
  return worst;
}

template <class Scalar>
void NewtonMatrix<Scalar>::solve(Vector& b) {
  if (size_ == 0) return;
  if (sparse_)
    lu_.solve(b.data());
  else
    dense_lu_.solve(b, b);
}

template class NewtonMatrix<double>;
template class NewtonMatrix<std::complex<double>>;

}  // namespace couplet::integrate
