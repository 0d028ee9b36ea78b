// An owning, scalar system of equations 0 = r(t, x, ẋ, p, d, pre(d)) with everything that is known
// of its variables: what comes out of a translation, and what the passes of this room work on.
// It knows neither Modelica nor mechanics.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/symbolic/expr.hpp"

namespace couplet::equations {

using symbolic::Expr;

enum class Kind { parameter, discrete, continuous };
enum class Select { never, avoid, normal, prefer, always };  // as a state

struct Variable {
  std::string name, unit = {};
  Expr symbol = {};
  Kind kind = Kind::continuous;
  bool real = true;                // false: Boolean, Integer or enumeration, as a number
  std::optional<Expr> start = {};  // of parameters
  bool fixed = false;              // start is an initial equation
  Expr nominal = 1;
  Select select = Select::normal;
  std::optional<Expr> value = {};  // a parameter's; absent: initialisation finds it
  base::SourceLocation where = {};
  int derivative = -1;  // the variable that is its derivative
  int integral = -1;    // the variable that it is the derivative of
  int previous = -1;    // of a discrete variable: pre(v), which is a variable, too
  bool is_previous = false;
  bool is_input = false, is_output = false;  // of the model
  bool hidden = false;                       // made by the translation: nobody asks for it
  bool idle = false;                         // a derivative that no equation has any more
};

struct Equation {
  Expr residual = {};
  base::SourceLocation where = {};
  /// The residual of its derivative by the time, where the author gave it; empty: by the rules.
  std::function<Expr()> derivative_rule = {};
  int derivative = -1;  // the equation that is its derivative
  int integral = -1;
};

/// value = (gap < 0), or ≤ if it is not strict, of something that changes with the time: kept fixed
/// between events.
struct Relation {
  Expr symbol, gap;
  bool strict = true;
  std::string text = {};
  base::SourceLocation where = {};
};

/// value = floor(argument): the same for whole numbers.
struct Whole {
  Expr symbol, argument;
};

/// True at the events t = start + k·interval only.
struct Sample {
  Expr symbol, start, interval;
};

/// What the argument was `length` seconds ago; before the beginning it was as it is there.
struct Delay {
  Expr symbol, argument, length;
  base::SourceLocation where = {};
};

struct Reinit {
  Expr trigger;  // true at the event
  int variable;
  Expr value;
  base::SourceLocation where = {};
};

struct Assertion {
  Expr condition;  // that should hold
  std::string text;
  bool warning = false;
  base::SourceLocation where = {};
};

struct Termination {
  Expr trigger;
  std::string text;
};

struct Dae {
  std::string name;
  std::vector<Variable> variables;
  std::vector<Equation> equations, initial_equations;
  std::vector<Relation> relations;
  std::vector<Whole> wholes;
  std::vector<Sample> samples;
  std::vector<Delay> delays;
  std::vector<Reinit> reinits;
  std::vector<Assertion> assertions;
  std::vector<Termination> terminations;
  std::unordered_map<Expr, int> index = {};      // of a symbol
  std::unordered_map<Expr, Expr> replaced = {};  // eliminated symbols: by what
  Expr time = Expr::symbol("time");
  Expr initial = Expr::symbol("initial()");    // 1 at initialisation, else 0
  Expr terminal = Expr::symbol("terminal()");  // 1 at the end of the run, else 0
  /// 1; a beginning that is hard to find is approached from 0, the simplified equations.
  Expr homotopy = Expr::symbol("homotopy()");
  bool has_terminal = false, has_homotopy = false;
  bool continued = false;  // expressions depend on `homotopy`
  /// Fixed start values that do not fit the equations give way: some variables are prescribed.
  bool starts_yield = false;

  std::unordered_map<Expr, Expr> numbers = {};  // of parameters, where they are known
  /// Symbols whose present values have become part of a number, and of which parameter.
  std::vector<std::pair<Expr, std::string>> used_up = {};
  std::vector<Expr> deciding = {};  // conditions of choices that values of parameters have made

  int add(Variable v);                 // gives it its symbol
  int find(const Expr& symbol) const;  // -1: no variable
  /// The variable der(v); made when there is none.
  int derivative_of(int v);
  /// Derivatives that nothing refers to: what they are the derivatives of are no states.
  void drop_idle_derivatives();
  int previous_of(int v);
  /// d/dt along the variables' derivatives; those that lack one get it.
  Expr time_derivative(const Expr& e);
  /// With what was eliminated replaced.
  Expr resolve(const Expr& e) const;
  Expr relation(const Expr& gap, bool strict, const std::string& text, const base::SourceLocation&);
  Expr whole(const Expr& argument);
  Expr sample(const Expr& start, const Expr& interval);
  Expr delay(const Expr& argument, const Expr& length, const base::SourceLocation&);
  const Delay* find_delay(const Expr& symbol) const;
  /// What these symbols are between the beginning and the end.
  std::unordered_map<Expr, Expr> while_running() const;
  /// Whether e has symbols that change between events: the time, continuous variables.
  bool is_continuous(const Expr& e) const;
  /// Variables in e, each once.
  std::vector<int> variables_of(const Expr& e) const;

 private:
  std::unordered_map<Expr, Expr> relation_of_, whole_of_;
};

/// e = coefficient · symbol + rest, both free of the symbol; absent: it is not linear in it.
struct Linear {
  Expr coefficient, rest;
};
std::optional<Linear> isolate(const Expr& e, const Expr& symbol);

}  // namespace couplet::equations
