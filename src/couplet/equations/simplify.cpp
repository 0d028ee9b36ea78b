// Equations a = ±b, a = constant and a = f(parameters) are taken out, and what becomes of the
// others is looked at again. Each round costs what it changes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "couplet/equations/passes.hpp"
#include "couplet/symbolic/order.hpp"
#include "couplet/symbolic/print.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {
namespace {

using symbolic::Op;
using symbolic::Order;

class Simplifier {
 public:
  explicit Simplifier(Dae& dae) : dae_(dae) {}

  Simplified run() {
    for (bool again = true; again;) {
      again = false;
      start();
      while (!queue_.empty()) {
        const int e = queue_.front();
        queue_.pop_front();
        waiting_[static_cast<size_t>(e)] = 0;
        look_at(e);
      }
      again = fold_relations();
    }
    finish();
    return count_;
  }

 private:
  Variable& variable(int v) { return dae_.variables[static_cast<size_t>(v)]; }

  void start() {
    users_.assign(dae_.variables.size(), {});
    gone_.resize(dae_.equations.size(), 0);
    waiting_.assign(dae_.equations.size(), 0);
    for (size_t e = 0; e < dae_.equations.size(); ++e)
      if (!gone_[e]) enter(static_cast<int>(e));
  }

  void enter(int e) {
    for (const int v : dae_.variables_of(dae_.equations[static_cast<size_t>(e)].residual)) {
      if (static_cast<size_t>(v) >= users_.size()) users_.resize(dae_.variables.size());
      users_[static_cast<size_t>(v)].push_back(e);
    }
    push(e);
  }

  void push(int e) {
    if (gone_[static_cast<size_t>(e)] || waiting_[static_cast<size_t>(e)]) return;
    waiting_[static_cast<size_t>(e)] = 1;
    queue_.push_back(e);
  }

  void add_equation(const Expr& residual, const base::SourceLocation& where) {
    dae_.equations.push_back({residual, where});
    gone_.push_back(0);
    waiting_.push_back(0);
    enter(static_cast<int>(dae_.equations.size()) - 1);
  }

