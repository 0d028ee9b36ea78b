// Physical quantities: dimensions, and what the value of a key has to be.
#pragma once

#include <string>

namespace couplet::model {

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

}  // namespace couplet::model
