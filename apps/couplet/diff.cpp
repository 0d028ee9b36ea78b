// couplet diff: the largest difference of two results, signal by signal, and whether it is inside a
// tolerance tube.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "couplet/base/text.hpp"
#include "couplet/results/difference.hpp"
#include "couplet/workbench/json.hpp"
#include "result_files.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct DiffOptions {
  std::string first, second;         // files
  double tolerance = 1e-6;           // relative
  double absolute = 1e-12;           // in the unit of the signal
  double time_tolerance = 1e-9;      // of the common interval
  std::vector<std::string> signals;  // patterns; empty: all
  bool strict = false;               // signals and times that only one has are differences
  bool all = false;                  // no line is left out
  bool json = false, quiet = false;
};

using results::Difference;
using results::SignalDifference;

// Largest first, seen against what is allowed.
std::vector<const SignalDifference*> worst_first(const Difference& difference) {
  std::vector<const SignalDifference*> order;
  for (const SignalDifference& each : difference.signals) order.push_back(&each);
  const auto excess = [](const SignalDifference* each) {
    return each->largest == 0 ? 0 : each->largest / std::max(each->allowed, 1e-300);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](auto* a, auto* b) { return excess(a) > excess(b); });
  return order;
}

void list(const char* label, const std::vector<std::string>& names) {
  constexpr size_t shown = 8;
  if (names.empty()) return;
  fmt::print("{}: ", label);
  for (size_t i = 0; i < names.size() && i < shown; ++i)
    fmt::print("{}{}", i ? ", " : "", names[i]);
  fmt::print("{}\n", names.size() > shown ? fmt::format(", … ({} in all)", names.size()) : "");
}

void print_table(const DiffOptions& options, const Difference& difference, bool same) {
  const std::vector<const SignalDifference*> order = worst_first(difference);
  const auto outside = static_cast<size_t>(
      std::count_if(order.begin(), order.end(), [](auto* each) { return !each->inside(); }));
  constexpr size_t calm = 20, most = 200;  // lines for signals inside, lines in all
  const size_t shown =
      options.all ? order.size() : std::min({order.size(), most, std::max(outside, calm)});
  size_t width = 20;
  for (size_t i = 0; i < shown; ++i) width = std::max(width, order[i]->signal.name.size());
  fmt::print("{:<{}} {:>10} {:>8} {:>12} {:>16} {:>16} {:>10} {:>12}\n", "signal", width,
             "difference", "unit", "at t, s", "first", "second", "allowed", "leaves at, s");
  for (size_t i = 0; i < shown; ++i) {
    const SignalDifference& d = *order[i];
    if (d.largest == 0) {
      fmt::print("{:<{}} {:>10}\n", d.signal.name, width, "equal");
      continue;
    }
    fmt::print("{:<{}} {:>10.3g} {:>8} {:>12.6g} {:>16.9g} {:>16.9g} {:>10.2g} {:>12}\n",
               d.signal.name, width, d.largest, d.signal.unit, d.at, d.a, d.b, d.allowed,
               d.leaves_at ? fmt::format("{:.6g}", *d.leaves_at) : "");
  }
  if (shown < order.size()) fmt::print("… and {} more (--all, --json)\n", order.size() - shown);
  list("only in the first", difference.only_a);
  list("only in the second", difference.only_b);
  list("not in the same unit, not compared", difference.other_unit);
  if (!difference.same_interval)
    fmt::print("compared from {:.6g} to {:.6g} s, which both have\n", difference.from,
               difference.to);
  if (outside > 0)
    fmt::print("{} of {} signal{} leave{} the tolerance tube\n", outside, order.size(),
               order.size() == 1 ? "" : "s", outside == 1 ? "s" : "");
  else
    fmt::print("{}\n", same ? "the results agree" : "the results cannot be compared in everything");
}

void print_json(const Difference& difference, bool same) {
  workbench::JsonWriter json;
  json.begin_object();
  json.members("agree", same, "from", difference.from, "to", difference.to, "same_interval",
               difference.same_interval);
  json.objects("signals", difference.signals, [&](const SignalDifference& d) {
    json.members("name", d.signal.name, "unit", d.signal.unit, "difference", d.largest, "t", d.at,
                 "first", d.a, "second", d.b, "scale", d.scale, "allowed", d.allowed, "inside",
                 d.inside());
    if (d.leaves_at) json.key("leaves_at").value(*d.leaves_at);
  });
  json.members("only_first", difference.only_a, "only_second", difference.only_b, "other_unit",
               difference.other_unit);
  json.end_object();
  fmt::print("{}\n", json.text());
}

int diff(const DiffOptions& options) {
  if (options.first == "-" && options.second == "-")
    throw base::UserError({}, "standard input is one result", "name a file for the other one");
  const results::Recording a = load_result(options.first), b = load_result(options.second);
  const results::Tolerance tolerance{options.tolerance, options.absolute, options.time_tolerance};
  const Difference difference = results::calc_difference(a, b, tolerance, options.signals);
  const bool same = difference.agrees(options.strict);
  if (options.json)
    print_json(difference, same);
  else if (!options.quiet)
    print_table(options, difference, same);
  return same ? 0 : 1;
}

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<DiffOptions>();
  arguments.add_word("first", options->first, "a result: .csv or .h5").of_files();
  arguments.add_word("second", options->second, "the result to compare it with").of_files();
  constexpr double most = std::numeric_limits<double>::max();
  arguments.add_number(
      "--tolerance", "E", options->tolerance, 0, most,
      "half the width of the tube, relative to the largest magnitude of the signal (1e-6)");
  arguments.add_number("--absolute", "E", options->absolute, 0, most,
                       "added to it, in the unit of the signal (1e-12)");
  arguments.add_number(
      "--time-tolerance", "E", options->time_tolerance, 0, 1,
      "events so far apart are the same event, relative to the time compared (1e-9)");
  arguments.add("--signals", "NAME", options->signals, "names with * and ?; all when not given");
  arguments.add_switch("--strict", options->strict,
                       "signals or times that only one has are a difference, too");
  arguments.add_switch("--all", options->all, "one line for every signal, however many");
  arguments.add_switch("--json", options->json, "the answer, errors and warnings as JSON");
  arguments.add_switch("--quiet", options->quiet, "errors only").with_letter('q');
  return [options] { return diff(*options); };
}

}  // namespace

extern const Verb diff_verb;
const Verb diff_verb{"diff",
                     "finds the largest difference of two results, signal by signal",
                     "Exit status: 0 inside the tube, 1 outside, 2 the input is wrong.",
                     {"couplet diff rk4.csv dopri5.h5 --tolerance 1e-4",
                      "couplet diff a.csv b.csv --signals '*.q' energy --json"},
                     declare};

}  // namespace couplet::app
