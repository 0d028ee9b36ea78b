#include "couplet/workbench/linearize.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/equations/observables.hpp"
#include "couplet/equations/operating_point.hpp"
#include "couplet/simulate/signals.hpp"
#include "couplet/workbench/modelica_run.hpp"

namespace couplet::workbench {
namespace {

using base::UserError;
using equations::EquationObservables;
using equations::EquationProblem;
using equations::Kind;
using equations::OperatingPoint;
using equations::Variable;
using math::MatX;
using math::VecX;

/// A Modelica class at its beginning, or at rest.
class Point {
 public:
  Point(const LoadedModelica& loaded, const PointOptions& options)
      : model_(*loaded.model),
        problem_(loaded.model),
        observables_(problem_),
        point_(problem_, loaded.experiment.start) {
    if (options.equilibrium) point_.find_equilibrium();
    std::vector<std::string> wanted = options.record;
    if (wanted.empty())
      for (const int s : model_.states) wanted.push_back(variable(s).name);
    if (!wanted.empty()) {
      simulate::SignalSet signals(observables_, wanted);
      report_.signals = signals.list();
      report_.values.resize(report_.signals.size());
      signals.calc(point_.t(), point_.y(), report_.values.data());
      report_.signals.erase(report_.signals.begin());  // the time
      report_.values.erase(report_.values.begin());
    }
    report_.t = point_.t();
    int moving = 0;
    report_.rate = point_.find_largest_rate(moving);
    if (!model_.states.empty())
      report_.moving = variable(model_.states[static_cast<size_t>(moving)]).name;
    if (problem_.depends_on_time())
      report_.notes.push_back(fmt::format("the time stands still at t = {:g} s", point_.t()));
    if (!model_.dae.samples.empty()) report_.notes.push_back("what is sampled keeps its values");
  }

  const PointReport& report() const { return report_; }

  LinearReport linearize(const PointOptions& options) {
    LinearReport out;
    for (const int s : point_.states())
      out.states.push_back(variable(model_.states[static_cast<size_t>(s)]).name);
    const std::vector<int> inputs = find_inputs(options.inputs, out.inputs);
    std::unique_ptr<simulate::Probe> probe = choose_outputs(options.outputs, out.outputs);
    auto d = point_.differentiate(
        inputs, out.outputs.size(),
        [&](double t, const VecX& y, double* values) { probe->calc(t, y, values); });
    out.A = std::move(d.by_states);
    out.B = std::move(d.by_inputs);
    out.C = std::move(d.out_by_states);
    out.D = std::move(d.out_by_inputs);
    for (const int k : d.kinks)
      report_.notes.push_back(
          fmt::format("rates have a kink at this value of {}: the derivative is the mean of both "
                      "sides",
                      base::quoted(problem_.layout().components[static_cast<size_t>(k)].name)));
    out.point = report_;
    return out;
  }

 private:
  const Variable& variable(int v) const { return model_.dae.variables[static_cast<size_t>(v)]; }

  std::vector<int> find_inputs(const std::vector<std::string>& asked,
                               std::vector<std::string>& names) const {
    std::vector<int> found;
    std::vector<std::string> all;
    for (const int p : model_.parameters) {
      const Variable& x = variable(p);
      if (x.hidden || !x.real) continue;
      all.push_back(x.name);
      if (!asked.empty() ? std::ranges::find(asked, x.name) == asked.end() : !x.is_input) continue;
      found.push_back(p);
      names.push_back(x.name);
    }
    for (const std::string& name : asked)
      if (std::ranges::find(names, name) == names.end())
        throw UserError({}, fmt::format("there is no input or parameter {}", base::quoted(name)),
                        base::suggest(name, all));
    return found;
  }

  std::unique_ptr<simulate::Probe> choose_outputs(const std::vector<std::string>& asked,
                                                  std::vector<std::string>& names) {
    std::vector<size_t> wanted;
    std::vector<std::string> all;
    for (size_t i = 0; i < observables_.size(); ++i) {
      const std::string name = observables_.at(i).name;
      all.push_back(name);
      const int v = model_.dae.find(symbolic::Expr::symbol(name));
      if (!asked.empty() ? std::ranges::find(asked, name) == asked.end()
                         : v < 0 || !variable(v).is_output)
        continue;
      wanted.push_back(i);
      names.push_back(name);
    }
    for (const std::string& name : asked)
      if (std::ranges::find(names, name) == names.end())
        throw UserError({}, fmt::format("there is no variable {}", base::quoted(name)),
                        base::suggest(name, all));
    return observables_.choose(wanted);
  }

  const equations::Model& model_;
  EquationProblem problem_;
  EquationObservables observables_;
  OperatingPoint point_;
  PointReport report_;
};

PointReport report_of(const ModesReport& modes, const model::Mechanism& mechanism) {
  PointReport report;
  report.t = modes.state.t;
  report.state = modes.state;
  report.rate = modes.acceleration;
  report.moving = modes.accelerating;
  const auto add = [&](const std::string& name, double value) {
    report.signals.push_back({name, ""});
    report.values.push_back(value);
  };
  for (int i = 0; i < mechanism.nq; ++i)
    add(mechanism.coordinate_names[static_cast<size_t>(i)], modes.state.q[i]);
  for (int i = 0; i < mechanism.nx; ++i)
    add(mechanism.model->states[static_cast<size_t>(i)].name, modes.state.x[i]);
  return report;
}

void check_plain(const PointOptions& options) {
  for (const auto& [name, given] : {std::pair("inputs", !options.inputs.empty()),
                                    {"outputs", !options.outputs.empty()},
                                    {"record", !options.record.empty()}})
    if (given)
      throw UserError({}, fmt::format("`{}` is for Modelica classes", name),
                      "leave it out: of a mechanism there are its coordinates and their speeds");
}

}  // namespace

PointReport find_equilibrium(const LoadedModel& model, const PointOptions& asked) {
  PointOptions options = asked;
  options.equilibrium = true;
  if (model.modelica) return Point(*model.modelica, options).report();
  check_plain(options);
  return report_of(find_modes(model, {options.state, true}), *model.mechanism);
}

LinearReport linearize(const LoadedModel& model, const PointOptions& options) {
  if (model.modelica) return Point(*model.modelica, options).linearize(options);
  check_plain(options);
  const ModesReport modes = find_modes(model, {options.state, options.equilibrium});
  LinearReport out;
  out.point = report_of(modes, *model.mechanism);
  out.A = modes.A;
  const MatX& D = modes.directions;
  const bool plain = D.rows() == D.cols() && D.isIdentity(0);
  if (!plain) out.directions = D;
  for (const char* what : {"", "d/dt "})
    for (long k = 0; k < D.cols(); ++k)
      out.states.push_back(what +
                           (plain ? std::string(model.mechanism->dof_names[static_cast<size_t>(k)])
                                  : fmt::format("z{}", k + 1)));
  for (int i = 0; i < model.mechanism->nx; ++i)
    out.states.push_back(model.mechanism->model->states[static_cast<size_t>(i)].name);
  return out;
}

}  // namespace couplet::workbench
