// A robot as a model file in YAML, to be edited: payloads, controllers, another base.
#pragma once

#include <string>

#include "couplet/model/model.hpp"

namespace couplet::formats {

/// Of what read_urdf makes: bodies, joints, limits, mimic, damping, friction, gravity. Reading it
/// gives the same mechanism. Dots and quotes in names, which the format does not know, become `_`.
/// Throws UserError for a model that has more than that.
std::string write_yaml(const model::Model& robot);

}  // namespace couplet::formats
