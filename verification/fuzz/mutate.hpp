// Random changes to inputs, from a seed: the same seed gives the same inputs on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace couplet::fuzz {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2 + 1) {}
  uint32_t next();                                       // PCG, O'Neill 2014
  size_t below(size_t n) { return n ? next() % n : 0; }  // n < 2³²

 private:
  uint64_t state_;
};

/// One input of `corpus` with one to eight changes: bytes, words of the language, pieces of others.
std::string mutate(const std::vector<std::string>& corpus, std::span<const std::string_view> words,
                   Random& random);

}  // namespace couplet::fuzz
