#include "json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace couplet::app {

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
JsonWriter& JsonWriter::value(int x) {
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
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (text_ += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      text_ += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      text_ += c;
  }
  text_ += '"';
  return *this;
}

JsonWriter& JsonWriter::value(const Eigen::VectorXd& x) {
  begin_array();
  for (const double each : x) value(each);
  return end_array();
}
JsonWriter& JsonWriter::value(const Eigen::MatrixXd& rows) {
  begin_array();
  for (Eigen::Index i = 0; i < rows.rows(); ++i) value(Eigen::VectorXd(rows.row(i)));
  return end_array();
}
JsonWriter& JsonWriter::value(const std::vector<std::string>& texts) {
  begin_array();
  for (const std::string& each : texts) value(each);
  return end_array();
}

}  // namespace couplet::app
