// Models in YAML (and so in JSON): docs/model-format.md describes every key.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/model/model.hpp"

namespace couplet::formats {

struct ReadOptions {
  /// Parameters by full name with the text of their new value, as `--set left.length="12 cm"`.
  std::vector<std::pair<std::string, std::string>> overrides;
  /// Subsystems, tables and plug-ins may lie outside the folder of the model.
  bool outside = false;
  /// If given: gets the subsystem files and tables that were read.
  std::vector<std::string>* files = nullptr;
};

/// Reads a model with its subsystem files. Throws UserError with every mistake that it finds; what
/// is odd but usable is appended to `warnings`. Masses and topology are judged by model::check.
model::Model read_yaml(const std::string& path, const ReadOptions& options,
                       base::Diagnostics& warnings);

/// The same from text; `file_name` stands in messages, and subsystem files are relative to it.
model::Model read_yaml_text(std::string text, const std::string& file_name,
                            const ReadOptions& options, base::Diagnostics& warnings);

}  // namespace couplet::formats
