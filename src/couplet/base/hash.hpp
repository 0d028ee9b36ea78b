// FNV-1a (Fowler, Noll, Vo), 64 bit: names files and finds damage. No protection against an
// attacker.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace couplet::base {

constexpr std::uint64_t hash_start = 0xcbf29ce484222325ull;

/// Goes on from `start`: hash(a + b) = hash(b, hash(a)).
constexpr std::uint64_t hash(std::string_view bytes, std::uint64_t start = hash_start) {
  for (const char c : bytes) start = (start ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return start;
}

/// The same of numbers, a word at a time. All that are not a number count as one.
inline std::uint64_t hash(std::span<const double> numbers, std::uint64_t start = hash_start) {
  for (const double x : numbers) {
    const double one = std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x;
    start = (start ^ std::bit_cast<std::uint64_t>(one)) * 0x100000001b3ull;
    start ^= start >> 32;  // the product moves bits upward only
  }
  return start;
}

/// 128 bits in 32 hexadecimal digits, for the name of a file in a cache. (Whoever uses it compares
/// the content, too.)
std::string name_of_content(std::string_view content);

}  // namespace couplet::base
