// Physical units as text, e.g. "kg.m2/(s2.A)", and as exponents of base units. [Modelica 3.6,
// chapter 19]
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace couplet::modelica {

struct Unit {
  static constexpr size_t bases =
      8;              // m, kg, s, A, K, mol, cd; degC and degF are no multiples of K
  double factor = 1;  // to SI
  std::array<double, bases> exponents = {};

  Unit operator*(const Unit& other) const;
  Unit power(double exponent) const;
  bool same(const Unit& other) const;  // also the same factor
};

/// Nothing when the text is no unit that is known. "1", "rad" and "" are ratios; "" is not known.
std::optional<Unit> parse_unit(std::string_view text);

}  // namespace couplet::modelica
