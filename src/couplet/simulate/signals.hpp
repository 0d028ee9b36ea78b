// Quantities by name: observables of a model, chosen by patterns, as columns of numbers.
#pragma once

#include <optional>
#include <unordered_map>

#include "couplet/results/recording.hpp"
#include "couplet/simulate/observables.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::simulate {

class SignalSet {
 public:
  /// Patterns are names, globs (`*` and `?`) or expressions of names; none: states, energies and
  /// outputs. Throws UserError for a pattern that finds nothing.
  SignalSet(Observables& observables, const std::vector<std::string>& patterns);

  const std::vector<results::Signal>& list() const { return list_; }  // the first is t
  /// The values at a point, as cheap as the dearest of them.
  void calc(double t, const VecX& y, double* row);

 private:
  struct Column {
    enum Source { time, state, probe, expression } source;
    size_t index = 0;  // of the component of y, the probe's values, the expression
  };
  struct Expression {
    symbolic::Tape tape;
    std::vector<Column> inputs;
  };
  struct Stretch {  // neighbouring columns that are neighbouring components of y
    size_t column, component, length;
  };

  void add(const results::Signal& signal, const Column& column);
  void add_expression(const std::string& pattern);
  Column bind(size_t observable);
  Column bind(symbolic::Expr value, const base::SourceLocation& where);
  Column bind_name(const std::string& name, const base::SourceLocation& where);
  symbolic::Expr inserted(symbolic::Expr value, const base::SourceLocation& where);
  std::optional<size_t> find(const std::string& name);
  void find_stretches();
  double value(const Column& column, double t, const VecX& y) const;

  Observables& observables_;
  std::unordered_map<std::string, size_t> places_;  // of observables, by their names
  std::vector<results::Signal> list_;
  std::vector<Column> columns_;
  std::vector<Stretch> stretches_;
  std::vector<size_t> others_;  // columns that are in none
  std::vector<Expression> expressions_;
  std::vector<size_t> probed_;  // observables, in the order of values_
  std::unique_ptr<Probe> probe_;
  std::vector<double> values_, inputs_, registers_;
};

/// Every name that can be recorded.
std::vector<results::Signal> make_catalogue(const Observables& observables);

}  // namespace couplet::simulate
