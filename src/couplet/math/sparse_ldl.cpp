#include "couplet/math/sparse_ldl.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <numeric>

namespace couplet::math {
namespace {

// Approximate minimum degree: little fill.
std::vector<int> find_order(const std::vector<std::vector<int>>& neighbours) {
  const int n = static_cast<int>(neighbours.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < n; ++k) {
    entries.emplace_back(k, k, 1);
    for (const int l : neighbours[static_cast<size_t>(k)])
      entries.emplace_back(k, l, 1), entries.emplace_back(l, k, 1);
  }
  Eigen::SparseMatrix<double> A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(A, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

}  // namespace

void SparseLdl::analyse(const std::vector<std::vector<int>>& neighbours, bool reorder) {
  const auto n = neighbours.size();
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), 0);
  if (reorder && n > 2) order_ = find_order(neighbours);
  place_.resize(n);
  for (size_t i = 0; i < n; ++i) place_[static_cast<size_t>(order_[i])] = static_cast<int>(i);

  // A by places, each entry with the later place.
  std::vector<std::vector<std::pair<int, int>>> rows(n);
  diagonal_.resize(n);
  int entry = 0;
  for (size_t k = 0; k < n; ++k) {
    for (const int l : neighbours[k]) {
      const int a = place_[k], b = place_[static_cast<size_t>(l)];
      rows[static_cast<size_t>(std::max(a, b))].emplace_back(std::min(a, b), entry++);
    }
    diagonal_[static_cast<size_t>(place_[k])] = entry++;
  }
  row_begin_.assign(1, 0);
  row_column_.clear();
  row_entry_.clear();
  for (const auto& row : rows) {
    for (const auto& [column, where] : row)
      row_column_.push_back(column), row_entry_.push_back(where);
    row_begin_.push_back(static_cast<int>(row_column_.size()));
  }

  // Elimination tree and the number of entries in each column of L.
  parent_.assign(n, -1);
  flag_.assign(n, -1);
  count_.assign(n, 0);
  for (int k = 0; k < static_cast<int>(n); ++k) {
    flag_[static_cast<size_t>(k)] = k;
    for (int e = row_begin_[static_cast<size_t>(k)]; e < row_begin_[static_cast<size_t>(k) + 1];
         ++e)
      for (int i = row_column_[static_cast<size_t>(e)]; flag_[static_cast<size_t>(i)] != k;
           i = parent_[static_cast<size_t>(i)]) {
        if (parent_[static_cast<size_t>(i)] < 0) parent_[static_cast<size_t>(i)] = k;
        ++count_[static_cast<size_t>(i)];
        flag_[static_cast<size_t>(i)] = k;
      }
  }
  begin_.assign(n + 1, 0);
  std::partial_sum(count_.begin(), count_.end(), begin_.begin() + 1);
  index_.assign(static_cast<size_t>(begin_.back()), 0);
  value_.assign(static_cast<size_t>(begin_.back()), 0);
  pattern_.assign(n, 0);
  for (std::vector<double>* v : {&D_inv_, &ratio_, &Y_, &work_}) v->assign(n, 0);
}

int SparseLdl::factorise(const std::vector<double>& entries, double least) {
  const int n = size();
  int dropped = 0;
  std::fill(count_.begin(), count_.end(), 0);
  std::fill(flag_.begin(), flag_.end(), -1);
  int *const parent = parent_.data(), *const flag = flag_.data(), *const count = count_.data(),
             *const pattern = pattern_.data(), *const begin = begin_.data(),
             *const index = index_.data();
  double *const Y = Y_.data(), *const L = value_.data();
  for (int k = 0; k < n; ++k) {
    // The pattern of row k of L, in topological order, and the row of A scattered into Y.
    int top = n;
    flag[k] = k;
    for (int e = row_begin_[static_cast<size_t>(k)]; e < row_begin_[static_cast<size_t>(k) + 1];
         ++e) {
      int i = row_column_[static_cast<size_t>(e)];
      Y[i] += entries[static_cast<size_t>(row_entry_[static_cast<size_t>(e)])];
      int length = 0;
      for (; flag[i] != k; i = parent[i]) pattern[length++] = i, flag[i] = k;
      while (length > 0) pattern[--top] = pattern[--length];
    }
    const double diagonal = entries[static_cast<size_t>(diagonal_[static_cast<size_t>(k)])];
    double d = diagonal;
    for (; top < n; ++top) {
      const int i = pattern[top];
      const double y = Y[i];
      Y[i] = 0;
      const int end = begin[i] + count[i];
      for (int e = begin[i]; e < end; ++e) Y[index[e]] -= L[e] * y;
      const double l = y * D_inv_[static_cast<size_t>(i)];
      d -= l * y;
      index[end] = k;
      L[end] = l;
      ++count[i];
    }
    const bool counts = d > least * diagonal && d > 0;
    ratio_[static_cast<size_t>(k)] = counts ? d / diagonal : 0;
    D_inv_[static_cast<size_t>(k)] = counts ? 1 / d : 0;
    dropped += counts ? 0 : 1;
  }
  return dropped;
}

void SparseLdl::solve(VecX& x) {
  const int n = size();
  double* const w = work_.data();
  for (int k = 0; k < n; ++k) w[k] = x[order_[static_cast<size_t>(k)]];
  for (int k = 0; k < n; ++k) {
    if (D_inv_[static_cast<size_t>(k)] == 0) w[k] = 0;
    for (int e = begin_[static_cast<size_t>(k)]; e < begin_[static_cast<size_t>(k) + 1]; ++e)
      w[index_[static_cast<size_t>(e)]] -= value_[static_cast<size_t>(e)] * w[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    w[k] *= D_inv_[static_cast<size_t>(k)];
    for (int e = begin_[static_cast<size_t>(k)]; e < begin_[static_cast<size_t>(k) + 1]; ++e)
      w[k] -= value_[static_cast<size_t>(e)] * w[index_[static_cast<size_t>(e)]];
    if (D_inv_[static_cast<size_t>(k)] == 0) w[k] = 0;
  }
  for (int k = 0; k < n; ++k) x[order_[static_cast<size_t>(k)]] = w[k];
}

}  // namespace couplet::math
