// A register tape: expressions as a flat list of instructions, run by an interpreter. It needs no
// compiler, and evaluating it allocates nothing, locks nothing and looks up no names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "couplet/symbolic/expr.hpp"

namespace couplet::symbolic {

class Tape {
 public:
  /// Only what the outputs need is on the tape. Throws UserError naming every symbol that is not
  /// among the inputs.
  Tape(std::span<const Expr> outputs, std::span<const std::string> input_names);

  /// Both sides of an if/then/else are evaluated and one is chosen, so that the tape has no jumps:
  /// a NaN or infinity in the side not taken does not reach the result.
  /// `registers` is scratch of register_count() numbers; one per thread.
  void evaluate(std::span<const double> inputs, std::span<double> outputs,
                std::span<double> registers) const;
  std::vector<double> evaluate(std::span<const double> inputs) const;

  std::size_t input_count() const { return input_count_; }
  std::size_t output_count() const { return output_registers_.size(); }
  std::size_t register_count() const { return register_count_; }
  std::size_t instruction_count() const { return sum_count() + instructions_.size(); }

 private:
  /// result = a·b + sign·(c·d). Sums, differences, products and changes of sign are all of this
  /// form, with registers that hold 1 and -0; so is a sum of two products. No jump has to be
  /// predicted between them. Bit by bit the same as one by one: nothing is rounded in between that
  /// was not before, and x·1 = x, x + (-0) = x.
  struct Sum {
    double sign;
    std::uint32_t result, a, b, c, d;  // registers
  };
  /// The same with one load for four indices of 16 bits: loads are what takes the time.
  struct ShortSum {
    double sign;
    std::uint64_t abcd;
    std::uint32_t result;
  };
  std::size_t sum_count() const { return sums_.size() + short_sums_.size(); }
  void run_sums(std::size_t begin, std::size_t end, double* registers) const;
  /// Any other operation, after the sums before `after`.
  struct Instruction {
    std::size_t after;
    Op op;
    std::uint32_t result, a, b, c;  // registers; c of a call: its function
  };

  // Registers: the inputs that are used, the constants, then results, reused when no longer needed.
  std::vector<std::uint32_t> used_inputs_;
  std::vector<double> constants_;
  std::vector<Sum> sums_;             // these, …
  std::vector<ShortSum> short_sums_;  // … or with up to 2^16 registers these
  std::vector<Instruction> instructions_;
  std::vector<double (*)(double, double)> functions_;  // external ones, once per call
  std::vector<std::uint32_t> output_registers_;
  std::size_t input_count_ = 0;
  std::size_t register_count_ = 0;
};

}  // namespace couplet::symbolic
