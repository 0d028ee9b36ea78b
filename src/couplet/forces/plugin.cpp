#include "couplet/forces/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <mutex>

#include "couplet/base/text.hpp"

namespace couplet::forces {

using base::quoted;

struct Plugin::Library {
  std::string name;
  ForceFunction function;         // instead of all that follows
  std::vector<math::Vec6> added;  // by it, on each body
  void* handle = nullptr;
  void* self = nullptr;
  decltype(&couplet_plugin_version) version = nullptr;
  decltype(&couplet_plugin_create) create = nullptr;
  decltype(&couplet_plugin_calc) calc = nullptr;
  decltype(&couplet_plugin_destroy) destroy = nullptr;

  ~Library() {
    if (self) destroy(self);
    if (handle) dlclose(handle);
  }
};

namespace {

constexpr std::string_view of_program = "function:";

struct Functions {
  std::mutex mutex;
  std::map<std::string, ForceFunction> by_name;
};
Functions& functions() {
  static Functions all;
  return all;
}

ForceFunction check_function(const std::string& name, const PluginForce& description) {
  const std::lock_guard lock(functions().mutex);
  const auto found = functions().by_name.find(name);
  if (found != functions().by_name.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [each, function] : functions().by_name) names.push_back(each);
  throw base::UserError(
      description.where,
      fmt::format("force {} names the function {}, which this program does not have",
                  quoted(description.name), quoted(name)),
      names.empty() ? "add it with forces::add_function" : base::suggest(name, names));
}

template <class Function>
void bind(void* handle, const char* symbol, const PluginForce& description, Function& out) {
  out = reinterpret_cast<Function>(dlsym(handle, symbol));
  if (!out)
    throw base::UserError(
        description.where,
        fmt::format("plug-in {} does not export {}", quoted(description.path), symbol),
        "export the four functions of couplet/forces/plugin.h with C linkage");
}

}  // namespace

Plugin::Plugin(const PluginForce& description, const model::Model& model)
    : library_(std::make_unique<Library>()),
      bodies_(model.bodies.size()),
      forces_(model.bodies.size()) {
  Library& lib = *library_;
  lib.name = description.name;
  if (description.path.starts_with(of_program)) {
    lib.function = check_function(description.path.substr(of_program.size()), description);
    return;
  }
  lib.handle = dlopen(description.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!lib.handle)
    throw base::UserError(
        description.where,
        fmt::format("cannot load plug-in {}: {}", quoted(description.path), dlerror()),
        "build it with `cc -shared -fPIC`, and give the path relative to the model's file");
  bind(lib.handle, "couplet_plugin_version", description, lib.version);
  bind(lib.handle, "couplet_plugin_create", description, lib.create);
  bind(lib.handle, "couplet_plugin_calc", description, lib.calc);
  bind(lib.handle, "couplet_plugin_destroy", description, lib.destroy);
  if (lib.version() != COUPLET_PLUGIN_VERSION)
    throw base::UserError(
        description.where,
        fmt::format("plug-in {} was written for version {} of the interface, this is {}",
                    quoted(description.path), lib.version(), COUPLET_PLUGIN_VERSION),
        "compile it again with this couplet/forces/plugin.h");
  std::vector<const char*> bodies, options;
  std::vector<double> values;
  for (const model::Body& body : model.bodies) bodies.push_back(body.name.c_str());
  for (const auto& [option, value] : description.options) {
    options.push_back(option.c_str());
    values.push_back(value);
  }
  char error[256] = "";
  lib.self =
      lib.create(static_cast<int>(bodies.size()), bodies.data(), static_cast<int>(options.size()),
                 options.data(), values.data(), error, sizeof error);
  error[sizeof error - 1] = '\0';
  if (!lib.self)
    throw base::UserError(description.where,
                          fmt::format("plug-in {} refuses: {}", quoted(description.path),
                                      error[0] ? error : "it gives no reason"));
}

Plugin::~Plugin() = default;
Plugin::Plugin(Plugin&&) noexcept = default;

void add_function(const std::string& name, ForceFunction function) {
  const std::lock_guard lock(functions().mutex);
  functions().by_name[name] = std::move(function);
}

void Plugin::add_forces(double t, std::span<const model::BodyMotion> bodies,
                        std::span<math::Vec6> on_bodies) {
  if (library_->function) return add_from_function(t, bodies, on_bodies);
  for (size_t b = 0; b < bodies.size(); ++b) {
    const math::Quaternion q = math::quaternion(bodies[b].X_WB.R);
    for (int i = 0; i < 3; ++i) {
      bodies_[b].position[i] = bodies[b].X_WB.p[i];
      bodies_[b].velocity[i] = bodies[b].v[i];
      bodies_[b].angular_velocity[i] = bodies[b].w[i];
    }
    for (int i = 0; i < 4; ++i) bodies_[b].orientation[i] = q[i];
    forces_[b] = {};
  }
  if (const int status = library_->calc(library_->self, t, bodies_.data(), forces_.data()))
    throw base::ComputationError(fmt::format("t = {:.9g}: plug-in {} failed with status {}", t,
                                             quoted(library_->name), status));
  for (size_t b = 0; b < bodies.size(); ++b)
    for (int i = 0; i < 3; ++i) {
      if (!std::isfinite(forces_[b].force[i]) || !std::isfinite(forces_[b].torque[i]))
        throw base::ComputationError(
            fmt::format("t = {:.9g}: plug-in {} gives a force that is not "
                        "finite",
                        t, quoted(library_->name)));
      on_bodies[b][i] += forces_[b].torque[i];
      on_bodies[b][3 + i] += forces_[b].force[i];
    }
}

void Plugin::add_from_function(double t, std::span<const model::BodyMotion> bodies,
                               std::span<math::Vec6> on_bodies) {
  std::vector<math::Vec6>& added = library_->added;
  added.assign(bodies.size(), math::Vec6::Zero());
  library_->function(t, bodies, added);
  for (size_t b = 0; b < bodies.size(); ++b) {
    if (!added[b].allFinite())
      throw base::ComputationError(
          fmt::format("t = {:.9g}: force {} is not finite", t, quoted(library_->name)));
    on_bodies[b] += added[b];
  }
}

}  // namespace couplet::forces
