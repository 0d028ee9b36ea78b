#include "couplet/dynamics/minimal/constraints/constraint_solver.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace couplet::dynamics {
namespace {

// A row counts as dependent when its angle to the rows before it is below 3e-6 rad: geometry that
// comes from files with 9 digits still closes, and squares of it stay above round-off.
constexpr double dependent = 1e-11;
// Entries below this share of what their vectors could give are zeros that were rounded.
constexpr double rounding = 1e-10;
// While moving, only rows that the arithmetic cannot tell apart are left out.
constexpr double singular = 1e-15;

/// Entries of a symmetric matrix with these neighbours, its diagonal included.
size_t count(const std::vector<std::vector<int>>& neighbours) {
  return std::accumulate(
      neighbours.begin(), neighbours.end(), neighbours.size(),
      [](size_t sum, const std::vector<int>& list) { return sum + list.size(); });
}

}  // namespace

ConstraintSolver::ConstraintSolver(const Mechanism& mechanism) : set_(mechanism), mass_(mechanism) {
  const SparseRows& G = set_.G();
  support_begin_.push_back(0);
  size_t longest = 0;
  for (int k = 0; k < G.rows(); ++k) {
    std::set<int> support;
    for (int e = G.begin[k]; e < G.begin[k + 1]; ++e)
      for (int j = G.column[e]; j >= 0 && support.insert(j).second; j = mass_.parent(j)) {
      }
    support_.insert(support_.end(), support.begin(), support.end());
    support_begin_.push_back(static_cast<int>(support_.size()));
    longest = std::max(longest, support.size());
  }
  y_.assign(support_.size(), 0);
  y_next_.assign(longest, 0);
  row_.assign(longest, 0);
  scatter_ = VecX::Zero(mechanism.nv);
  rows_.resize(static_cast<size_t>(G.rows()));
  std::iota(rows_.begin(), rows_.end(), 0);
}

void ConstraintSolver::push_row(const SparseRows& G, int row, double* y) {
  const int begin = support_begin_[row], n = support_begin_[row + 1] - begin;
  int e = G.begin[row];
  for (int k = 0; k < n; ++k)
    row_[k] = e < G.begin[row + 1] && G.column[e] == support_[begin + k] ? G.value[e++] : 0.0;
  mass_.push(support_.data() + begin, n, row_.data(), y);
}

/// Σ_j scatter_j y_j over the support of a row.
double ConstraintSolver::product(const double* y, int row) const {
  double sum = 0;
  for (int k = support_begin_[row]; k < support_begin_[row + 1]; ++k)
    sum += scatter_[support_[k]] * *y++;
  return sum;
}

std::vector<std::vector<int>> ConstraintSolver::find_neighbours(
    const std::vector<int>& rows) const {
  std::vector<std::vector<int>> on_freedom(static_cast<size_t>(scatter_.size())),
      neighbours(rows.size());
  for (size_t a = 0; a < rows.size(); ++a) {
    std::set<int> found;
    for (int k = support_begin_[rows[a]]; k < support_begin_[rows[a] + 1]; ++k) {
      std::vector<int>& others = on_freedom[static_cast<size_t>(support_[k])];
      found.insert(others.begin(), others.end());
      others.push_back(static_cast<int>(a));
    }
    neighbours[a].assign(found.begin(), found.end());
  }
  return neighbours;
}

void ConstraintSolver::calc_entries(const std::vector<int>& rows,
                                    const std::vector<std::vector<int>>& neighbours,
                                    std::vector<double>& entries) {
  for (const int row : rows) push_row(set_.G(), row, y_.data() + support_begin_[row]);
  size_t entry = 0;
  for (size_t a = 0; a < rows.size(); ++a) {
    const int begin = support_begin_[rows[a]], end = support_begin_[rows[a] + 1];
    for (int k = begin; k < end; ++k) scatter_[support_[k]] = y_[k] * mass_.D_inv(support_[k]);
    for (const int b : neighbours[a])
      entries[entry++] = product(y_.data() + support_begin_[rows[b]], rows[b]);
    entries[entry++] = product(y_.data() + begin, rows[a]);
    for (int k = begin; k < end; ++k) scatter_[support_[k]] = 0;
  }
}

