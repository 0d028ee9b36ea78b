// couplet check and couplet flatten for Modelica: File.mo, File.mo:Package.Class, or a qualified
// name that is found on MODELICAPATH.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "couplet/base/text.hpp"
#include "couplet/modelica/library/cache.hpp"
#include "couplet/modelica/translate.hpp"
#include "json.hpp"
#include "verbs.hpp"

namespace couplet::app {
namespace {

using base::UserError;
using modelica::CheckResult;

size_t end_of_file_name(const std::string& target) {  // after ".mo" in File.mo[:Class]
  const size_t with_class = target.find(".mo:");
  if (with_class != std::string::npos) return with_class + 3;
  const bool is_file = target.size() > 3 && target.compare(target.size() - 3, 3, ".mo") == 0;
  return is_file ? target.size() : 0;
}

// A class, not a file: its last part starts with a capital letter or is quoted, as classes do.
bool is_qualified_name(const std::string& text) {
  const auto is_part = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '\'';
  };
  const size_t dot = text.rfind('.');
  const std::string last = dot == std::string::npos ? text : text.substr(dot + 1);
  return !last.empty() && (std::isupper(static_cast<unsigned char>(last[0])) || last[0] == '\'') &&
         std::all_of(text.begin(), text.end(), is_part);
}

// Everything but the files that a result depends on. The program itself is one of the files.
std::string cache_key(const std::string& what, const std::string& target,
                      const std::vector<std::string>& options) {
  const char* path = std::getenv("MODELICAPATH");
  std::error_code failed;
  std::string key = what + '\n' + target + '\n' + std::filesystem::current_path(failed).string() +
                    '\n' + (path ? path : "");
  for (const std::string& option : options) key += '\n' + option;
  return key;
}

void keep(const std::string& key, const std::string& content, const modelica::Library& library) {
  const auto cache = modelica::Cache::of_user();
  if (!cache) return;
  std::vector<std::filesystem::path> made_from = library.made_from();
  made_from.emplace_back("/proc/self/exe");
  cache->store(key, content, made_from);
}

std::optional<std::string> find_kept(const std::string& key) {
  const auto cache = modelica::Cache::of_user();
  return cache ? cache->find(key) : std::nullopt;
}

struct Target {
  base::Diagnostics diagnostics;
  modelica::Library library{diagnostics};
  std::string class_name;

  explicit Target(const std::string& target) {
    if (const char* path = std::getenv("MODELICAPATH")) library.add_path(path);
    const size_t end = end_of_file_name(target);
    if (end == 0) {
      class_name = target;
      return;
    }
    const std::vector<std::string> names = library.add_file(target.substr(0, end));
    diagnostics.check();
    if (end < target.size()) {
      class_name = target.substr(end + 1);
    } else if (names.empty()) {
      throw UserError({std::make_shared<const std::string>(target), 0, 0},
                      "there is no class in this file");
    } else {
      class_name = names.back();  // the last one is the system under study
    }
  }
};

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

int check_one(const std::string& name, bool json_output) {
  const std::string key = cache_key(json_output ? "check --json" : "check", name, {});
  if (const auto text = find_kept(key)) {  // only what balances without a warning is kept
    fmt::print("{}\n", *text);
    return 0;
  }
  Target target(name);
  const CheckResult result = modelica::check(target.library, target.class_name);
  for (const base::Diagnostic& each : result.diagnostics.list())
    std::fprintf(stderr, "%s\n", each.str().c_str());
  if (!result.ok) return 2;
  JsonWriter json;
  write(json, result);
  const std::string text = json_output ? json.text() : result.summary();
  fmt::print("{}\n", text);
  if (!result.balanced()) return 2;
  if (result.diagnostics.list().empty()) keep(key, text, target.library);
  return 0;
}

int check_all(Target& target, bool json_output) {
  const std::vector<std::string> names = modelica::find_examples(target.library, target.class_name);
  target.diagnostics.check();
  if (names.empty())
    throw UserError({},
                    fmt::format("there is no example below {}", base::quoted(target.class_name)),
                    "give a package on MODELICAPATH whose models have an experiment annotation");
  size_t balanced = 0;
  JsonWriter json;
  json.begin_array();
  if (!json_output) fmt::print("{:<80} {:>9} {:>9}\n", "model", "unknowns", "equations");
  for (const std::string& name : names) {
    const CheckResult result = modelica::check(target.library, name);
    balanced += result.balanced() ? 1 : 0;
    if (json_output) {
      write(json, result);
    } else if (result.ok) {
      fmt::print("{:<80} {:>9} {:>9}{}\n", name, result.unknowns, result.equations,
                 result.balanced() ? "" : "  not balanced");
    } else {
      fmt::print("{:<80} fails: {}\n", name,
                 result.diagnostics.list().empty() ? "" : result.diagnostics.list().front().what);
    }
  }
  json.end_array();
  if (json_output)
    fmt::print("{}\n", json.text());
  else
    fmt::print("{} of {} models balance\n", balanced, names.size());
  return balanced == names.size() ? 0 : 1;
}

}  // namespace

bool is_modelica(const std::string& target) {
  if (end_of_file_name(target) > 0) return true;
  return is_qualified_name(target) && !std::filesystem::exists(target);
}

int check_modelica(const std::string& name, bool all, bool json) {
  if (!all) return check_one(name, json);
  Target target(name);
  return check_all(target, json);
}

int flatten(const FlattenOptions& options) {
  if (options.list_passes) {
    for (const modelica::PassInfo& pass : modelica::list_passes())
      fmt::print("{:<14} {}{}\n", pass.name, pass.doc, pass.needed ? "" : " (can be left out)");
    return 0;
  }
  if (options.target.empty())
    throw UserError({}, "no class to flatten", "couplet flatten File.mo:Package.Class");
  const std::string key = cache_key("flatten", options.target, options.without);
  std::optional<std::string> text = options.times ? std::nullopt : find_kept(key);
  std::vector<modelica::PassTime> times;
  if (!text) {
    Target target(options.target);
    base::Diagnostics warnings;
    text =
        modelica::flatten(target.library, target.class_name, {options.without, &times, &warnings});
    for (const base::Diagnostic& each : warnings.list())
      std::fprintf(stderr, "%s\n", each.str().c_str());
    if (warnings.list().empty()) keep(key, *text, target.library);
  }
  std::fwrite(text->data(), 1, text->size(), stdout);
  if (options.times)
    for (const modelica::PassTime& pass : times)
      fmt::print(stderr, "{:<14} {:.4f} s\n", pass.name, pass.seconds);
  return 0;
}

}  // namespace couplet::app
