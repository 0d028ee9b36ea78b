// Units of measurement as a data table. A unit is a scale to SI and a dimension: powers of length,
// mass, time and angle. The angle is a dimension of its own, so that "30 deg" is never a length.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "couplet/model/quantity.hpp"

namespace couplet::formats {

using model::Dimension;
using model::Kind;
namespace kinds = model::kinds;

struct Unit {
  double scale = 1;  // SI units in one of these
  Dimension dimension;
};

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
