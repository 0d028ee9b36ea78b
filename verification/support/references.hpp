// Verified values of verification/references; each file says how its numbers were verified.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "couplet/math/spatial.hpp"

namespace couplet::verification {

/// The data of a reference file.
inline nlohmann::json reference(const std::string& name) {
  const std::string path = COUPLET_SOURCE_DIR "/verification/references/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " is missing");
  return nlohmann::json::parse(file)["data"];
}

/// Numbers are written as such, or as text where a double has too few digits.
inline double number(const nlohmann::json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

inline math::VecX numbers(const nlohmann::json& values) {
  math::VecX x(values.size());
  for (size_t i = 0; i < values.size(); ++i) x[static_cast<Eigen::Index>(i)] = number(values[i]);
  return x;
}

}  // namespace couplet::verification
