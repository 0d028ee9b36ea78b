// States: as many candidates (variables whose derivative occurs) as there are unknowns more than
// equations. All others must be found from the equations, so they form a matching; variables enter
// it one by one, those that cannot be states first, then those that the model wants least as
// states. Matchings are a matroid, so that the best choice is found without looking back. Of a
// chain x, ẋ the derivative enters first: where ẋ is found from a constraint, so is x. These are
// the dummy derivatives of S. E. Mattsson, G. Söderlind, SIAM J. Sci. Comput. 14(3), 1993.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/equations/passes.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {
namespace {

struct Candidate {
  int variable;
  int root;   // the variable at the lower end of its chain
  int level;  // how often that is differentiated
  long wish;  // how much the model wants the chain as states
  double start;
};

class Selector {
 public:
  explicit Selector(const Dae& dae) : dae_(dae) {}

  std::vector<int> run() {
    const size_t n = dae_.variables.size();
    std::vector<int> order;  // in which variables enter
    std::vector<Candidate> candidates;
    for (size_t v = 0; v < n; ++v) {
      if (!is_unknown(dae_, static_cast<int>(v))) continue;
      if (dae_.variables[v].derivative < 0)
        order.push_back(static_cast<int>(v));
      else
        candidates.push_back(describe(static_cast<int>(v)));
    }
    const size_t others = order.size();
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                       if (a.wish != b.wish) return a.wish < b.wish;
                       if (a.start != b.start) return a.start > b.start;
                       if (a.root != b.root) return a.root > b.root;
                       return a.level > b.level;
                     });
    for (const Candidate& c : candidates) order.push_back(c.variable);

    std::vector<std::vector<int>> equations_of(n);
    const std::vector<std::vector<int>> unknowns = unknowns_by_equation(dae_);
    for (size_t e = 0; e < unknowns.size(); ++e)
      for (const int v : unknowns[e])
        equations_of[static_cast<size_t>(v)].push_back(static_cast<int>(e));
    std::vector<std::vector<int>> rows;
    for (const int v : order) rows.push_back(equations_of[static_cast<size_t>(v)]);
    const Matching m = match(rows, static_cast<int>(dae_.equations.size()));
    check(order, others, m);
    std::vector<int> states;
    for (size_t r = others; r < order.size(); ++r)
      if (m.column_of[r] < 0) states.push_back(order[r]);
    std::sort(states.begin(), states.end());
    return states;
  }

 private:
  Candidate describe(int v) const {
    Candidate c{v, v, 0, 0, 0};
    for (int n = 0; n < 20; ++n) {
      const int i = dae_.variables[static_cast<size_t>(c.root)].integral;
      if (i < 0 || !is_unknown(dae_, i)) break;
      c.root = i;
      ++c.level;
    }
    Select best = Select::never;
    bool fixed = false, start = false, hidden = false;
    for (int x = c.root, n = 0; x >= 0 && n < 20;
         x = dae_.variables[static_cast<size_t>(x)].derivative, ++n) {
      const Variable& variable = dae_.variables[static_cast<size_t>(x)];
      if (variable.derivative < 0) break;
      best = std::max(best, variable.select);
      fixed = fixed || variable.fixed;
      start = start || variable.start.has_value();
      hidden = hidden || variable.hidden;
    }
    c.wish =
        1000 * static_cast<long>(best) + (hidden ? 0 : 100) + (fixed ? 10 : 0) + (start ? 1 : 0);
    // Of a quaternion the largest component had better be found from the others.
    const Variable& x = dae_.variables[static_cast<size_t>(c.root)];
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
      const Variable& v = dae_.variables[static_cast<size_t>(order[r])];
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
};

}  // namespace

std::vector<int> select_states(const Dae& dae) { return Selector(dae).run(); }

}  // namespace couplet::equations
