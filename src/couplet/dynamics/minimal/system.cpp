#include "couplet/dynamics/minimal/system.hpp"

#include <fmt/format.h>

#include <cmath>

#include "couplet/base/text.hpp"

namespace couplet::dynamics {
namespace {

std::unique_ptr<Formalism> make_formalism(std::string_view name, const Mechanism& mechanism) {
  const FormalismEntry* entry = find_formalism(name);
  if (!entry) {
    std::vector<std::string> names;
    for (const FormalismEntry& each : formalisms()) names.emplace_back(each.name);
    throw base::UserError({}, fmt::format("there is no formalism {}", base::quoted(name)),
                          base::suggest(name, names));
  }
  if (!entry->applies(mechanism))
    throw base::UserError(
        {}, fmt::format("formalism {} does not apply to this model", base::quoted(name)),
        mechanism.constrained()
            ? "closed loops and constraints take schur, augmented or partitioned"
            : fmt::format("it is for: {}", entry->doc));
  return entry->make(mechanism);
}

// The slow path after a result that is not finite: names the constraint that is to blame, if one
// is.
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

}  // namespace

System::System(std::shared_ptr<const Mechanism> mechanism, std::string_view formalism)
    : mechanism_(std::move(mechanism)),
      force_set_(*mechanism_),
      applied_(*mechanism_),
      kinematics_(*mechanism_),
      formalism_name_(!formalism.empty()          ? formalism
                      : mechanism_->constrained() ? "schur"
                                                  : "recursive"),
      formalism_(make_formalism(formalism_name_, *mechanism_)),
      inverse_(*mechanism_),
      mass_(*mechanism_),
      on_links_(VecX::Zero(6 * mechanism_->links.size())),
      total_(VecX::Zero(mechanism_->nv)),
      recursive_(*mechanism_),
      zero_(VecX::Zero(mechanism_->nv)),
      step_(VecX::Zero(mechanism_->nv)),
      friction_(std::make_unique<JointFriction>(*mechanism_)),
      loaded_(*mechanism_),
      needed_(zero_),
      loaded_links_(on_links_) {
  if (friction_->empty()) friction_.reset();
  if (mechanism_->constrained()) {
    constraints_ = std::make_unique<ConstraintSolver>(*mechanism_);
    formalism_->set_constraints(*constraints_);
    next_G_ = constraints_->set().G();
    next_known_ = all_lambda_ = VecX::Zero(constraints_->set().rows());
  }
  std::vector<char> mimics(mechanism_->nv, 0);
  for (const model::Coupling& c : mechanism_->couplings) mimics[c.iv] = 1;
  for (int i = 0; i < mechanism_->nv; ++i)
    if (!mimics[i]) listed_.push_back(i);
}

void System::set_ties(State& state) {
  force_set_.set_prescribed(state);
  mechanism_->make_consistent(state);
}

void System::make_consistent(State& state) {
  set_ties(state);
  if (constraints_ && constraints_->revision() > 0) formalism_->settle(state);
}

void System::set_parameter(size_t index, double value) {
  force_set_.set_parameter(index, value);
  if (constraints_) constraints_->set().set_parameter(index, value);
}

void System::calc_forces(const State& state) {
  applied_.set_zero();
  if (constraints_)
    evaluate_constraints(state, friction_ ? Rows::all : Rows::wanted);  // redundant ones press, too
  if (force_set_.empty()) return;
  if (force_set_.needs_motions() && !constraints_) calc_kinematics(*mechanism_, state, kinematics_);
  force_set_.add_forces(state, kinematics_.bodies, applied_);
}

const VecX& System::calc_joint_forces(const State& state) {
  applied_.set_zero();
  if (!force_set_.empty()) force_set_.add_forces(state, {}, applied_);
  return applied_.tau;
}

void System::solve_for_vdot(const State& state, const VecX& tau, VecX& vdot) {
  total_ = tau + applied_.tau;
  force_set_.set_prescribed(state.t, vdot);
  formalism_->calc_vdot(state, applied_, kinematics_, total_, vdot);
  if (constraints_ && !vdot.allFinite()) check_finite(*constraints_, state);
}

void System::calc_vdot(const State& state, VecX& tau, VecX& vdot) {
  calc_forces(state);
  if (friction_)
    add_friction(state, [&](VecX& out) {
      solve_for_vdot(state, tau, out);
      return formalism_->lambda();
    });
  solve_for_vdot(state, tau, vdot);
  for (const model::Link& link : mechanism_->links)
    if (link.prescribed) tau[link.iv] = total_[link.iv] - applied_.tau[link.iv];
}

void System::calc_frictionless_vdot(const State& state, const VecX& tau, VecX& vdot) {
  calc_forces(state);
  solve_for_vdot(state, tau, vdot);
}

void System::decide_friction(const State& state, std::span<const size_t> released) {
  calc_forces(state);
  const auto solve = [&](VecX& out) {
    solve_for_vdot(state, zero_, out);
    return formalism_->lambda();
  };
  add_friction(state, solve, &released);
}

// Adds φ to applied_.tau. `solve` finds v̇ and λ (null: there are none) from what is applied.
// `released`: what sticks is decided anew, and nothing more.
template <class Solve>
void System::add_friction(const State& state, const Solve& solve,
                          const std::span<const size_t>* released) {
  unrubbed_ = applied_.tau;
  const auto respond = [&](const VecX& phi, VecX& vdot, VecX& loads) {
    applied_.tau = unrubbed_ + phi;
    const VecX* lambda = solve(vdot);
    calc_loads(state, vdot, lambda, needed_);
    friction_->read_loads(inverse_, loads);
  };
  const JointFriction::Response response(std::ref(respond));
  if (released)
    friction_->decide(state, *released, response);
  else
    applied_.tau = unrubbed_ + friction_->solve(state, response);
}

// The forces that v̇ and λ take, joint by joint in inverse_; the sum of those on freedoms in tau.
void System::calc_loads(const State& state, const VecX& vdot, const VecX* lambda, VecX& tau) {
  if (lambda) {
    spread_lambda(*lambda);
    loaded_ = applied_;
    constraints_->set().add_forces(all_lambda_, kinematics_, loaded_);
  }
  const forces::AppliedForces& acting = lambda ? loaded_ : applied_;
  const double* on_links = calc_link_forces(*mechanism_, acting, kinematics_, loaded_links_);
  calc_inverse_dynamics(*mechanism_, state, vdot, on_links, inverse_, tau);
  tau -= acting.tau;
}

void System::evaluate_constraints(const State& state, Rows rows) {
  calc_kinematics(*mechanism_, state, kinematics_);
  calc_accelerations(*mechanism_, state, zero_, kinematics_);
  if (rows == Rows::all)
    constraints_->set().evaluate_all(state, kinematics_);
  else
    constraints_->set().evaluate(state, kinematics_);
  shares_known_ = false;
  if (constraints_->revision() == 0) constraints_->choose_rows(state, kinematics_);
}

Gap System::find_largest_gap(const State& state) {
  const ConstraintSet& set = constraints_->set();
  constraints_->set().evaluate_all(state, kinematics_);
  if (set.rows() == 0) return {};
  Eigen::Index row = 0;
  const double size = set.errors().cwiseAbs().maxCoeff(&row);
  return {&set.row(static_cast<int>(row)), size};
}

bool System::choose_rows(const State& state) {
  const int before = constraints_->revision();
  evaluate_constraints(state, Rows::all);
  constraints_->choose_rows(state, kinematics_);
  return constraints_->revision() != before;
}

Residuals System::calc_residuals(const State& state) {
  if (!constraints_) return {};
  evaluate_constraints(state, Rows::all);
  Residuals out;
  const ConstraintSet& set = constraints_->set();
  for (int k = 0; k < set.rows(); ++k) {
    out.position = std::max(out.position, std::abs(set.errors()[k]));
    out.velocity = std::max(out.velocity, std::abs(set.G().times(k, state.v) + set.known()[k]));
  }
  return out;
}

// Newton with the factors of the first point; δq = -M⁻¹Gᵀ A⁻¹ g is the smallest step in the mass
// metric.
Residuals System::project(State& state) {
  Residuals left;
  if (!constraints_) return left;
  constexpr int most = 25;
  constexpr double good = 1e-10,
                   exact = 1e-15;  // m or rad: what must be reached, and where to stop
  constexpr double slow = 1e-3;    // progress that new factors would better
  const ConstraintSet& set = constraints_->set();
  if (constraints_->revision() == 0) choose_rows(state);
  residual_.resize(constraints_->size());
  bool factorised = false;
  double before = INFINITY;
  for (int iteration = 0;; ++iteration) {
    calc_kinematics(*mechanism_, state, kinematics_);
    constraints_->set().evaluate(state, kinematics_);
    int worst = 0;
    for (int k = 0; k < constraints_->positions(); ++k)
      if (std::abs(set.errors()[constraints_->rows()[k]]) >
          std::abs(set.errors()[constraints_->rows()[worst]]))
        worst = k;
    const double error =
        constraints_->positions() ? std::abs(set.errors()[constraints_->rows()[worst]]) : 0;
    left.position = error;
    if (error <= exact || (error <= good && error > 0.25 * before)) break;
    if (iteration == most || !std::isfinite(error))
      throw base::ComputationError(
          fmt::format("t = {:.9g}: {} cannot be closed: {} stays open by {:.3g}", state.t,
                      base::quoted(set.row(constraints_->rows()[worst]).element),
                      set.row(constraints_->rows()[worst]).direction, error));
    if (!factorised || error > slow * before) constraints_->factorise(state, kinematics_);
    factorised = true;
    before = error;
    for (int k = 0; k < constraints_->size(); ++k)
      residual_[k] = k < constraints_->positions() ? -set.errors()[constraints_->rows()[k]] : 0;
    constraints_->solve(residual_);
    constraints_->calc_response(residual_, step_);
    if (!step_.allFinite()) check_finite(*constraints_, state);
    mechanism_->move(step_, state.q);
  }
  before = INFINITY;
  for (int iteration = 0; iteration < most; ++iteration) {
    double error = 0;
    for (int k = 0; k < constraints_->size(); ++k) {
      const int row = constraints_->rows()[k];
      residual_[k] = -set.G().times(row, state.v) - set.known()[row];
      error = std::max(error, std::abs(residual_[k]));
    }
    left.velocity = error;
    const double scale = 1 + state.v.lpNorm<Eigen::Infinity>();
    if (error <= exact * scale || (error <= good * scale && error > 0.25 * before)) break;
    if (!factorised || error > slow * before) constraints_->factorise(state, kinematics_);
    factorised = true;
    before = error;
    constraints_->solve(residual_);
    constraints_->calc_response(residual_, step_);
    if (!step_.allFinite()) check_finite(*constraints_, state);
    state.v += step_;
  }
  return left;
}

void System::calc_half_explicit(const State& state, const State& next, double h, const VecX& tau,
                                VecX& vdot, VecX& lambda) {
  if (constraints_->revision() == 0) choose_rows(state);
  calc_kinematics(*mechanism_, next, kinematics_);
  constraints_->set().evaluate_rows(next, kinematics_);
  next_G_.value = constraints_->set().G().value;
  next_known_ = constraints_->set().known();
  calc_forces(state);
  constraints_->factorise(state, kinematics_);
  const int m = constraints_->size();
  mixed_.resize(m, m);
  constraints_->calc_mixed(next_G_, mixed_);
  mixed_factor_.compute(mixed_);
  const auto solve = [&](VecX& out) {
    total_ = tau + applied_.tau;
    force_set_.set_prescribed(state.t, out);
    const double* on_links = calc_link_forces(*mechanism_, applied_, kinematics_, on_links_);
    calc_forward_dynamics(*mechanism_, state, total_, on_links, recursive_, out);
    step_ = next.v + h * out;
    for (const model::Link& link : mechanism_->links)
      if (link.prescribed) step_[link.iv] = next.v[link.iv];
    lambda.resize(m);
    for (int k = 0; k < m; ++k)
      lambda[k] =
          (next_G_.times(constraints_->rows()[k], step_) + next_known_[constraints_->rows()[k]]) /
          h;
    mixed_factor_.solve(lambda, lambda);
    constraints_->calc_response(lambda, step_);
    if (!step_.allFinite()) check_finite(*constraints_, state);
    out -= step_;
    return &std::as_const(lambda);
  };
  if (friction_) add_friction(state, solve);
  solve(vdot);
}

// Forces and constraints at a state, without what only accelerations of constraints need.
void System::evaluate_for_residual(const State& state) {
  applied_.set_zero();
  if (constraints_ && constraints_->revision() == 0) choose_rows(state);
  if (constraints_ || force_set_.needs_motions()) calc_kinematics(*mechanism_, state, kinematics_);
  if (constraints_) {
    if (friction_)
      constraints_->set().evaluate_all(state, kinematics_);
    else
      constraints_->set().evaluate_rows(state, kinematics_);
    shares_known_ = false;
  }
  force_set_.add_forces(state, kinematics_.bodies, applied_);
}

void System::calc_acceleration_residual(const State& state, const VecX& tau, const VecX& vdot,
                                        const VecX& lambda, VecX& out) {
  if (!constraints_) {
    step_ = tau;
    calc_vdot(state, step_, out);
    out = vdot - out;
    return;
  }
  const auto solve = [&](const double* on_links, VecX& accelerations) {
    force_set_.set_prescribed(state.t, accelerations);
    calc_forward_dynamics(*mechanism_, state, total_, on_links, recursive_, accelerations);
  };
  if (friction_) {  // depends on v̇ and λ as they are given: M⁻¹ of what the balance of forces lacks
    calc_force_residual(state, tau, vdot, lambda, out);
    total_.setZero();
    solve(nullptr, step_);
    total_ = out;
    solve(nullptr, needed_);
    needed_ -= step_;
    for (const model::Link& link : mechanism_->links)
      if (link.prescribed) needed_[link.iv] = out[link.iv];
    out = needed_;
    return;
  }
  evaluate_for_residual(state);
  total_ = tau + applied_.tau;
  for (int k = 0; k < constraints_->size(); ++k)
    constraints_->set().G().add_to(constraints_->rows()[k], -lambda[k], total_);
  solve(calc_link_forces(*mechanism_, applied_, kinematics_, on_links_), out);
  out = vdot - out;
}

void System::calc_force_residual(const State& state, const VecX& tau, const VecX& vdot,
                                 const VecX& lambda, VecX& out) {
  evaluate_for_residual(state);
  if (friction_) {
    calc_residual_with_friction(state, vdot, lambda, out);
  } else {
    const double* on_links = calc_link_forces(*mechanism_, applied_, kinematics_, on_links_);
    calc_inverse_dynamics(*mechanism_, state, vdot, on_links, inverse_, out);
    out -= applied_.tau;
    if (constraints_)
      for (int k = 0; k < constraints_->size(); ++k)
        constraints_->set().G().add_to(constraints_->rows()[k], lambda[k], out);
  }
  out -= tau;
  for (const model::Coupling& c : mechanism_->couplings) {
    if (constraints_) break;  // they are rows of it
    out[c.source_iv] += c.ratio * out[c.iv];
    out[c.iv] = vdot[c.iv] - c.ratio * vdot[c.source_iv];
  }
  if (!force_set_.has_prescribed()) return;
  total_ = vdot;
  force_set_.set_prescribed(state.t, total_);
  for (const model::Link& link : mechanism_->links)
    if (link.prescribed) out[link.iv] = vdot[link.iv] - total_[link.iv];
}

void System::calc_mass_matrix(const VecX& q, MatX& M) {
  M.resize(mechanism_->nv, mechanism_->nv);
  dynamics::calc_mass_matrix(*mechanism_, q, mass_, M);
}

// Where joints slip, friction follows from v̇ and λ as they are given: f(t, q, v, λ). What holds
// follows from the state.
void System::calc_residual_with_friction(const State& state, const VecX& vdot, const VecX& lambda,
                                         VecX& out) {
  const bool slips = friction_->is_explicit();
  if (!slips) {
    calc_forces(state);
    add_friction(state, [&](VecX& at_state) {
      solve_for_vdot(state, zero_, at_state);
      return formalism_->lambda();
    });
  }
  calc_loads(state, vdot, constraints_ ? &lambda : nullptr, out);
  if (!slips) return;
  friction_->read_loads(inverse_, loads_);
  needed_.setZero();
  friction_->add_forces(state.v, loads_, needed_);
  out -= needed_;
}

// λ of all rows with the least norm among those with the same Gᵀλ: what each joint carries when
// redundant ones share.
VecX System::calc_smallest_lambda(const VecX& counted) {
  const SparseRows& G = constraints_->set().G();
  all_lambda_.setZero();
  // A cut free joint closes nothing, and carries nothing; where nothing can move, no force needs to
  // be carried.
  if (G.rows() == 0 || mechanism_->nv == 0) return all_lambda_;
  constraints_->spread(counted, all_lambda_);
  VecX force = VecX::Zero(mechanism_->nv);
  for (int k = 0; k < G.rows(); ++k) G.add_to(k, all_lambda_[k], force);
  if (!shares_known_) {
    MatX Gt = MatX::Zero(mechanism_->nv, G.rows());
    for (int k = 0; k < G.rows(); ++k)
      for (int e = G.begin[k]; e < G.begin[k + 1]; ++e) Gt(G.column[e], k) = G.value[e];
    for (const model::Link& link : mechanism_->links)
      if (link.prescribed) Gt.row(link.iv).setZero();
    shares_.compute(Gt);
    shares_known_ = true;
  }
  for (const model::Link& link : mechanism_->links)
    if (link.prescribed) force[link.iv] = 0;
  return shares_.solve(force);
}

// The same in all_lambda_, at once where every row that can carry something counts.
void System::spread_lambda(const VecX& counted) {
  constraints_->spread(counted, all_lambda_);
  size_t next = 0;
  for (int k = 0; k < constraints_->set().rows(); ++k) {
    if (next < constraints_->rows().size() && constraints_->rows()[next] == k) {
      ++next;
    } else if (constraints_->set().fill(k) > 1e-9) {
      all_lambda_ = calc_smallest_lambda(counted);
      return;
    }
  }
}

// Forces through joints of a tree follow from the motion, so friction does. In loops they depend on
// tau itself.
void System::calc_tau(const State& state, const VecX& vdot, VecX& tau) {
  calc_frictionless_tau(state, vdot, tau);
  if (!friction_ || constraints_) return;
  friction_->read_loads(inverse_, loads_);
  needed_.setZero();
  for (const FrictionGroup& group : friction_->groups()) {
    const Vec3 w = group.speed(state.v), s = !group.switches() ? group.slip(state.v)
                                             : w.norm() > 0    ? Vec3(w / w.norm())
                                                               : w;
    const double N = loads_.segment<3>(3 * static_cast<Eigen::Index>(group.load)).norm();
    for (int k = 0; k < group.n; ++k) needed_[group.iv + k] += group.arm * N * s[k];
  }
  for (const model::Coupling& c : mechanism_->couplings) {
    needed_[c.source_iv] += c.ratio * needed_[c.iv];
    needed_[c.iv] = 0;
  }
  tau += needed_;
}

void System::calc_frictionless_tau(const State& state, const VecX& vdot, VecX& tau) {
  calc_forces(state);
  const double* on_links = calc_link_forces(*mechanism_, applied_, kinematics_, on_links_);
  calc_inverse_dynamics(*mechanism_, state, vdot, on_links, inverse_, tau);
  tau -= applied_.tau;
  for (const model::Coupling& c : mechanism_->couplings) {
    tau[c.source_iv] += c.ratio * tau[c.iv];
    tau[c.iv] = 0;
  }
}

void System::calc_equations(const State& state, MatX& M, VecX& h) {
  const int nv = mechanism_->nv, n = static_cast<int>(listed_.size());
  VecX full(nv);
  calc_frictionless_tau(state, VecX::Zero(nv), full);
  MatX all(nv, nv);
  calc_mass_matrix(state.q, all);
  all.triangularView<Eigen::StrictlyLower>() = all.transpose();
  for (const model::Coupling& c : mechanism_->couplings) {  // Gᵀ M G
    all.row(c.source_iv) += c.ratio * all.row(c.iv);
    all.row(c.iv).setZero();
  }
  for (const model::Coupling& c : mechanism_->couplings)
    all.col(c.source_iv) += c.ratio * all.col(c.iv);
  M.resize(n, n);
  h.resize(n);
  for (int i = 0; i < n; ++i) {
    h[i] = full[listed_[i]];
    for (int j = 0; j < n; ++j) M(i, j) = all(listed_[i], listed_[j]);
  }
}

const Kinematics& System::calc_motions(const State& state) {
  calc_kinematics(*mechanism_, state, kinematics_);
  return kinematics_;
}

double System::calc_potential_energy(const State& state) {
  calc_motions(state);
  return calc_gravity_energy(*mechanism_, kinematics_) +
         force_set_.calc_potential_energy(state, kinematics_.bodies);
}

}  // namespace couplet::dynamics
