#include "couplet/dynamics/minimal/constraints/motor_forces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"

namespace couplet::dynamics {
namespace {

// Relative: accelerations that were printed with nine digits pass, those that somebody made up do
// not.
constexpr double negligible = 1e-8;
constexpr double no_pivot = 1e-9;  // of pivots, and of directions that count as none

MatX make_dense(const SparseRows& rows, int columns) {
  MatX G = MatX::Zero(rows.rows(), columns);
  for (int k = 0; k < rows.rows(); ++k)
    for (int e = rows.begin[k]; e < rows.begin[k + 1]; ++e) G(k, rows.column[e]) = rows.value[e];
  return G;
}

/// Freedoms that prescribed motions give, and q̈ of these.
std::vector<char> set_prescribed(const Mechanism& mechanism, const State& state, VecX& vdot) {
  std::vector<char> prescribed(static_cast<size_t>(mechanism.nv), 0);
  for (const model::Link& link : mechanism.links)
    if (link.prescribed) prescribed[static_cast<size_t>(link.iv)] = 1;
  if (mechanism.has_prescribed()) forces::ForceSet(mechanism).set_prescribed(state.t, vdot);
  return prescribed;
}

void check_prescribed(const Mechanism& mechanism, std::span<const char> given, const VecX& wanted,
                      const VecX& vdot) {
  for (const model::Link& link : mechanism.links) {
    const auto j = static_cast<size_t>(link.iv);
    if (!link.prescribed || !given[j]) continue;
    const double gap = wanted[link.iv] - vdot[link.iv];
    if (std::abs(gap) <= negligible * (1 + std::abs(vdot[link.iv]))) continue;
    throw base::UserError(
        {},
        fmt::format("the acceleration of {} is given as {:.9g}, but its prescribed motion has "
                    "{:.9g}",
                    base::quoted(mechanism.dof_names[j]), wanted[link.iv], vdot[link.iv]),
        "leave it out: it follows from the motion");
  }
}

/// The constraint that accelerations tear open most: |G v̇ + γ| over what its terms are.
struct Tear {
  int row = -1;
  double gap = 0, share = 0;
};
Tear find_tear(const MatX& G, const VecX& gamma, const VecX& vdot) {
  Tear worst;
  for (int k = 0; k < static_cast<int>(G.rows()); ++k) {
    const double gap = G.row(k).dot(vdot) + gamma[k];
    const double scale = 1 + std::abs(gamma[k]) + G.row(k).cwiseAbs().dot(vdot.cwiseAbs());
    if (const double share = std::abs(gap) / scale; share > worst.share || !std::isfinite(share))
      worst = {k, gap, share};
  }
  return worst;
}

const char* unit_of(const RowInfo& row) {
  return row.direction.starts_with("rotation") ? "rad/s²"
         : row.direction == "relation"         ? "per s²"
                                               : "m/s²";
}

[[noreturn]] void explain_tear(const RowInfo& row, double gap) {
  throw base::UserError(
      {},
      fmt::format("{} does not allow these accelerations: they tear it open at {:.6g} {} ({})",
                  base::quoted(row.element), gap, unit_of(row), row.direction),
      "give the accelerations of as many joints as there are degrees of freedom; the others "
      "follow");
}

/// What is missing where constraints ask for accelerations that are not given, in names.
[[noreturn]] void explain_choice(const Mechanism& mechanism, const std::vector<int>& open) {
  std::vector<std::string> names;
  for (const int j : open)
    names.push_back(base::quoted(mechanism.dof_names[static_cast<size_t>(j)]));
  throw base::UserError({},
                        fmt::format("constraints and the accelerations that are given do not "
                                    "determine those of {}",
                                    fmt::join(names, ", ")),
                        "give the accelerations of as many joints as there are degrees of freedom");
}

/// Columns span the motions that constraints, or mimic joints, allow.
MatX make_motions(System& system, const State& state) {
  const Mechanism& mechanism = system.mechanism();
  const int nv = mechanism.nv;
  if (!system.constraints()) {
    MatX Z = MatX::Identity(nv, nv);
    for (const model::Coupling& c : mechanism.couplings) Z(c.iv, c.source_iv) = c.ratio;
    return Z(Eigen::all, system.inverse().listed_freedoms());
  }
  system.closure().choose_rows(state);
  const ConstraintSolver& constraints = *system.constraints();
  if (constraints.size() == 0 || nv == 0) return MatX::Identity(nv, nv);
  const MatX G = make_dense(constraints.set().G(), nv)(constraints.rows(), Eigen::all);
  return math::make_left_null_space(G.transpose(), constraints.size());
}

/// τ of the motors from forces along the motions.
class MotorEquations {
 public:
  MotorEquations(const Mechanism& mechanism, MatX motions, std::vector<int> motors)
      : mechanism_(mechanism),
        Z_(std::move(motions)),
        motors_(std::move(motors)),
        solver_(no_pivot) {
    B_ = Z_(motors_, Eigen::all).transpose();
    if (B_.size() > 0) solver_.compute(B_);
  }
  bool unique() const {
    if (B_.cols() == 0) return true;
    if (B_.rows() == 0) return false;
    const MatX I = MatX::Identity(B_.cols(), B_.cols());
    return (solver_.make_pseudo_inverse() * B_ - I).lpNorm<Eigen::Infinity>() < 1e-6;
  }
  /// Adds to tau what balances the force r.
  void add(const VecX& r, VecX& tau) const {
    if (Z_.cols() == 0) return;
    const VecX wanted = Z_.transpose() * r;
    VecX left = -wanted;
    if (B_.cols() > 0) {
      const VecX forces = solver_.solve(wanted);
      left += B_ * forces;
      for (size_t i = 0; i < motors_.size(); ++i)
        tau[motors_[i]] += forces[static_cast<Eigen::Index>(i)];
    }
    if (left.norm() > negligible * (1e-12 + r.norm())) explain(Z_ * left);
  }

