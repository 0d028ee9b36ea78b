#include "couplet/workbench/modelica.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "couplet/base/files.hpp"
#include "couplet/base/text.hpp"
#include "couplet/modelica/library/cache.hpp"
#include "couplet/workbench/modelica_run.hpp"

namespace couplet::workbench {
namespace {

using base::UserError;
using modelica::CheckResult;

size_t end_of_file_name(const std::string& target) {  // after ".mo" in File.mo[:Class]
  const size_t with_class = target.find(".mo:");
  if (with_class != std::string::npos) return with_class + 3;
  const bool is_file = target.size() > 3 && target.compare(target.size() - 3, 3, ".mo") == 0;
  return is_file ? target.size() : 0;
}

// Whether a library has this name: the standard one, our own, or one on MODELICAPATH.
bool is_library(const std::string& name) {
  if (name == "Modelica" || name == "Couplet") return true;
  const char* variable = std::getenv("MODELICAPATH");
  std::istringstream folders(variable ? variable : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code failed;
    for (const auto& each : std::filesystem::directory_iterator(folder, failed)) {
      const std::string found = each.path().filename().string();
      if (found == name || found == name + ".mo" || found.starts_with(name + " ")) return true;
    }
  }
  return false;
}

// A class, not a file: its last part starts with a capital letter or is quoted, as most classes do,
// or its first one is a library.
bool is_qualified_name(const std::string& text) {
  const auto is_part = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '\'';
  };
  const size_t dot = text.rfind('.');
  const std::string last = dot == std::string::npos ? text : text.substr(dot + 1);
  if (last.empty() || !std::all_of(text.begin(), text.end(), is_part)) return false;
  return std::isupper(static_cast<unsigned char>(last[0])) || last[0] == '\'' ||
         is_library(text.substr(0, text.find('.')));
}

// The first word, behind blanks and comments, is one that Modelica begins with.
bool begins_class(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const auto skip_to = [&](std::string_view end) {
    const size_t at = text.find(end);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
  };
  while (!text.empty()) {
    if (std::isspace(static_cast<unsigned char>(text[0])))
      text.remove_prefix(1);
    else if (text.starts_with("//"))
      skip_to("\n");
    else if (text.starts_with("/*"))
      skip_to("*/");
    else
      break;
  }
  constexpr std::string_view words[] = {
      "within",   "package", "model",    "class",   "block",        "connector",  "record",
      "function", "type",    "operator", "partial", "encapsulated", "expandable", "final"};
  return std::ranges::any_of(words, [&](std::string_view word) {
    return text.starts_with(word) && text.size() > word.size() &&
           (std::isspace(static_cast<unsigned char>(text[word.size()])) ||
            text[word.size()] == ';');
  });
}

// Everything but the files that a result depends on. The program itself is one of the files.
std::string cache_key(const std::string& what, const std::string& target,
                      const std::vector<std::string>& options) {
  const char* path = std::getenv("MODELICAPATH");
  std::error_code failed;
  std::string key = what + '\n' + target + '\n' + std::filesystem::current_path(failed).string() +
                    '\n' + (path ? path : "");
  for (const std::string& option : options) key += '\n' + option;
  if (target == "-") key += '\n' + base::read_standard_input("the model");
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

// The numbers of a class that balances without a warning: only those are kept.
std::string kept_text(const CheckResult& result) {
  return fmt::format("{} {} {} {} {}", result.name, result.unknowns, result.equations,
                     result.parameters, result.structural);
}

std::optional<CheckResult> read_kept(const std::string& text) {
  CheckResult result;
  std::istringstream in(text);
  in >> result.name >> result.unknowns >> result.equations >> result.parameters >>
      result.structural;
  result.ok = !in.fail();
  return result.ok ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace

bool is_modelica(const std::string& target) {
  if (target == "-") return begins_class(base::read_standard_input("the model"));
  if (end_of_file_name(target) > 0) return true;
  std::error_code failed;  // a folder may be a library
  return is_qualified_name(target) &&
         (!std::filesystem::exists(target, failed) ||
          std::filesystem::exists(std::filesystem::path(target) / "package.mo", failed));
}

ModelicaClass::ModelicaClass(const std::string& target) {
  if (const char* path = std::getenv("MODELICAPATH")) library_.add_path(path);
  library_.add_path(modelica::own_library_folder().string());  // after those of the user
  const size_t end = end_of_file_name(target);
  const bool stream = target == "-";
  if (end == 0 && !stream) {
    name_ = target;
    return;
  }
  const std::vector<std::string> names =
      stream ? library_.add_text("standard input", base::read_standard_input("the model"))
             : library_.add_file(target.substr(0, end));
  diagnostics_.check();
  if (!stream && end < target.size())
    name_ = target.substr(end + 1);
  else if (names.empty())
    throw UserError({target, 0, 0}, "there is no class in this file");
  else
    name_ = names.back();  // the last one is the system under study
}

namespace {

// What a run of the class would refuse, as warnings.
void add_refusals(ModelicaClass& found, CheckResult& result) {
  try {
    const LoadedModelica loaded = load_modelica(found, found.name());
    make_subject(loaded);
  } catch (const UserError& error) {
    for (const base::Diagnostic& each : error.diagnostics())
      if (each.severity == base::Severity::error)
        result.diagnostics.warning(each.where, "a run refuses this: " + each.what, each.fix);
  } catch (const base::ComputationError& error) {
    result.diagnostics.warning({}, fmt::format("a run cannot begin: {}", error.what()));
  }
}

}  // namespace

CheckResult check_class(const std::string& target) {
  const std::string key = cache_key("check", target, {});
  if (const auto text = find_kept(key))
    if (auto result = read_kept(*text)) return std::move(*result);
  ModelicaClass found(target);
  CheckResult result = modelica::check(found.library(), found.name());
  if (result.balanced() && result.unknowns > 0) add_refusals(found, result);
  if (result.balanced() && result.diagnostics.list().empty() &&
      result.name.find(' ') == std::string::npos)
    keep(key, kept_text(result), found.library());
  return result;
}

std::vector<std::string> list_examples(ModelicaClass& package) {
  std::vector<std::string> names = modelica::find_examples(package.library(), package.name());
  if (names.empty()) package.check();
  if (names.empty())
    throw UserError({}, fmt::format("there is no example below {}", base::quoted(package.name())),
                    "give a package on MODELICAPATH whose models have an experiment annotation");
  return names;
}

void check_examples(const std::string& package,
                    const std::function<void(const modelica::CheckResult&)>& report) {
  ModelicaClass library(package);
  const std::vector<std::string> examples = list_examples(library);
  CheckResult files;  // that cannot be read
  files.name = package;
  files.diagnostics = library.diagnostics();
  if (files.diagnostics.has_errors()) report(files);
  for (const std::string& name : examples) report(modelica::check(library.library(), name));
}

FlatModelica flatten_class(const std::string& target, const std::vector<std::string>& without,
                           bool times) {
  const std::string key = cache_key("flatten", target, without);
  FlatModelica out;
  if (const auto text = times ? std::nullopt : find_kept(key)) {
    out.text = *text;
    return out;
  }
  ModelicaClass found(target);
  base::Diagnostics warnings;
  out.text = modelica::flatten(found.library(), found.name(), {without, &out.times, &warnings});
  out.warnings = warnings.list();
  if (out.warnings.empty()) keep(key, out.text, found.library());
  return out;
}

}  // namespace couplet::workbench