  // Unknowns of the residual, at most three; whether it has symbols that are no parameters.
  void look_at(int e) {
    Equation& equation = dae_.equations[static_cast<size_t>(e)];
    const Expr before = equation.residual;
    equation.residual = dae_.resolve(before);
    const Expr r = equation.residual;
    if (!(r == before))
      for (const int v : dae_.variables_of(r)) {
        if (static_cast<size_t>(v) >= users_.size()) users_.resize(dae_.variables.size());
        users_[static_cast<size_t>(v)].push_back(e);
      }
    std::vector<int> unknowns;
    bool others = false;
    const Order order(r);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order.op(i) != Op::symbol) continue;
      const int v = dae_.find(order.expr(i));
      if (v < 0 || variable(v).is_previous)
        others = true;
      else if (variable(v).kind != Kind::parameter)
        unknowns.push_back(v);
      if (unknowns.size() > 2) return;
    }
    if (unknowns.empty() && r.is_constant() && std::abs(r.value()) < 1e-12) {
      gone_[static_cast<size_t>(e)] = 1;  // 0 = 0
      return;
    }
    if (others) return;
    if (unknowns.size() == 1) make_constant(e, unknowns[0]);
    if (unknowns.size() == 2) make_alias(e, unknowns[0], unknowns[1]);
  }

  // What is a derivative stays, unless what it is the derivative of is gone, too.
  bool is_derivative(int v) {
    const int i = variable(v).integral;
    return i >= 0 && is_unknown(dae_, i);
  }

  void make_constant(int e, int v) {
    if (is_derivative(v)) return;
    const auto form = isolate(dae_.equations[static_cast<size_t>(e)].residual, variable(v).symbol);
    if (!form || !form->coefficient.is_constant() || form->coefficient.is_constant(0)) return;
    const Expr value = -form->rest / form->coefficient;
    gone_[static_cast<size_t>(e)] = 1;
    replace_all(v, value);
  }

  void replace_all(int v, const Expr& value) {
    if (value.is_constant()) {
      ++count_.constants;
      dae_.replaced.emplace(variable(v).symbol, value);
      if (const int p = variable(v).previous; p >= 0) {
        dae_.replaced.emplace(variable(p).symbol, value);
        touch(p);
      }
    } else {
      ++count_.parameters;
      variable(v).kind = Kind::parameter;
      variable(v).value = value;
      variable(v).fixed = true;
      if (const int p = variable(v).previous; p >= 0) {
        dae_.replaced.emplace(variable(p).symbol, variable(v).symbol);
        touch(p);
      }
    }
    touch(v);
    if (const int d = variable(v).derivative; d >= 0 && is_unknown(dae_, d)) {
      // 0, and where it is another variable's name that one is 0, too
      replace_all(d, 0);
    }
  }

  void touch(int v) {
    if (static_cast<size_t>(v) < users_.size())
      for (const int e : users_[static_cast<size_t>(v)]) push(e);
  }

  void make_alias(int e, int a, int b) {
    const Expr& r = dae_.equations[static_cast<size_t>(e)].residual;
    if (variable(a).real != variable(b).real) return;
    const auto in_a = isolate(r, variable(a).symbol);
    if (!in_a || !in_a->coefficient.is_constant()) return;
    const auto in_b = isolate(in_a->rest, variable(b).symbol);
    if (!in_b || !in_b->coefficient.is_constant() || !in_b->rest.is_constant(0)) return;
    const double p = in_a->coefficient.value(), q = in_b->coefficient.value();
    if (p == 0 || std::abs(std::abs(p) - std::abs(q)) > 1e-15 * std::abs(p)) return;
    const double sign = p * q > 0 ? -1 : 1;  // a = sign b
    if (!variable(a).real && sign < 0) return;
    int keep = a, drop = b;
    if (rank(b) > rank(a)) std::swap(keep, drop);
    if (sign < 0 && is_derivative(drop)) {
      if (is_derivative(keep)) return;
      std::swap(keep, drop);
      if (variable(drop).kind == Kind::discrete && variable(keep).kind == Kind::continuous) return;
    }
    // x' = x, or a variable that is a derivative of itself: keep the equation
    for (int up = variable(keep).integral, n = 0; up >= 0 && n < 10;
         up = variable(up).integral, ++n)
      if (up == drop) return;
    for (int up = variable(drop).integral, n = 0; up >= 0 && n < 10;
         up = variable(up).integral, ++n)
      if (up == keep) return;
    gone_[static_cast<size_t>(e)] = 1;
    merge(keep, drop, sign);
  }

  // Who stays: what people named, what is to be a state, what has a derivative.
  int rank(int v) {
    const Variable& x = variable(v);
    int rank = 0;
    if (x.kind == Kind::discrete) rank += 1000;
    if (!x.name.starts_with("der(") && !x.hidden) rank += 200;
    rank += 20 * static_cast<int>(x.select);
    if (x.fixed) rank += 15;
    if (x.derivative >= 0) rank += 10;
    if (x.start) rank += 2;
    return rank;
  }

  void merge(int keep, int drop, double sign) {
    ++count_.aliases;
    const Expr drop_symbol = variable(drop).symbol;
    dae_.replaced.emplace(drop_symbol, sign * variable(keep).symbol);
    {
      Variable &k = variable(keep), &d = variable(drop);
      const bool takes = (d.fixed && !k.fixed) || (!k.start && d.start);
      // Of discrete ones it is what they were before: that of the one that stays.
      if (d.fixed && k.fixed && d.start && k.start && k.kind != Kind::discrete)
        dae_.initial_equations.push_back({k.symbol - sign * *d.start, d.where});
      if (takes && d.start) k.start = sign * *d.start;
      k.fixed = k.fixed || (d.fixed && d.start);
      k.select = std::max(k.select, d.select);
      if (k.nominal.is_constant(1)) k.nominal = d.nominal;
      if (k.unit.empty()) k.unit = d.unit;
    }
    if (const int i = variable(drop).integral; i >= 0) {  // here sign > 0
      variable(i).derivative = keep;
      if (variable(keep).integral < 0) variable(keep).integral = i;
    }
    if (const int p = variable(drop).previous; p >= 0) {
      const int kept = dae_.previous_of(keep);
      dae_.replaced.emplace(variable(p).symbol, sign * variable(kept).symbol);
      touch(p);
    }
    const int d = variable(drop).derivative;
    if (d >= 0 && is_unknown(dae_, d)) {
      if (variable(keep).derivative < 0 && sign > 0) {
        variable(keep).derivative = d;
        variable(d).integral = keep;
      } else {
        const int own = dae_.derivative_of(keep);
        users_.resize(dae_.variables.size());
        if (own != d) {
          if (variable(d).integral == drop) variable(d).integral = -1;
          add_equation(variable(d).symbol - sign * variable(own).symbol, variable(drop).where);
        }
      }
    }
    touch(drop);
  }

  // Relations of what turned out to be constant are no events.
  bool fold_relations() {
    bool any = false;
    std::vector<Relation> left;
    for (Relation& r : dae_.relations) {
      r.gap = dae_.resolve(r.gap);
      if (dae_.is_continuous(r.gap)) {
        left.push_back(std::move(r));
        continue;
      }
      dae_.replaced.emplace(r.symbol, r.strict ? less(r.gap, 0) : less_equal(r.gap, 0));
      any = true;
    }
    dae_.relations = std::move(left);
    std::vector<Whole> whole;
    for (Whole& w : dae_.wholes) {
      w.argument = dae_.resolve(w.argument);
      if (dae_.is_continuous(w.argument)) {
        whole.push_back(std::move(w));
        continue;
      }
      dae_.replaced.emplace(w.symbol, floor(w.argument));
      any = true;
    }
    dae_.wholes = std::move(whole);
    if (any)
      for (Equation& e : dae_.equations) e.residual = dae_.resolve(e.residual);
    return any;
  }

  void finish() {
    std::vector<Equation> left;
    for (size_t e = 0; e < dae_.equations.size(); ++e)
      if (!gone_[e]) left.push_back(std::move(dae_.equations[e]));
    dae_.equations = std::move(left);
    const auto resolve = [&](Expr& e) { e = dae_.resolve(e); };
    for (Equation& e : dae_.initial_equations) resolve(e.residual);
    for (Variable& v : dae_.variables) {
      if (v.start) resolve(*v.start);
      if (v.value) resolve(*v.value);
      resolve(v.nominal);
    }
    for (Sample& s : dae_.samples) {
      resolve(s.start);
      resolve(s.interval);
    }
    for (Delay& d : dae_.delays) {
      resolve(d.argument);
      resolve(d.length);
    }
    for (Reinit& r : dae_.reinits) {
      resolve(r.trigger);
      resolve(r.value);
    }
    for (Assertion& a : dae_.assertions) resolve(a.condition);
    for (Termination& t : dae_.terminations) resolve(t.trigger);
  }

  Dae& dae_;
  Simplified count_;
  std::deque<int> queue_;
  std::vector<std::vector<int>> users_;  // of each variable: equations
  std::vector<char> gone_, waiting_;
};

}  // namespace

