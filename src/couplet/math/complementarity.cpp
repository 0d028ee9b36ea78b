// C. E. Lemke, Management Science 11, 1965; R. W. Cottle, J.-S. Pang and R. E. Stone, The linear
// complementarity problem, 1992, algorithm 4.4.5, with the lexicographic choice of 4.9 against
// cycles.
#include "couplet/math/complementarity.hpp"

#include <cmath>
#include <vector>

namespace couplet::math {
namespace {

constexpr double rounding = 1e-12;  // of numbers that scaling has brought to 1

/// w - A z - z₀ 1 = b, solved for the variables of the basis. Columns: w, z, z₀, right side.
class Lemke {
 public:
  Lemke(const MatX& A, const VecX& b) : n_(A.rows()), T_(n_, 2 * n_ + 2), basis_(index(n_)) {
    T_.leftCols(n_).setIdentity();
    T_.middleCols(n_, n_) = -A;
    T_.col(2 * n_).setConstant(-1);
    T_.col(2 * n_ + 1) = b;
    for (Eigen::Index i = 0; i < n_; ++i) basis_[index(i)] = i;
  }

  bool solve() {
    Eigen::Index row = 0;
    if (T_.col(2 * n_ + 1).minCoeff(&row) >= 0) return true;
    for (Eigen::Index i = row + 1; i < n_; ++i)  // the last of equals is the lexicographic least
      if (T_(i, 2 * n_ + 1) == T_(row, 2 * n_ + 1)) row = i;
    Eigen::Index enters = 2 * n_;
    const Eigen::Index most = 50 * (n_ + 1);
    for (Eigen::Index pivots = 0; pivots < most; ++pivots) {
      const Eigen::Index leaves = basis_[index(row)];
      pivot(row, enters);
      if (leaves == 2 * n_) return true;
      enters = leaves < n_ ? leaves + n_ : leaves - n_;  // the complement
      row = find_row(enters);
      if (row < 0) return false;  // a ray
    }
    return false;
  }

  VecX solution() const {
    VecX z = VecX::Zero(n_);
    for (Eigen::Index i = 0; i < n_; ++i) {
      const Eigen::Index k = basis_[index(i)];
      if (k >= n_ && k < 2 * n_) z[k - n_] = std::max(0.0, T_(i, 2 * n_ + 1));
    }
    return z;
  }

 private:
  static size_t index(Eigen::Index i) { return static_cast<size_t>(i); }

  void pivot(Eigen::Index row, Eigen::Index column) {
    T_.row(row) /= T_(row, column);
    for (Eigen::Index i = 0; i < n_; ++i)
      if (i != row) T_.row(i) -= T_(i, column) * T_.row(row).eval();
    basis_[index(row)] = column;
  }

  // The ratio test, of the right side and then of the columns of w; z₀ leaves where it may.
  Eigen::Index find_row(Eigen::Index column) const {
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < n_; ++i)
      if (T_(i, column) > rounding && (best < 0 || is_less(i, best, column))) best = i;
    return best;
  }
  bool is_less(Eigen::Index i, Eigen::Index than, Eigen::Index column) const {
    const auto compare = [&](Eigen::Index k) {
      const double difference = T_(i, k) / T_(i, column) - T_(than, k) / T_(than, column);
      return std::abs(difference) <= rounding ? 0 : difference < 0 ? -1 : 1;
    };
    if (const int sign = compare(2 * n_ + 1)) return sign < 0;
    if (basis_[index(i)] == 2 * n_ || basis_[index(than)] == 2 * n_)
      return basis_[index(i)] == 2 * n_;
    for (Eigen::Index k = 0; k < n_; ++k)
      if (const int sign = compare(k)) return sign < 0;
    return false;
  }

  Eigen::Index n_;
  MatX T_;
  std::vector<Eigen::Index> basis_;
};

}  // namespace

bool solve_complementarity(const MatX& A, const VecX& b, VecX& z) {
  z = VecX::Zero(b.size());
  if (b.size() == 0 || b.minCoeff() >= 0) return true;
  // Scaled: the diagonal and the largest of b are 1.
  VecX scale = VecX::Ones(b.size());
  for (Eigen::Index i = 0; i < b.size(); ++i)
    if (A(i, i) > 0) scale[i] = 1 / std::sqrt(A(i, i));
  const VecX scaled = scale.cwiseProduct(b);
  const double size = scaled.lpNorm<Eigen::Infinity>();
  Lemke lemke(scale.asDiagonal() * A * scale.asDiagonal(), scaled / size);
  if (!lemke.solve()) return false;
  z = size * scale.cwiseProduct(lemke.solution());
  return true;
}

}  // namespace couplet::math
