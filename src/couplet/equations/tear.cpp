// Tearing: some variables of a block are taken as known, the others follow one after the other
// from equations that are linear in them with a constant factor; as many equations remain as
// residuals. The least number cannot be found in reasonable time, so several ways are tried:
// variables that a system prefers (rates of states: once accelerations are known, all forces
// follow) or not, then greedily in the way of Cellier: the variable in most of the equations that
// have the fewest unknowns left. What turns out to follow from the others is taken back. The way
// with the fewest wins.
#include <algorithm>
#include <cmath>
#include <set>

#include "couplet/equations/passes.hpp"

namespace couplet::equations {
namespace {

// The factor of a variable that may be divided by: a number that is not 0. (Other values of
// parameters are another translation.)
bool is_safe(double factor) { return std::isfinite(factor) && std::abs(factor) > 1e-300; }

// Which unknowns are in which equations, and where they can be solved for. Unknowns and equations
// are counted within the block.
class Graph {
 public:
  Graph(const Dae& dae, const System& system, const Block& block)
      : n_(block.equations.size()), in_(n_), rows_of_(n_), solvable_(n_), has_start_(n_) {
    std::vector<int> local(dae.variables.size(), -1);
    for (size_t i = 0; i < n_; ++i) {
      local[static_cast<size_t>(block.variables[i])] = static_cast<int>(i);
      has_start_[i] = dae.variables[static_cast<size_t>(block.variables[i])].start.has_value();
    }
    for (size_t e = 0; e < n_; ++e) {
      const Expr& r = system.residuals[static_cast<size_t>(block.equations[e])];
      for (const Factor& f : find_factors(dae, r)) {
        const int l = local[static_cast<size_t>(f.variable)];
        if (l < 0) continue;
        in_[e].push_back(l);
        rows_of_[static_cast<size_t>(l)].push_back(static_cast<int>(e));
        solvable_[e].push_back(is_safe(f.value));
      }
    }
    for (const int v : system.preferred)
      if (const int l = local[static_cast<size_t>(v)]; l >= 0) preferred_.push_back(l);
  }

  struct Torn {
    std::vector<int> variables;
    std::vector<std::pair<int, int>> inner;  // equation, variable
  };

  Torn find_best() const {
    Torn best = pruned(run(preferred_, true));
    if (best.variables.size() > 1) {
      Torn other = pruned(run({}, true));
      if (other.variables.size() < best.variables.size()) best = std::move(other);
    }
    return best;
  }

 private:
  // Tears `first`, as far as they do not follow from those before, then greedily.
  Torn run(const std::vector<int>& first, bool greedily) const {
    Torn torn;
    std::vector<char> known(n_, 0), used(n_, 0);
    std::vector<int> left(n_), ready;
    std::set<std::pair<int, int>> by_left;  // of equations that are not used
    for (size_t e = 0; e < n_; ++e) {
      left[e] = static_cast<int>(in_[e].size());
      if (greedily) by_left.insert({left[e], static_cast<int>(e)});
      if (left[e] == 1) ready.push_back(static_cast<int>(e));
    }
    const auto learn = [&](int v) {
      known[static_cast<size_t>(v)] = 1;
      for (const int e : rows_of_[static_cast<size_t>(v)]) {
        const auto k = static_cast<size_t>(e);
        if (greedily && !used[k]) {
          by_left.erase({left[k], e});
          by_left.insert({left[k] - 1, e});
        }
        if (--left[k] == 1 && !used[k]) ready.push_back(e);
      }
    };
    const auto follow = [&] {
      while (!ready.empty()) {
        const int e = ready.back();
        ready.pop_back();
        const auto k = static_cast<size_t>(e);
        if (used[k] || left[k] != 1) continue;
        for (size_t i = 0; i < in_[k].size(); ++i) {
          const int v = in_[k][i];
          if (known[static_cast<size_t>(v)] || !solvable_[k][i]) continue;
          used[k] = 1;
          if (greedily) by_left.erase({left[k], e});
          torn.inner.emplace_back(e, v);
          learn(v);
          break;
        }
      }
    };
    const auto tear = [&](int v) {
      torn.variables.push_back(v);
      learn(v);
      follow();
    };
    follow();
    for (const int v : first)
      if (!known[static_cast<size_t>(v)]) tear(v);
    while (greedily && torn.variables.size() + torn.inner.size() < n_)
      tear(choose(by_left, left, known, used));
    return torn;
  }

  // Among the equations with the fewest unknowns left, what makes most others simpler.
  int choose(const std::set<std::pair<int, int>>& by_left, const std::vector<int>& left,
             const std::vector<char>& known, const std::vector<char>& used) const {
    int best = -1, fewest = 0, looked = 0;
    long best_score = -1;
    for (const auto& [count, e] : by_left) {
      if (count == 0) continue;
      const auto k = static_cast<size_t>(e);
      bool can = false;  // of some use: something in it can be solved for
      for (size_t i = 0; i < in_[k].size(); ++i)
        can = can || (!known[static_cast<size_t>(in_[k][i])] && solvable_[k][i]);
      if (!can && looked > 0) continue;
      if (fewest > 0 && count > fewest) break;
      if (can) fewest = count;
      if (++looked > 200) break;
      for (size_t i = 0; i < in_[k].size(); ++i) {
        const int v = in_[k][i];
        if (known[static_cast<size_t>(v)]) continue;
        long score = 0;  // what cannot be solved for here had better be torn
        for (const int r : rows_of_[static_cast<size_t>(v)])
          if (!used[static_cast<size_t>(r)]) score += left[static_cast<size_t>(r)] == 2 ? 30 : 10;
        if (!solvable_[k][i]) score += 15;
        if (has_start_[static_cast<size_t>(v)]) score += 12;
        if (score > best_score) {
          best_score = score;
          best = v;
        }
      }
    }
    for (size_t v = 0; v < n_ && best < 0; ++v)
      if (!known[v]) best = static_cast<int>(v);
    return best;
  }

  // Without those that follow from the rest.
  Torn pruned(Torn torn) const {
    constexpr size_t most = 300;
    if (torn.variables.size() > most) return torn;
    for (size_t i = 0; i < torn.variables.size() && torn.variables.size() > 1;) {
      std::vector<int> rest = torn.variables;
      rest.erase(rest.begin() + static_cast<long>(i));
      Torn fewer = run(rest, false);
      if (fewer.variables.size() + fewer.inner.size() == n_)
        torn = std::move(fewer);
      else
        ++i;
    }
    return torn;
  }

  size_t n_;
  std::vector<std::vector<int>> in_, rows_of_;
  std::vector<std::vector<char>> solvable_;
  std::vector<char> has_start_;
  std::vector<int> preferred_;
};

}  // namespace

void tear(const Dae& dae, const System& system, Block& block) {
  const Graph::Torn best = Graph(dae, system, block).find_best();
  std::vector<char> used(block.equations.size(), 0);
  for (const int v : best.variables) block.torn.push_back(block.variables[static_cast<size_t>(v)]);
  for (const auto& [e, v] : best.inner) {
    used[static_cast<size_t>(e)] = 1;
    block.inner.emplace_back(block.equations[static_cast<size_t>(e)],
                             block.variables[static_cast<size_t>(v)]);
  }
  for (size_t e = 0; e < used.size(); ++e)
    if (!used[e]) block.residuals.push_back(block.equations[e]);
}

}  // namespace couplet::equations
