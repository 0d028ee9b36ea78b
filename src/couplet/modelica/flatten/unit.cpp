#include "couplet/modelica/flatten/unit.hpp"

#include <cctype>
#include <cmath>

namespace couplet::modelica {
namespace {

struct Named {
  std::string_view name;
  Unit unit;
  bool prefixes = true;  // km, but no kmin
};

constexpr double degree = 0.017453292519943295;

// exponents of m, kg, s, A, K, mol, cd, offset scales
constexpr Named symbols[] = {
    {"m", {1, {1}}},
    {"g", {1e-3, {0, 1}}},
    {"s", {1, {0, 0, 1}}},
    {"A", {1, {0, 0, 0, 1}}},
    {"K", {1, {0, 0, 0, 0, 1}}},
    {"mol", {1, {0, 0, 0, 0, 0, 1}}},
    {"cd", {1, {0, 0, 0, 0, 0, 0, 1}}},
    {"rad", {}},
    {"sr", {}},
    {"Hz", {1, {0, 0, -1}}},
    {"N", {1, {1, 1, -2}}},
    {"Pa", {1, {-1, 1, -2}}},
    {"W", {1, {2, 1, -3}}},
    {"J", {1, {2, 1, -2}}},
    {"C", {1, {0, 0, 1, 1}}},
    {"V", {1, {2, 1, -3, -1}}},
    {"F", {1, {-2, -1, 4, 2}}},
    {"Ohm", {1, {2, 1, -3, -2}}},
    {"S", {1, {-2, -1, 3, 2}}},
    {"Wb", {1, {2, 1, -2, -1}}},
    {"T", {1, {0, 1, -2, -1}}},
    {"H", {1, {2, 1, -2, -2}}},
    {"lm", {1, {0, 0, 0, 0, 0, 0, 1}}},
    {"lx", {1, {-2, 0, 0, 0, 0, 0, 1}}},
    {"Bq", {1, {0, 0, -1}}},
    {"Gy", {1, {2, 0, -2}}},
    {"Sv", {1, {2, 0, -2}}},
    {"kat", {1, {0, 0, -1, 0, 0, 1}}},
    {"VA", {1, {2, 1, -3}}, false},
    {"var", {1, {2, 1, -3}}, false},
    {"min", {60, {0, 0, 1}}, false},
    {"h", {3600, {0, 0, 1}}, false},
    {"d", {86400, {0, 0, 1}}, false},
    {"l", {1e-3, {3}}},
    {"L", {1e-3, {3}}},
    {"t", {1e3, {0, 1}}, false},
    {"bar", {1e5, {-1, 1, -2}}},
    {"eV", {1.602176634e-19, {2, 1, -2}}},
    {"deg", {degree, {}}, false},
    {"rev", {360 * degree, {}}, false},
    {"rpm", {360 * degree / 60, {0, 0, -1}}, false},
    {"degC", {1, {0, 0, 0, 0, 1, 0, 0, 1}}, false},
    {"degF", {5.0 / 9, {0, 0, 0, 0, 1, 0, 0, 1}}, false},
};

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr Prefix prefixes[] = {
    {"da", 1e1}, {"Y", 1e24},  {"Z", 1e21},  {"E", 1e18},  {"P", 1e15},  {"T", 1e12}, {"G", 1e9},
    {"M", 1e6},  {"k", 1e3},   {"h", 1e2},   {"d", 1e-1},  {"c", 1e-2},  {"m", 1e-3}, {"u", 1e-6},
    {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15}, {"a", 1e-18}, {"z", 1e-21}, {"y", 1e-24}};

std::optional<Unit> find_symbol(std::string_view name) {
  for (const Named& s : symbols)
    if (s.name == name) return s.unit;
  for (const Prefix& p : prefixes)
    for (const Named& s : symbols)
      if (s.prefixes && name.starts_with(p.name) && name.substr(p.name.size()) == s.name) {
        Unit u = s.unit;
        u.factor *= p.factor;
        return u;
      }
  return {};
}

// unit_expression: numerator ["/" denominator]; denominator: factor or "(" product ")".
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::optional<Unit> whole() {
    auto unit = product();
    if (unit && take('/')) {
      const auto below = factor();
      if (!below) return {};
      unit = *unit * below->power(-1);
    }
    return rest_.empty() ? unit : std::nullopt;
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<Unit> product() {
    auto unit = factor();
    while (unit && take('.')) {
      const auto next = factor();
      unit = next ? std::optional(*unit * *next) : std::nullopt;
    }
    return unit;
  }

  std::optional<Unit> factor() {
    std::optional<Unit> unit;
    if (take('(')) {
      if (++depth_ > 20) return {};
      unit = product();
      if (!take(')')) return {};
    } else if (rest_.starts_with('1') &&
               (rest_.size() == 1 || !std::isdigit(static_cast<unsigned char>(rest_[1])))) {
      rest_.remove_prefix(1);
      return Unit{};
    } else {
      size_t n = 0;
      while (n < rest_.size() && std::isalpha(static_cast<unsigned char>(rest_[n]))) ++n;
      unit = find_symbol(rest_.substr(0, n));
      rest_.remove_prefix(n);
    }
    return unit ? std::optional(unit->power(exponent())) : std::nullopt;
  }

  double exponent() {
    const bool minus = take('-');
    if (!minus) take('+');
    if (rest_.empty() || !std::isdigit(static_cast<unsigned char>(rest_[0]))) return 1;
    double value = 0;
    while (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0])) && value < 1000) {
      value = value * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return minus ? -value : value;
  }

  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

Unit Unit::operator*(const Unit& other) const {
  Unit u = *this;
  u.factor *= other.factor;
  for (size_t i = 0; i < bases; ++i) u.exponents[i] += other.exponents[i];
  return u;
}

Unit Unit::power(double exponent) const {
  Unit u = *this;
  u.factor = std::pow(factor, exponent);
  for (double& e : u.exponents) e *= exponent;
  return u;
}

bool Unit::same(const Unit& other) const {
  constexpr double tolerance = 1e-6;  // factors are products of a few rounded numbers
  for (size_t i = 0; i < bases; ++i)
    if (std::abs(exponents[i] - other.exponents[i]) > tolerance) return false;
  return std::abs(factor - other.factor) <= tolerance * std::abs(factor);
}

std::optional<Unit> parse_unit(std::string_view text) {
  return text.empty() ? std::nullopt : Parser(text).whole();
}

}  // namespace couplet::modelica
