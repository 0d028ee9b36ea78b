// What is fuzzed: each target takes any bytes and must come back, with messages if need be. A
// target aborts when a claim about its result does not hold.
#pragma once

#include <span>
#include <string_view>

namespace couplet::fuzz {

struct Target {
  std::string_view name;  // also its folder in corpus/
  std::string_view doc;
  void (*run)(std::string_view input);
};

std::span<const Target> targets();
const Target* find_target(std::string_view name);

}  // namespace couplet::fuzz
