// Reading a model by its ending, with the options of the command line.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "couplet/base/text.hpp"
#include "couplet/formats/urdf.hpp"
#include "couplet/formats/yaml.hpp"
#include "verbs.hpp"

namespace couplet::app {
namespace {

bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

math::Vec3 parse_gravity(std::string text) {
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

std::vector<std::pair<std::string, std::string>> parse_overrides(
    const std::vector<std::string>& set) {
  std::vector<std::pair<std::string, std::string>> overrides;
  for (const std::string& each : set) {
    const size_t equals = each.find('=');
    if (equals == std::string::npos || equals == 0)
      throw base::UserError({}, fmt::format("--set {} has no value", base::quoted(each)),
                            "write --set name=value");
    overrides.emplace_back(each.substr(0, equals), each.substr(equals + 1));
  }
  return overrides;
}

model::Model read_model(const ModelOptions& options, base::Diagnostics& warnings, bool& imported) {
  imported = ends_with(options.path, ".urdf") || ends_with(options.path, ".xml");
  if (imported) {
    if (!options.set.empty())
      throw base::UserError({}, "--set changes parameters, and a URDF has none",
                            "use a YAML model, or edit the robot");
    formats::UrdfOptions urdf;
    if (options.gravity) urdf.gravity = parse_gravity(*options.gravity);
    urdf.floating_base = options.floating_base;
    urdf.strict = options.strict;
    return formats::read_urdf(options.path, urdf, warnings);
  }
  if (ends_with(options.path, ".yaml") || ends_with(options.path, ".yml") ||
      ends_with(options.path, ".json")) {
    if (options.floating_base)
      throw base::UserError({}, "--floating-base is for URDF robots",
                            "in YAML, connect the base by a joint of type 'free'");
    model::Model model = formats::read_yaml(options.path, {parse_overrides(options.set)}, warnings);
    if (options.gravity) model.gravity = model::UniformGravity{parse_gravity(*options.gravity)};
    return model;
  }
  throw base::UserError(
      {}, fmt::format("{}: the ending says no known format", base::quoted(options.path)),
      "models are .yaml, .yml, .json (Couplet) or .urdf");
}

}  // namespace

std::shared_ptr<const model::Mechanism> load_mechanism(const ModelOptions& options) {
  base::Diagnostics warnings;
  bool imported = false;
  model::Model model = read_model(options, warnings, imported);
  const auto strictness =
      imported && !options.strict ? model::Strictness::lenient : model::Strictness::strict;
  auto mechanism = std::make_shared<const model::Mechanism>(
      model::compile(std::move(model), strictness, &warnings));
  for (const base::Diagnostic& warning : warnings.list())
    std::fprintf(stderr, "%s\n", warning.str().c_str());
  return mechanism;
}

}  // namespace couplet::app
