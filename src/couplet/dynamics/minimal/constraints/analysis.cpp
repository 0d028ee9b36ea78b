#include "couplet/dynamics/minimal/constraints/analysis.hpp"

#include <random>

#include "couplet/dynamics/minimal/constraints/joint_equations.hpp"
#include "couplet/math/least_squares.hpp"

namespace couplet::dynamics {
namespace {

using constraints::make_dense;

/// Forces on bodies that balance in themselves run through the joints and constraints between them:
/// those are not determined.
std::vector<std::string> find_not_unique(System& system, const State& state) {
  const Mechanism& mechanism = system.mechanism();
  const ConstraintSet& set = system.constraints()->set();
  const int m = set.rows();
  if (system.constraints()->size() == m || m > constraints::most_rows) return {};
  const MatX G = make_dense(set.G(), mechanism.nv);
  // Where nothing can move, every force of a constraint balances in itself.
  const MatX U = math::make_left_null_space(G, system.constraints()->size());
  const Kinematics& kinematics = system.calc_motions(state);
  std::vector<char> marked(mechanism.model->joints.size(), 0),
      marked_constraints(mechanism.model->constraints.size(), 0);
  for (Eigen::Index column = 0; column < U.cols(); ++column) {
    const VecX u = U.col(column);
    for (int k = 0; k < m; ++k) {
      if (std::abs(u[k]) <= 1e-6) continue;
      const RowInfo& row = set.row(k);
      if (row.joint >= 0) marked[static_cast<size_t>(row.joint)] = 1;
      if (row.constraint >= 0) marked_constraints[static_cast<size_t>(row.constraint)] = 1;
    }
    forces::AppliedForces applied(mechanism);
    set.add_forces(u, kinematics, applied);
    std::vector<Vec6> through = applied.on_bodies;  // about the world's origin, summed inward
    for (size_t b = 0; b < through.size(); ++b)
      through[b].head<3>() += kinematics.bodies[b].X_WB.p.cross(applied.on_bodies[b].tail<3>());
    for (size_t i = mechanism.joints.size(); i-- > 0;) {
      const model::TreeJoint& slot = mechanism.joints[i];
      if (through[static_cast<size_t>(slot.child_body)].norm() > 1e-6)
        marked[static_cast<size_t>(slot.joint)] = 1;
      through[static_cast<size_t>(slot.parent_body)] +=
          through[static_cast<size_t>(slot.child_body)];
    }
  }
  std::vector<std::string> names;
  for (size_t k = 0; k < marked.size(); ++k)
    if (marked[k] && mechanism.model->joints[k].split_for < 0)
      names.push_back(mechanism.model->joints[k].name);
  for (size_t k = 0; k < marked_constraints.size(); ++k)
    if (marked_constraints[k]) names.push_back(mechanism.model->constraints[k].name);
  return names;
}

/// The largest rank at positions a little away along motions that the constraints allow.
int find_rank_nearby(System& system, const State& state) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  int rank = 0;
  for (int k = 0; k < 4; ++k) {
    State near = state;
    for (double& x : near.v) x = normal(random);
    if (!assemble(system, near).closed()) continue;
    const double size = near.v.norm();
    if (size == 0) continue;
    system.mechanism().move(0.02 / size * near.v, near.q);
    near.v.setZero();
    if (assemble(system, near).closed()) rank = std::max(rank, system.constraints()->size());
  }
  return rank;
}

}  // namespace

int count_freedoms(const Mechanism& mechanism, int rank) {
  // Mimic joints are among the constraints, where there are any.
  int count = mechanism.nv -
              (mechanism.constrained() ? rank : static_cast<int>(mechanism.couplings.size()));
  for (const model::Link& link : mechanism.links) count -= link.prescribed ? 1 : 0;
  return count;
}

int count_freedoms(const System& system) {
  return count_freedoms(system.mechanism(),
                        system.constraints() ? system.constraints()->size() : 0);
}

int count_freedoms(std::shared_ptr<const Mechanism> mechanism, State start) {
  System system(std::move(mechanism));
  system.make_consistent(start);
  if (!assemble(system, start).closed()) system.closure().choose_rows(start);
  return count_freedoms(system);
}

ConstraintAnalysis analyse_constraints(System& system, const State& state) {
  ConstraintAnalysis out;
  if (!system.constraints()) {
    out.freedoms = count_freedoms(system);
    return out;
  }
  const int nearby = find_rank_nearby(system, state);
  system.closure().choose_rows(state);
  const ConstraintSolver& chosen = *system.constraints();
  out.rows = chosen.set().rows();
  out.rank = chosen.size();
  out.freedoms = count_freedoms(system);
  out.singular = nearby > out.rank;
  constraints::Surplus surplus =
      find_surplus(*system.mechanism().model, JointEquations(system), chosen.rows());
  out.redundant = std::move(surplus.redundant);
  out.dependent_motions = std::move(surplus.dependent_motions);
  out.not_unique = find_not_unique(system, state);
  system.closure().calc_residuals(state);
  system.constraints()->factorise(state, system.calc_motions(state));
  out.singularity = chosen.singularity();
  return out;
}

}  // namespace couplet::dynamics
