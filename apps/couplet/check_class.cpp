#include "check_class.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "couplet/workbench/json.hpp"
#include "couplet/workbench/modelica.hpp"

namespace couplet::app {
namespace {

using modelica::CheckResult;
using workbench::JsonWriter;

void write(JsonWriter& json, const CheckResult& result) {
  json.begin_object();
  json.key("name").value(result.name);
  json.key("ok").value(result.ok);
  json.key("balanced").value(result.balanced());
  json.key("unknowns").value(static_cast<int>(result.unknowns));
  json.key("equations").value(static_cast<int>(result.equations));
  json.key("parameters").value(static_cast<int>(result.parameters));
  json.key("structural_parameters").value(static_cast<int>(result.structural));
  json.key("messages").begin_array();
  for (const base::Diagnostic& each : result.diagnostics.list()) json.value(each.str());
  json.end_array().end_object();
}

void print(const std::vector<base::Diagnostic>& diagnostics) {
  for (const base::Diagnostic& each : diagnostics) std::fprintf(stderr, "%s\n", each.str().c_str());
}

int check_one(const std::string& name, bool json_output) {
  const CheckResult result = workbench::check_class(name);
  print(result.diagnostics.list());
  if (!result.ok) return 2;
  JsonWriter json;
  write(json, result);
  fmt::print("{}\n", json_output ? json.text() : result.summary());
  return result.balanced() ? 0 : 2;
}

int check_all(const std::string& name, bool json_output) {
  size_t models = 0, balanced = 0;
  JsonWriter json;
  json.begin_array();
  if (!json_output) fmt::print("{:<80} {:>9} {:>9}\n", "model", "unknowns", "equations");
  workbench::check_examples(name, [&](const CheckResult& result) {
    ++models;
    balanced += result.balanced() ? 1 : 0;
    if (json_output) {
      write(json, result);
    } else if (result.ok) {
      fmt::print("{:<80} {:>9} {:>9}{}\n", result.name, result.unknowns, result.equations,
                 result.balanced() ? "" : "  not balanced");
    } else {
      fmt::print("{:<80} fails: {}\n", result.name,
                 result.diagnostics.list().empty() ? "" : result.diagnostics.list().front().what);
    }
  });
  json.end_array();
  if (json_output)
    fmt::print("{}\n", json.text());
  else
    fmt::print("{} of {} models balance\n", balanced, models);
  return balanced == models ? 0 : 1;
}

}  // namespace

int check_class(const std::string& name, bool all, bool json) {
  return all ? check_all(name, json) : check_one(name, json);
}

}  // namespace couplet::app
