// A small JSON writer: objects and arrays in the order they are written, numbers that read back
// exactly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "couplet/math/spatial.hpp"

namespace couplet::workbench {

class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(double x);  // null when it is not finite
  JsonWriter& value(int x);
  JsonWriter& value(bool x);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const math::VecX& x);
  JsonWriter& value(const math::MatX& rows);
  JsonWriter& value(const std::vector<std::string>& texts);

  const std::string& text() const { return text_; }

 private:
  void separate();
  std::string text_;
  bool first_ = true;  // nothing written yet at this level
};

}  // namespace couplet::workbench
