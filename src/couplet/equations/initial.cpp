// The system of the beginning: all equations, the initial equations, fixed start values; where
// these are too few, start values of states, in the order in which the model wants them as states.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/equations/model.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::equations {
namespace {

enum class Origin { equation, initial, fixed, guess };

struct Row {
  Expr residual;
  base::SourceLocation where;
  Origin origin;
  int variable = -1;
};

// Parameters that initialisation has to find, and those that follow from them.
std::vector<char> find_free(const Dae& dae) {
  std::vector<char> free(dae.variables.size(), 0);
  for (size_t v = 0; v < dae.variables.size(); ++v)
    free[v] = dae.variables[v].kind == Kind::parameter && !dae.variables[v].value &&
              !dae.variables[v].fixed && !dae.replaced.contains(dae.variables[v].symbol);
  for (bool again = true; again;) {
    again = false;
    for (size_t v = 0; v < dae.variables.size(); ++v) {
      const Variable& x = dae.variables[v];
      if (free[v] || x.kind != Kind::parameter || !x.value) continue;
      for (const int u : dae.variables_of(*x.value))
        if (free[static_cast<size_t>(u)] && !free[v]) free[v] = again = true;
    }
  }
  return free;
}

// Of a quaternion the largest component had better be found from the others.
double size_of_start(const Dae& dae, int v) {
  const Variable& x = dae.variables[static_cast<size_t>(v)];
  if (!x.start) return 0;
  const Expr number = symbolic::substitute(*x.start, dae.numbers);
  return number.is_constant() && std::isfinite(number.value()) ? std::abs(number.value()) : 0;
}

}  // namespace

void make_parameter_system(Model& model) {
  Dae& dae = model.dae;
  const std::vector<char> free = find_free(dae);
  for (size_t v = 0; v < dae.variables.size(); ++v) {
    const Variable& x = dae.variables[v];
    if (x.kind != Kind::parameter || free[v] || dae.replaced.contains(x.symbol)) continue;
    const Expr value = x.value ? *x.value : x.start ? *x.start : Expr(0);
    model.parameter_system.residuals.push_back(x.symbol - value);
    model.parameter_system.where.push_back(x.where);
    model.parameter_system.unknowns.push_back(static_cast<int>(v));
  }
  model.parameters = model.parameter_system.unknowns;
  model.parameter_blocks = sort(dae, model.parameter_system);
  for (Block& b : model.parameter_blocks) solve(dae, model.parameter_system, b);
  const Program program(dae, *model.map, model.parameter_system, model.parameter_blocks,
                        model.parameters);
  std::vector<double> slots(model.map->size(), 0);
  if (!program.run(slots)) throw base::ComputationError("parameters: " + program.failure());
  for (const int v : model.parameters)
    dae.numbers.emplace(dae.variables[static_cast<size_t>(v)].symbol,
                        slots[static_cast<size_t>(v)]);
}