 private:
  [[noreturn]] void explain(const VecX& left) const {
    Eigen::Index worst = 0;
    left.cwiseAbs().maxCoeff(&worst);
    std::vector<std::string> names;
    for (const int j : motors_)
      names.push_back(base::quoted(mechanism_.dof_names[static_cast<size_t>(j)]));
    const std::string lack =
        fmt::format("{:.6g} {} at {}", std::abs(left[worst]), mechanism_.turns[worst] ? "N m" : "N",
                    base::quoted(mechanism_.dof_names[static_cast<size_t>(worst)]));
    throw base::UserError({},
                          names.empty()
                              ? fmt::format("no joint has a motor, and this motion lacks {}", lack)
                              : fmt::format("motors at {} cannot give this motion: it lacks {}",
                                            fmt::join(names, ", "), lack),
                          "name the joints that have motors in \"actuators\"");
  }

  const Mechanism& mechanism_;
  MatX Z_, B_;
  std::vector<int> motors_;
  math::LeastSquares solver_;
};

}  // namespace

void complete_vdot(System& system, const State& state, std::span<const char> given, VecX& vdot) {
  const Mechanism& mechanism = system.mechanism();
  const VecX wanted = vdot;
  const std::vector<char> prescribed = set_prescribed(mechanism, state, vdot);
  check_prescribed(mechanism, given, wanted, vdot);
  if (!system.constraints()) {
    for (const model::Coupling& c : mechanism.couplings) vdot[c.iv] = c.ratio * vdot[c.source_iv];
    return;
  }
  system.closure().calc_residuals(state);
  const ConstraintSet& set = system.constraints()->set();
  const MatX G = make_dense(set.G(), mechanism.nv);
  if (find_tear(G, set.bias(), vdot).share <= negligible) return;
  std::vector<int> free;
  for (int j = 0; j < mechanism.nv; ++j)
    if (!given[static_cast<size_t>(j)] && !prescribed[static_cast<size_t>(j)]) free.push_back(j);
  MatX follows = MatX::Zero(static_cast<Eigen::Index>(free.size()), 0);
  if (!free.empty()) {
    const MatX J = G(Eigen::all, free);
    math::LeastSquares rows(no_pivot);
    rows.compute(J);
    vdot(free) = rows.solve(-(G * vdot + set.bias()));
    follows = rows.make_pseudo_inverse() * J;
  }
  if (const Tear tear = find_tear(G, set.bias(), vdot); tear.share > negligible)
    explain_tear(set.row(tear.row), tear.gap);
  std::vector<int> open;  // freedoms that could move although all that is given stays
  for (size_t i = 0; i < free.size(); ++i)
    if (1 - follows(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) > 1e-6)
      open.push_back(free[i]);
  // Where such freedoms are apart from those that had to follow, they stay as they are.
  const bool chosen =
      std::any_of(open.begin(), open.end(), [&](int j) { return std::abs(vdot[j]) > negligible; });
  if (chosen) explain_choice(mechanism, open);
}

MotorForces calc_motor_forces(System& system, const State& state, const VecX& vdot,
                              std::span<const int> motors) {
  const Mechanism& mechanism = system.mechanism();
  std::vector<char> has_motor(static_cast<size_t>(mechanism.nv), 0);
  for (const int j : motors) has_motor[static_cast<size_t>(j)] = 1;
  for (const model::Link& link : mechanism.links)
    if (link.prescribed) has_motor[static_cast<size_t>(link.iv)] = 1;
  std::vector<int> all;
  for (int j = 0; j < mechanism.nv; ++j)
    if (has_motor[static_cast<size_t>(j)]) all.push_back(j);
  const MotorEquations equations(mechanism, make_motions(system, state), all);

  MotorForces out;
  out.unique = equations.unique();
  out.tau = VecX::Zero(mechanism.nv);
  VecX r(mechanism.nv);
  system.inverse().calc_frictionless_tau(state, vdot, r);
  equations.add(r, out.tau);
  if (!system.friction()) return out;

  // Friction follows from the forces in the joints, and these from τ: what v̇ lacks is added until
  // nothing does.
  constexpr int most = 200;
  MatX M(mechanism.nv, mechanism.nv);
  system.inverse().calc_mass_matrix(state.q, M);
  M.triangularView<Eigen::StrictlyLower>() = M.transpose();
  const double size = 1 + vdot.lpNorm<Eigen::Infinity>();
  VecX reached = vdot;
  for (int i = 0; i < most; ++i) {
    VecX tau = out.tau;
    for (const model::Link& link : mechanism.links)
      if (link.prescribed) tau[link.iv] = 0;
    system.calc_vdot(state, tau, reached);
    for (const model::Link& link : mechanism.links)
      if (link.prescribed) out.tau[link.iv] = tau[link.iv];
    const VecX lack = vdot - reached;
    if (lack.lpNorm<Eigen::Infinity>() <= 1e-12 * size) return out;
    equations.add(M * lack, out.tau);
  }
  throw base::ComputationError(fmt::format(
      "t = {:.9g}: no forces of the motors are found that overcome the friction of the joints",
      state.t));
}

}  // namespace couplet::dynamics