// Cholesky's factorisation with pivots: the row with the largest part that is independent of those
// chosen so far comes next. Rows are scaled by what they could be, so that one that hardly moves
// anything comes late.
std::vector<int> ConstraintSolver::find_independent(const std::vector<int>& candidates,
                                                    const std::vector<std::vector<int>>& neighbours,
                                                    const std::vector<double>& entries) const {
  const auto n = static_cast<Eigen::Index>(candidates.size());
  MatX A = MatX::Zero(n, n);
  size_t entry = 0;
  for (Eigen::Index a = 0; a < n; ++a) {
    for (const int b : neighbours[static_cast<size_t>(a)]) A(a, b) = A(b, a) = entries[entry++];
    A(a, a) = entries[entry++];
  }
  VecX scale(n);
  for (Eigen::Index a = 0; a < n; ++a)
    scale[a] = A(a, a) > 0 ? set_.fill(candidates[static_cast<size_t>(a)]) / std::sqrt(A(a, a)) : 0;
  A = scale.asDiagonal() * A * scale.asDiagonal();
  VecX left = A.diagonal();
  MatX L = MatX::Zero(n, n);
  std::vector<int> order;
  while (static_cast<Eigen::Index>(order.size()) < n) {
    Eigen::Index best = 0;
    if (left.maxCoeff(&best) <= dependent) break;
    const auto k = static_cast<Eigen::Index>(order.size());
    L.col(k) =
        (A.col(best) - L.leftCols(k) * L.row(best).head(k).transpose()) / std::sqrt(left[best]);
    left -= L.col(k).cwiseAbs2();
    for (const int a : order) left[a] = 0;
    left[best] = 0;
    order.push_back(static_cast<int>(best));
  }
  return order;
}

void ConstraintSolver::choose_rows(const State& state, const Kinematics& kinematics, int at_least) {
  mass_.factorise(state, kinematics);
  std::vector<int> candidates;
  for (int k = 0; k < set_.rows(); ++k)
    if (set_.fill(k) > rounding) candidates.push_back(k);
  const std::vector<std::vector<int>> all = find_neighbours(candidates);
  std::vector<double> entries(count(all));
  calc_entries(candidates, all, entries);
  std::vector<int> chosen;
  for (const int a : find_independent(candidates, all, entries))
    chosen.push_back(candidates[static_cast<size_t>(a)]);
  if (static_cast<int>(chosen.size()) < at_least) return;
  std::sort(chosen.begin(), chosen.end());
  set_rows(std::move(chosen));
}

void ConstraintSolver::set_rows(std::vector<int> rows) {
  if (rows == rows_ && revision_ > 0) return;
  rows_ = std::move(rows);
  set_.set_wanted(rows_);
  positions_ = static_cast<int>(std::lower_bound(rows_.begin(), rows_.end(), set_.positions()) -
                                rows_.begin());
  ++revision_;
  neighbours_ = find_neighbours(rows_);
  entries_.assign(count(neighbours_), 0);
  ldl_.analyse(neighbours_);
}

void ConstraintSolver::factorise(const State& state, const Kinematics& kinematics) {
  mass_.factorise(state, kinematics);
  calc_entries(rows_, neighbours_, entries_);
  ldl_.factorise(entries_, singular);
  singularity_ = 1;
  for (size_t a = 0; a < rows_.size(); ++a) {
    const double fill = set_.fill(rows_[a]);
    singularity_ = std::min(singularity_, ldl_.ratio(static_cast<int>(a)) * fill * fill);
  }
}

void ConstraintSolver::calc_response(const VecX& lambda, VecX& out) {
  out.setZero();
  for (size_t a = 0; a < rows_.size(); ++a) {
    const double* y = y_.data() + support_begin_[rows_[a]];
    for (int k = support_begin_[rows_[a]]; k < support_begin_[rows_[a] + 1]; ++k)
      out[support_[k]] += lambda[static_cast<Eigen::Index>(a)] * *y++;
  }
  for (Eigen::Index j = 0; j < out.size(); ++j) out[j] *= mass_.D_inv(static_cast<int>(j));
  mass_.pull(out);
}

void ConstraintSolver::calc_mixed(const SparseRows& next, MatX& B) {
  for (size_t a = 0; a < rows_.size(); ++a) {
    const int begin = support_begin_[rows_[a]], end = support_begin_[rows_[a] + 1];
    push_row(next, rows_[a], y_next_.data());
    for (int k = begin; k < end; ++k)
      scatter_[support_[k]] = y_next_[k - begin] * mass_.D_inv(support_[k]);
    for (size_t b = 0; b < rows_.size(); ++b)
      B(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) =
          product(y_.data() + support_begin_[rows_[b]], rows_[b]);
    for (int k = begin; k < end; ++k) scatter_[support_[k]] = 0;
  }
}

void ConstraintSolver::spread(const VecX& counted, VecX& all) const {
  all.setZero();
  for (size_t a = 0; a < rows_.size(); ++a) all[rows_[a]] = counted[static_cast<Eigen::Index>(a)];
}

}  // namespace couplet::dynamics
