// Blocks as something that runs: assignments on tapes, torn systems that are solved. All numbers
// of a model at one moment are in one vector, the slots: variables by their index, then the time,
// relations, whole numbers, samples, delays, whether it is the end, and the homotopy.
#pragma once

#include <span>

#include "couplet/equations/passes.hpp"
#include "couplet/math/dense_lu.hpp"
#include "couplet/math/spatial.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::equations {

using math::MatX;
using math::VecX;

/// Where the number of each symbol is.
class SlotMap {
 public:
  explicit SlotMap(const Dae& dae);
  size_t size() const { return size_; }
  int of(const Expr& symbol) const { return slots_.at(symbol); }
  int time() const { return time_; }
  int relation(size_t k) const { return relations_ + static_cast<int>(k); }
  int whole(size_t k) const { return wholes_ + static_cast<int>(k); }
  int sample(size_t k) const { return samples_ + static_cast<int>(k); }
  int delay(size_t k) const { return delays_ + static_cast<int>(k); }

 private:
  std::unordered_map<Expr, int> slots_;
  size_t size_ = 0;
  int time_ = 0, relations_ = 0, wholes_ = 0, samples_ = 0, delays_ = 0;
};

/// Expressions of slots.
class Function {
 public:
  Function() = default;
  Function(std::span<const Expr> outputs, const SlotMap& map);
  size_t size() const { return tape_ ? tape_->output_count() : 0; }
  void evaluate(const std::vector<double>& slots, std::span<double> out) const;
  const std::vector<int>& inputs() const { return inputs_; }
  size_t instructions() const { return tape_ ? tape_->instruction_count() : 0; }

 private:
  std::vector<int> inputs_;
  std::optional<symbolic::Tape> tape_;
  mutable std::vector<double> in_, registers_;
};

/// Sizes of a system of equations, for people.
struct SystemSize {
  int size = 0, torn = 0;
  bool linear = true;
  std::vector<int> unknowns;  // the torn ones
};

class Program {
 public:
  Program() = default;
  /// Runs `blocks` in their order, as far as the slots `wanted` need them. `fixed`: symbols that
  /// have a number here, such as initial().
  Program(const Dae& dae, const SlotMap& map, const System& system,
          const std::vector<Block>& blocks, std::span<const int> wanted);

  /// False: a system could not be solved, and failure() says which.
  bool run(std::vector<double>& slots) const;
  /// The steps that the slots `wanted` need, for a run of these only.
  void find_steps(std::span<const int> wanted, std::vector<char>& steps) const;
  bool run(std::vector<double>& slots, const std::vector<char>& steps) const;
  const std::string& failure() const { return failure_; }
  const std::vector<SystemSize>& systems() const { return sizes_; }
  size_t instructions() const;
  /// The unknowns of systems that did not determine all of them, and were solved nearest to the
  /// values they had.
  std::vector<std::vector<int>> find_singular() const;

 private:
  struct Step {
    // Assignments
    std::vector<int> outputs;
    std::vector<Expr> values;
    // A system: residuals, then entries of the Jacobian
    bool linear = false, was_singular = false;
    bool searches = false;  // far away, where Newton's method finds nothing
    std::vector<int> unknowns;
    std::vector<std::pair<int, int>> entries;
    std::vector<double> nominal;
    std::vector<base::SourceLocation> where;
    std::vector<std::string> texts;
    Function function;
    std::vector<double> scratch;
    MatX J;
    VecX r, dz;
    math::DenseLu<double> lu;
  };
  static Step make_step(const Dae& dae, const System& system, const Block& block);
  static bool is_regular(const Step& step);
  bool run(Step& step, std::vector<double>& slots) const;
  bool solve_singular(Step& step, std::vector<double>& slots) const;
  bool solve_linear(Step& step, std::vector<double>& slots) const;
  bool solve_nonlinear(Step& step, std::vector<double>& slots) const;
  bool find_crossing(Step& step, std::vector<double>& slots) const;
  void fill(Step& step, const std::vector<double>& slots) const;
  bool fail(const Step& step, const std::vector<double>& slots, std::string_view why) const;

  const Dae* dae_ = nullptr;
  mutable std::vector<Step> steps_;
  std::vector<SystemSize> sizes_;
  mutable std::string failure_;
};

}  // namespace couplet::equations
