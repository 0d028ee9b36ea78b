// Which tags and attributes a URDF may have: what Couplet reads, and what it knows and skips.
#pragma once

#include "couplet/base/diagnostics.hpp"
#include "couplet/formats/urdf/xml.hpp"

namespace couplet::formats::urdf {

/// Throws UserError when the root is not <robot>, and says what the file is instead.
void check_root(const Xml& xml);

/// Warns about tags, attributes and text that nobody reads, with the nearest known name; one
/// warning for each name however often it comes. Skipped tags (<visual>, <gazebo>, …) are not
/// looked into. Throws UserError when macros of xacro are left in the file: its numbers are not
/// there yet.
void check_schema(const Xml& xml, base::Diagnostics& found);

}  // namespace couplet::formats::urdf
