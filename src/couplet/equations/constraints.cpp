// Equations that were differentiated constrain the candidates for states. Seen as a matrix, a row
// for each of them and a column for each chain x, ẋ, ẍ, with the factors of the highest derivatives
// as entries, Gauss's elimination with pivots that are numbers takes out what can be found from the
// others whatever the motion. Of other entries only the place is kept. Variables that rules for
// derivatives made for themselves are eliminated, too.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "couplet/equations/passes.hpp"

namespace couplet::equations {
namespace {

constexpr double tiny = 1e-10;  // what elimination leaves of a row whose entries were about 1

class Eliminator {
 public:
  explicit Eliminator(const Dae& dae) : dae_(dae) {}

  Constraints run() {
    read();
    for (bool again = true; again;) {
      again = false;
      for (const int column : by_wish_)
        if (const int row = find_pivot(column); row >= 0) {
          eliminate(row, column);
          again = true;
        }
    }
    collect_sets();
    return std::move(result_);
  }

 private:
  const Variable& variable(int v) const { return dae_.variables[static_cast<size_t>(v)]; }
  const Equation& equation(int e) const { return dae_.equations[static_cast<size_t>(e)]; }

  // The highest derivative of a chain that is an unknown.
  int top_of(int v) const {
    for (int d = variable(v).derivative; d >= 0 && is_unknown(dae_, d); d = variable(v).derivative)
      v = d;
    return v;
  }

  void read() {
    for (size_t v = 0; v < dae_.variables.size(); ++v)
      if (is_candidate(static_cast<int>(v)))
        candidates_[top_of(static_cast<int>(v))].push_back(static_cast<int>(v));
    for (int e = 0; e < static_cast<int>(dae_.equations.size()); ++e) {
      if (equation(e).integral >= 0) continue;
      int top = e, order = 0;
      for (; equation(top).derivative >= 0; ++order) top = equation(top).derivative;
      const std::vector<Factor> factors = find_factors(dae_, equation(top).residual);
      if (order == 0) {
        const int v = equation(e).derivative_rule ? find_defined(factors) : -1;
        if (v < 0) continue;
        candidates_.emplace(v, std::vector<int>{});
      }
      base_.push_back(e);
      order_.push_back(order);
      factors_.push_back(factors);
    }
    used_.assign(base_.size(), 0);
    rows_.resize(base_.size());
    for (size_t r = 0; r < base_.size(); ++r)
      for (const Factor& f : factors_[r]) {
        if (!candidates_.contains(f.variable) || f.value == 0) continue;
        rows_[r].emplace(f.variable, f.value);
        columns_[f.variable].insert(static_cast<int>(r));
      }
    for (const auto& [top, list] : candidates_) {
      by_wish_.push_back(top);
      wish_.emplace(top, list.empty() ? -1 : wish_of(dae_, top));
    }
    std::sort(by_wish_.begin(), by_wish_.end(), [&](int a, int b) {
      const long x = wish_.at(a), y = wish_.at(b);
      return x != y ? x < y : a > b;
    });
  }

  // What a rule for derivatives needs for itself: v in v = f(…), the last that was made.
  int find_defined(const std::vector<Factor>& factors) const {
    int best = -1;
    for (const Factor& f : factors)
      if (std::abs(f.value) == 1 && !candidates_.contains(f.variable) &&
          is_unknown(dae_, f.variable) &&
          (best < 0 || variable(f.variable).hidden >= variable(best).hidden))
        best = f.variable;
    return best;
  }

  bool is_candidate(int v) const { return variable(v).derivative >= 0 && is_unknown(dae_, v); }

  Select select_of(int top) const { return static_cast<Select>(wish_.at(top) / 1000); }

  // The shortest row with a number there; unless what the model wants less is in it, or the chain
  // is too short for it.
  int find_pivot(int column) const {
    int best = -1;
    const auto found = columns_.find(column);
    if (found == columns_.end()) return -1;
    const Select wish = select_of(column);
    const auto depth = static_cast<int>(candidates_.at(column).size());
    for (const int r : found->second) {
      const auto k = static_cast<size_t>(r);
      if (used_[k] || std::isnan(rows_[k].at(column)) || order_[k] > depth ||
          (order_[k] == 0) != (depth == 0))
        continue;
      if (best >= 0 && rows_[static_cast<size_t>(best)].size() <= rows_[k].size()) continue;
      bool wanted_less = false;
      if (wish > Select::normal)
        for (const auto& [c, value] : rows_[k]) wanted_less = wanted_less || select_of(c) < wish;
      if (!wanted_less) best = r;
    }
    return best;
  }

