// A mechanism from YAML text, for tests.
#pragma once

#include "couplet/formats/yaml.hpp"
#include "couplet/simulate/simulation.hpp"

namespace couplet::simulate {

inline std::shared_ptr<const Mechanism> mechanism_of(const std::string& text) {
  base::Diagnostics warnings;
  return std::make_shared<const Mechanism>(
      model::compile(formats::read_yaml_text("couplet: 1\n" + text, "model.yaml", {}, warnings)));
}

inline double last(const results::Recording& recording, const std::string& name) {
  return recording.at(recording.rows() - 1, recording.find(name).value());
}

}  // namespace couplet::simulate
