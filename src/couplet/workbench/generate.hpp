// Straight-line C of a mechanism, one .c and one .h that compile alone.
#pragma once

#include "couplet/generate/c_file.hpp"
#include "couplet/workbench/load.hpp"

namespace couplet::workbench {

struct GenerateOptions {
  std::string what = "forward";  // a name of generate::whats()
  std::vector<std::string>
      keep;          // numbers that stay arguments: mass, com, inertia, length, gravity
  std::string name;  // of files and functions; empty: that of the model's file
  int batch = 1;     // also a form for so many states at once: 2, 4 or 8
};

struct GeneratedFunction {
  std::string name, form;
  symbolic::OpCounts counts;
};

struct GeneratedCode {
  generate::CFile file;
  std::vector<GeneratedFunction> functions;
  std::vector<std::string> notes;  // what the code leaves out

  /// Writes the .c and the .h into a directory, made where it is missing, each whole or not at all;
  /// gives their paths. Throws UserError when that is not possible, or would replace a file without
  /// `overwrite`.
  std::pair<std::string, std::string> write_to(const std::string& directory,
                                               bool overwrite = false) const;
};

/// About how many operations the code will have, where that is many because they grow with the
/// square of a chain's length. Otherwise 0.
double estimate_operations(const LoadedModel& model, const GenerateOptions& options);
/// What generating so many takes, in words; empty when it is nothing to speak of.
std::string describe_cost(double operations);

/// Throws UserError for what cannot be generated.
GeneratedCode generate_code(const LoadedModel& model, const GenerateOptions& options = {});

}  // namespace couplet::workbench
