#include "couplet/forces/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>

#include "couplet/base/files.hpp"
#include "couplet/base/hash.hpp"
#include "couplet/base/text.hpp"

namespace couplet::forces {

struct Plugin::Library {
  PluginForce description;
  std::vector<std::string> bodies;
  ForceFunction function;         // instead of all that follows
  std::vector<math::Vec6> added;  // by it, on each body
  void* handle = nullptr;
  void* self = nullptr;
  decltype(&couplet_plugin_version) version = nullptr;
  decltype(&couplet_plugin_create) create = nullptr;
  decltype(&couplet_plugin_calc) calc = nullptr;
  decltype(&couplet_plugin_destroy) destroy = nullptr;

  bool is_ready() const { return calc != nullptr || function; }
  ~Library();
};

namespace {

namespace fs = std::filesystem;

constexpr std::string_view of_program = "function:";
constexpr std::uintmax_t largest = std::uintmax_t{1} << 30;  // bytes of a library

struct Functions {
  std::mutex mutex;
  std::map<std::string, ForceFunction> by_name;
  std::map<std::string, std::string> trusted;  // files by their path, and their content
};
Functions& functions() {
  static Functions all;
  return all;
}

thread_local const char* running = nullptr;
std::atomic<const char*> loaded = nullptr;

/// While it lives, the thread is in this plug-in.
class Running {
 public:
  explicit Running(const std::string& path) { running = path.c_str(); }
  ~Running() { running = nullptr; }
};

/// Never freed: a signal handler may look at it at any time.
void remember_loaded(const std::string& path) {
  if (loaded.load()) return;
  const char* none = nullptr;
  char* name = ::strdup(path.c_str());
  if (!loaded.compare_exchange_strong(none, name)) std::free(name);
}

// Absolute: a name without a folder would be looked for wherever the loader looks.
std::string full_path(const std::string& path) {
  std::error_code unknown;
  const fs::path found = fs::canonical(path, unknown);
  return unknown ? fs::absolute(path).string() : found.string();
}

std::string content_of(const std::string& path, const base::SourceLocation& where) {
  const auto read = base::try_read_file(path, largest);
  if (const auto* text = std::get_if<std::string>(&read)) return base::name_of_content(*text);
  throw base::explain(std::get<base::ReadTrouble>(read), path, largest, where);
}

void check_trusted(const PluginForce& description) {
  const std::string path = full_path(description.path);
  const std::string content = content_of(description.path, description.where);
  const std::lock_guard lock(functions().mutex);
  const auto found = functions().trusted.find(path);
  if (found == functions().trusted.end())
    throw base::UserError(
        description.where,
        fmt::format("force {} is native code, {}, which can do all that you can",
                    base::quoted(description.name), base::quoted(description.path)),
        "if you know where it comes from, let it run with `trust`");
  if (found->second != content)
    throw base::UserError(description.where,
                          fmt::format("plug-in {} has changed since it was looked at",
                                      base::quoted(description.path)),
                          "start again");
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
                  base::quoted(description.name), base::quoted(name)),
      names.empty() ? "add it with forces::add_function" : base::suggest(name, names));
}

template <class Function>
void bind(void* handle, const char* symbol, const PluginForce& description, Function& out) {
  out = reinterpret_cast<Function>(dlsym(handle, symbol));
  if (!out)
    throw base::UserError(
        description.where,
        fmt::format("plug-in {} does not export {}", base::quoted(description.path), symbol),
        "export the four functions of couplet/forces/plugin.h with C linkage");
}

}  // namespace

Plugin::Library::~Library() {
  const Running here(description.path);
  if (self) destroy(self);
  if (handle) dlclose(handle);
}

Plugin::Plugin(const PluginForce& description, const model::Model& model)
    : library_(std::make_unique<Library>()),
      bodies_(model.bodies.size()),
      forces_(model.bodies.size()) {
  library_->description = description;
  for (const model::Body& body : model.bodies) library_->bodies.push_back(body.name);
  if (is_function(description.path))
    library_->function = check_function(description.path.substr(of_program.size()), description);
}

