// Expressions between events. A condition in an expression makes a jump or a kink that an
// integrator cannot see: it becomes a switch, a symbol of its own that is kept fixed during a step,
// and a root function that becomes negative where the switch has to change.
//
//   if a < b then x else y     →  if s then x else y,   s = (a < b)
//   min, max, abs, sign        →  the same, by what they mean
//   floor(x), ceil(x), mod     →  n = floor(x), a whole number, with two root functions
//   table(x)                   →  the same with n the range of x between two kinks of the table
// noevent(…) and smooth(…) keep what is inside as it is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "couplet/symbolic/table_ranges.hpp"

namespace couplet::symbolic {

struct Switch {
  Expr symbol;             // that stands for it
  Expr value;              // what it is now: 0 or 1, or a whole number; of other switches' symbols
  std::vector<Expr> gaps;  // ≥ 0 while it may stay: one of a condition; two of a whole number, the
                           // first to the next lower one
  std::vector<Expr> rates;  // of each gap by the time, where it depends on the time and nothing
                            // else that changes between events, so that it is known when it
                            // becomes negative; otherwise empty
  std::string text;         // for people
  bool is_kink = false;     // nothing jumps where it changes
};

/// Replaces conditions by switches. Equal conditions share one.
class Switches {
 public:
  /// Names of switches are `prefix` and a number. `is_fixed`: whether a symbol other than the time
  /// `t` changes at events only.
  Switches(std::string prefix, std::function<bool(const std::string& name)> is_fixed);

  /// Throws UserError for an equality of what changes continuously: it has no event. Kinks of
  /// tables count where a derivative up to `smooth` jumps: 2 where second derivatives are used.
  Expr freeze(const Expr& e, int smooth = 1);
  /// Whether it changes between events; by the time alone does not count unless `with_time`.
  bool changes(const Expr& e, bool with_time) const;
  /// In an order in which each one's value depends on those before it.
  const std::vector<Switch>& list() const { return list_; }

 private:
  enum class Makes { jump, kink };
  Expr add(const Expr& value, Makes what,
           const std::function<std::vector<Expr>(const Expr& symbol)>& gaps, std::string text = {});
  Expr condition(Op op, const Expr& a, const Expr& b, Makes what = Makes::jump);
  Expr whole(const Expr& x);
  Expr table(const ExternalFunction& table, const Expr& a, const Expr& b);
  Expr frozen(const Expr& old, const Expr& a, const Expr& b, const Expr& c);

  std::string prefix_;
  std::function<bool(const std::string&)> is_fixed_;
  std::vector<Switch> list_;
  int smooth_ = 1;
};

/// The value after the gap of this index became negative: the other one, or the next whole number.
double calc_next(const Switch& each, size_t gap, double value);

}  // namespace couplet::symbolic
