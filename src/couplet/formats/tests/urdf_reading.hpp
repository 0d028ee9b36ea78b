// Helpers of the URDF tests: read a text, keep the warnings, look at the result by name.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "couplet/formats/urdf.hpp"

namespace couplet::formats {

/// What came of reading a text: a model with warnings, or an error message.
struct Reading {
  model::Model model;
  base::Diagnostics diagnostics;
  std::string error;  // empty: it was read

  std::string warnings() const {
    std::string text;
    for (const base::Diagnostic& d : diagnostics.list()) text += d.str() + "\n";
    return text;
  }
  const model::Joint& joint(std::string_view name) const {
    return model.joints.at(static_cast<size_t>(model.find_joint(name).value()));
  }
  const model::Body& body(std::string_view name) const {
    return model.bodies.at(static_cast<size_t>(model.find_body(name).value()));
  }
  const model::Point& point(int index) const { return model.points.at(static_cast<size_t>(index)); }

  /// X_PC of the child's link frame in the parent's, at the joint's coordinates q.
  math::Pose child_pose(std::string_view joint_name, std::vector<double> q) const {
    const model::Joint& j = joint(joint_name);
    q.resize(7);
    const math::Pose axes{j.R_axes, math::Vec3::Zero()};
    return point(j.from).X_BP * axes * info(j.type).pose(q.data(), j.pitch) * axes.inverse() *
           point(j.to).X_BP.inverse();
  }
};

inline Reading read(const std::string& text, const UrdfOptions& options = {}) {
  Reading reading;
  try {
    reading.model = read_urdf_text(text, "r.urdf", options, reading.diagnostics);
  } catch (const base::UserError& error) {
    reading.error = error.what();
  }
  return reading;
}

/// A robot whose body starts in line 2.
inline std::string robot(const std::string& body) {
  return "<robot name=\"r\">\n" + body + "</robot>\n";
}

/// Links a and b with a joint j from a to b in line 4.
inline std::string one_joint(const std::string& type, const std::string& inside = {}) {
  return robot("<link name=\"a\"/>\n<link name=\"b\"/>\n<joint name=\"j\" type=\"" + type +
               "\"><parent link=\"a\"/><child link=\"b\"/>\n" + inside + "</joint>\n");
}

inline std::string sample(const std::string& name) {
  std::ifstream file(COUPLET_SOURCE_DIR "/models/" + name + ".urdf");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace couplet::formats
