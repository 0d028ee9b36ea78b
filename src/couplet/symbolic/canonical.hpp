// What the builders of sums, products and functions share. Canonical form of a term:
//   [-] [c *] x      c > 0 a constant, x without sign and coefficient.
#pragma once

#include <array>
#include <optional>

#include "couplet/symbolic/expr.hpp"

namespace couplet::symbolic {

/// c·x, with the sign in c; a constant is c·1.
struct Term {
  double coefficient = 0;
  Expr base;
};
Term split_coefficient(const Expr& e);
Expr scale(double coefficient, const Expr& base);  // the inverse

/// x^n
struct Factor {
  Expr base;
  double exponent = 0;
};
Factor split_power(const Expr& e);  // (x·x)·x → x³, sqrt(x) → x^½, others → e¹
Expr make_power(const Expr& x, double exponent);  // the inverse; integers up to 64 as products

/// Up to eight factors, merged where bases are equal: x·y · x/y → x².
class FactorWindow {
 public:
  void insert(const Expr& e, double sign);  // sign -1: divide by it
  bool expand();                            // opens one product or quotient; false: nothing left
  bool has_merged() const { return has_merged_; }
  Expr product(int fuel) const;

  /// Takes x^exponent out, if it is there.
  bool remove(const Expr& base, double exponent);
  bool has_same_factors(const FactorWindow& other) const;
  int size() const { return count_; }
  const Factor& operator[](int i) const { return factors_[i]; }

  static constexpr int capacity = 8;

 private:
  void erase(int i);

  std::array<Factor, capacity> factors_;
  int count_ = 0;
  bool has_merged_ = false;
};

/// c·F·sin²u + c·F·cos²u = c·F
std::optional<Expr> find_pythagorean_sum(const Term& a, const Term& b);
/// c·F·sin u·cos v ± c·F·cos u·sin v = c·F·sin(u ± v), and the same for the cosine
std::optional<Expr> find_angle_sum(const Term& a, const Term& b);

/// x = count·π/2 + rest, where the sum is written with the double that is nearest to count·π/2.
struct QuarterTurns {
  int count;  // 0 … 3
  Expr rest;
};
std::optional<QuarterTurns> find_quarter_turns(const Expr& x);

// Merging can make further merging possible; fuel bounds how often, and so the depth of recursion.
constexpr int full_fuel = 6;
Expr add(const Expr& a, const Expr& b, int fuel = full_fuel);
Expr multiply(const Expr& a, const Expr& b, int fuel = full_fuel);
Expr divide(const Expr& a, const Expr& b, int fuel = full_fuel);

}  // namespace couplet::symbolic
