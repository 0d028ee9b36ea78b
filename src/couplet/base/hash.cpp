#include "couplet/base/hash.hpp"

#include <fmt/format.h>

namespace couplet::base {

std::string name_of_content(std::string_view content) {
  constexpr std::uint64_t other_start = 0x9e3779b97f4a7c15ull;
  return fmt::format("{:016x}{:016x}", hash(content), hash(content, other_start));
}

}  // namespace couplet::base
