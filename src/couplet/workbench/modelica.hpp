// Modelica classes by name: File.mo, File.mo:Package.Class, or a qualified name that is found on
// MODELICAPATH. Results are kept in the user's cache until a file they come from changes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "couplet/modelica/translate.hpp"

namespace couplet::workbench {

/// Such a name, rather than the file of a mechanism.
bool is_modelica(const std::string& target);

/// A class with the library that it is in.
class ModelicaClass {
 public:
  /// Throws UserError when the file cannot be read.
  explicit ModelicaClass(const std::string& target);
  modelica::Library& library() { return library_; }
  const std::string& name() const { return name_; }
  /// Throws UserError with the faults of files that were read until now.
  void check() const { diagnostics_.check(); }
  const base::Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  base::Diagnostics diagnostics_;
  modelica::Library library_{diagnostics_};
  std::string name_;
};

/// Counts unknowns and equations, and warns of what a run would refuse.
modelica::CheckResult check_class(const std::string& target);
/// Qualified names of all examples below a package; UserError when there is none.
std::vector<std::string> list_examples(ModelicaClass& package);
/// Counts those of each; `report` is called after each. A class that fails stops nothing.
void check_examples(const std::string& package,
                    const std::function<void(const modelica::CheckResult&)>& report);

struct FlatModelica {
  std::string text;
  std::vector<base::Diagnostic> warnings;
  std::vector<modelica::PassTime> times;  // empty when the text was kept
};
/// `without`: names of passes to leave out. With `times`, it is always translated anew.
FlatModelica flatten_class(const std::string& target, const std::vector<std::string>& without = {},
                           bool times = false);

}  // namespace couplet::workbench
