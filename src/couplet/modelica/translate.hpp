// The Modelica front end in three calls: load a library, check a class, flatten it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "couplet/modelica/library/library.hpp"

namespace couplet::modelica {

struct Blame {
  std::string component;  // a.b; empty: the model itself
  std::string class_name;
  long unknowns = 0;   // of this component alone
  long equations = 0;  // of this component alone, with what its surroundings must give it
};

struct CheckResult {
  std::string name;
  bool ok = false;  // no errors; then the numbers below hold
  long unknowns = 0, equations = 0, parameters = 0, structural = 0;
  std::vector<Blame> blame;  // when not balanced: who lacks or has too many equations
  base::Diagnostics diagnostics;

  bool balanced() const { return ok && unknowns == equations; }
  std::string summary() const;  // numbers and blame, for people
  std::string str() const;      // with all messages
};

/// A pass of the translation, in the order of list_passes().
struct PassInfo {
  std::string_view name, doc;
  bool needed = false;  // by the passes after it: it cannot be left out
};
std::vector<PassInfo> list_passes();

struct PassTime {
  std::string name;
  double seconds = 0;
};

struct TranslateOptions {
  std::vector<std::string> without = {};   // names of passes to leave out
  std::vector<PassTime>* times = nullptr;  // filled when given
  base::Diagnostics* warnings = nullptr;   // of flatten(), filled when given
};

/// Counts unknowns and equations of a class, by its qualified name.
CheckResult check(Library& library, const std::string& class_name,
                  const TranslateOptions& options = {});

/// Flat Modelica of a class. Throws base::UserError with all faults.
std::string flatten(Library& library, const std::string& class_name,
                    const TranslateOptions& options = {});

/// Qualified names of the models below a package that can be simulated: not partial, with an
/// experiment annotation. For `check --all`.
std::vector<std::string> find_examples(Library& library, const std::string& package_name);

}  // namespace couplet::modelica
