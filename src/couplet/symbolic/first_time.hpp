// The first time at which a function of the time becomes negative. Bounds of the function and of
// its derivative rule out where it does not, so that none is missed, however short it is there.
#pragma once

#include <limits>

#include "couplet/symbolic/bounds.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::symbolic {

class FirstTime {
 public:
  /// `function` of the first input, the time; `rate`: its derivative. Bounds::cover() both.
  FirstTime(const Expr& function, const Expr& rate, std::span<const std::string> inputs);

  /// The first time from t on at which it becomes negative, with the others among the inputs as
  /// they are; infinite: never. While they stay, later calls say the same. It is not negative at t.
  double find(std::span<const double> inputs, double t);

  /// What it found last and from where, for a run that is to go on to the same bits.
  size_t memory_size() const { return 2 + used_.size(); }
  void append_memory(std::vector<double>& memory) const;
  void set_memory(std::span<const double> memory);

 private:
  double value(double t);
  double search(double begin, double end);
  double bisect(double begin, double end);

  double find_first();
  Tape tape_;
  Bounds bounds_;
  std::vector<size_t> used_;  // inputs besides the time
  std::vector<double> inputs_, registers_;
  double t_ = std::numeric_limits<double>::infinity();  // s, from where
  double found_ = 0;
  long left_ = 0;  // how many intervals may be looked at
};

}  // namespace couplet::symbolic
