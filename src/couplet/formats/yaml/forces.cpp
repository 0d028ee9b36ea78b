// Force elements: the list of their types says what they are called and how they are read.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/forces/entry.hpp"
#include "couplet/formats/yaml/elements.hpp"

namespace couplet::formats::yaml {
namespace {

using base::quoted;
using forces::Entry;
using forces::Form;

/// Keys that stand beside the name of a type: those of flat ones, after the first.
std::vector<std::string> keys_beside(const Entry& entry) {
  std::vector<std::string> keys;
  if (entry.form == Form::flat)
    for (size_t i = 1; i < entry.keys.size(); ++i) keys.emplace_back(entry.keys[i].name);
  return keys;
}

const Entry& given_entry(const Section& section) {
  for (const Entry* entry : forces::entries())
    if (section.has(entry->name)) return *entry;
  base::ensure(false, "a force has one of the types that were asked for");
  return *forces::entries().front();
}

}  // namespace

void read_forces(const Node& node, Part& part) {
  const std::vector<std::string> types = forces::entry_names();
  std::vector<std::string> keys = types;
  for (const Entry* entry : forces::entries())
    for (const std::string& key : keys_beside(*entry)) keys.push_back(key);
  for (const auto& [key, value] : named_entries(node, "force", part.diagnostics())) {
    const std::string name = key.name();
    const Section section(value, "force " + quoted(part.full(name)), keys, part.diagnostics());
    const Node* given = section.require_one_of(types);
    if (!given) continue;
    for (const Entry* entry : forces::entries())
      for (const std::string& beside : keys_beside(*entry))
        if (section.has(beside) && !section.has(entry->name))
          part.diagnostics().error(section.where(beside),
                                   fmt::format("only a {} has {}", entry->title, beside),
                                   "remove them");
    const Entry& entry = given_entry(section);
    const std::string title = fmt::format("{} {}", entry.title, quoted(part.full(name)));
    const Section own = entry.form == Form::flat
                            ? Section(value, title, part.diagnostics())
                            : Section(*given, title, key_names(entry, {}), part.diagnostics());
    if (!own.node().is_mapping()) continue;
    read_element(entry, name, own.node().where, own, &model::Model::forces, part);
  }
}

}  // namespace couplet::formats::yaml
