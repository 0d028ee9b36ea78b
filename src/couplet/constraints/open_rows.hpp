// What stays open after assembly, in words.
#pragma once

#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/constraints/assembly.hpp"

namespace couplet::constraints {

/// Positions close, and what stays open are speeds: m/s or rad/s.
inline bool only_speeds_open(const AssemblyReport& report) {
  return !report.closed() && report.after.position <= 1e-10;
}

/// "'C' stays open by 0.1 m (translation along x)"
inline std::string describe_open(const AssemblyReport& report, size_t i) {
  const OpenRow& row = report.open[i];
  const char* unit = row.direction == "relation"             ? ""
                     : row.direction.starts_with("rotation") ? " rad"
                                                             : " m";
  if (!only_speeds_open(report))
    return fmt::format("{} stays open by {:.3g}{} ({})", base::quoted(row.element), row.error, unit,
                       row.direction);
  return fmt::format("{} is torn open at a speed of {:.3g}{} ({})", base::quoted(row.element),
                     row.error, *unit ? fmt::format("{}/s", unit) : " per second", row.direction);
}

}  // namespace couplet::constraints
