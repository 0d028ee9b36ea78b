#include "couplet/formats/units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "couplet/base/text.hpp"

namespace couplet::formats {
namespace {

constexpr double pi = 3.14159265358979323846;

constexpr Dimension none{};
constexpr Dimension length{.length = 1};
constexpr Dimension mass{.mass = 1};
constexpr Dimension duration{.time = 1};
constexpr Dimension angle{.angle = 1};
constexpr Dimension frequency{.time = -1};
constexpr Dimension angular_speed{.time = -1, .angle = 1};
constexpr Dimension force{.length = 1, .mass = 1, .time = -2};
constexpr Dimension energy{.length = 2, .mass = 1, .time = -2};
constexpr Dimension power{.length = 2, .mass = 1, .time = -3};
constexpr Dimension pressure{.length = -1, .mass = 1, .time = -2};

struct NamedUnit {
  const char* name;
  Unit unit;
};

// clang-format off
constexpr NamedUnit units[] = {
    {"m", {1, length}},      {"km", {1e3, length}},   {"cm", {1e-2, length}},  {"mm", {1e-3, length}},
    {"um", {1e-6, length}},  {"µm", {1e-6, length}},  {"nm", {1e-9, length}},
    {"in", {0.0254, length}}, {"ft", {0.3048, length}},
    {"kg", {1, mass}},       {"g", {1e-3, mass}},     {"mg", {1e-6, mass}},    {"t", {1e3, mass}},
    {"lb", {0.45359237, mass}},
    {"s", {1, duration}},    {"ms", {1e-3, duration}}, {"us", {1e-6, duration}}, {"µs", {1e-6, duration}},
    {"min", {60, duration}}, {"h", {3600, duration}},
    {"rad", {1, angle}},     {"mrad", {1e-3, angle}}, {"deg", {pi / 180, angle}}, {"°", {pi / 180, angle}},
    {"rev", {2 * pi, angle}}, {"rpm", {2 * pi / 60, angular_speed}}, {"Hz", {1, frequency}},
    {"N", {1, force}},       {"kN", {1e3, force}},    {"MN", {1e6, force}},    {"mN", {1e-3, force}},
    {"lbf", {4.4482216152605, force}},
    {"Nm", {1, energy}},     {"kNm", {1e3, energy}},  {"Nmm", {1e-3, energy}}, {"mNm", {1e-3, energy}},
    {"J", {1, energy}},      {"kJ", {1e3, energy}},   {"W", {1, power}},       {"kW", {1e3, power}},
    {"Pa", {1, pressure}},   {"kPa", {1e3, pressure}}, {"MPa", {1e6, pressure}}, {"GPa", {1e9, pressure}},
    {"bar", {1e5, pressure}}, {"1", {1, none}},
};
// clang-format on

constexpr int largest_power =
    12;  // of one factor: enough for any quantity, small enough to be exact

bool is_name_char(char c) {  // letters, and those beyond ASCII (°, µ)
  return std::isalpha(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80;
}

// Reads "name[^n]" at `at`; leaves `at` behind it.
std::optional<Unit> parse_factor(std::string_view text, size_t& at, UnitProblem& problem) {
  const size_t start = at;
  if (at < text.size() && text[at] == '1')
    ++at;
  else
    while (at < text.size() && is_name_char(text[at])) ++at;
  const std::string_view name = text.substr(start, at - start);
  if (name.empty()) {
    problem = {start, "expected a unit", "write units as in kg*m^2 or N*s/m"};
    return std::nullopt;
  }
  std::optional<Unit> unit = find_unit(name);
  if (!unit) {
    problem = {start, "unknown unit " + base::quoted(name), base::suggest(name, unit_names())};
    return std::nullopt;
  }
  if (at == text.size() || text[at] != '^') return unit;

  int n = 0;
  const auto [end, status] = std::from_chars(text.data() + at + 1, text.data() + text.size(), n);
  if (status != std::errc() || std::abs(n) > largest_power) {
    problem = {at + 1, "expected a whole power of the unit", "write units as in kg*m^2"};
    return std::nullopt;
  }
  at = static_cast<size_t>(end - text.data());
  return Unit{std::pow(unit->scale, n), unit->dimension.power(n)};
}

}  // namespace

std::optional<Unit> find_unit(std::string_view name) {
  for (const NamedUnit& entry : units)
    if (name == entry.name) return entry.unit;
  return std::nullopt;
}

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const NamedUnit& entry : units)
    if (entry.name != std::string_view("1")) names.emplace_back(entry.name);
  return names;
}

std::optional<Unit> parse_unit(std::string_view text, UnitProblem& problem) {
  size_t at = 0;
  const auto skip_spaces = [&] {
    while (at < text.size() && text[at] == ' ') ++at;
  };
  Unit product;
  int sign = 1;  // -1 behind a slash
  while (true) {
    skip_spaces();
    const std::optional<Unit> factor = parse_factor(text, at, problem);
    if (!factor) return std::nullopt;
    product.scale *= sign > 0 ? factor->scale : 1 / factor->scale;
    product.dimension = product.dimension * factor->dimension.power(sign);
    skip_spaces();
    if (at == text.size()) break;
    if (text[at] != '*' && text[at] != '/') {
      problem = {at, "expected * or / between units", "write units as in kg*m^2 or N*s/m"};
      return std::nullopt;
    }
    sign = text[at++] == '*' ? 1 : -1;
  }
  if (!std::isfinite(product.scale) || product.scale == 0) {
    problem = {0, "the unit is out of range", "use a unit nearer to SI"};
    return std::nullopt;
  }
  return product;
}

}  // namespace couplet::formats
