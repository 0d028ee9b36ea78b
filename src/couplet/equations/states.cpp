// States: as many candidates (variables whose derivative occurs) as there are unknowns more than
// equations. All others must be found from the equations, so they form a matching; variables enter
// it one by one, those that cannot be states first, then those that follow from others whatever the
// motion, then those that the model wants least as states. Matchings are a matroid, so that the
// best choice is found without looking back. Of a chain x, ẋ the derivative enters first: where ẋ
// is found from a constraint, so is x. These are the dummy derivatives of S. E. Mattsson, G.
// Söderlind, SIAM J. Sci. Comput. 14(3), 1993.
//
// Where constraints leave several variables open that the model wants equally, such as the four
// components of a quaternion, which of them can be found from the others changes with the motion.
// Then all of them are states, and their constraints, which the rates keep, are kept by projection,
// too: E. Eich, SIAM J. Numer. Anal. 30(5), 1993.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/equations/passes.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {
namespace {

// The variable at the lower end of a chain, and how often it is differentiated.
std::pair<int, int> root_of(const Dae& dae, int v) {
  int level = 0;
  for (int n = 0; n < 20; ++n) {
    const int i = dae.variables[static_cast<size_t>(v)].integral;
    if (i < 0 || !is_unknown(dae, i)) break;
    v = i;
    ++level;
  }
  return {v, level};
}

struct Candidate {
  int variable;
  int root;
  int level;
  long wish;
  double start;
};

class Selector {
 public:
  explicit Selector(const Dae& dae) : dae_(dae), out_(dae.equations.size(), 0) {}

  States run() {
    const size_t n = dae_.variables.size();
    States states;
    const Constraints constraints = analyse_constraints(dae_);
    dependent_.assign(n, 0);
    kept_.assign(n, 0);
    for (const int v : constraints.dependent) dependent_[static_cast<size_t>(v)] = 1;
    for (const ConstraintSet& set : constraints.sets)
      if (!has_one_choice(set)) {
        for (const int v : set.variables) kept_[static_cast<size_t>(v)] = 1;
        for (const auto& level : set.equations)
          for (const int e : level) out_[static_cast<size_t>(e)] = 1;
        states.projected.push_back(set);
      }
    std::vector<int> order;  // in which variables enter
    const size_t others = find_order(order);

    std::vector<std::vector<int>> equations_of(n);
    const std::vector<std::vector<int>> unknowns = unknowns_by_equation(dae_);
    for (size_t e = 0; e < unknowns.size(); ++e)
      if (!out_[e])
        for (const int v : unknowns[e])
          equations_of[static_cast<size_t>(v)].push_back(static_cast<int>(e));
    std::vector<std::vector<int>> rows;
    for (const int v : order) rows.push_back(equations_of[static_cast<size_t>(v)]);
    const Matching m = match(rows, static_cast<int>(dae_.equations.size()));
    check(order, others, m);
    for (size_t r = others; r < order.size(); ++r)
      if (m.column_of[r] < 0) states.variables.push_back(order[r]);
    for (size_t v = 0; v < n; ++v)
      if (kept_[v]) states.variables.push_back(static_cast<int>(v));
    std::sort(states.variables.begin(), states.variables.end());
    return states;
  }

 private:
  const Variable& variable(int v) const { return dae_.variables[static_cast<size_t>(v)]; }

  // The first `others` of them are no candidates.
  size_t find_order(std::vector<int>& order) const {
    std::vector<Candidate> candidates;
    for (int v = 0; v < static_cast<int>(dae_.variables.size()); ++v) {
      if (!is_unknown(dae_, v)) continue;
      if (variable(v).derivative < 0)
        order.push_back(v);
      else if (!kept_[static_cast<size_t>(v)])
        candidates.push_back(describe(v));
    }
    const size_t others = order.size();
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const Candidate& a, const Candidate& b) {
                       const bool x = dependent_[static_cast<size_t>(a.variable)] != 0,
                                  y = dependent_[static_cast<size_t>(b.variable)] != 0;
                       if (x != y) return x;
                       if (a.wish != b.wish) return a.wish < b.wish;
                       if (a.start != b.start) return a.start > b.start;
                       if (a.root != b.root) return a.root > b.root;
                       return a.level > b.level;
                     });
    for (const Candidate& c : candidates) order.push_back(c.variable);
    return others;
  }

  // Whether the wishes of the model alone say which variables of a set are states: those that are
  // found from the others, entering as above, are all that it wants as little as the last of them.
  bool has_one_choice(const ConstraintSet& set) const {
    std::vector<int> variables = set.variables;
    const auto select = [&](int v) { return wish_of(dae_, v) / 1000; };
    std::stable_sort(variables.begin(), variables.end(),
                     [&](int a, int b) { return select(a) < select(b); });
    std::unordered_map<int, int> place;
    for (const auto& level : set.equations)
      for (const int e : level) place.emplace(e, static_cast<int>(place.size()));
    if (place.size() >= variables.size()) return true;
    // What other variables of the equations stand for is not looked at: they count as free.
    std::vector<int> count(8, 0);
    size_t left = place.size();
    for (const int v : variables) ++count[static_cast<size_t>(select(v))];
    for (size_t wish = 0; wish < count.size(); ++wish) {
      const auto all = static_cast<size_t>(count[wish]);
      if (all == 0) continue;
      if (left == 0) return true;
      if (left < all) return false;
      left -= all;
    }
    return true;
  }

  Candidate describe(int v) const {
    const auto [root, level] = root_of(dae_, v);
    Candidate c{v, root, level, wish_of(dae_, v), 0};
    // Of a quaternion the largest component had better be found from the others.
    const Variable& x = variable(root);
    if (x.start) {
      const Expr number = symbolic::substitute(*x.start, dae_.numbers);
      if (number.is_constant() && std::isfinite(number.value())) c.start = std::abs(number.value());
    }
    return c;
  }

  void check(const std::vector<int>& order, size_t others, const Matching& m) const {
    std::string names;
    int lone = 0;
    const Variable* first = nullptr;
    for (size_t r = 0; r < others; ++r) {
      if (m.column_of[r] >= 0) continue;
      const Variable& v = variable(order[r]);
      if (!first) first = &v;
      if (lone++ < 10) names += (lone > 1 ? ", " : "") + v.name;
    }
    if (first)
      throw base::UserError(
          first->where,
          fmt::format("the model is structurally singular: no equation determines {}", names),
          "an equation for one of them is missing, or a constraint removes it from all others");
  }

  const Dae& dae_;
  std::vector<char> out_;               // equations that projection keeps
  std::vector<char> dependent_, kept_;  // variables
};

}  // namespace

long wish_of(const Dae& dae, int v) {
  Select best = Select::never;
  bool fixed = false, start = false, hidden = false;
  for (int x = root_of(dae, v).first, n = 0; x >= 0 && n < 20;
       x = dae.variables[static_cast<size_t>(x)].derivative, ++n) {
    const Variable& variable = dae.variables[static_cast<size_t>(x)];
    if (variable.derivative < 0) break;
    best = std::max(best, variable.select);
    fixed = fixed || variable.fixed;
    start = start || variable.start.has_value();
    hidden = hidden || variable.hidden;
  }
  return 1000 * static_cast<long>(best) + (hidden ? 0 : 100) + (fixed ? 10 : 0) + (start ? 1 : 0);
}

States select_states(const Dae& dae) { return Selector(dae).run(); }

}  // namespace couplet::equations
