#include "couplet/workbench/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace couplet::workbench {
namespace {

// Length of the UTF-8 sequence at the start of text; 0 when it is not one.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80 ? 1 : byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) >= 0xf8 || (byte(0) >= 0x80 && byte(0) < 0xc2) || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return length;
}

}  // namespace

void JsonWriter::separate() {
  if (!first_) text_ += ", ";
  first_ = false;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  text_ += '{';
  first_ = true;
  return *this;
}
JsonWriter& JsonWriter::end_object() {
  text_ += '}';
  first_ = false;
  return *this;
}
JsonWriter& JsonWriter::begin_array() {
  separate();
  text_ += '[';
  first_ = true;
  return *this;
}
JsonWriter& JsonWriter::end_array() {
  text_ += ']';
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  value(name);
  text_ += ": ";
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(double x) {
  separate();
  text_ += std::isfinite(x) ? fmt::format("{}", x) : "null";
  return *this;
}
JsonWriter& JsonWriter::value(long x) {
  separate();
  text_ += fmt::format("{}", x);
  return *this;
}
JsonWriter& JsonWriter::value(bool x) {
  separate();
  text_ += x ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  text_ += '"';
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const size_t length = utf8_length(text.substr(i));
    if (c == '"' || c == '\\')
      (text_ += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      text_ += fmt::format("\\u{:04x}", static_cast<int>(c));
    else if (length == 0)
      text_ += "\\ufffd";  // a byte that is no text
    else
      text_ += text.substr(i, length);
    i += std::max<size_t>(length, 1);
  }
  text_ += '"';
  return *this;
}

JsonWriter& JsonWriter::value(const math::VecX& x) {
  begin_array();
  for (const double each : x) value(each);
  return end_array();
}
JsonWriter& JsonWriter::value(const math::MatX& rows) {
  begin_array();
  for (Eigen::Index i = 0; i < rows.rows(); ++i) value(math::VecX(rows.row(i)));
  return end_array();
}
JsonWriter& JsonWriter::value(const std::vector<std::string>& texts) {
  begin_array();
  for (const std::string& each : texts) value(each);
  return end_array();
}

}  // namespace couplet::workbench
