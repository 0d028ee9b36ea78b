#include "check_class.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "couplet/workbench/json.hpp"
#include "couplet/workbench/modelica.hpp"
#include "remarks.hpp"

namespace couplet::app {
namespace {

using modelica::CheckResult;
using workbench::JsonWriter;

void write(JsonWriter& json, const CheckResult& result) {
  json.begin_object();
  json.members("name", result.name, "ok", result.ok, "balanced", result.balanced(), "unknowns",
               result.unknowns, "equations", result.equations, "parameters", result.parameters,
               "structural_parameters", result.structural);
  json.key("messages").begin_array();
  for (const base::Diagnostic& each : result.diagnostics.list()) json.value(each.str());
  json.end_array().end_object();
}

void print(const std::vector<base::Diagnostic>& diagnostics) {
  for (const base::Diagnostic& each : diagnostics) remark(each);
}

int check_one(const ModelOptions& options) {
  const CheckResult result = workbench::check_class(options.path);
  if (!result.ok) throw base::UserError(result.diagnostics.list());
  const std::vector<base::Diagnostic>& warnings = result.diagnostics.list();
  if (!options.quiet) print(warnings);
  JsonWriter json;
  write(json, result);
  if (options.json)
    fmt::print("{}\n", json.text());
  else if (!options.quiet)
    fmt::print("{}", result.summary());
  return result.balanced() && !(options.strict && !warnings.empty()) ? 0 : 2;
}

int check_all(const ModelOptions& options) {
  const bool json_output = options.json, text = !options.json && !options.quiet;
  size_t models = 0, balanced = 0;
  JsonWriter json;
  json.begin_array();
  if (text) fmt::print("{:<80} {:>9} {:>9}\n", "model", "unknowns", "equations");
  workbench::check_examples(options.path, [&](const CheckResult& result) {
    ++models;
    balanced += result.balanced() ? 1 : 0;
    if (json_output) {
      write(json, result);
    } else if (result.ok && text) {
      fmt::print("{:<80} {:>9} {:>9}{}\n", result.name, result.unknowns, result.equations,
                 result.balanced() ? "" : "  not balanced");
    } else if (text) {
      fmt::print("{:<80} fails: {}\n", result.name,
                 result.diagnostics.list().empty() ? "" : result.diagnostics.list().front().what);
    }
  });
  json.end_array();
  if (json_output)
    fmt::print("{}\n", json.text());
  else if (text)
    fmt::print("{} of {} models balance\n", balanced, models);
  return balanced == models ? 0 : 1;
}

}  // namespace

int check_class(const ModelOptions& options, bool all) {
  return all ? check_all(options) : check_one(options);
}

}  // namespace couplet::app
