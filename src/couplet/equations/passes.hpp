// The passes from a Dae to sorted, torn blocks, in this order. Each is one file.
#pragma once

#include <vector>

#include "couplet/equations/dae.hpp"
#include "couplet/symbolic/differentiate.hpp"

namespace couplet::equations {

/// fold.cpp: choices in equations that values of parameters decide.
void fold_parameters(Dae& dae);

/// simplify.cpp: a = ±b, a = constant, a = f(parameters), to a fixed point; attributes of the best
/// member of a set of aliases are kept.
struct Simplified {
  int aliases = 0, constants = 0, parameters = 0;
};
Simplified simplify(Dae& dae);

/// Whether it is an unknown of the equations: neither eliminated nor a parameter nor pre(v).
bool is_unknown(const Dae& dae, int v);
/// Unknowns that an equation may determine: Real ones that are in it, others where they have a
/// number as factor. Parameters may make the factor of a Real one 0.
std::vector<int> find_determinable(const Dae& dae, const Expr& residual, bool with_zeros = true);
/// Of a whole model: what a when-equation sets is determined there, and nowhere else.
std::vector<int> find_unknowns(const Dae& dae, const Expr& residual);
std::vector<std::vector<int>> unknowns_by_equation(const Dae& dae);

/// matching.cpp: maximum matching of rows and columns, cheap assignments first, then augmenting
/// paths. Entry −1: not matched.
struct Matching {
  std::vector<int> column_of, row_of;
};
Matching match(const std::vector<std::vector<int>>& columns_by_row, int columns);
/// The rows that can be reached from an unmatched one: too many for the columns they have.
std::vector<int> find_excess(const std::vector<std::vector<int>>& columns_by_row, const Matching&,
                             int row);

/// reduce.cpp: differentiates equations until highest derivatives can be solved for [Pantelides
/// 1988]. Throws UserError where the equations are structurally singular. Returns how many
/// equations were added.
int reduce_index(Dae& dae);

/// factors.cpp: the variables of an expression, each once, with the numbers that they are
/// multiplied by; NaN: it is not linear in that variable, or its factor is no number. Values of
/// parameters count as numbers where dae.numbers has them.
struct Factor {
  int variable;
  double value;
};
std::vector<Factor> find_factors(const Dae& dae, const Expr& e);

/// constraints.cpp: what constraints of states leave open. Variables that can be found from the
/// others at all times, because their factors are numbers, are no states. What is left falls into
/// sets, each with fewer equations than variables, whose factors change with the motion.
struct ConstraintSet {
  std::vector<int> variables;               // candidates
  std::vector<std::vector<int>> equations;  // the least differentiated ones first
};
struct Constraints {
  std::vector<int> dependent;  // candidates
  std::vector<ConstraintSet> sets;
};
Constraints analyse_constraints(const Dae& dae);

/// What the model wants as states: larger for more.
long wish_of(const Dae& dae, int variable);

/// states.cpp: which variables are states, by dummy derivatives [Mattsson, Söderlind 1993] and
/// the wishes of the model. All unknowns that have a derivative are candidates. Where no choice is
/// good at all times, all variables of the set are states, and its constraints are kept by
/// projection.
struct States {
  std::vector<int> variables;
  std::vector<ConstraintSet> projected;
};
States select_states(const Dae& dae);

/// solve.cpp: a block as far as symbols go: a system for the unknowns, if there are any, then
/// values one after the other.
struct Solution {
  bool linear = true;
  std::vector<int> unknowns;
  std::vector<Expr> residuals;  // where it is linear: with 0 for the unknowns
  std::vector<symbolic::JacobianEntry> jacobian;
  std::vector<std::pair<int, Expr>> values;
};

/// One or more equations with as many unknowns, solved together.
struct Block {
  std::vector<int> equations, variables;
  /// equation, variable: solved one after the other once the torn ones are known.
  std::vector<std::pair<int, int>> inner;
  std::vector<int> torn;       // variables
  std::vector<int> residuals;  // equations, as many
  Solution solution;
};

/// sort.cpp: blocks in an order in which each needs only those before it [Tarjan 1972].
/// `equations` are indices into `residuals`, unknown: which variables are to be found. Throws
/// UserError with the smallest set of equations that have too few unknowns.
struct System {
  std::vector<Expr> residuals;
  std::vector<base::SourceLocation> where;
  std::vector<int> unknowns;
  std::vector<int> preferred;  // had better be torn, in this order
  bool careful = false;  // nothing is divided by that might be 0: singular systems can be told
};
std::vector<Block> sort(const Dae& dae, const System& system);

/// tear.cpp: few variables of a block that, once known, give the others one after the other.
void tear(const Dae& dae, const System& system, Block& block);
/// Tears what has to be torn, and finds the block's solution.
void solve(const Dae& dae, const System& system, Block& block);

/// A text for messages: the equation as it stands, shortened.
std::string to_text(const Expr& residual);

}  // namespace couplet::equations
