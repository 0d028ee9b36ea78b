// Forces computed by code: a plug-in that is loaded (plugin.h), or a function of the program
// itself.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "couplet/forces/plugin.h"
#include "couplet/model/mechanism.hpp"
#include "couplet/model/motion.hpp"

namespace couplet::forces {

/// Adds what acts on each body at time t: (torque about Bo; force), world axes. Both lists have one
/// entry per body of the model, the world first. Models that are evaluated by several threads call
/// it from each of them.
using ForceFunction = std::function<void(double t, std::span<const model::BodyMotion> bodies,
                                         std::span<math::Vec6> on_bodies)>;

/// An element `plugin` of a model.
struct PluginForce {
  std::string name;
  std::string path;
  model::Options options;
  base::SourceLocation where;
};

/// From now on, a plug-in with the path "function:NAME" means this function. A name that
/// is there already is replaced for models that are loaded later.
void add_function(const std::string& name, ForceFunction function);

class Plugin {
 public:
  /// Loads the library, or finds the function; throws UserError with the loader's or the plug-in's
  /// own message.
  Plugin(const PluginForce& description, const model::Model& model);
  ~Plugin();
  Plugin(Plugin&&) noexcept;

  /// Adds (torque; force) of each body, world axes, about the body's origin. Throws
  /// ComputationError.
  void add_forces(double t, std::span<const model::BodyMotion> bodies,
                  std::span<math::Vec6> on_bodies);

 private:
  struct Library;
  void add_from_function(double t, std::span<const model::BodyMotion> bodies,
                         std::span<math::Vec6> on_bodies);

  std::unique_ptr<Library> library_;
  std::vector<couplet_body> bodies_;
  std::vector<couplet_force> forces_;
};

}  // namespace couplet::forces
