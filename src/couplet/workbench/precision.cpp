#include "couplet/workbench/precision.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "couplet/mechanics/mechanism_problem.hpp"
#include "couplet/mechanics/simulation.hpp"
#include "couplet/results/plot/axis.hpp"
#include "couplet/results/plot/curves.hpp"

namespace couplet::workbench {
namespace {

using integrate::RuleEntry;
using integrate::StepControl;
using integrate::WorkPoint;

std::vector<const RuleEntry*> chosen_rules(const std::vector<std::string>& names) {
  std::vector<const RuleEntry*> out;
  for (const std::string& name : names) out.push_back(&integrate::check_rule(name));
  if (names.empty())
    for (const RuleEntry& entry : integrate::rules()) out.push_back(&entry);
  return out;
}

void measure_rules(const PrecisionOptions& options, const integrate::WorkBench& bench,
                   PrecisionReport& out) {
  for (const RuleEntry* entry : chosen_rules(options.integrators)) {
    if (options.go_on && !options.go_on()) return;
    PrecisionLine line{entry->name, entry->control, {}};
    try {
      if (options.begin) options.begin(entry->name);
      bench.sweep(*entry, [&](const WorkPoint& point) {
        if (options.begin)
          options.begin(fmt::format("{}, {}", point.rule, workbench::describe(point.setting)));
        line.points.push_back(point);
      });
      out.lines.push_back(std::move(line));
    } catch (const base::UserError& error) {
      if (!options.integrators.empty()) throw;
      out.does_not_apply.push_back(
          fmt::format("{}: {}", entry->name, error.diagnostics().front().what));
    }
  }
}

const char* word(StepControl control) {
  return control == StepControl::fixed ? "fixed" : control == StepControl::own ? "own" : "error";
}

std::string quoted_for_csv(const std::string& text) {
  if (text.empty()) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

std::string describe(const integrate::RunSetting& setting) {
  return setting.step ? fmt::format("h {:.3e}", *setting.step)
                      : fmt::format("tol {:.0e}", setting.tolerance);
}

void check_precision_options(const PrecisionOptions& options) {
  chosen_rules(options.integrators);  // names that do not exist
  for (const auto& [name, value] : {std::pair("until", options.until), {"budget", options.budget}})
    if (!(value > 0 && std::isfinite(value)))
      throw base::UserError({}, fmt::format("`{}` {} s is not possible", name, value),
                            fmt::format("give `{}` T, T > 0", name));
}

PrecisionReport measure_precision(const LoadedModel& model, const PrecisionOptions& options) {
  check_is_mechanism(model);
  check_precision_options(options);
  check_plugins(model);
  const auto make = [&] {
    return std::make_unique<mechanics::MechanismProblem>(model.mechanism, options.formalism);
  };
  PrecisionReport report;
  report.model = model.mechanism->model->name.empty()
                     ? std::filesystem::path(model.path).stem().string()
                     : model.mechanism->model->name;
  report.until = options.until;
  const auto first = make();
  first->make_start(0, mechanics::make_y(model.start()));
  report.formalism = first->describe().formalism;
  report.freedoms = first->describe().degrees_of_freedom;
  integrate::WorkBench bench(
      [&](math::VecX& y) {
        auto problem = make();
        y = problem->make_y(model.start());
        return problem;
      },
      {.t_end = options.until, .budget = options.budget, .go_on = options.go_on});
  if (options.begin) options.begin("reference");
  report.reference = bench.find_reference();
  measure_rules(options, bench, report);
  return report;
}

std::string PrecisionReport::csv() const {
  std::string text =
      "integrator,control,tolerance,step [s],error_position,error_speed,time "
      "[s],steps,rejections,evaluations,residuals,"
      "jacobians,factorizations,left_out\n";
  for (const PrecisionLine& line : lines)
    for (const WorkPoint& p : line.points)
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", p.rule, word(p.control),
                          p.setting.step ? "" : fmt::format("{}", p.setting.tolerance),
                          p.setting.step ? fmt::format("{}", *p.setting.step) : "",
                          p.errors.position, p.errors.speed, p.seconds, p.counts.steps,
                          p.counts.rejections, p.counts.evaluations, p.counts.residuals,
                          p.counts.jacobians, p.counts.factorizations, quoted_for_csv(p.omitted));
  return text;
}

std::string PrecisionReport::picture() const {
  results::LogPicture picture;
  picture.title = fmt::format("Work and precision: {}", model);
  picture.subtitle = fmt::format(
      "{:g} s of motion, {} formalism; reference {}, which {} agrees with to {}", until, formalism,
      reference.first, reference.second, results::number_text(reference.agreement.position, 2));
  results::LogPanel time{"all integrators",
                         "processor time [s]",
                         "largest relative error of positions at the end",
                         {}};
  results::LogPanel evaluations{
      "integrators that evaluate accelerations", "evaluations of accelerations", "", {}};
  for (const PrecisionLine& line : lines) {
    const std::string group =
        line.control == StepControl::fixed ? "fixed steps" : "steps by tolerance";
    const results::MarkedCurve none{line.integrator, group, {}};
    results::MarkedCurve by_time = none, by_evaluations = none;
    for (const WorkPoint& p : line.points) {
      if (!p.counts_as_point()) continue;
      by_time.points.push_back({p.seconds, p.errors.position});
      if (p.counts.residuals == 0)
        by_evaluations.points.push_back(
            {static_cast<double>(p.counts.evaluations), p.errors.position});
    }
    if (!by_time.points.empty()) time.curves.push_back(std::move(by_time));
    if (!by_evaluations.points.empty()) evaluations.curves.push_back(std::move(by_evaluations));
  }
  picture.panels.push_back(std::move(time));
  if (!evaluations.curves.empty()) picture.panels.push_back(std::move(evaluations));
  return draw_curves(picture);
}

}  // namespace couplet::workbench
