#include <fmt/format.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "verb.hpp"

namespace couplet::app {

const Verb* find_verb(const std::string& name) {
  for (const Verb* verb : verbs())
    if (name == verb->name) return verb;
  return nullptr;
}

const Verb& check_verb_name(const std::string& name) {
  if (const Verb* verb = find_verb(name)) return *verb;
  std::vector<std::string> names;
  for (const Verb* verb : verbs()) names.emplace_back(verb->name);
  throw base::UserError({}, fmt::format("there is no verb {}", base::quoted(name)),
                        base::suggest(name, names));
}

std::function<int()> declare(const Verb& verb, Arguments& arguments) {
  std::function<int()> action = verb.declare(arguments);
  static bool seen_before_parsing;
  if (!arguments.find("--json"))
    arguments.add_switch("--json", seen_before_parsing, "errors and warnings as JSON");
  return action;
}

}  // namespace couplet::app
