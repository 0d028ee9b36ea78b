// Constraints besides joints: the list of their types says what they are called and how they are
// read.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/constraints/entry.hpp"
#include "couplet/formats/yaml/elements.hpp"

namespace couplet::formats::yaml {

void read_constraints(const Node& node, Part& part) {
  const std::vector<std::string> names = constraints::entry_names();
  for (const auto& [key, value] : named_entries(node, "constraint", part.diagnostics())) {
    const std::string title = base::quoted(part.full(key.text()));
    const std::optional<std::string> name =
        find_type(value, "constraint " + title, "constraint", names, part.diagnostics());
    if (!name) continue;
    const constraints::Entry& entry = *constraints::find_entry(*name);
    const Section section(value, fmt::format("{} {}", entry.name, title),
                          key_names(entry, {"type"}), part.diagnostics());
    read_element(entry, key.name(), key.where, section, &model::Model::constraints, part);
  }
}

}  // namespace couplet::formats::yaml
