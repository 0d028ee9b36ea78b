#include "couplet/formats/urdf/text.hpp"

#include <algorithm>
#include <cstdint>

namespace couplet::formats::urdf {

std::vector<std::string_view> words(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n\f\v";
  std::vector<std::string_view> found;
  for (size_t start = text.find_first_not_of(blank); start != text.npos;) {
    const size_t end = std::min(text.find_first_of(blank, start), text.size());
    found.push_back(text.substr(start, end - start));
    start = text.find_first_not_of(blank, end);
  }
  return found;
}

bool is_utf8(std::string_view text) {
  constexpr uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};  // by number of bytes
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[i + k]); };
    const unsigned char lead = byte(0);
    const size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if ((lead >= 0x80 && lead < 0xc0) || lead >= 0xf8 || i + length > text.size()) return false;
    uint32_t code = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t k = 1; k < length; ++k) {
      if ((byte(k) & 0xc0) != 0x80) return false;
      code = code << 6 | (byte(k) & 0x3fu);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (code < smallest[length] || surrogate || code > 0x10ffff) return false;
    i += length;
  }
  return true;
}

}  // namespace couplet::formats::urdf
