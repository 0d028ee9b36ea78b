#include "couplet/modelica/tables/inflate.hpp"

#include <array>
#include <cstdint>

#include "couplet/base/diagnostics.hpp"

namespace couplet::modelica::tables {
namespace {

[[noreturn]] void damaged() { throw base::UserError({}, "the compressed data is damaged"); }

class Bits {
 public:
  explicit Bits(std::string_view data) : data_(data) {}

  uint32_t take(int count) {  // least significant bit first
    while (held_ < count) {
      value_ |= static_cast<uint64_t>(next_byte()) << held_;
      held_ += 8;
    }
    const auto taken = static_cast<uint32_t>(value_ & ((uint64_t{1} << count) - 1));
    value_ >>= count;
    held_ -= count;
    return taken;
  }
  void drop_partial_byte() {
    value_ >>= held_ % 8;
    held_ -= held_ % 8;
  }

 private:
  unsigned char next_byte() {
    if (at_ >= data_.size()) damaged();
    return static_cast<unsigned char>(data_[at_++]);
  }
  std::string_view data_;
  size_t at_ = 0;
  uint64_t value_ = 0;
  int held_ = 0;
};

// Canonical Huffman codes: how many of each length, and the symbols in order of their codes.
class Codes {
 public:
  Codes(const uint8_t* lengths, int count) {
    for (int i = 0; i < count; ++i) ++count_[lengths[i]];
    count_[0] = 0;
    std::array<int, 16> offset{};
    for (size_t l = 1; l < 15; ++l) offset[l + 1] = offset[l] + count_[l];
    for (int i = 0; i < count; ++i)
      if (lengths[i]) symbols_[static_cast<size_t>(offset[lengths[i]]++)] = static_cast<short>(i);
  }
  int read(Bits& bits) const {
    int code = 0, first = 0, index = 0;
    for (size_t length = 1; length < 16; ++length) {
      code |= static_cast<int>(bits.take(1));
      if (code - count_[length] < first) return symbols_[static_cast<size_t>(index + code - first)];
      index += count_[length];
      first = (first + count_[length]) << 1;
      code <<= 1;
    }
    damaged();
  }

 private:
  std::array<int, 16> count_{};
  std::array<short, 320> symbols_{};
};

void copy_stored(Bits& bits, std::string& out, size_t longest) {
  bits.drop_partial_byte();
  const uint32_t length = bits.take(16), check = bits.take(16);
  if ((length ^ 0xffffu) != check || out.size() + length > longest) damaged();
  for (uint32_t i = 0; i < length; ++i) out += static_cast<char>(bits.take(8));
}

void copy_coded(Bits& bits, const Codes& literals, const Codes& distances, std::string& out,
                size_t longest) {
  constexpr std::array<short, 29> length_base = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                 15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                 67, 83, 99, 115, 131, 163, 195, 227, 258};
  constexpr std::array<short, 29> length_extra = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                  2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  constexpr std::array<short, 30> distance_base = {
      1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
      193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  for (;;) {
    const int symbol = literals.read(bits);
    if (symbol == 256) return;
    if (out.size() >= longest) damaged();
    if (symbol < 256) {
      out += static_cast<char>(symbol);
      continue;
    }
    const auto l = static_cast<size_t>(symbol - 257);
    if (l >= length_base.size()) damaged();
    const uint32_t length = static_cast<uint32_t>(length_base[l]) + bits.take(length_extra[l]);
    const auto d = static_cast<size_t>(distances.read(bits));
    if (d >= distance_base.size()) damaged();
    const int extra = d < 2 ? 0 : static_cast<int>(d) / 2 - 1;
    const size_t distance = static_cast<size_t>(distance_base[d]) + bits.take(extra);
    if (distance > out.size()) damaged();
    for (uint32_t i = 0; i < length; ++i) out += out[out.size() - distance];
  }
}

void copy_fixed(Bits& bits, std::string& out, size_t longest) {
  std::array<uint8_t, 288> lengths;
  for (size_t i = 0; i < 288; ++i) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  std::array<uint8_t, 30> distances;
  distances.fill(5);
  copy_coded(bits, Codes(lengths.data(), 288), Codes(distances.data(), 30), out, longest);
}

void copy_dynamic(Bits& bits, std::string& out, size_t longest) {
  constexpr std::array<uint8_t, 19> order = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                             11, 4,  12, 3, 13, 2, 14, 1, 15};
  const uint32_t literals = bits.take(5) + 257, distances = bits.take(5) + 1;
  const uint32_t codes = bits.take(4) + 4;
  std::array<uint8_t, 320> lengths{};
  for (uint32_t i = 0; i < codes; ++i) lengths[order[i]] = static_cast<uint8_t>(bits.take(3));
  const Codes length_codes(lengths.data(), 19);
  lengths.fill(0);
  for (uint32_t i = 0; i < literals + distances;) {
    const int symbol = length_codes.read(bits);
    if (symbol < 16) {
      lengths[i++] = static_cast<uint8_t>(symbol);
      continue;
    }
    if (symbol == 16 && i == 0) damaged();
    const uint8_t repeated = symbol == 16 ? lengths[i - 1] : 0;
    uint32_t times = symbol == 16   ? 3 + bits.take(2)
                     : symbol == 17 ? 3 + bits.take(3)
                                    : 11 + bits.take(7);
    if (i + times > literals + distances) damaged();
    while (times-- > 0) lengths[i++] = repeated;
  }
  copy_coded(bits, Codes(lengths.data(), static_cast<int>(literals)),
             Codes(lengths.data() + literals, static_cast<int>(distances)), out, longest);
}

}  // namespace

std::string inflate(std::string_view zlib, size_t longest) {
  Bits bits(zlib);
  const uint32_t method = bits.take(8), flags = bits.take(8);
  if ((method & 15) != 8 || (method * 256 + flags) % 31 != 0 || (flags & 32)) damaged();
  std::string out;
  for (bool last = false; !last;) {
    last = bits.take(1) != 0;
    switch (bits.take(2)) {
      case 0:
        copy_stored(bits, out, longest);
        break;
      case 1:
        copy_fixed(bits, out, longest);
        break;
      case 2:
        copy_dynamic(bits, out, longest);
        break;
      default:
        damaged();
    }
  }
  return out;
}

}  // namespace couplet::modelica::tables
