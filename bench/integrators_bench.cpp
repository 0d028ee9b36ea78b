// What the structure of implicit rules brings, and what half-explicit rules bring beyond it, on
// closed loops: Andrews' squeezing mechanism and ten four-bars side by side.
//
// First each of the parts (Arnold 1998, section 3) switched off, at one tolerance: residuals,
// Jacobians, factorizations and time over those with all of them on. Then the time for an error of
// 1e-7: generic IDA over the structured one, and over the best half-explicit or extrapolation rule.
// All are measured in turn, best times count, errors are those achieved.
#include <array>
#include <cstdio>
#include <map>

#include "couplet/formats/yaml.hpp"
#include "couplet/integrate/implicit.hpp"
#include "couplet/integrate/work_precision.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"
#include "generic_ida.hpp"
#include "program.hpp"
#include "support/benchmark_models.hpp"

namespace couplet::bench {
namespace {

using integrate::ImplicitOptions;
using integrate::RuleEntry;
using integrate::WorkBench;
using integrate::WorkPoint;

constexpr const char* suite = "integrators";

struct Case {
  std::string name;
  std::shared_ptr<const model::Mechanism> mechanism;
  double t_end;  // s
};

/// The entry of a rule with some of its parts switched off; a maker is a plain function, so that
/// they are parameters.
template <std::unique_ptr<integrate::Rule> (*make)(integrate::Problem&, const integrate::Tolerance&,
                                                   const ImplicitOptions&),
          bool keep, bool given, bool coloured, bool sparse>
RuleEntry with(const char* name) {
  RuleEntry entry = integrate::check_rule(name);
  entry.make = [](integrate::Problem& problem, const integrate::Tolerance& tolerance) {
    return make(problem, tolerance, {keep, given, coloured, sparse});
  };
  return entry;
}

struct Variant {
  const char* what;
  RuleEntry entry;
};

template <std::unique_ptr<integrate::Rule> (*make)(integrate::Problem&, const integrate::Tolerance&,
                                                   const ImplicitOptions&)>
std::vector<Variant> variants(const char* name) {
  return {{"all on", with<make, true, true, true, true>(name)},
          {"nothing kept", with<make, false, true, true, true>(name)},
          {"nothing given", with<make, true, false, true, true>(name)},
          {"not coloured", with<make, true, true, false, true>(name)},
          {"dense", with<make, true, true, true, false>(name)},
          {"all off", with<make, false, false, false, false>(name)}};
}

WorkBench make_bench(const Case& c,
                     mechanics::Equations equations = mechanics::Equations::residual) {
  return {[&c, equations](math::VecX& y) {
            auto problem = std::make_unique<mechanics::MechanismProblem>(
                c.mechanism, std::string_view{}, equations);
            y = problem->make_y(c.mechanism->default_state());
            return problem;
          },
          {.t_end = c.t_end, .budget = 20, .repetitions = 1, .go_on = {}}};
}

void print_row(const std::string& row, const std::string& metric, double value, double target = 0) {
  std::printf(
      R"({"suite": "%s", "row": "%s", "metric": "%s", "value": %.4g, "target": %s, "ok": %s})"
      "\n",
      suite, row.c_str(), metric.c_str(), value,
      target > 0 ? std::to_string(target).c_str() : "null", value >= target ? "true" : "false");
}

// One run of each in turn, `rounds` times; the best time of each.
std::vector<WorkPoint> measure_in_turn(const WorkBench& bench,
                                       const std::vector<RuleEntry>& entries,
                                       const std::vector<double>& tolerances, int rounds) {
  std::vector<WorkPoint> best;
  for (int r = 0; r < rounds; ++r) {
    size_t k = 0;
    for (const double tolerance : tolerances)
      for (const RuleEntry& entry : entries) {
        WorkPoint now = bench.measure(entry, {{}, tolerance});
        if (r == 0)
          best.push_back(std::move(now));
        else
          best[k].seconds = std::min(best[k].seconds, now.seconds);
        ++k;
      }
  }
  return best;
}

void print_switches(const Case& c, const WorkBench& bench, const char* rule,
                    const std::vector<Variant>& all, int rounds) {
  std::vector<RuleEntry> entries;
  for (const Variant& v : all) entries.push_back(v.entry);
  constexpr double tolerance = 1e-6;
  const std::vector<WorkPoint> points = measure_in_turn(bench, entries, {tolerance}, rounds);
  std::fprintf(stderr, "\n%s, %s, tolerance %g\n%-14s%10s%8s%11s%10s%8s%11s%10s%8s%11s\n",
               c.name.c_str(), rule, tolerance, "", "residuals", "Jacob.", "factor.", "time, ms",
               "ratio", "residuals", "Jacob.", "factor.", "error q");
  const WorkPoint& on = points.front();
  for (size_t i = 0; i < points.size(); ++i) {
    const WorkPoint& p = points[i];
    const auto ratio = [](long a, long b) {
      return static_cast<double>(a) / static_cast<double>(std::max(1L, b));
    };
    const double residuals = ratio(p.counts.residuals, on.counts.residuals),
                 jacobians = ratio(p.counts.jacobians, on.counts.jacobians),
                 factorizations = ratio(p.counts.factorizations, on.counts.factorizations);
    std::fprintf(stderr, "%-14s%10ld%8ld%11ld%10.2f%8.2f%11.2f%10.2f%8.2f%11.1e  %s\n", all[i].what,
                 p.counts.residuals, p.counts.jacobians, p.counts.factorizations, 1e3 * p.seconds,
                 p.seconds / on.seconds, residuals, jacobians, factorizations, p.errors.position,
                 p.omitted.c_str());
    if (i == 0 || !p.omitted.empty()) continue;
    const std::string row = c.name + ", " + rule + ", " + all[i].what;
    print_row(row, "time over all on", p.seconds / on.seconds);
    print_row(row, "residuals over all on", residuals);
    print_row(row, "Jacobians over all on", jacobians);
    print_row(row, "factorizations over all on", factorizations);
  }
}

// The same steps with the equations solved for v̇ (Arnold 1998, section 4).
void print_forms(const Case& c, const WorkBench& residual, const char* rule, int rounds) {
  WorkBench solved = make_bench(c, mechanics::Equations::solved);
  solved.find_reference();
  const std::vector<RuleEntry> entries{integrate::check_rule(rule)};
  std::array<double, 2> seconds{INFINITY, INFINITY};
  std::array<WorkPoint, 2> points;
  for (int r = 0; r < rounds; ++r)
    for (size_t k = 0; k < 2; ++k) {
      points[k] = (k == 0 ? residual : solved).measure(entries.front(), {{}, 1e-6});
      seconds[k] = std::min(seconds[k], points[k].seconds);
    }
  std::fprintf(stderr,
               "\n%s, %s: residual form %ld residuals, %.2f ms; explicit form %ld, %.2f ms\n",
               c.name.c_str(), rule, points[0].counts.residuals, 1e3 * seconds[0],
               points[1].counts.residuals, 1e3 * seconds[1]);
  print_row(c.name + ", " + rule + ", explicit form", "time over residual form",
            seconds[1] / seconds[0]);
  print_row(c.name + ", " + rule + ", explicit form", "residuals over residual form",
            static_cast<double>(points[1].counts.residuals) /
                static_cast<double>(points[0].counts.residuals));
}

void print_comparison(const Case& c, const WorkBench& bench, const integrate::Reference& reference,
                      int rounds) {
  constexpr double error = 1e-7;
  struct Contender {
    std::string name;
    RuleEntry entry;
    bool half_explicit;  // or extrapolation
  };
  const std::vector<Variant> ida = variants<integrate::make_ida>("ida");
  RuleEntry generic = integrate::check_rule("ida");
  generic.make = &make_generic_ida;
  std::vector<Contender> contenders{{"generic ida", generic, false},
                                    {"ida", ida.front().entry, false},
                                    {"radau5", integrate::check_rule("radau5"), false}};
  for (const char* name : {"hem5", "mexx", "gbs"})
    contenders.push_back({name, integrate::check_rule(name), true});
  std::vector<RuleEntry> entries;
  for (const Contender& contender : contenders) entries.push_back(contender.entry);
  const std::vector<double> tolerances{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  const std::vector<WorkPoint> all = measure_in_turn(bench, entries, tolerances, rounds);

  std::fprintf(stderr,
               "\n%s, error of positions %g; reference %s, agreement %.1e\n%-14s%12s%12s%12s\n",
               c.name.c_str(), error, reference.first.c_str(), reference.agreement.position, "",
               "time, ms", "evaluations", "residuals");
  std::map<std::string, double> seconds;
  std::string best;
  for (size_t k = 0; k < contenders.size(); ++k) {
    std::vector<WorkPoint> points;
    for (size_t i = k; i < all.size(); i += contenders.size()) points.push_back(all[i]);
    const auto at = [&](const auto& work) {
      return integrate::find_work_at(points, error, work).value_or(NAN);
    };
    const std::string& name = contenders[k].name;
    seconds[name] = at([](const WorkPoint& p) { return p.seconds; });
    std::fprintf(stderr, "%-14s%12.2f%12.0f%12.0f\n", name.c_str(), 1e3 * seconds[name],
                 at([](const WorkPoint& p) { return static_cast<double>(p.counts.evaluations); }),
                 at([](const WorkPoint& p) {
                   return static_cast<double>(std::max(1L, p.counts.residuals));
                 }));
    if (contenders[k].half_explicit && (best.empty() || seconds[name] < seconds[best])) best = name;
  }
  const std::string row = c.name + ", error 1e-7";
  print_row(row, "generic ida over " + best, seconds["generic ida"] / seconds[best], 5);
  print_row(row, "generic ida over ida", seconds["generic ida"] / seconds["ida"], 3);
}

std::shared_ptr<const model::Mechanism> compiled(const model::Model& model) {
  return std::make_shared<const model::Mechanism>(model::compile(model));
}

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet;
  using namespace couplet::bench;
  const Program program("couplet", COUPLET_VERSION, argc, argv);
  if (!program.timing()) return 0;
  const int rounds = program.measure_options().repetitions;
  base::Diagnostics warnings;
  const std::string file = COUPLET_SOURCE_DIR "/models/benchmarks/andrews_squeezer.yaml";
  const std::array cases{Case{"andrews", compiled(formats::read_yaml(file, {}, warnings)), 0.03},
                         Case{"10 four-bars", compiled(verification::make_four_bars(10)),
                              0.3}};  // before a singular position
  for (const Case& c : cases) {
    if (!program.wants(c.name, "integrators")) continue;
    WorkBench bench = make_bench(c);
    const integrate::Reference& reference = bench.find_reference();
    print_switches(c, bench, "ida", variants<integrate::make_ida>("ida"), rounds);
    print_switches(c, bench, "radau5", variants<integrate::make_radau5>("radau5"), rounds);
    for (const char* rule : {"ida", "radau5"}) print_forms(c, bench, rule, rounds);
    if (c.name == "andrews") print_comparison(c, bench, reference, rounds);
  }
}
