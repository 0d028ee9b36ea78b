#include "couplet/simulate/signals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "couplet/base/text.hpp"
#include "couplet/results/select.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/parse.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::simulate {

using symbolic::Expr;

namespace {

bool is_glob(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

// 'big end'.q → big end.q: as it is called, of what expressions write in quotes.
std::string without_quotes(const std::string& symbol) {
  return fmt::format("{}", fmt::join(symbolic::split_path(symbol), "."));
}

bool is_usual(Kind kind) { return kind == Kind::state || kind == Kind::energy; }

}  // namespace

SignalSet::SignalSet(Observables& observables, const std::vector<std::string>& patterns)
    : observables_(observables) {
  const std::vector<Output>& outputs = observables.outputs();
  std::vector<std::optional<Column>> bound;  // outputs: wrong ones are reported, wanted or not
  for (const Output& output : outputs) bound.emplace_back(bind(output.value, output.where));

  add({"t", "s"}, {Column::time});
  const auto add_those = [&](const auto& observable_is, const auto& output_is) {
    const size_t before = columns_.size();
    bool found = false;
    for (size_t i = 0; i < observables.size(); ++i)
      if (observable_is(i)) add_observable(observables.at(i), i), found = true;
    for (size_t i = 0; i < outputs.size(); ++i)
      if (output_is(outputs[i])) add({outputs[i].name, outputs[i].unit}, *bound[i]), found = true;
    return found || columns_.size() > before;
  };
  if (patterns.empty())
    add_those([&](size_t i) { return is_usual(observables.kind(i)); },
              [](const Output&) { return true; });
  for (const std::string& pattern : patterns) {
    const auto fits = [&](const std::string& name) {
      return is_glob(pattern) ? results::matches(name, pattern) : pattern == name;
    };
    if (!add_those([&](size_t i) { return fits(observables.at(i).name); },
                   [&](const Output& output) { return fits(output.name); }) &&
        pattern != "t")
      add_expression(pattern);
  }
  seen_ = {};
  find_stretches();
  freeze_conditions();
  probe_ = observables.choose(probed_);
  values_.resize(probed_.size());
  for (const Expression& expression : expressions_) {
    if (!expression.tape) continue;
    inputs_.resize(std::max(inputs_.size(), expression.inputs.size()));
    registers_.resize(std::max(registers_.size(), expression.tape->register_count()));
  }
}

void SignalSet::add(const results::Signal& signal, const Column& column) {
  if (!seen_.insert(signal.name + '\n' + signal.unit).second) return;
  list_.push_back(signal);
  columns_.push_back(column);
}

void SignalSet::add_observable(const Observable& observable, size_t index) {
  add({observable.name, observable.unit}, bind(observable, index));
}

SignalSet::Column SignalSet::bind(const Observable& wanted, size_t observable) {
  if (wanted.component >= 0) return {Column::state, static_cast<size_t>(wanted.component)};
  const auto [place, is_new] = probe_of_.emplace(observable, probed_.size());
  if (is_new) probed_.push_back(observable);
  return {Column::probe, place->second};
}

// By its name as it stands, or as expressions spell it.
std::optional<size_t> SignalSet::find(const std::string& name) {
  if (places_.empty())
    for (size_t i = 0; i < observables_.size(); ++i) {
      const std::string as_it_stands = observables_.at(i).name;
      places_.emplace(as_it_stands, i);
      places_.emplace(Expr::symbol(as_it_stands).name(), i);
    }
  for (const std::string& spelled : {name, without_quotes(name)})
    if (const auto found = places_.find(spelled); found != places_.end()) return found->second;
  return std::nullopt;
}

std::vector<std::string> SignalSet::known_names() const {
  std::vector<std::string> known;
  for (const results::Signal& each : make_catalogue(observables_)) known.push_back(each.name);
  return known;
}

SignalSet::Column SignalSet::bind_name(const std::string& name, const base::SourceLocation& where) {
  if (name == "t") return {Column::time};
  if (const std::optional<size_t> place = find(name)) return bind(observables_.at(*place), *place);
  observables_.check_expected(name, where);
  const std::vector<std::string> known = known_names();
  throw base::UserError(where, fmt::format("there is no quantity {} to record", base::quoted(name)),
                        base::find_nearest(name, known)
                            ? base::suggest(name, known)
                            : "`list` shows all names; patterns such as '*.q' choose several");
}

// Outputs that an expression uses, replaced by what they are.
Expr SignalSet::inserted(Expr value, const base::SourceLocation& where) {
  const std::vector<Output>& outputs = observables_.outputs();
  for (size_t depth = 0;; ++depth) {
    symbolic::Replacements found;
    for (const std::string& used : symbolic::find_symbols(value)) {
      if (find(used)) continue;
      const auto output = std::ranges::find_if(outputs, [&](const Output& each) {
        return symbolic::canonical_name(each.name) == used || each.name == without_quotes(used);
      });
      if (output != outputs.end()) found.emplace(Expr::symbol(used), output->value);
    }
    if (found.empty()) return value;
    if (depth > outputs.size())
      throw base::UserError(where, "outputs use each other in a circle", "break the circle");
    value = symbolic::substitute(value, found);
  }
}

SignalSet::Column SignalSet::bind(Expr value, const base::SourceLocation& where) {
  value = inserted(value, where);
  for (const std::string& name : symbolic::find_symbols(value)) bind_name(name, where);
  expressions_.push_back({value, where, {}, {}});
  return {Column::expression, expressions_.size() - 1};
}

// What was meant: a name, an expression of names with blanks, several names.
void SignalSet::refuse_expression(const std::string& pattern, const base::UserError& error) const {
  const std::vector<std::string> known = known_names();
  for (const std::string& name : known) {
    if (name.find(' ') == std::string::npos || pattern.find(name) == std::string::npos) continue;
    std::vector<std::string> segments(1);
    for (const char c : name)
      c == '.' ? void(segments.emplace_back()) : segments.back().push_back(c);
    throw base::UserError({}, fmt::format("{} is no expression", base::quoted(pattern)),
                          "write " + symbolic::join_path(segments) + " in it");
  }
  if (is_glob(pattern))
    throw base::UserError({}, fmt::format("no quantity matches {}", base::quoted(pattern)),
                          "`list` shows all names");
  const base::Diagnostic& first = error.diagnostics().front();
  if (base::find_nearest(pattern, known))
    throw base::UserError({},
                          fmt::format("there is no quantity {} to record", base::quoted(pattern)),
                          base::suggest(pattern, known));
  throw base::UserError({}, fmt::format("{}: {}", base::quoted(pattern), first.what), first.fix);
}

void SignalSet::add_expression(const std::string& pattern) {
  observables_.check_expected(pattern, {});
  std::optional<Expr> expression;
  try {
    expression = symbolic::parse(pattern);
  } catch (const base::UserError& error) {
    refuse_expression(pattern, error);
  }
  add({pattern, ""}, bind(*expression, {}));
}

void SignalSet::find_stretches() {
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    if (column.source != Column::state) {
      others_.push_back(i);
      continue;
    }
    if (!stretches_.empty()) {
      Stretch& last = stretches_.back();
      if (last.column + last.length == i && last.component + last.length == column.index) {
        ++last.length;
        continue;
      }
    }
    stretches_.push_back({i, column.index, 1});
  }
}

