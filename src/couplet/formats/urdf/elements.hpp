// Links and joints of a URDF as plain values: the numbers of the file, names not yet looked up.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/formats/urdf/xml.hpp"
#include "couplet/math/spatial.hpp"
#include "couplet/model/joints.hpp"

namespace couplet::formats::urdf {

struct Link {
  std::string name;
  math::MassProperties mass;  // in the link's frame, inertia about the centre of mass
  base::SourceLocation where;
};

/// A name that refers to another element, and where it is written.
struct Reference {
  std::string name;
  base::SourceLocation where;
};

/// q of this joint = multiplier * q of `joint` + offset
struct MimicTag {
  Reference joint;
  double multiplier = 1;
  double offset = 0;  // rad or m
};

struct Range {
  double lower = -std::numeric_limits<double>::infinity();  // rad or m
  double upper = std::numeric_limits<double>::infinity();
};

struct Joint {
  std::string name;
  model::JointType type = model::JointType::weld;
  Reference parent, child;                // links
  math::Pose X_PC;                        // of the child's frame in the parent's at q = 0
  math::Vec3 axis = math::Vec3::UnitZ();  // unit, in the child's frame; moving joints only
  std::optional<Range> range;
  double damping = 0;                    // N m s/rad or N s/m
  double friction = 0;                   // N m or N
  std::vector<double> q0 = {}, v0 = {};  // one each, where somebody gives them: not in a URDF
  std::optional<MimicTag> mimic;
  base::SourceLocation where;
};

struct Robot {
  std::string name;
  std::vector<Link> links;  // in the order of the file
  std::vector<Joint> joints;
  base::SourceLocation where;
};

/// Reads the links that have a name, and all joints (a missing name is empty); what is wrong with
/// them goes to `found`.
Robot read_robot(const Xml& xml, base::Diagnostics& found);

}  // namespace couplet::formats::urdf
