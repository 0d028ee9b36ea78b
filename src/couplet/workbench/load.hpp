// A model from a file, from text or from C++, compiled and ready for everything else here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/model/mechanism.hpp"

namespace couplet::workbench {

struct LoadOptions {
  std::vector<std::pair<std::string, std::string>> set;  // parameter (URDF: quantity), new value
  std::optional<math::Vec3> gravity;                     // m/s², instead of the model's
  bool floating_base = false;                            // URDF: the root link floats
  bool strict = false;  // URDF: implausible masses and other warnings are errors
  std::vector<std::pair<std::string, std::string>> prescribe = {};  // Modelica: variable, f(t)
  std::vector<std::string> solve_for = {};  // Modelica: inputs and parameters found for it
  bool trust = false;  // YAML: plug-ins may run, and files outside the model's folder be read
};

enum class Format { yaml, urdf, modelica };

struct LoadedModelica;  // modelica_run.hpp

struct LoadedModel {
  std::string path;  // as it was given; of text, the name in messages
  Format format = Format::yaml;
  std::shared_ptr<const model::Mechanism> mechanism;
  std::vector<base::Diagnostic> warnings;
  std::vector<std::string> files =
      {};  // that it was read from: itself, subsystems, tables, plug-ins
  std::shared_ptr<const LoadedModelica> modelica = {};  // instead of a mechanism

  /// The model's own name, else its path.
  const std::string& name() const;
  /// Where a motion begins. A URDF gives no positions: where zero is beyond a limit, it begins at
  /// the limit.
  model::State start() const;
};

/// Native code of the model, if it has any: nothing of it runs before check_plugins.
std::vector<std::string> list_plugins(const model::Model& model);
/// Loads all plug-ins once. Throws UserError when they are not trusted (LoadOptions::trust, or
/// forces::trust_plugin for models that are written in C++) or cannot be loaded. For whoever is
/// going to evaluate forces, before he writes anything.
void check_plugins(const LoadedModel& model);

/// Any model. A mechanism by the ending: .yaml, .yml, .json or .urdf, .xml; `-` reads it from
/// standard input. A Modelica class: File.mo, File.mo:Class or a qualified name. Throws UserError
/// with every mistake of the file.
LoadedModel load(const std::string& path, const LoadOptions& options = {});
/// The same for what asks for bodies and joints: UserError for a Modelica class, which only runs.
LoadedModel load_mechanism(const std::string& path, const LoadOptions& options = {});
/// Throws UserError for a model that is no mechanism.
void check_is_mechanism(const LoadedModel& model);
LoadedModel load_text(const std::string& text, const std::string& name, Format format,
                      const LoadOptions& options = {});
/// The description itself, to be changed in C++ before it is loaded.
model::Model read_model(const std::string& path, const LoadOptions& options = {});
/// A model that was written, or changed, in C++.
LoadedModel load(model::Model model, const std::string& name = "model");

}  // namespace couplet::workbench
