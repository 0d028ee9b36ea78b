#include "couplet/formats/yaml/section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"

namespace couplet::formats::yaml {
namespace {

using base::quoted;

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

}  // namespace

Section::Section(const Node& node, std::string title, std::vector<std::string> keys,
                 base::Diagnostics& diagnostics)
    : node_(node), title_(std::move(title)), keys_(std::move(keys)), diagnostics_(diagnostics) {
  if (!node.is_mapping()) {
    diagnostics_.error(node.where,
                       fmt::format("{}: expected a mapping, got {}", title_, describe(node)),
                       "write its keys, one per line: " + listed(keys_));
    return;
  }
  for (const auto& [key, value] : node.entries()) {
    if (diagnostics_.full()) return;
    if (std::find(keys_.begin(), keys_.end(), key.text()) == keys_.end())
      diagnostics_.error(key.where, fmt::format("{} has no key {}", title_, quoted(key.text())),
                         key.text() == "<<"
                             ? "merge keys are not used; repeat a part as a subsystem"
                             : base::suggest(key.text(), keys_));
    else if (value.is_null())
      diagnostics_.error(key.where,
                         fmt::format("{}: key {} has no value", title_, quoted(key.text())),
                         "give a value, or remove the key");
  }
}

const Node* Section::find(std::string_view key) const {
  const Node* value = node_.find(key);
  return value && !value->is_null() ? value : nullptr;
}

const Node* Section::require(std::string_view key) const {
  const Node* value = node_.find(key);
  if (!value && node_.is_mapping())
    diagnostics_.error(node_.where, fmt::format("{} has no {}", title_, quoted(key)),
                       fmt::format("add the key {}", key));
  return value && !value->is_null() ? value : nullptr;
}

const Node* Section::require_one_of(const std::vector<std::string>& choices) const {
  const Node* found = nullptr;
  std::string name;
  for (const auto& [key, value] : node_.entries()) {
    if (std::find(choices.begin(), choices.end(), key.text()) == choices.end()) continue;
    if (found) {
      diagnostics_.error(
          key.where, fmt::format("{} has both {} and {}", title_, quoted(name), quoted(key.text())),
          "keep one of them");
      return nullptr;
    }
    found = &value;
    name = key.name();
  }
  if (!found && node_.is_mapping())
    diagnostics_.error(node_.where, fmt::format("{} needs {}", title_, listed(choices)),
                       "add one of these keys");
  return found && !found->is_null() ? found : nullptr;
}

base::SourceLocation Section::where(std::string_view key) const {
  for (const auto& entry : node_.entries())
    if (entry.key.text() == key) return entry.key.where;
  return node_.where;
}

EntryList named_entries(const Node& node, const std::string& what, base::Diagnostics& diagnostics) {
  if (!node.is_mapping()) {
    diagnostics.error(node.where,
                      fmt::format("expected a mapping from names, got {}", describe(node)),
                      fmt::format("write  name of the {}: …  for each {}", what, what));
    return {};
  }
  EntryList entries;
  for (const Node::Entry& entry : node.entries()) {
    if (diagnostics.full()) break;
    const std::string_view name = entry.key.text();
    std::string problem;
    if (name.empty())
      problem = "is empty";
    else if (name.find('.') != std::string::npos)
      problem = "contains a dot";
    else if (name.front() == ' ' || name.back() == ' ')
      problem = "starts or ends with a space";
    else if (name == "world")
      problem = "is taken by the inertial frame";
    else if (name.size() > 200)
      problem = "is longer than 200 characters";
    else if (std::any_of(name.begin(), name.end(), [](char c) {
               return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\'' || c == '\\';
             }))
      problem = "contains a control character, a quote or a backslash";
    if (problem.empty())
      entries.add(entry);
    else
      diagnostics.error(entry.key.where,
                        fmt::format("the name {} of a {} {}", quoted(name), what, problem),
                        "use letters, digits, '_' and '-'; dots separate the parts of a path");
  }
  return entries;
}

std::optional<std::string> find_type(const Node& node, const std::string& title,
                                     const std::string& what, const std::vector<std::string>& names,
                                     base::Diagnostics& diagnostics) {
  const Node* type = node.is_mapping() ? node.find("type") : nullptr;
  if (!type) {
    diagnostics.error(node.where,
                      node.is_mapping()
                          ? title + " has no 'type'"
                          : fmt::format("{}: expected a mapping, got {}", title, describe(node)),
                      base::suggest("", names));
    return std::nullopt;
  }
  const std::optional<std::string> name = find_text(*type, "a type of " + what, diagnostics);
  if (!name || std::find(names.begin(), names.end(), *name) != names.end()) return name;
  diagnostics.error(type->where,
                    fmt::format("{}: there is no {} type {}", title, what, quoted(*name)),
                    base::suggest(*name, names));
  return std::nullopt;
}

std::optional<std::string> find_text(const Node& node, const std::string& expected,
                                     base::Diagnostics& diagnostics) {
  if (node.is_scalar()) return node.name();
  diagnostics.error(node.where, fmt::format("expected {}, got {}", expected, describe(node)));
  return std::nullopt;
}

}  // namespace couplet::formats::yaml