void Plugin::load() {
  Library& lib = *library_;
  const PluginForce& description = lib.description;
  if (lib.is_ready()) return;
  check_trusted(description);
  const Running here(description.path);
  remember_loaded(description.path);
  lib.handle = dlopen(full_path(description.path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!lib.handle)
    throw base::UserError(
        description.where,
        fmt::format("cannot load plug-in {}: {}", base::quoted(description.path), dlerror()),
        "build it with `cc -shared -fPIC`, and give the path relative to the model's file");
  bind(lib.handle, "couplet_plugin_version", description, lib.version);
  bind(lib.handle, "couplet_plugin_create", description, lib.create);
  bind(lib.handle, "couplet_plugin_destroy", description, lib.destroy);
  decltype(lib.calc) found = nullptr;
  bind(lib.handle, "couplet_plugin_calc", description, found);
  const auto refuse = [&](const std::string& reason) {
    throw base::UserError(description.where, fmt::format("plug-in {} refuses: {}",
                                                         base::quoted(description.path), reason));
  };
  try {
    if (const int version = lib.version(); version != COUPLET_PLUGIN_VERSION)
      throw base::UserError(
          description.where,
          fmt::format("plug-in {} was written for version {} of the interface, this is {}",
                      base::quoted(description.path), version, COUPLET_PLUGIN_VERSION),
          "compile it again with this couplet/forces/plugin.h");
    std::vector<const char*> bodies, options;
    std::vector<double> values;
    for (const std::string& body : lib.bodies) bodies.push_back(body.c_str());
    for (const auto& [option, value] : description.options) {
      options.push_back(option.c_str());
      values.push_back(value);
    }
    char error[256] = "";
    lib.self =
        lib.create(static_cast<int>(bodies.size()), bodies.data(), static_cast<int>(options.size()),
                   options.data(), values.data(), error, sizeof error);
    error[sizeof error - 1] = '\0';
    if (!lib.self) refuse(error[0] ? error : "it gives no reason");
  } catch (const base::UserError&) {
    throw;
  } catch (const std::exception& thrown) {
    refuse(fmt::format("it throws {}", base::quoted(thrown.what())));
  } catch (...) {
    refuse("it throws an exception");
  }
  lib.calc = found;
}

Plugin::~Plugin() = default;
Plugin::Plugin(Plugin&&) noexcept = default;

void add_function(const std::string& name, ForceFunction function) {
  const std::lock_guard lock(functions().mutex);
  functions().by_name[name] = std::move(function);
}

bool is_function(const std::string& path) { return path.starts_with(of_program); }

void check_plugin_file(const PluginForce& description) {
  if (!is_function(description.path)) content_of(description.path, description.where);
}

void trust_plugin(const PluginForce& description) {
  if (is_function(description.path)) return;
  std::string content = content_of(description.path, description.where);
  const std::lock_guard lock(functions().mutex);
  functions().trusted.insert_or_assign(full_path(description.path), std::move(content));
}

std::vector<PluginForce> list_plugins(const model::Model& model) {
  std::vector<PluginForce> found;
  for (const model::Element& force : model.forces)
    if (std::string_view(force.type->name) == "plugin" && !is_function(force.path("plugin")))
      found.push_back({force.name, force.path("plugin"), force.options("options"), force.where});
  return found;
}

const char* running_plugin() { return running; }
const char* loaded_plugin() { return loaded.load(); }

int Plugin::calc(double t) {
  const auto thrown = [&](const std::string& what) {
    return base::ComputationError(fmt::format("t = {:.9g}: plug-in {} threw {}", t,
                                              base::quoted(library_->description.path), what));
  };
  const Running here(library_->description.path);
  try {
    return library_->calc(library_->self, t, bodies_.data(), forces_.data());
  } catch (const std::exception& error) {
    throw thrown(base::quoted(error.what()));
  } catch (...) {
    throw thrown("an exception");
  }
}

void Plugin::add_forces(double t, std::span<const model::BodyMotion> bodies,
                        std::span<math::Vec6> on_bodies) {
  if (library_->function) return add_from_function(t, bodies, on_bodies);
  if (!library_->is_ready()) load();
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
  if (const int status = calc(t))
    throw base::ComputationError(fmt::format("t = {:.9g}: plug-in {} failed with status {}", t,
                                             base::quoted(library_->description.name), status));
  for (size_t b = 0; b < bodies.size(); ++b)
    for (int i = 0; i < 3; ++i) {
      if (!std::isfinite(forces_[b].force[i]) || !std::isfinite(forces_[b].torque[i]))
        throw base::ComputationError(
            fmt::format("t = {:.9g}: plug-in {} gives a force that is not "
                        "finite",
                        t, base::quoted(library_->description.name)));
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
      throw base::ComputationError(fmt::format("t = {:.9g}: force {} is not finite", t,
                                               base::quoted(library_->description.name)));
    on_bodies[b] += added[b];
  }
}

}  // namespace couplet::forces
