#include "couplet/dynamics/minimal/constraints/closure.hpp"

#include <fmt/format.h>

#include <cmath>

#include "couplet/base/text.hpp"

namespace couplet::dynamics {
namespace {

constexpr int most = 25;  // iterations
// m or rad, and the same per second: what must be reached, and where to stop.
constexpr double good = 1e-10, exact = 1e-15;
constexpr double slow = 1e-3;  // progress that new factors would better

}  // namespace

void check_finite(const ConstraintSolver& constraints, const State& state) {
  if (!state.q.allFinite() || !state.v.allFinite()) return;
  const ConstraintSet& set = constraints.set();
  const auto check = [&](int row, double x, const char* what) {
    if (!std::isfinite(x))
      throw base::ComputationError(fmt::format("t = {:.9g}: {} is not finite in its {} ({})",
                                               state.t, base::quoted(set.row(row).element), what,
                                               set.row(row).direction));
  };
  for (const int row : constraints.rows()) {
    check(row, set.errors()[row], "value");
    check(row, set.known()[row], "first derivative");
    for (int e = set.G().begin[row]; e < set.G().begin[row + 1]; ++e)
      check(row, set.G().value[e], "first derivative");
    check(row, set.bias()[row], "second derivative");
  }
}

Closure::Closure(Stages& stages)
    : stages_(stages),
      constraints_(stages.constraints()),
      step_(VecX::Zero(stages.mechanism().nv)) {}

bool Closure::choose_rows(const State& state, int at_least) {
  if (!constraints_) return false;
  const int before = constraints_->revision();
  const Kinematics& kinematics = stages_.evaluate_constraints(state, Stages::Rows::all);
  constraints_->choose_rows(state, kinematics, at_least);
  return constraints_->revision() != before;
}

Residuals Closure::calc_residuals(const State& state) {
  Residuals out;
  if (!constraints_) return out;
  stages_.evaluate_constraints(state, Stages::Rows::all);
  const ConstraintSet& set = constraints_->set();
  for (int k = 0; k < set.rows(); ++k) {
    out.position = std::max(out.position, std::abs(set.errors()[k]));
    out.velocity = std::max(out.velocity, std::abs(set.G().times(k, state.v) + set.known()[k]));
  }
  return out;
}

Gap Closure::find_largest_gap(const State& state) {
  if (!constraints_ || constraints_->set().rows() == 0) return {};
  constraints_->set().evaluate_all(state, stages_.calc_motions(state));
  Eigen::Index row = 0;
  const double size = constraints_->set().errors().cwiseAbs().maxCoeff(&row);
  return {&constraints_->set().row(static_cast<int>(row)), size};
}

Residuals Closure::project(State& state) {
  if (!constraints_) return {};
  if (constraints_->revision() == 0) choose_rows(state);
  residual_.resize(constraints_->size());
  factorised_ = false;
  const double position = project_positions(state);
  return {position, project_speeds(state)};
}

// Newton with the factors of the first point, as long as they serve.
double Closure::project_positions(State& state) {
  const ConstraintSet& set = constraints_->set();
  double before = INFINITY;
  for (int iteration = 0;; ++iteration) {
    kinematics_ = &stages_.calc_motions(state);
    constraints_->set().evaluate(state, *kinematics_);
    int worst = 0;
    for (int k = 0; k < constraints_->positions(); ++k)
      if (std::abs(set.errors()[constraints_->rows()[k]]) >
          std::abs(set.errors()[constraints_->rows()[worst]]))
        worst = k;
    const double error =
        constraints_->positions() ? std::abs(set.errors()[constraints_->rows()[worst]]) : 0;
    if (error <= exact || (error <= good && error > 0.25 * before)) return error;
    if (iteration == most && error <= good) return error;  // a root of order two, or nearly
    if (iteration == most || !std::isfinite(error))
      throw base::ComputationError(
          fmt::format("t = {:.9g}: {} cannot be closed: {} stays open by {:.3g}", state.t,
                      base::quoted(set.row(constraints_->rows()[worst]).element),
                      set.row(constraints_->rows()[worst]).direction, error));
    for (int k = 0; k < constraints_->size(); ++k)
      residual_[k] = k < constraints_->positions() ? -set.errors()[constraints_->rows()[k]] : 0;
    calc_step(state, error, before);
    before = error;
    stages_.mechanism().move(step_, state.q);
  }
}

double Closure::project_speeds(State& state) {
  const ConstraintSet& set = constraints_->set();
  double before = INFINITY, error = 0;
  for (int iteration = 0; iteration < most; ++iteration) {
    error = 0;
    for (int k = 0; k < constraints_->size(); ++k) {
      const int row = constraints_->rows()[k];
      residual_[k] = -set.G().times(row, state.v) - set.known()[row];
      error = std::max(error, std::abs(residual_[k]));
    }
    const double scale = 1 + state.v.lpNorm<Eigen::Infinity>();
    if (error <= exact * scale || (error <= good * scale && error > 0.25 * before)) break;
    calc_step(state, error, before);
    before = error;
    state.v += step_;
  }
  return error;
}

void Closure::calc_step(const State& state, double error, double before) {
  if (!factorised_ || error > slow * before) constraints_->factorise(state, *kinematics_);
  factorised_ = true;
  constraints_->solve(residual_);
  constraints_->calc_response(residual_, step_);
  if (!step_.allFinite()) check_finite(*constraints_, state);
}

}  // namespace couplet::dynamics
