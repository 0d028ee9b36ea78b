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

/// The path of a PluginForce means a function of the program, and no file.
bool is_function(const std::string& path);

/// Those of a model that are files.
std::vector<PluginForce> list_plugins(const model::Model& model);

/// Throws UserError when the file of a plug-in cannot be read. Nothing is loaded.
void check_plugin_file(const PluginForce& description);
/// Native code can do all that its user can: a plug-in is loaded only after this was called for its
/// file, and as long as the file stays as it is. Throws UserError when it cannot be read.
void trust_plugin(const PluginForce& description);

/// Where this thread is at the moment, for whoever has to explain a crash; null: in no plug-in.
/// Safe in signal handlers.
const char* running_plugin();
/// One that was loaded: its code may have damaged what crashes elsewhere. Null: none was.
const char* loaded_plugin();

class Plugin {
 public:
  /// Finds the function; throws UserError when the program has none. Nothing is loaded.
  Plugin(const PluginForce& description, const model::Model& model);
  ~Plugin();
  Plugin(Plugin&&) noexcept;

  /// Loads the library, once; throws UserError with the loader's or the plug-in's own message, and
  /// when it is not trusted.
  void load();
  /// Adds (torque; force) of each body, world axes, about the body's origin; load()s at the first
  /// call. Throws ComputationError.
  void add_forces(double t, std::span<const model::BodyMotion> bodies,
                  std::span<math::Vec6> on_bodies);

 private:
  struct Library;
  int calc(double t);
  void add_from_function(double t, std::span<const model::BodyMotion> bodies,
                         std::span<math::Vec6> on_bodies);

  std::unique_ptr<Library> library_;
  std::vector<couplet_body> bodies_;
  std::vector<couplet_force> forces_;
};

}  // namespace couplet::forces
