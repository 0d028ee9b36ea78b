// Units of measurement as a data table. A unit is a scale to SI and a dimension: powers of length,
// mass, time and angle. The angle is a dimension of its own, so that "30 deg" is never a length.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace couplet::formats {

/// Powers of m, kg, s and rad.
struct Dimension {
  int length = 0, mass = 0, time = 0, angle = 0;

  bool operator==(const Dimension&) const = default;
  Dimension operator*(const Dimension& b) const {
    return {length + b.length, mass + b.mass, time + b.time, angle + b.angle};
  }
  Dimension power(int n) const { return {length * n, mass * n, time * n, angle * n}; }
  std::string str() const;  // "kg*m^2/s^2"; "1" without dimension
};

struct Unit {
  double scale = 1;  // SI units in one of these
  Dimension dimension;
};

/// What the value of a key has to be: "expected a length (m)".
struct Kind {
  const char* name;  // with its article
  const char* unit;  // the SI unit as people write it
  Dimension dimension;
  bool anything = false;  // any dimension will do

  /// Equal dimensions; where forces are involved, rad may be left out (N*m for N*m/rad).
  bool accepts(const Dimension& got) const;
};

/// The kinds of quantities that a model has.
namespace kinds {
inline constexpr Kind any{"a value", "any unit", {}, true};
inline constexpr Kind time{"a time", "s", {.time = 1}};
inline constexpr Kind number{"a number without unit", "1", {}};
inline constexpr Kind length{"a length", "m", {.length = 1}};
inline constexpr Kind mass{"a mass", "kg", {.mass = 1}};
inline constexpr Kind angle{"an angle", "rad", {.angle = 1}};
inline constexpr Kind speed{"a speed", "m/s", {.length = 1, .time = -1}};
inline constexpr Kind angular_speed{"an angular speed", "rad/s", {.time = -1, .angle = 1}};
inline constexpr Kind acceleration{"an acceleration", "m/s^2", {.length = 1, .time = -2}};
inline constexpr Kind inertia{"a moment of inertia", "kg*m^2", {.length = 2, .mass = 1}};
inline constexpr Kind pitch{"a pitch", "m/rad", {.length = 1, .angle = -1}};
inline constexpr Kind mu{"a gravitational parameter", "m^3/s^2", {.length = 3, .time = -2}};
inline constexpr Kind force{"a force", "N", {.length = 1, .mass = 1, .time = -2}};
inline constexpr Kind torque{"a torque", "N*m", {.length = 2, .mass = 1, .time = -2}};
inline constexpr Kind stiffness{"a stiffness", "N/m", {.mass = 1, .time = -2}};
inline constexpr Kind damping{"a damping", "N*s/m", {.mass = 1, .time = -1}};
inline constexpr Kind angular_stiffness{
    "a torsional stiffness", "N*m/rad", {.length = 2, .mass = 1, .time = -2, .angle = -1}};
inline constexpr Kind angular_damping{
    "a torsional damping", "N*m*s/rad", {.length = 2, .mass = 1, .time = -1, .angle = -1}};
}  // namespace kinds

/// A simple unit ("mm"), by its name.
std::optional<Unit> find_unit(std::string_view name);

/// The names of all simple units, for suggestions.
std::vector<std::string> unit_names();

/// Why a text is no unit: the part of it that is wrong.
struct UnitProblem {
  size_t offset = 0;
  std::string what, fix;
};

/// A compound unit, read from left to right: "kg*m^2", "N*s/m", "1/s". Absent: `problem` says why.
std::optional<Unit> parse_unit(std::string_view text, UnitProblem& problem);

}  // namespace couplet::formats
