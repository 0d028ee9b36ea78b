// What is fuzzed: each target takes any bytes and must come back, with messages if need be. A
// target aborts when a claim about its result does not hold. Each program has targets of its own.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace couplet::fuzz {

struct Target {
  std::string_view name;  // also its folder in corpus/
  std::string_view doc;
  void (*run)(std::string_view input);
  std::string_view more = {};    // a folder of the project whose files are also inputs,
  std::string_view ending = {};  // when their names end like that; ".cases": cut at "# "
};

std::span<const Target> targets();
std::span<const std::string_view> words();  // of their languages
const Target* find_target(std::string_view name);

inline void claim(bool holds, const char* what, const std::string& detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "claim does not hold: %s\n%s\n", what, detail.c_str());
  std::abort();
}

}  // namespace couplet::fuzz