  void eliminate(int row, int column) {
    const std::map<int, double>& pivots = rows_[static_cast<size_t>(row)];
    const double pivot = pivots.at(column);
    used_[static_cast<size_t>(row)] = 1;
    const std::set<int> others = columns_[column];
    for (const int r : others) {
      if (used_[static_cast<size_t>(r)]) continue;
      std::map<int, double>& entries = rows_[static_cast<size_t>(r)];
      const double factor = entries.at(column) / pivot;
      for (const auto& [c, value] : pivots) {
        if (c == column) continue;
        double& x = entries[c];
        const double change = factor * value;
        const double sum = x - change;
        const bool gone = std::abs(sum) <= tiny * std::max(std::abs(x), std::abs(change));
        x = sum;
        if (gone) {
          entries.erase(c);
          columns_[c].erase(r);
        } else {
          columns_[c].insert(r);
        }
      }
      entries.erase(column);
    }
    columns_.erase(column);
    for (const auto& [c, value] : pivots)
      if (c != column) columns_[c].erase(row);
    // x, and as many of its derivatives as the row was differentiated
    int v = column;
    for (int e = base_[static_cast<size_t>(row)]; equation(e).derivative >= 0;
         e = equation(e).derivative) {
      for (const int c : candidates_.at(column))
        if (variable(c).derivative == v) {
          result_.dependent.push_back(c);
          v = c;
          break;
        }
    }
  }

  // Rows and columns that are left, as far as they hang together.
  void collect_sets() {
    std::vector<char> seen(rows_.size(), 0);
    for (size_t first = 0; first < rows_.size(); ++first) {
      if (seen[first] || used_[first] || order_[first] == 0) continue;
      std::vector<size_t> rows{first};
      seen[first] = 1;
      std::set<int> columns;
      for (size_t i = 0; i < rows.size(); ++i)
        for (const auto& [c, value] : rows_[rows[i]])
          if (columns.insert(c).second)
            for (const int r : columns_[c])
              if (!seen[static_cast<size_t>(r)] && !used_[static_cast<size_t>(r)]) {
                seen[static_cast<size_t>(r)] = 1;
                rows.push_back(static_cast<size_t>(r));
              }
      add_set(rows, columns);
    }
  }

  void add_set(const std::vector<size_t>& rows, const std::set<int>& columns) {
    ConstraintSet set;
    for (const int c : columns)
      set.variables.insert(set.variables.end(), candidates_[c].begin(), candidates_[c].end());
    std::sort(set.variables.begin(), set.variables.end());
    for (const size_t r : rows) {
      std::vector<int> chain;
      for (int e = base_[r]; equation(e).derivative >= 0; e = equation(e).derivative)
        chain.push_back(e);
      if (set.equations.size() < chain.size())
        set.equations.insert(set.equations.begin(), chain.size() - set.equations.size(),
                             std::vector<int>{});
      for (size_t k = 0; k < chain.size(); ++k)
        set.equations[set.equations.size() - chain.size() + k].push_back(chain[k]);
    }
    result_.sets.push_back(std::move(set));
  }

  const Dae& dae_;
  Constraints result_;
  std::map<int, std::vector<int>> candidates_;  // of each chain, by its highest derivative
  std::vector<int> by_wish_;                    // chains
  std::unordered_map<int, long> wish_;
  std::vector<std::map<int, double>> rows_;
  std::vector<std::vector<Factor>> factors_;  // of each row, at the beginning
  std::vector<int> base_;                     // equation of each row, not differentiated
  std::vector<int> order_;                    // how often that was differentiated
  std::vector<char> used_;
  std::map<int, std::set<int>> columns_;  // rows that have them and are not used
};

}  // namespace

Constraints analyse_constraints(const Dae& dae) { return Eliminator(dae).run(); }

}  // namespace couplet::equations
