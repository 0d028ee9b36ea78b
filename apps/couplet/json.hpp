// A small JSON writer: objects and arrays in the order they are written, numbers that read back
// exactly.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "couplet/integrate/rule.hpp"

namespace couplet::app {

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
  JsonWriter& value(const Eigen::VectorXd& x);
  JsonWriter& value(const Eigen::MatrixXd& rows);
  JsonWriter& value(const std::vector<std::string>& texts);

  const std::string& text() const { return text_; }

 private:
  void separate();
  std::string text_;
  bool first_ = true;  // nothing written yet at this level
};

/// Keys of an open object: what a run took.
void write_counts(const integrate::Counts& counts, JsonWriter& json);

}  // namespace couplet::app
