// Numbers, vectors, poses and names as URDF writes them: in the attributes of small elements.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "couplet/base/diagnostics.hpp"
#include "couplet/formats/urdf/xml.hpp"
#include "couplet/math/spatial.hpp"

namespace couplet::formats::urdf {

/// Rotation of URDF's roll, pitch, yaw: about the fixed x, then y, then z axis.   R = Rz Ry Rx
math::Mat3 rotation_rpy(const math::Vec3& rpy);

/// Reads attributes in the name of one owner ("joint 'elbow'"), which its errors name. After an
/// error the reader goes on with the given default, so that the file's other errors are found too.
class Attributes {
 public:
  Attributes(const Xml& xml, base::Diagnostics& found, std::string owner)
      : xml_(xml), found_(found), owner_(std::move(owner)) {}

  /// A name is any text but the empty one; an error when it is missing.
  std::optional<std::string> find_name(pugi::xml_node element, const char* attribute) const;

  /// Absent: `otherwise`. Always finite.
  double number(pugi::xml_node element, const char* attribute, double otherwise) const;
  /// The same; an error when it is missing.
  double required_number(pugi::xml_node element, const char* attribute) const;
  /// The same; "inf" and "-inf" are numbers too.
  double bound(pugi::xml_node element, const char* attribute, double otherwise) const;

  math::Vec3 vector(pugi::xml_node element, const char* attribute,
                    const math::Vec3& otherwise) const;
  /// The pose of <origin xyz="…" rpy="…"/> inside `parent`; the identity when there is none.
  math::Pose origin(pugi::xml_node parent) const;

  void error(pugi::xml_node element, const std::string& what, std::string fix = {}) const;
  void error(pugi::xml_node element, pugi::xml_attribute attribute, const std::string& what,
             std::string fix = {}) const;
  void warning(pugi::xml_node element, const std::string& what, std::string fix = {}) const;

 private:
  bool read_numbers(pugi::xml_node element, pugi::xml_attribute attribute, std::span<double> values,
                    bool infinite_too = false) const;

  const Xml& xml_;
  base::Diagnostics& found_;
  std::string owner_;
};

}  // namespace couplet::formats::urdf
