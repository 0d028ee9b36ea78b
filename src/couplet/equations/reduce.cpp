// Index reduction: equations that constrain states are differentiated until all highest
// derivatives can be solved for. C. Pantelides, SIAM J. Sci. Stat. Comput. 9(2), 1988.
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/equations/passes.hpp"

namespace couplet::equations {
namespace {

constexpr int most_differentiations = 12;  // of one equation: beyond, something is wrong

class Pantelides {
 public:
  explicit Pantelides(Dae& dae) : dae_(dae), unknowns_(unknowns_by_equation(dae)) {}

  int run() {
    const size_t before = dae_.equations.size();
    check_singular();
    equation_of_.assign(dae_.variables.size(), -1);
    for (size_t e = 0; e < before; ++e) assign(static_cast<int>(e));
    return static_cast<int>(dae_.equations.size() - before);
  }

 private:
  // x, ẋ and ẍ count as one unknown: whatever is differentiated, this must be possible.
  void check_singular() {
    const auto base = [&](int v) {
      for (int n = 0; n < 20 && dae_.variables[static_cast<size_t>(v)].integral >= 0; ++n) {
        const int i = dae_.variables[static_cast<size_t>(v)].integral;
        if (!is_unknown(dae_, i)) break;
        v = i;
      }
      return v;
    };
    std::vector<std::vector<int>> rows = unknowns_;
    for (auto& row : rows)
      for (const int v : std::vector<int>(row))
        if (const int b = base(v); b != v) row.push_back(b);
    const Matching m = match(rows, static_cast<int>(dae_.variables.size()));
    base::Diagnostics diagnostics;
    for (size_t e = 0; e < rows.size(); ++e)
      if (m.column_of[e] < 0 && !diagnostics.full())
        report(diagnostics, rows, m, static_cast<int>(e));
    diagnostics.check();
  }

  void report(base::Diagnostics& diagnostics, const std::vector<std::vector<int>>& rows,
              const Matching& m, int e) {
    const std::vector<int> set = find_excess(rows, m, e);
    std::string text;
    std::vector<int> unknowns;
    for (size_t k = 0; k < set.size(); ++k) {
      const Equation& q = dae_.equations[static_cast<size_t>(set[k])];
      if (k < 10) text += fmt::format("\n    {}: {}", q.where.str(), to_text(q.residual));
      for (const int v : rows[static_cast<size_t>(set[k])]) unknowns.push_back(v);
    }
    std::sort(unknowns.begin(), unknowns.end());
    unknowns.erase(std::unique(unknowns.begin(), unknowns.end()), unknowns.end());
    std::string names;
    for (size_t k = 0; k < unknowns.size() && k < 10; ++k)
      names += (k ? ", " : "") + dae_.variables[static_cast<size_t>(unknowns[k])].name;
    diagnostics.error(
        dae_.equations[static_cast<size_t>(e)].where,
        fmt::format("the model is structurally singular: {} equations determine only "
                    "{} unknowns ({}){}",
                    set.size(), unknowns.size(), names.empty() ? "none" : names, text),
        "one of these equations is too many, or a variable in them was given a value twice");
  }

  bool augment(int root) {
    seen_equations_.clear();
    seen_variables_.clear();
    ++stamp_;
    struct Frame {
      int equation;
      size_t next;
    };
    std::vector<Frame> stack;
    std::vector<int> via;
    const auto enter = [&](int e) {
      seen_equations_.push_back(e);
      stack.push_back({e, 0});
    };
    seen_.resize(dae_.variables.size(), 0);
    enter(root);
    while (!stack.empty()) {
      Frame& f = stack.back();
      const std::vector<int>& row = unknowns_[static_cast<size_t>(f.equation)];
      if (f.next == 0)
        for (const int v : row)
          if (is_highest(v) && equation_of_[static_cast<size_t>(v)] < 0) {
            equation_of_[static_cast<size_t>(v)] = f.equation;
            for (size_t i = stack.size() - 1; i-- > 0;)
              equation_of_[static_cast<size_t>(via[i])] = stack[i].equation;
            return true;
          }
      bool deeper = false;
      while (f.next < row.size()) {
        const int v = row[f.next++];
        if (!is_highest(v) || seen_[static_cast<size_t>(v)] == stamp_) continue;
        seen_[static_cast<size_t>(v)] = stamp_;
        seen_variables_.push_back(v);
        via.resize(stack.size() - 1);
        via.push_back(v);
        enter(equation_of_[static_cast<size_t>(v)]);
        deeper = true;
        break;
      }
      if (!deeper) stack.pop_back();
    }
    return false;
  }

  bool is_highest(int v) const { return dae_.variables[static_cast<size_t>(v)].derivative < 0; }

  void assign(int e) {
    for (int round = 0; !augment(e); ++round) {
      if (round > most_differentiations) fail(e);
      const std::vector<int> variables = seen_variables_, equations = seen_equations_;
      for (const int v : variables) {
        if (dae_.variables[static_cast<size_t>(v)].kind != Kind::continuous) fail(e);
        dae_.derivative_of(v);
      }
      for (const int q : equations) differentiate(q);
      equation_of_.resize(dae_.variables.size(), -1);
      for (const int v : variables) {
        const int d = dae_.variables[static_cast<size_t>(v)].derivative;
        equation_of_[static_cast<size_t>(d)] =
            dae_.equations[static_cast<size_t>(equation_of_[static_cast<size_t>(v)])].derivative;
      }
      e = dae_.equations[static_cast<size_t>(e)].derivative;
    }
  }

  [[noreturn]] void fail(int e) {
    throw base::UserError(
        dae_.equations[static_cast<size_t>(e)].where,
        fmt::format("this equation cannot be solved together with the others, and "
                    "differentiating it does not help: {}",
                    to_text(dae_.equations[static_cast<size_t>(e)].residual)),
        "a discrete variable may stand where a continuous one is determined");
  }

  void differentiate(int q) {
    if (dae_.equations[static_cast<size_t>(q)].derivative >= 0) return;
    const Equation old = dae_.equations[static_cast<size_t>(q)];
    Equation d;
    d.where = old.where;
    const size_t before = dae_.equations.size();
    d.residual = dae_.resolve(old.derivative_rule ? old.derivative_rule()
                                                  : dae_.time_derivative(old.residual));
    d.integral = q;
    dae_.equations[static_cast<size_t>(q)].derivative = static_cast<int>(dae_.equations.size());
    dae_.equations.push_back(std::move(d));
    equation_of_.resize(dae_.variables.size(), -1);
    for (size_t e = before; e < dae_.equations.size(); ++e) {
      Equation& made = dae_.equations[e];
      made.residual = dae_.resolve(made.residual);
      unknowns_.push_back(find_unknowns(dae_, made.residual));
    }
    // What a rule needs for itself: variables with an equation each.
    for (size_t e = before; e + 1 < dae_.equations.size(); ++e) assign(static_cast<int>(e));
  }

  Dae& dae_;
  std::vector<std::vector<int>> unknowns_;
  std::vector<int> equation_of_;  // of each variable
  std::vector<int> seen_equations_, seen_variables_;
  std::vector<int> seen_;
  int stamp_ = 0;
};

}  // namespace

int reduce_index(Dae& dae) { return Pantelides(dae).run(); }

}  // namespace couplet::equations
