// URDF, the robot description of ROS: a tree of links and joints in XML (docs/urdf.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/math/spatial.hpp"
#include "couplet/model/model.hpp"

namespace couplet::formats {

struct UrdfOptions {
  math::Vec3 gravity{0, 0, -9.81};  // m/s², world axes; URDF itself has none
  bool floating_base = false;       // true: the root link is free, false: welded to the world
  bool strict = false;              // true: every warning of this reader is an error
  std::vector<std::pair<std::string, std::string>> set = {};  // quantities, and their new values
};

/// Reads a robot. Throws UserError with every error that the file has, each with its line and
/// column; what the file says and Couplet does not use goes to `diagnostics` as warnings.
/// O(file size). Masses and inertias are read, not judged: that is model::check.
model::Model read_urdf(const std::string& path, const UrdfOptions& options,
                       base::Diagnostics& diagnostics);

/// The same for text in memory; `file_name` is what the messages call it.
model::Model read_urdf_text(const std::string& text, const std::string& file_name,
                            const UrdfOptions& options, base::Diagnostics& diagnostics);

}  // namespace couplet::formats