bool is_unknown(const Dae& dae, int v) {
  const Variable& x = dae.variables[static_cast<size_t>(v)];
  return x.kind != Kind::parameter && !x.is_previous && !x.idle && !dae.replaced.contains(x.symbol);
}

std::vector<int> find_determinable(const Dae& dae, const Expr& residual, bool with_zeros) {
  std::vector<int> found;
  const std::vector<Factor> factors = find_factors(dae, residual);
  for (const int v : dae.variables_of(residual)) {
    const auto factor = std::lower_bound(factors.begin(), factors.end(), v,
                                         [](const Factor& f, int key) { return f.variable < key; });
    const double value = factor != factors.end() && factor->variable == v ? factor->value : 0;
    const bool none = value == 0 && !with_zeros;
    if (none || (!dae.variables[static_cast<size_t>(v)].real && (value == 0 || std::isnan(value))))
      continue;
    found.push_back(v);
  }
  return found;
}

std::vector<int> find_unknowns(const Dae& dae, const Expr& residual) {
  std::vector<int> found = find_determinable(dae, residual);
  std::erase_if(found, [&](int v) { return !is_unknown(dae, v); });
  const auto is_discrete = [&](int v) {
    return dae.variables[static_cast<size_t>(v)].kind == Kind::discrete;
  };
  const auto continuous = static_cast<size_t>(
      std::count_if(found.begin(), found.end(), [&](int v) { return !is_discrete(v); }));
  if (continuous == 0 || continuous == found.size()) return found;
  const std::vector<int> all = dae.variables_of(residual);
  // Continuous variables in comparisons only: both sides are no Real numbers.
  const bool is_real = std::ranges::any_of(found, [&](int v) {
    return !is_discrete(v) &&
           !symbolic::differentiate(residual, dae.variables[static_cast<size_t>(v)].symbol)
                .is_constant(0);
  });
  const auto is_set_here = [&](int v) {  // by a when, or it is no Real
    const Variable& x = dae.variables[static_cast<size_t>(v)];
    const bool in_when = x.previous >= 0 && std::ranges::find(all, x.previous) != all.end();
    return is_discrete(v) && (in_when || (!x.real && !is_real));
  };
  const bool sets = std::ranges::any_of(found, is_set_here);
  std::erase_if(found, [&](int v) { return sets ? !is_set_here(v) : is_discrete(v); });
  return found;
}

std::vector<std::vector<int>> unknowns_by_equation(const Dae& dae) {
  std::vector<std::vector<int>> all(dae.equations.size());
  for (size_t e = 0; e < all.size(); ++e) all[e] = find_unknowns(dae, dae.equations[e].residual);
  return all;
}

std::string to_text(const Expr& residual) { return "0 = " + symbolic::print(residual, 160); }

Simplified simplify(Dae& dae) {
  const Simplified done = Simplifier(dae).run();
  dae.drop_idle_derivatives();
  return done;
}

}  // namespace couplet::equations
