// A loaded force plug-in (plugin.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "couplet/forces/plugin.h"
#include "couplet/model/mechanism.hpp"
#include "couplet/model/motion.hpp"

namespace couplet::forces {

class Plugin {
 public:
  /// Loads the library; throws UserError with the loader's or the plug-in's own message.
  Plugin(const model::PluginForce& description, const model::Model& model);
  ~Plugin();
  Plugin(Plugin&&) noexcept;

  /// Adds (torque; force) of each body, world axes, about the body's origin. Throws
  /// ComputationError.
  void add_forces(double t, std::span<const model::BodyMotion> bodies,
                  std::span<math::Vec6> on_bodies);

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  std::vector<couplet_body> bodies_;
  std::vector<couplet_force> forces_;
};

}  // namespace couplet::forces