// ---- Conditions.

// Those of all expressions that are recorded; equal ones are one.
void SignalSet::freeze_conditions() {
  std::string prefix = "condition_";
  const auto is_taken = [&] {
    for (size_t i = 0; i < observables_.size(); ++i)
      if (observables_.at(i).name.starts_with(prefix)) return true;
    return false;
  };
  while (!expressions_.empty() && is_taken()) prefix += "_";
  symbolic::Switches switches(prefix, [this](const std::string& name) {
    const std::optional<size_t> place = find(name);
    return place && observables_.kind(*place) == Kind::parameter;
  });
  for (const Column& column : columns_) {
    if (column.source != Column::expression) continue;
    Expression& expression = expressions_[column.index];
    try {
      expression.value = switches.freeze(expression.value, 0);
    } catch (const base::UserError& error) {
      const base::Diagnostic& first = error.diagnostics().front();
      throw base::UserError(expression.where, first.what, first.fix);
    }
  }
  bind_conditions(switches.list());
  const size_t behind = condition_sources_.size() + 1;
  for (const Column& column : columns_) {
    if (column.source != Column::expression) continue;
    Expression& expression = expressions_[column.index];
    const std::vector<std::string> names = symbolic::find_symbols(expression.value);
    for (const std::string& name : names) {
      const auto found = std::ranges::find_if(
          switches.list(), [&](const symbolic::Switch& s) { return s.symbol.name() == name; });
      const auto index = static_cast<size_t>(found - switches.list().begin());
      expression.inputs.push_back(found == switches.list().end()
                                      ? bind_name(name, expression.where)
                                      : Column{Column::condition, behind + index});
    }
    expression.tape.emplace(std::span(&expression.value, 1), names);
  }
}

