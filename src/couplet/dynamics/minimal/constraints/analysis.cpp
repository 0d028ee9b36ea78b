#include "couplet/dynamics/minimal/constraints/analysis.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <random>

namespace couplet::dynamics {
namespace {

using model::Closure;
using model::JointInfo;

/// What would close only the equations of a joint that are kept, up to the names of axes.
std::string suggest(const JointInfo& type, const std::vector<char>& left_out) {
  int slides = 0, turns = 0;  // that stay closed
  for (size_t k = 0; k < type.closure.size(); ++k)
    if (!left_out[k]) ++(type.closure[k].kind == Closure::Kind::along ? slides : turns);
  const char* other = slides == 3 && turns == 1   ? "universal"
                      : slides == 3 && turns == 0 ? "spherical"
                      : slides == 2 && turns == 3 ? "prismatic"
                      : slides == 2 && turns == 2 ? "cylindrical"
                      : slides == 2 && turns == 0 ? "a constraint of type on-line"
                      : slides == 1 && turns == 2 ? "planar"
                      : slides == 1 && turns == 0 ? "a constraint of type on-plane"
                      : slides == 0 && turns == 3 ? "xyz"
                                                  : nullptr;
  if (slides + turns == 0) return "leave this joint out";
  return other ? fmt::format("{} → {}", type.name, other) : "replace it by a joint with more freedoms";
}

/// The same for a constraint with `left_out` of its `rows` equations redundant.
std::string suggest(const model::Constraint& constraint, size_t left_out, size_t rows) {
  if (left_out == rows) return "leave this constraint out";
  if (std::holds_alternative<model::PointOnLine>(constraint.kind)) return "on-line → on-plane";
  return "keep it: its other equations are needed";
}

size_t count_rows(const ConstraintSet& set, int constraint) {
  size_t count = 0;
  for (int k = 0; k < set.rows(); ++k) count += set.row(k).constraint == constraint ? 1 : 0;
  return count;
}

std::vector<Redundancy> find_redundant(const Mechanism& mechanism, const Loops& loops) {
  std::vector<Redundancy> found;
  std::vector<std::vector<char>> left_out;
  std::vector<int> constraints;
  const ConstraintSet& set = loops.constraints();
  for (int k = 0; k < set.rows(); ++k) {
    if (std::binary_search(loops.rows().begin(), loops.rows().end(), k)) continue;
    const RowInfo& row = set.row(k);
    auto at = std::find_if(found.begin(), found.end(), [&](const Redundancy& r) { return r.element == row.element; });
    if (at == found.end()) {
      found.push_back({row.element, row.joint, {}, "leave this constraint out"});
      left_out.emplace_back(6, 0);
      constraints.push_back(row.constraint);
      at = found.end() - 1;
    }
    at->directions.push_back(row.direction);
    left_out[static_cast<size_t>(at - found.begin())][static_cast<size_t>(row.equation)] = 1;
  }
  for (size_t i = 0; i < found.size(); ++i)
    if (found[i].joint >= 0)
      found[i].suggestion = suggest(info(mechanism.model->joints[found[i].joint].type), left_out[i]);
    else if (constraints[i] >= 0)
      found[i].suggestion = suggest(mechanism.model->constraints[static_cast<size_t>(constraints[i])],
                                    found[i].directions.size(), count_rows(set, constraints[i]));
  return found;
}

/// Forces on bodies that balance in themselves run through the joints and constraints between them: those are not determined.
std::vector<std::string> find_not_unique(System& system, const State& state) {
  const Mechanism& mechanism = system.mechanism();
  const ConstraintSet& set = system.loops()->constraints();
  constexpr int largest = 1000;  // rows; beyond, the decomposition takes minutes
  const int m = set.rows();
  if (system.loops()->size() == m || m > largest) return {};
  MatX G = MatX::Zero(m, mechanism.nv);
  for (int k = 0; k < m; ++k)
    for (int e = set.G().begin[k]; e < set.G().begin[k + 1]; ++e) G(k, set.G().column[e]) = set.G().value[e];
  // Where nothing can move, every force of a constraint balances in itself.
  const MatX U = G.size() == 0 ? MatX(MatX::Identity(m, m)) : Eigen::BDCSVD<MatX>(G, Eigen::ComputeFullU).matrixU();
  const Kinematics& kinematics = system.calc_motions(state);
  std::vector<char> marked(mechanism.model->joints.size(), 0), marked_constraints(mechanism.model->constraints.size(), 0);
  for (Eigen::Index column = system.loops()->size(); column < U.cols(); ++column) {
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
      if (through[static_cast<size_t>(slot.child_body)].norm() > 1e-6) marked[static_cast<size_t>(slot.joint)] = 1;
      through[static_cast<size_t>(slot.parent_body)] += through[static_cast<size_t>(slot.child_body)];
    }
  }
  std::vector<std::string> names;
  for (size_t k = 0; k < marked.size(); ++k)
    if (marked[k]) names.push_back(mechanism.model->joints[k].name);
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
    if (assemble(system, near).closed()) rank = std::max(rank, system.loops()->size());
  }
  return rank;
}

}  // namespace

int count_freedoms(const System& system) {
  const Mechanism& mechanism = system.mechanism();
  int count = mechanism.nv - (system.loops() ? system.loops()->size() : static_cast<int>(mechanism.couplings.size()));
  for (const model::Link& link : mechanism.links) count -= link.prescribed ? 1 : 0;
  return count;
}

ConstraintAnalysis analyse_constraints(System& system, const State& state) {
  const Mechanism& mechanism = system.mechanism();
  ConstraintAnalysis out;
  if (!system.loops()) {
    out.freedoms = count_freedoms(system);
    return out;
  }
  const int nearby = find_rank_nearby(system, state);
  system.choose_rows(state);
  const Loops& loops = *system.loops();
  out.rows = loops.constraints().rows();
  out.rank = loops.size();
  out.freedoms = count_freedoms(system);
  out.singular = nearby > out.rank;
  out.redundant = find_redundant(mechanism, loops);
  out.not_unique = find_not_unique(system, state);
  system.calc_residuals(state);
  system.loops()->factorise(state, system.calc_motions(state));
  out.singularity = loops.singularity();
  return out;
}

}  // namespace couplet::dynamics
