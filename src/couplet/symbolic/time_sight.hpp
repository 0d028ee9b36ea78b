// How far one can see along the time: up to where functions of it do nothing that a few points do
// not show. A smooth pulse that is short is then not passed over.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "couplet/symbolic/bounds.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::symbolic {

/// The largest parts of an expression that change with the time `t` alone, but those that are
/// linear in it and those without bounds. `is_fixed`: of a symbol other than the time.
std::vector<Expr> find_functions_of_time(
    const Expr& e, const std::function<bool(const std::string& name)>& is_fixed);

class TimeSight {
 public:
  TimeSight() = default;
  /// The time is the first input.
  TimeSight(const std::vector<Expr>& functions, std::span<const std::string> inputs);

  /// The last time up to `end` that can be seen from t, the others among the inputs as they are.
  double reach(std::span<const double> inputs, double t, double end);

 private:
  struct Function {
    Tape tape;
    Bounds bounds;  // of it and its derivative
    double most;    // of its magnitude, at any time; 0: not known
  };
  bool shows(Function& function, double t, double end);

  std::vector<Function> functions_;
  std::vector<double> inputs_, registers_;
};

}  // namespace couplet::symbolic