void make_initial_system(Model& model) {
  Dae& dae = model.dae;
  symbolic::Replacements begins{{dae.initial, Expr(1)}};
  for (const Delay& d : dae.delays)  // before the beginning it was as it is there
    begins.emplace(d.symbol, d.argument);
  for (size_t k = 0; k < dae.delays.size(); ++k)
    for (const Delay& d : dae.delays) {
      Expr& argument = begins.at(d.symbol);
      argument = symbolic::substitute(argument, begins);
    }
  const std::vector<char> free = find_free(dae);
  std::vector<Row> rows;
  for (const Equation& e : dae.equations)
    rows.push_back({symbolic::substitute(e.residual, begins), e.where, Origin::equation});
  std::vector<int> unknowns;
  for (size_t v = 0; v < dae.variables.size(); ++v) {
    const Variable& x = dae.variables[v];
    const bool alive = !dae.replaced.contains(x.symbol);
    if (alive && (is_unknown(dae, static_cast<int>(v)) || x.is_previous || free[v]))
      unknowns.push_back(static_cast<int>(v));
    if (free[v] && x.value) rows.push_back({x.symbol - *x.value, x.where, Origin::equation});
  }
  for (const Equation& e : dae.initial_equations)
    rows.push_back({symbolic::substitute(e.residual, begins), e.where, Origin::initial});
  const auto start_of = [&](const Variable& x) { return x.start ? *x.start : Expr(0); };
  for (const int v : unknowns) {
    const Variable& x = dae.variables[static_cast<size_t>(v)];
    if (x.fixed && !x.is_previous && x.kind == Kind::continuous)  // of discrete ones: pre(v), below
      rows.push_back({x.symbol - start_of(x), x.where, Origin::fixed, v});
  }
  for (const int v : unknowns) {  // discrete variables keep what they had before
    const Variable& x = dae.variables[static_cast<size_t>(v)];
    if (x.is_previous) rows.push_back({x.symbol - start_of(x), x.where, Origin::guess, v});
  }
  std::vector<int> guesses = model.states;
  std::stable_sort(guesses.begin(), guesses.end(), [&](int a, int b) {
    const auto rank = [&](int v) {
      const Variable& x = dae.variables[static_cast<size_t>(v)];
      return 10 * static_cast<int>(x.select) + (x.start ? 1 : 0);
    };
    if (rank(a) != rank(b)) return rank(a) > rank(b);
    return size_of_start(dae, a) < size_of_start(dae, b);
  });
  std::vector<char> listed(dae.variables.size(), 0);
  for (const int v : guesses) listed[static_cast<size_t>(v)] = 1;
  for (const bool with_start : {true, false})
    for (const int v : unknowns) {
      const Variable& x = dae.variables[static_cast<size_t>(v)];
      const bool candidate = x.derivative >= 0 || x.kind != Kind::continuous ||
                             (with_start && x.start) || free[static_cast<size_t>(v)];
      if (!candidate || listed[static_cast<size_t>(v)] || x.is_previous ||
          x.start.has_value() != with_start)
        continue;
      listed[static_cast<size_t>(v)] = 1;
      guesses.push_back(v);
    }
  for (const int v : guesses) {
    const Variable& x = dae.variables[static_cast<size_t>(v)];
    if ((!x.fixed || x.kind == Kind::discrete) && !x.value)
      rows.push_back({x.symbol - start_of(x), x.where, Origin::guess, v});
  }

  std::vector<int> column_of(dae.variables.size(), -1);
  for (size_t c = 0; c < unknowns.size(); ++c)
    column_of[static_cast<size_t>(unknowns[c])] = static_cast<int>(c);
  std::vector<std::vector<int>> pattern(rows.size());
  for (size_t r = 0; r < rows.size(); ++r)
    for (const int v : find_determinable(dae, rows[r].residual))
      if (column_of[static_cast<size_t>(v)] >= 0)
        pattern[r].push_back(column_of[static_cast<size_t>(v)]);
  const Matching m = match(pattern, static_cast<int>(unknowns.size()));

  model.initial_system.unknowns = unknowns;
  for (size_t r = 0; r < rows.size(); ++r) {
    const Row& row = rows[r];
    if (m.column_of[r] >= 0) {
      model.initial_system.residuals.push_back(row.residual);
      model.initial_system.where.push_back(row.where);
      if (row.origin == Origin::guess &&
          !dae.variables[static_cast<size_t>(row.variable)].is_previous)
        model.assumed.push_back(row.variable);
    } else if (row.origin == Origin::fixed && dae.starts_yield) {
      model.yielding.push_back(row.variable);
    } else if (row.origin == Origin::initial || row.origin == Origin::fixed) {
      model.to_check.push_back({row.residual, row.where});
    } else if (row.origin == Origin::equation) {
      throw base::UserError(row.where,
                            "at the beginning this equation has no unknown left to determine: " +
                                to_text(row.residual),
                            "an initial equation or a fixed start value is too many");
    }
  }
  std::string names;
  int missing = 0;
  for (size_t c = 0; c < unknowns.size(); ++c)
    if (m.row_of[c] < 0 && missing++ < 10)
      names += (missing > 1 ? ", " : "") + dae.variables[static_cast<size_t>(unknowns[c])].name;
  if (missing > 0)
    throw base::UserError(
        dae.variables[static_cast<size_t>(unknowns[0])].where,
        fmt::format("the beginning is not determined: {} variables have neither an equation nor a "
                    "start value: {}",
                    missing, names),
        "give one of them a start value with fixed = true, or an initial equation");
  model.initial_system.careful = true;
  model.initial_system.preferred = model.states;
  for (const int rate : model.system.preferred) model.initial_system.preferred.push_back(rate);
  model.initial_blocks = sort(dae, model.initial_system);
}

}  // namespace couplet::equations