void SignalSet::bind_conditions(const std::vector<symbolic::Switch>& switches) {
  if (switches.empty()) return;
  std::vector<Expr> all;
  std::vector<std::string> inputs{"t"}, texts;
  for (const symbolic::Switch& each : switches) {
    all.push_back(each.value);
    all.insert(all.end(), each.gaps.begin(), each.gaps.end());
    texts.push_back(each.text);
  }
  for (const std::string& name : symbolic::find_symbols(all))
    if (const std::optional<size_t> place = find(name)) {
      inputs.push_back(name);
      condition_sources_.push_back(*place);
    }
  for (const symbolic::Switch& each : switches) inputs.push_back(each.symbol.name());
  condition_probe_ = observables_.choose(condition_sources_);
  condition_inputs_.assign(inputs.size(), 0);
  conditions_.emplace(switches, std::move(texts), inputs);
  crooked_ = symbolic::SignChanges(conditions_->root_functions(), inputs,
                                   {1 + condition_sources_.size(), 0});
  for (std::vector<double>& point : on_step_) point.resize(condition_sources_.size());
}

void SignalSet::set_inputs(double t, const VecX& y) {
  condition_inputs_[0] = t;
  if (!condition_sources_.empty()) condition_probe_->calc(t, y, condition_inputs_.data() + 1);
}

void SignalSet::start(double t, const VecX& y) {
  set_inputs(t, y);
  conditions_->start(condition_inputs_);
}

void SignalSet::calc_gaps(double t, const VecX& y, VecX& gaps) {
  set_inputs(t, y);
  conditions_->calc_roots(condition_inputs_, gaps.data());
}

void SignalSet::look_at_step(size_t p, double t, double h, const VecX& y) {
  step_.t = t, step_.h = h;
  step_.first[p] = on_step_[p].data();
  if (crooked_.any())
    condition_probe_->calc(t + h * static_cast<double>(p) / 4, y, on_step_[p].data());
}

std::optional<std::array<double, 2>> SignalSet::find_change(size_t gap, double from, double to,
                                                            bool negative) {
  const auto found = crooked_.find(gap, condition_inputs_, step_, from, to, negative);
  if (!found) return std::nullopt;
  return std::array{found->from, found->to};
}

void SignalSet::change(double t, const VecX& y, std::span<const size_t> fired) {
  set_inputs(t, y);
  conditions_->change(condition_inputs_, fired);
}

void SignalSet::archive(integrate::Archive& archive) {
  if (!conditions_) return;
  for (double& value : condition_inputs_) archive(value);
  std::vector<double> times = conditions_->memory();
  archive(times);
  if (archive.loading()) archive.check(conditions_->restore(condition_inputs_, times));
}

// ---- Evaluation.

void SignalSet::calc(double t, const VecX& y, double* row) {
  if (!probed_.empty()) probe_->calc(t, y, values_.data());
  for (const Stretch& part : stretches_)
    std::copy_n(y.data() + part.component, part.length, row + part.column);
  for (const size_t i : others_) {
    const Column& column = columns_[i];
    if (column.source != Column::expression) {
      row[i] = value(column, t, y);
      continue;
    }
    const Expression& expression = expressions_[column.index];
    for (size_t k = 0; k < expression.inputs.size(); ++k)
      inputs_[k] = value(expression.inputs[k], t, y);
    expression.tape->evaluate({inputs_.data(), expression.inputs.size()}, {row + i, 1}, registers_);
  }
}

double SignalSet::value(const Column& column, double t, const VecX& y) const {
  switch (column.source) {
    case Column::time:
      return t;
    case Column::state:
      return y[static_cast<Eigen::Index>(column.index)];
    case Column::probe:
      return values_[column.index];
    case Column::condition:
      return condition_inputs_[column.index];
    case Column::expression:
      break;
  }
  base::ensure(false, "expressions are bound to observables");
  return 0;
}

std::vector<results::Signal> make_catalogue(const Observables& observables) {
  std::vector<results::Signal> signals;
  for (size_t i = 0; i < observables.size(); ++i) {
    const Observable each = observables.at(i);
    signals.push_back({each.name, each.unit});
  }
  for (const Output& each : observables.outputs()) signals.push_back({each.name, each.unit});
  return signals;
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::state:
      return "state";
    case Kind::rate:
      return "rate";
    case Kind::motion:
      return "motion";
    case Kind::force:
      return "force";
    case Kind::energy:
      return "energy";
    case Kind::momentum:
      return "momentum";
    case Kind::residual:
      return "residual";
    case Kind::parameter:
      return "parameter";
    case Kind::output:
      return "output";
  }
  return "";
}

const char* name_of(Cost cost) {
  switch (cost) {
    case Cost::none:
      return "none";
    case Cost::kinematics:
      return "kinematics";
    case Cost::dynamics:
      return "dynamics";
    case Cost::reactions:
      return "reactions";
  }
  return "";
}

}  // namespace couplet::simulate
