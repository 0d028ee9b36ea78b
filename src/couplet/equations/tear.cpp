// Tearing: some variables of a block are taken as known, the others follow one after the other
// from equations that are linear in them with a constant factor; as many equations remain as
// residuals. Greedy, in the way of Cellier: the variable in most of the equations that have the
// fewest unknowns left is torn.
#include <algorithm>
#include <cmath>
#include <set>

#include "couplet/equations/passes.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {
namespace {

// The factor of a variable that may be divided by: constants and parameters that are not 0. (Other
// values of parameters are another translation.)
bool is_safe(const Dae& dae, const Expr& factor) {
  if (factor.is_constant()) return factor.value() != 0;
  const Expr number = symbolic::substitute(factor, dae.numbers);
  return number.is_constant() && std::isfinite(number.value()) && std::abs(number.value()) > 1e-300;
}

}  // namespace

void tear(const Dae& dae, const System& system, Block& block) {
  const size_t n = block.equations.size();
  std::vector<int> local(dae.variables.size(), -1);
  for (size_t i = 0; i < n; ++i)
    local[static_cast<size_t>(block.variables[i])] = static_cast<int>(i);
  std::vector<std::vector<int>> in(n), rows_of(n);
  std::vector<std::vector<char>> solvable(n);
  for (size_t e = 0; e < n; ++e) {
    const Expr& r = system.residuals[static_cast<size_t>(block.equations[e])];
    for (const int v : dae.variables_of(r)) {
      const int l = local[static_cast<size_t>(v)];
      if (l < 0) continue;
      in[e].push_back(l);
      rows_of[static_cast<size_t>(l)].push_back(static_cast<int>(e));
      const auto form = isolate(r, dae.variables[static_cast<size_t>(v)].symbol);
      solvable[e].push_back(form && is_safe(dae, form->coefficient));
    }
  }
  std::vector<char> known(n, 0), used(n, 0);
  std::vector<int> left(n);  // unknowns in an equation
  std::vector<int> ready;
  std::set<std::pair<int, int>> by_left;  // of equations that are not used
  for (size_t e = 0; e < n; ++e) {
    left[e] = static_cast<int>(in[e].size());
    by_left.insert({left[e], static_cast<int>(e)});
    if (left[e] == 1) ready.push_back(static_cast<int>(e));
  }
  size_t found = 0;
  const auto learn = [&](int v) {
    known[static_cast<size_t>(v)] = 1;
    ++found;
    for (const int e : rows_of[static_cast<size_t>(v)]) {
      const auto k = static_cast<size_t>(e);
      if (!used[k]) by_left.erase({left[k], e});
      --left[k];
      if (!used[k]) by_left.insert({left[k], e});
      if (left[k] == 1 && !used[k]) ready.push_back(e);
    }
  };
  while (found < n) {
    if (!ready.empty()) {
      const int e = ready.back();
      ready.pop_back();
      const auto k = static_cast<size_t>(e);
      if (used[k] || left[k] != 1) continue;
      for (size_t i = 0; i < in[k].size(); ++i) {
        const int v = in[k][i];
        if (known[static_cast<size_t>(v)] || !solvable[k][i]) continue;
        used[k] = 1;
        by_left.erase({left[k], e});
        block.inner.emplace_back(block.equations[k], block.variables[static_cast<size_t>(v)]);
        learn(v);
        break;
      }
      continue;
    }
    // Tear: among the equations with the fewest unknowns left.
    int best = -1;
    long best_score = -1;
    int fewest = 0, looked = 0;
    for (const auto& [count, e] : by_left) {
      if (count == 0) continue;
      const auto k = static_cast<size_t>(e);
      bool can = false;  // of some use: something in it can be solved for
      for (size_t i = 0; i < in[k].size(); ++i)
        can = can || (!known[static_cast<size_t>(in[k][i])] && solvable[k][i]);
      if (!can && looked > 0) continue;
      if (fewest > 0 && count > fewest) break;
      if (can) fewest = count;
      if (++looked > 200) break;
      for (size_t i = 0; i < in[k].size(); ++i) {
        const int v = in[k][i];
        if (known[static_cast<size_t>(v)]) continue;
        long score = 0;  // what becomes simpler; what cannot be solved for here had better be torn
        for (const int r : rows_of[static_cast<size_t>(v)])
          if (!used[static_cast<size_t>(r)]) score += left[static_cast<size_t>(r)] == 2 ? 30 : 10;
        if (!solvable[k][i]) score += 15;
        if (dae.variables[static_cast<size_t>(block.variables[static_cast<size_t>(v)])].start)
          score += 12;
        if (score > best_score) {
          best_score = score;
          best = v;
        }
      }
    }
    if (best < 0)
      for (size_t v = 0; v < n && best < 0; ++v)
        if (!known[v]) best = static_cast<int>(v);
    block.torn.push_back(block.variables[static_cast<size_t>(best)]);
    learn(best);
  }
  for (size_t e = 0; e < n; ++e)
    if (!used[e]) block.residuals.push_back(block.equations[e]);
}

}  // namespace couplet::equations
