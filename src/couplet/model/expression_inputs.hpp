// The values that expressions of a model may use, in one place and one order: time, coordinates,
// speeds, states, parameters, and what the owner of the expressions adds.
#pragma once

#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "couplet/model/mechanism.hpp"

namespace couplet::model {

class ExpressionInputs {
 public:
  /// `added`: names of the owner's own quantities, as in "spring.length". The mechanism must
  /// outlive this.
  explicit ExpressionInputs(const Mechanism& mechanism, std::vector<std::string> added = {});

  /// As expressions spell them, in the order of values(). Made anew: it is as long as the model.
  std::vector<std::string> names() const;
  std::span<const double> values() const { return values_; }
  std::span<double> values() { return values_; }

  void set_time(double t) { values_[0] = t; }
  void set(const State& state);
  void set(double t, const VecX& y);  // y = (q, v, x)

  std::span<double> parameters() { return std::span(values_).subspan(parameters_, count_); }
  std::span<const double> parameters() const {
    return std::span(values_).subspan(parameters_, count_);
  }
  std::span<double> added() { return std::span(values_).subspan(parameters_ + count_); }

  /// Throws UserError when `expression` uses another name. `owner` begins the message.
  void check_symbols(const Expr& expression, const std::string& owner, const SourceLocation& where);

 private:
  const Mechanism* mechanism_;
  std::vector<std::string> added_;
  std::vector<double> values_;
  size_t parameters_, count_;              // where parameters begin, and how many there are
  std::unordered_set<std::string> known_;  // names, from the first check of a symbol on
};

}  // namespace couplet::model
