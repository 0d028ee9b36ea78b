// Quantities by name: observables of a model, chosen by patterns, as columns of numbers.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "couplet/integrate/archive.hpp"
#include "couplet/results/recording.hpp"
#include "couplet/simulate/observables.hpp"
#include "couplet/symbolic/sign_changes.hpp"
#include "couplet/symbolic/switch_values.hpp"

namespace couplet::simulate {

class SignalSet {
 public:
  /// Patterns are names, globs (`*` and `?`) or expressions of names; none: states, energies and
  /// outputs. Throws UserError for a pattern that finds nothing.
  SignalSet(Observables& observables, const std::vector<std::string>& patterns);

  const std::vector<results::Signal>& list() const { return list_; }  // the first is t
  /// The values at a point, as cheap as the dearest of them.
  void calc(double t, const VecX& y, double* row);

  // ---- Conditions in expressions that are recorded stay as they are until they are changed, as
  // those of forces do. All that follows is for sets that have some.
  bool has_conditions() const { return conditions_.has_value(); }
  /// All of them by what holds at a point, and right after it.
  void start(double t, const VecX& y);
  /// The first change after t of a condition of the time.
  double next_time(double t) const { return conditions_->next_time(t); }
  size_t gap_count() const { return conditions_->size(); }
  /// Not negative while conditions may stay as they are.
  void calc_gaps(double t, const VecX& y, VecX& gaps);
  /// Looks at point p of the five that stand for a step from t over h.
  void look_at_step(size_t p, double t, double h, const VecX& y);
  /// Whether a gap may change its sign more often than the quartics through the points bend, so
  /// that find_change() has to say where it does.
  bool is_crooked(size_t gap) const { return crooked_.watches(gap); }
  /// As Problem::find_change, in the step that was looked at.
  std::optional<std::array<double, 2>> find_change(size_t gap, double from, double to,
                                                   bool negative);
  /// Whether nothing jumps where this one becomes negative.
  bool is_kink(size_t gap) const { return conditions_->is_kink(gap); }
  /// Changes conditions whose gaps became negative, or whose time it is.
  void change(double t, const VecX& y, std::span<const size_t> fired);
  void archive(integrate::Archive& archive);

 private:
  struct Column {
    enum Source { time, state, probe, expression, condition } source;
    size_t index = 0;  // of the component of y, the probe's values, the expression or condition
  };
  struct Expression {
    symbolic::Expr value;
    base::SourceLocation where;
    std::optional<symbolic::Tape> tape;  // of what is recorded, with conditions frozen
    std::vector<Column> inputs;
  };
  struct Stretch {  // neighbouring columns that are neighbouring components of y
    size_t column, component, length;
  };

  void add(const results::Signal& signal, const Column& column);
  void add_expression(const std::string& pattern);
  void add_observable(const Observable& observable, size_t index);
  Column bind(const Observable& wanted, size_t observable);
  Column bind(symbolic::Expr value, const base::SourceLocation& where);
  Column bind_name(const std::string& name, const base::SourceLocation& where);
  symbolic::Expr inserted(symbolic::Expr value, const base::SourceLocation& where);
  std::optional<size_t> find(const std::string& name);
  std::vector<std::string> known_names() const;
  [[noreturn]] void refuse_expression(const std::string& pattern,
                                      const base::UserError& error) const;
  void find_stretches();
  void freeze_conditions();
  void bind_conditions(const std::vector<symbolic::Switch>& switches);
  void set_inputs(double t, const VecX& y);
  double value(const Column& column, double t, const VecX& y) const;

  Observables& observables_;
  std::unordered_map<std::string, size_t> places_;  // of observables, by their names
  std::vector<results::Signal> list_;
  std::vector<Column> columns_;
  std::vector<Stretch> stretches_;
  std::vector<size_t> others_;  // columns that are in none
  std::vector<Expression> expressions_;
  std::vector<size_t> probed_;                   // observables, in the order of values_
  std::unordered_map<size_t, size_t> probe_of_;  // observable → index in probed_
  std::unordered_set<std::string> seen_;         // names and units, while columns are added
  std::unique_ptr<Probe> probe_;
  std::vector<double> values_, inputs_, registers_;

  // Of conditions: observables that they use, and values of the time, of these and of themselves.
  std::optional<symbolic::SwitchValues> conditions_;
  std::vector<size_t> condition_sources_;
  std::unique_ptr<Probe> condition_probe_;
  std::vector<double> condition_inputs_;
  symbolic::SignChanges crooked_;               // of gaps
  symbolic::StepPoints step_{};                 // that is looked at:
  std::array<std::vector<double>, 5> on_step_;  // what the gaps use
};

/// Every name that can be recorded.
std::vector<results::Signal> make_catalogue(const Observables& observables);

}  // namespace couplet::simulate
