// A mechanism whose parameters change: masses, points, axes and whatever else comes from
// expressions of parameters is evaluated anew, in a copy of its own, without reading or compiling
// the model.
//
// One object per thread. What was made from its mechanism reads the new numbers by reference, but
// keeps what it has computed from the old ones: a dynamics::System is to be made anew, a
// RecursiveWorkspace has refresh().
#pragma once

#include <span>
#include <unordered_map>

#include "couplet/model/numbers.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::model {

/// What of the model depends on a parameter directly, not by way of others that it defines.
std::vector<const Derived*> find_dependents(const Model& model, std::string_view parameter);

/// Where a parameter is used that cannot be switched while the model moves, because positions would
/// jump, or nobody would tell of its change: constraints, limits, options of plug-ins, and what was
/// read once. Nothing: it may change.
std::optional<SourceLocation> find_unswitchable(const Model& model, std::string_view parameter);

class ParametricMechanism {
 public:
  explicit ParametricMechanism(const Mechanism& mechanism);
  ParametricMechanism(const ParametricMechanism&) = delete;
  ParametricMechanism& operator=(const ParametricMechanism&) = delete;

  /// The copy, always the same object: its numbers change. Its model has the present values.
  const std::shared_ptr<const Mechanism>& mechanism() const { return mechanism_; }
  std::span<const double> values() const { return values_; }  // of the model's parameters

  /// From now on no parameter follows another one: each keeps its value until it is set itself.
  void stop_following() { is_own_.assign(is_own_.size(), 1); }

  struct Change {
    size_t parameter;  // index in the model
    double value;
  };
  /// Parameters that are defined by changed ones follow, unless they were set themselves. Throws
  /// UserError where the structure depends on one of them, or where no such model can be; nothing
  /// has changed then. True: numbers of the mechanism have changed; false: parameters that only
  /// forces and motions use.
  bool set(std::span<const Change> changes);
  bool set(std::string_view parameter, double value);

 private:
  using Places = std::unordered_map<std::string, size_t>;  // of parameters, by their symbols
  /// Values from parameters: of a definition, or of what is derived from them.
  struct Formula {
    std::vector<size_t> parameters;  // what it depends on
    symbolic::Tape tape;
    std::vector<double> inputs, outputs, registers;

    Formula(std::span<const Expr> values, const Model& model, const Places& places);
    const std::vector<double>& calc(std::span<const double> all);
  };
  struct Part {
    Formula formula;
    bool is_due = false;
  };

  void check_free(size_t parameter) const;
  void follow(std::vector<char>& changed);
  void find_due(const std::vector<char>& changed);
  void apply_due();
  void share_halves();
  void check_structure() const;

  std::shared_ptr<const Mechanism> mechanism_;
  Mechanism* changing_;  // the same object
  Model* model_;         // of the same
  NumbersCalculator numbers_;
  std::vector<double> values_;
  std::vector<char> is_own_;                             // was set: its definition counts no more
  std::vector<std::pair<size_t, Formula>> definitions_;  // in the order of evaluation
  std::vector<Part> parts_;                              // per Model::derived
  std::vector<char> massless_;                           // per body, as compiled
  std::vector<int> halves_;                              // per body: in how many it was split, + 1
};

}  // namespace couplet::model
