#include "couplet/workbench/run_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "couplet/base/text.hpp"
#include "couplet/workbench/modelica.hpp"

namespace couplet::workbench {
namespace {

namespace fs = std::filesystem;

/// The one list of names. `f(name, member)`.
template <class R, class F>
void visit(R& request, F&& f) {
  f("model", request.model);
  f("folder", request.folder);
  f("set", request.load.set);
  f("gravity", request.load.gravity);
  f("floating_base", request.load.floating_base);
  f("strict", request.load.strict);
  f("prescribe", request.load.prescribe);
  f("solve_for", request.load.solve_for);
  f("trust", request.load.trust);
  f("formalism", request.formalism);
  f("integrator", request.integrator);
  f("equations", request.equations);
  f("state", request.state);
  f("until", request.until);
  f("step", request.step);
  f("tolerance", request.tolerance);
  f("absolute", request.absolute);
  f("max_step", request.max_step);
  f("interval", request.interval);
  f("every_step", request.every_step);
  f("record", request.record);
  f("out", request.out);
  f("checkpoint", request.checkpoint);
  f("real_time", request.real_time);
}

using Texts = std::vector<std::string>;

Texts texts(const std::string& value) { return value.empty() ? Texts{} : Texts{value}; }
Texts texts(bool value) { return value ? Texts{"true"} : Texts{}; }
Texts texts(double value) { return {fmt::format("{}", value)}; }
Texts texts(const std::optional<double>& value) { return value ? texts(*value) : Texts{}; }
Texts texts(const Texts& value) { return value; }
Texts texts(const std::optional<math::Vec3>& value) {
  if (!value) return {};
  return {fmt::format("{},{},{}", (*value)[0], (*value)[1], (*value)[2])};
}
Texts texts(const std::vector<std::pair<std::string, std::string>>& value) {
  Texts out;
  for (const auto& [name, text] : value) out.push_back(fmt::format("{}={}", name, text));
  return out;
}

double number(const std::string& text) {
  const auto value = base::parse_double(text);
  if (!value) throw base::UserError({}, fmt::format("{} is not a number", base::quoted(text)));
  return *value;
}

void read(const std::string& text, std::string& out) { out = text; }
void read(const std::string& text, bool& out) { out = text == "true"; }
void read(const std::string& text, double& out) { out = number(text); }
void read(const std::string& text, std::optional<double>& out) { out = number(text); }
void read(const std::string& text, Texts& out) { out.push_back(text); }
void read(const std::string& text, std::optional<math::Vec3>& out) {
  const size_t first = text.find(','), second = text.rfind(',');
  if (first == second) throw base::UserError({}, fmt::format("{} is no vector", text));
  out =
      math::Vec3(number(text.substr(0, first)), number(text.substr(first + 1, second - first - 1)),
                 number(text.substr(second + 1)));
}
void read(const std::string& text, std::vector<std::pair<std::string, std::string>>& out) {
  const size_t equals = text.find('=');
  out.emplace_back(text.substr(0, equals),
                   equals == std::string::npos ? "" : text.substr(equals + 1));
}

}  // namespace

simulate::Request to_options(const RunRequest& request) {
  simulate::Request usual, out;
  const RunRequest nothing_said;
  visit(nothing_said, [&](const char* name, const auto& value) {
    for (const std::string& text : texts(value)) usual.emplace_back(name, text);
  });
  visit(request, [&](const char* name, const auto& value) {
    for (const std::string& text : texts(value)) out.emplace_back(name, text);
  });
  std::erase_if(out, [&](const auto& option) {
    return std::find(usual.begin(), usual.end(), option) != usual.end();
  });
  return out;
}

RunRequest read_options(const simulate::Request& options) {
  RunRequest request;
  for (const auto& option : options) {
    const std::string &key = option.first, &text = option.second;
    bool found = false;
    visit(request, [&](const char* name, auto& value) {
      if (key != name) return;
      found = true;
      read(text, value);
    });
    if (!found)
      throw base::UserError({}, fmt::format("a run has no option {}", base::quoted(key)),
                            "start the run again");
  }
  return request;
}

std::vector<std::string> list_differences(const RunRequest& then, const RunRequest& now) {
  std::vector<std::pair<std::string, Texts>> before, after;
  visit(then,
        [&](const char* name, const auto& value) { before.emplace_back(name, texts(value)); });
  visit(now, [&](const char* name, const auto& value) { after.emplace_back(name, texts(value)); });
  const auto say = [](const Texts& list) {
    return list.empty() ? "not given" : fmt::format("{}", fmt::join(list, ", "));
  };
  std::vector<std::string> out;
  const auto counts = [](std::string_view name) {
    return name != "folder" && name != "trust" && name != "out";
  };
  for (size_t i = 0; i < before.size(); ++i)
    if (counts(before[i].first) && before[i].second != after[i].second)
      out.push_back(fmt::format("`{}` was {} and is {}", before[i].first, say(before[i].second),
                                say(after[i].second)));
  return out;
}

std::string resolve(const RunRequest& request, const std::string& path) {
  if (path.empty() || path == "-" || request.folder.empty()) return path;
  if (fs::path(request.folder) == fs::current_path()) return path;
  if (is_modelica(path) && path.find(".mo") == std::string::npos) return path;  // a class
  return (fs::path(request.folder) / path).string();
}

std::string result_path(const RunRequest& request) {
  if (!request.out.empty()) return resolve(request, request.out);
  if (request.model == "-") return resolve(request, "model.csv");
  std::string name = fs::path(request.model).stem().string();
  if (is_modelica(request.model) && !request.model.ends_with(".mo"))  // A.B.Model, File.mo:Model
    name = request.model.substr(request.model.find_last_of(".:") + 1);
  return resolve(request, name + ".csv");
}

mechanics::RunOptions make_run_options(const RunRequest& request) {
  if (request.interval && !(*request.interval > 0))
    throw base::UserError({}, fmt::format("an interval of {} s is not possible", *request.interval),
                          "give `interval` > 0 s, or `every_step`");
  mechanics::RunOptions options;
  options.formalism = request.formalism;
  options.integrator = !request.integrator.empty() ? request.integrator
                       : request.step              ? "rk4"
                                                   : "dopri5";
  options.equations = request.equations;
  options.t_end = request.until;
  options.step = request.step;
  options.tolerance = {request.tolerance, request.absolute.value_or(request.tolerance)};
  options.max_step = request.max_step;
  options.interval = request.every_step
                         ? 0
                         : request.interval.value_or(request.until > 0 ? request.until / 1000 : 1);
  options.record = request.record;
  options.checkpoint_interval = request.checkpoint;
  options.pace = request.real_time;
  return options;
}

}  // namespace couplet::workbench
