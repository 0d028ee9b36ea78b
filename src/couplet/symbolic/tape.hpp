// A register tape: expressions as a flat list of instructions, run by an interpreter. It needs no
// compiler, and evaluating it allocates nothing, locks nothing and looks up no names.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "couplet/symbolic/expr.hpp"

namespace couplet::symbolic {

struct ExternalFunction;

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
  std::size_t instruction_count() const { return sum_count_ + instructions_.size(); }

 private:
  /// Sums, differences, products and changes of sign are all of the form a·b ± c·d, with registers
  /// that hold 1, -1 and -0; so is a sum of two products. Three of them are a row: a·b + c·d,
  /// a·b - c·d and a·b + c, whether all three are needed or not. No jump has to be predicted
  /// between them. Bit by bit the same as one by one: nothing is rounded in between that was not
  /// before, and x·1 = x, x + (-0) = x, x - (-0)·(-1) = x.
  struct Sum {
    std::uint32_t result, a, b, c, d;  // registers; the third of a row has d = 1
  };
  using Row = std::array<Sum, 3>;
  /// The same with one load for four indices of 16 bits: loads are what takes the time.
  struct ShortRow {
    std::uint64_t plus, minus;  // a, b, c, d
    std::uint64_t third;        // a, b, c, result
    std::uint32_t results;      // of plus and minus

    explicit ShortRow(const Row& row);
  };
  std::size_t row_count() const { return rows_.size() + short_rows_.size(); }
  void run_rows(std::size_t begin, std::size_t end, double* registers) const;
  /// Any other operation, before the row `before`.
  struct Instruction {
    std::size_t before;
    Op op;
    std::uint32_t result, a, b, c;  // registers; c of a call: its function
  };

  // Registers: the inputs that are used, the constants, then results.
  std::vector<std::uint32_t> used_inputs_;
  std::vector<double> constants_;
  std::vector<Row> rows_;             // these, …
  std::vector<ShortRow> short_rows_;  // … or with up to 2^16 registers these
  std::vector<Instruction> instructions_;
  std::vector<const ExternalFunction*> functions_;  // once per call; their addresses stay
  std::vector<std::uint32_t> output_registers_;
  std::size_t input_count_ = 0;
  std::size_t register_count_ = 0;
  std::size_t sum_count_ = 0;
};

}  // namespace couplet::symbolic
