// What there is to choose from, by name: formalisms, integrators, joints, constraints, forces and
// what else has entries. For help, documents and forms.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "couplet/dynamics/minimal/formalism.hpp"

namespace couplet::workbench {

/// A key that a model file may have.
struct KeyLine {
  std::string name, value;  // "number, m"
  std::string doc;
  bool required = false;
};

struct Choice {
  std::string name, doc;
  std::vector<KeyLine> keys{};
  std::string example{};  // as a model file has it
};

struct ChoiceList {
  std::string name, doc;  // "joints"
  std::vector<Choice> choices;

  const Choice* find(const std::string& choice) const;  // null: none
};

std::vector<ChoiceList> list_choices();

/// Those of all rooms.
std::span<const dynamics::FormalismEntry> formalisms();

}  // namespace couplet::workbench
