#include "model_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/workbench/catalogue.hpp"
#include "remarks.hpp"

namespace couplet::app {
namespace {

math::Vec3 parse_gravity(const std::vector<std::string>& words) {
  std::string text = fmt::format("{}", fmt::join(words, " "));
  std::replace(text.begin(), text.end(), ',', ' ');
  std::vector<double> numbers;
  bool good = true;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = text.find_first_not_of(" []", i);
    if (begin == std::string::npos) break;
    const size_t end = std::min(text.find_first_of(" []", begin), text.size());
    const auto number = base::parse_double(std::string_view(text).substr(begin, end - begin));
    good = good && number && std::abs(*number) < 1e300;
    numbers.push_back(number.value_or(0));
    i = end;
  }
  if (!good || numbers.size() != 3)
    throw base::UserError({}, fmt::format("--gravity {} is not a vector", base::quoted(text)),
                          "give three numbers in m/s², as in --gravity 0,0,-9.81");
  return {numbers[0], numbers[1], numbers[2]};
}

std::pair<std::string, std::string> parse_override(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw base::UserError({}, fmt::format("--set {} has no value", base::quoted(text)),
                          "write --set name=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

std::vector<std::string> formalism_names() {
  std::vector<std::string> names;
  for (const dynamics::FormalismEntry& entry : workbench::formalisms())
    names.emplace_back(entry.name);
  return names;
}

std::string formalism_doc() {
  return fmt::format("how its equations are formed: {}; without it the first that the model takes",
                     fmt::join(formalism_names(), ", "));
}

const char* const trust_doc =
    "the model is yours: its plug-ins may run, files outside its folder be read";

const char* const any_model = "model.yaml, model.json, robot.urdf or a Modelica class";

void add_model(Arguments& arguments, ModelOptions& options, const char* what) {
  arguments.add_word("model", options.path, fmt::format("{}; - reads standard input", what))
      .of_files();
  arguments
      .add("--set", "NAME=VALUE", options.set,
           "changes a parameter, or a quantity of a URDF as LINK.mass")
      .once();
  arguments.add("--gravity", "X,Y,Z", options.gravity, "in m/s² (a URDF has 0,0,-9.81 otherwise)")
      .of_numbers();
  arguments.add_switch("--floating-base", options.floating_base,
                       "let the root link of a URDF float");
  arguments.add_switch("--strict", options.strict,
                       "implausible masses and other warnings are errors");
  arguments.add_switch("--trust", options.trust, trust_doc);
  arguments.add_switch("--json", options.json, "the answer, errors and warnings as JSON");
  arguments.add_switch("--quiet", options.quiet, "errors only").with_letter('q');
  arguments.mark_common();
}

workbench::LoadOptions make_load_options(const ModelOptions& options) {
  workbench::LoadOptions out;
  for (const std::string& text : options.set) out.set.push_back(parse_override(text));
  if (!options.gravity.empty()) out.gravity = parse_gravity(options.gravity);
  out.floating_base = options.floating_base;
  out.strict = options.strict;
  out.trust = options.trust;
  return out;
}

workbench::LoadedModel with_warnings(workbench::LoadedModel model, bool quiet) {
  for (const base::Diagnostic& warning : model.warnings)
    if (!quiet) remark(warning);
  return model;
}

workbench::LoadedModel load_any(const ModelOptions& options) {
  return with_warnings(workbench::load(options.path, make_load_options(options)), options.quiet);
}

workbench::LoadedModel load_mechanism(const ModelOptions& options) {
  return with_warnings(workbench::load_mechanism(options.path, make_load_options(options)),
                       options.quiet);
}

void print_note(const ModelOptions& options, const std::string& note) {
  if (!options.quiet) remark("note", note);
}

std::string counted(long count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many.empty() ? one + "s" : many);
}

std::string freedoms_text(int count) {
  return fmt::format("{} degree{} of freedom", count, count == 1 ? "" : "s");
}

void write_counts(const integrate::Counts& counts, workbench::JsonWriter& json) {
  const std::pair<const char*, long> all[] = {{"steps", counts.steps},
                                              {"rejections", counts.rejections},
                                              {"evaluations", counts.evaluations},
                                              {"residuals", counts.residuals},
                                              {"jacobians", counts.jacobians},
                                              {"factorizations", counts.factorizations},
                                              {"events", counts.events}};
  for (const auto& [name, count] : all) json.key(name).value(static_cast<double>(count));
}

}  // namespace couplet::app
