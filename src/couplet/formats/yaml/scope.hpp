// The values of one model in a file: numbers with units, expressions, and the names they may use.
//
// A value is a bare number (SI), a number with a unit ("12 mm", "3 N*s/m"), or an expression whose
// literals may carry one unit each ("2*length + 3 mm"). Geometry, masses and initial values are
// folded to numbers; forces keep parameters, coordinates and time as symbols.
#pragma once

#include <map>
#include <span>
#include <utility>

#include "couplet/formats/yaml/expression.hpp"
#include "couplet/formats/yaml/tree.hpp"

namespace couplet::formats::yaml {

class Scope {
 public:
  struct Parameter {
    double value = 0;
    std::optional<Dimension> dimension;
    std::optional<symbolic::Expr> definition = {};  // by other parameters, with their full names
  };
  /// A number as it was read, and as it depends on parameters.
  struct Traced {
    const Node* node;
    symbolic::Expr value;
  };

  Scope(std::string prefix, base::Diagnostics& diagnostics)
      : prefix_(std::move(prefix)), diagnostics_(diagnostics) {}

  /// A scope that has the numbers of these nodes already, to read them again.
  Scope(std::string prefix, base::Diagnostics& diagnostics, std::span<const Node* const> nodes,
        std::span<const double> values)
      : prefix_(std::move(prefix)), diagnostics_(diagnostics), nodes_(nodes), values_(values) {}

  const std::string& prefix() const { return prefix_; }  // "" or "left.arm."
  base::Diagnostics& diagnostics() const { return diagnostics_; }

  void set_parameter(const std::string& name, const Parameter& parameter);
  const Parameter* find_parameter(const std::string& name) const;  // null: none
  std::vector<std::string> parameter_names() const;

  /// A table, which expressions call by its name.
  void set_function(const std::string& name, const std::string& function) {
    functions_[name] = function;
  }

  /// Where parameters were first used in what is read once.
  const std::map<std::string, base::SourceLocation>& folded() const { return folded_; }

  /// Between these two, numbers are remembered with their expressions: they can be read again.
  void start_trace() const { trace_.emplace(); }
  std::vector<Traced> stop_trace() const { return std::move(*std::exchange(trace_, std::nullopt)); }

  /// A number now: parameters count with their values. Reports and returns nothing if it is not
  /// one.
  std::optional<double> number(const Node& node, const Kind& kind) const;

  /// An expression that keeps parameters as symbols; `lookup` knows what else there is.
  std::optional<symbolic::Expr> expression(const Node& node, const Kind& kind, const Lookup& lookup,
                                           const KnownNames& others) const;

  /// A number of any dimension, from other parameters; and from those of this scope.
  std::optional<Parameter> parameter(const Node& node, const Lookup& lookup,
                                     const KnownNames& known) const;
  std::optional<Parameter> any_number(const Node& node) const;

 private:
  std::optional<Expression> read(const Node& node, const Kind* kind, const Lookup& lookup,
                                 const KnownNames& known) const;
  std::optional<double> fold(const Node& node, const symbolic::Expr& value) const;
  std::optional<double> find_known(const Node& node) const;
  symbolic::Expr with_symbols(const Node& node, const Lookup& lookup,
                              const KnownNames& known) const;

  std::string prefix_;
  base::Diagnostics& diagnostics_;
  std::map<std::string, Parameter> parameters_;
  Functions functions_;
  mutable std::map<std::string, base::SourceLocation> folded_;
  mutable std::optional<std::vector<Traced>> trace_;
  std::span<const Node* const> nodes_;  // of numbers that are known
  std::span<const double> values_;
};

/// The number as an expression writes it.
std::string number_text(double value);

/// true or false, or a report.
std::optional<bool> read_flag(const Node& node, base::Diagnostics& diagnostics);

}  // namespace couplet::formats::yaml
