#include "couplet/workbench/plausibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "couplet/base/text.hpp"
#include "couplet/mechanics/simulation.hpp"

namespace couplet::workbench {
namespace {

using math::VecX;
using std::numbers::pi;

std::string place(const base::SourceLocation& where) {
  return where.line > 0 ? where.str() + ": " : "";
}

// As a homogeneous sphere with the same mass and mean inertia, 3/5 m r² = trace/2.
void judge_density(const model::Body& body, std::vector<std::string>& warnings) {
  constexpr double thin = 1e-4;  // kg/m³; air has 1.2, the framework of a space station 50
  const double m = body.mass.mass, trace = body.mass.inertia.trace();
  if (!(m > 0) || !(trace > 0)) return;
  const double r = std::sqrt(trace / 2 / (0.6 * m)), density = m / (4 * pi / 3 * r * r * r);
  if (density < thin)
    warnings.push_back(
        fmt::format("{}body {} of {:.4g} kg has moments of inertia up to {:.4g} kg m², as of a "
                    "sphere of {:.3g} "
                    "m with {:.2g} kg/m³: check its units",
                    place(body.where), base::quoted(body.name), m,
                    body.mass.inertia.diagonal().maxCoeff(), r, density));
}

void judge_angles(const model::Joint& joint, std::vector<std::string>& warnings) {
  const model::JointInfo& type = info(joint.type);
  if (type.on_quaternion()) return;
  const auto judge = [&](double value, double most, const char* what) {
    if (std::isfinite(value) && std::abs(value) > most)
      warnings.push_back(fmt::format(
          "{}{} of joint {} is {:.6g} rad, {:.4g} turns; if degrees are meant, write "
          "{:.6g} deg",
          place(joint.where), what, base::quoted(joint.name), value, value / (2 * pi), value));
  };
  for (int i = 0; i < type.nv; ++i) {
    const auto k = static_cast<size_t>(i);
    if (!(type.angular >> i & 1u)) continue;
    if (k < joint.q0.size()) judge(joint.q0[k], 2 * pi * (1 + 1e-9), "q");
    if (k < joint.limits.size()) {
      judge(joint.limits[k].lower, 6 * pi, "the lower limit");
      judge(joint.limits[k].upper, 6 * pi, "the upper limit");
    }
  }
}

}  // namespace

std::vector<std::string> list_implausible(const model::Model& model) {
  std::vector<std::string> warnings;
  for (const model::Body& body : model.bodies)
    if (body.half_of < 0) judge_density(body, warnings);
  for (const model::Joint& joint : model.joints) judge_angles(joint, warnings);
  return warnings;
}

std::vector<std::string> find_refusal(const LoadedModel& model, bool startable) {
  std::vector<std::string> found;
  try {
    mechanics::RunOptions options;
    options.record = {"energy.total"};  // and what the model itself wants to see
    for (const model::Output& output : model.mechanism->model->outputs)
      options.record.push_back(output.name);
    mechanics::Simulation simulation = mechanics::make_simulation(model.mechanism, options);
    if (!startable) return found;
    integrate::Problem& problem = simulation.problem();
    const integrate::Start start = problem.make_start(0, mechanics::make_y(model.start()));
    for (const integrate::EventNote& note : start.notes)
      found.push_back(fmt::format("{} {}: {}", base::quoted(note.element), note.what, note.advice));
    const VecX& y = start.y;
    VecX rates = VecX::Zero(y.size());
    problem.calc_rates(0, y, rates);
    for (Eigen::Index i = problem.layout().nq; i < rates.size(); ++i)
      if (!std::isfinite(rates[i]))
        found.push_back(fmt::format("a run cannot start: the derivative of {} is not finite",
                                    base::quoted(problem.layout().component(i).name)));
  } catch (const base::UserError& error) {
    for (const base::Diagnostic& diagnostic : error.diagnostics())
      found.push_back("a run cannot start: " + place(diagnostic.where) + diagnostic.what);
  } catch (const base::ComputationError& error) {
    found.push_back(fmt::format("a run cannot start: {}", error.what()));
  }
  return found;
}

}  // namespace couplet::workbench
