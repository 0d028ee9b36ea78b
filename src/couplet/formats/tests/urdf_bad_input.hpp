// A table row of the bad-input tests: a text and everything that is said about it.
#pragma once

#include <ostream>

#include "urdf_reading.hpp"

namespace couplet::formats {

struct BadInput {
  const char* name;
  std::string text;
  std::string message;
};
inline std::ostream& operator<<(std::ostream& out, const BadInput& c) { return out << c.name; }

inline std::string name_of_case(const testing::TestParamInfo<BadInput>& info) {
  return info.param.name;
}

}  // namespace couplet::formats
