// couplet list: what there is to choose from, and the keys of each element in a model file.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/workbench/catalogue.hpp"
#include "couplet/workbench/json.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct ListOptions {
  std::string name;  // of a list, or of something in one; empty: all lists
  bool json = false;
};

using workbench::Choice;
using workbench::ChoiceList;
using workbench::KeyLine;

void print(const Choice& choice) {
  fmt::print("{}: {}\n", choice.name, choice.doc);
  for (const KeyLine& key : choice.keys)
    fmt::print("  {:<20}{:<30}{}{}\n", key.name, key.value, key.doc,
               key.required ? "" : " (optional)");
  if (!choice.example.empty()) fmt::print("as in\n  {}\n", choice.example);
}

void print(const ChoiceList& list) {
  fmt::print("{}, {}\n", list.name, list.doc);
  for (const Choice& choice : list.choices) fmt::print("  {:<22}{}\n", choice.name, choice.doc);
}

void write(const Choice& choice, workbench::JsonWriter& json) {
  json.begin_object();
  json.members("name", choice.name, "doc", choice.doc);
  json.objects("keys", choice.keys, [&](const KeyLine& key) {
    json.members("name", key.name, "value", key.value, "doc", key.doc, "required", key.required);
  });
  if (!choice.example.empty()) json.key("example").value(choice.example);
  json.end_object();
}

/// Those that are called `name`, or have something of that name, alone; all where it is empty.
std::vector<ChoiceList> chosen(const std::string& name) {
  std::vector<ChoiceList> out;
  std::vector<std::string> names;
  for (const ChoiceList& list : workbench::list_choices()) {
    names.push_back(list.name);
    for (const Choice& choice : list.choices) names.push_back(choice.name);
    const Choice* choice = list.find(name);
    if (name.empty() || name == list.name) out.push_back(list);
    if (choice) out.push_back({list.name, list.doc, {*choice}});
  }
  if (out.empty())
    throw base::UserError({}, fmt::format("nothing is called {}", base::quoted(name)),
                          base::suggest(name, names));
  return out;
}

int list(const ListOptions& options) {
  const std::vector<ChoiceList> lists = chosen(options.name);
  if (options.json) {
    workbench::JsonWriter json;
    json.begin_object();
    for (const ChoiceList& each : lists) {
      json.key(each.name).begin_array();
      for (const Choice& choice : each.choices) write(choice, json);
      json.end_array();
    }
    json.end_object();
    fmt::print("{}\n", json.text());
    return 0;
  }
  for (const ChoiceList& each : lists) {
    if (&each != &lists.front()) fmt::print("\n");
    const bool is_one = options.name == each.choices.front().name && each.choices.size() == 1;
    is_one ? print(each.choices.front()) : print(each);
  }
  return 0;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<ListOptions>();
  std::vector<std::string> names;
  for (const ChoiceList& list : workbench::list_choices()) {
    names.push_back(list.name);
    for (const Choice& choice : list.choices) names.push_back(choice.name);
  }
  arguments.add_word("name", options->name, "of a list, or of something in one; all without it")
      .with_hints(names)
      .required = false;
  arguments.add_switch("--json", options->json, "the answer, errors and warnings as JSON");
  return [options] { return list(*options); };
}

}  // namespace

extern const Verb list_verb;
const Verb list_verb{"list",
                     "lists what there is to choose from, and the keys of each",
                     "",
                     {"couplet list", "couplet list integrators", "couplet list bushing"},
                     declare};

}  // namespace couplet::app
