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
  JsonWriter& value(int x) { return value(static_cast<long>(x)); }
  JsonWriter& value(long x);
  JsonWriter& value(size_t x) { return value(static_cast<long>(x)); }
  JsonWriter& value(bool x);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const math::VecX& x);
  JsonWriter& value(const math::MatX& rows);
  JsonWriter& value(const std::vector<std::string>& texts);

  /// Members of the open object: name, value, name, value, ….
  template <class T, class... Rest>
  JsonWriter& members(std::string_view name, const T& x, const Rest&... rest) {
    key(name).value(x);
    if constexpr (sizeof...(rest) > 0) members(rest...);
    return *this;
  }
  template <class... All>
  JsonWriter& object(const All&... all) {
    return begin_object().members(all...).end_object();
  }
  /// A member that is an array of objects; `write_members(each)` writes what is in one.
  template <class List, class WriteMembers>
  JsonWriter& objects(std::string_view name, const List& list, const WriteMembers& write_members) {
    key(name).begin_array();
    for (const auto& each : list) {
      begin_object();
      write_members(each);
      end_object();
    }
    return end_array();
  }

  const std::string& text() const { return text_; }

 private:
  void separate();
  std::string text_;
  bool first_ = true;  // nothing written yet at this level
};

}  // namespace couplet::workbench
