#include "couplet/dynamics/minimal/constraints/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <span>

#include "couplet/math/least_squares.hpp"

namespace couplet::dynamics {
namespace {

using model::Closure;
using model::JointInfo;

constexpr int largest = 1000;  // rows; beyond, decompositions take minutes

/// What would close only the equations of a joint that are kept, up to the names of axes.
std::string suggest(const JointInfo& type, std::span<const Closure> closure,
                    const std::vector<char>& left_out) {
  int slides = 0, turns = 0;  // that stay closed
  for (size_t k = 0; k < closure.size(); ++k)
    if (!left_out[k]) ++(closure[k].kind == Closure::Kind::along ? slides : turns);
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
  return other ? fmt::format("{} → {}", type.name, other)
               : "replace it by a joint with more freedoms";
}

/// Which equation of a weld closes the same motion.
size_t weld_equation(const Closure& closure) {
  return static_cast<size_t>(closure.kind == Closure::Kind::along ? closure.axis
                                                                  : 3 + closure.turn());
}

/// What a joint does not allow; of a screw, whose turning is its freedom, the pitch counts as
/// sliding.
std::span<const Closure> closure_of(const JointInfo& type) {
  return type.has_pitch ? info(model::JointType::revolute).closure : type.closure;
}

/// The same for a joint that kept its coordinates, from the equations of the weld that was cut
/// beside it.
std::string suggest_beside(const JointInfo& type, const std::vector<char>& left_out_of_weld) {
  const std::span<const Closure> closure = closure_of(type);
  std::vector<char> left_out;
  for (const Closure& equation : closure)
    left_out.push_back(left_out_of_weld[weld_equation(equation)]);
  const auto count = [](const std::vector<char>& list) {
    return std::count(list.begin(), list.end(), 1);
  };
  const bool others = count(left_out) != count(left_out_of_weld);  // the joint's own freedoms
  const bool pitch_stays = type.has_pitch && !left_out_of_weld[2];
  if (others || pitch_stays) return "replace it by a joint with more freedoms";
  const std::string found = suggest(type, closure, left_out);
  return found.find("constraint") == std::string::npos ? found : found + ", without coordinates";
}

/// The same for a constraint with `left_out` of its `rows` equations redundant.
std::string suggest(const constraints::Entry& type, size_t left_out, size_t rows) {
  if (left_out == rows) return "leave this constraint out";
  if (*type.weaker) return fmt::format("{} → {}", type.name, type.weaker);
  return "keep it: its other equations are needed";
}

size_t count_rows(const ConstraintSet& set, int constraint) {
  size_t count = 0;
  for (int k = 0; k < set.rows(); ++k) count += set.row(k).constraint == constraint ? 1 : 0;
  return count;
}

MatX make_dense(const SparseRows& rows, int columns) {
  MatX G = MatX::Zero(rows.rows(), columns);
  for (int k = 0; k < rows.rows(); ++k)
    for (int e = rows.begin[k]; e < rows.begin[k + 1]; ++e) G(k, rows.column[e]) = rows.value[e];
  return G;
}

/// The index of the joint that a weld between halves stands for; -1: the row is of something else.
int find_kept_joint(const Mechanism& mechanism, const RowInfo& row) {
  return row.joint < 0 ? -1 : mechanism.model->joints[static_cast<size_t>(row.joint)].split_for;
}

/// A row between halves in a direction that the joint beside it allows.
bool is_own_freedom(const Mechanism& mechanism, const RowInfo& row) {
  const int kept = find_kept_joint(mechanism, row);
  if (kept < 0) return false;
  const std::span<const Closure> closure =
      closure_of(info(mechanism.model->joints[static_cast<size_t>(kept)].type));
  return std::none_of(closure.begin(), closure.end(), [&](const Closure& equation) {
    return weld_equation(equation) == static_cast<size_t>(row.equation);
  });
}

/// Rows that are left out, sorted by what is to blame.
struct LeftOut {
  std::vector<int> rows;                          // that other rows imply
  std::vector<std::vector<std::string>> motions;  // prescribed, each list one too many
};

/// Rows in the form of Gauss and Jordan: each is 1 at its pivot, where the others are 0.
struct Eliminated {
  std::vector<VecX> rows;
  std::vector<Eigen::Index> pivots;

  /// False: x depends on the rows, up to `small`.
  bool add(VecX x, double small) {
    if (x.size() == 0) return false;
    for (size_t i = 0; i < rows.size(); ++i) x -= VecX(x[pivots[i]] * rows[i]);
    Eigen::Index pivot = 0;
    if (!(x.cwiseAbs().maxCoeff(&pivot) > small)) return false;
    x /= double(x[pivot]);
    for (VecX& row : rows) row -= VecX(row[pivot] * x);
    rows.push_back(x);
    pivots.push_back(pivot);
    return true;
  }
};

// A row that does not count is a sum of those that do, as far as freedoms go that are not
// prescribed. If prescribed ones remain in it, their motions depend on each other. If it is a
// freedom of the joint itself, a row of that sum is named instead: the joint cannot be blamed for
// what it allows.
LeftOut find_left_out(const Mechanism& mechanism, const ConstraintSolver& constraints) {
  const ConstraintSet& set = constraints.set();
  LeftOut found;
  std::vector<int> chosen = constraints.rows(), left;
  for (int k = 0; k < set.rows(); ++k)
    if (!std::binary_search(chosen.begin(), chosen.end(), k)) left.push_back(k);
  if (left.empty() || set.rows() > largest) {
    found.rows = left;
    return found;
  }
  const auto own = [&](int k) { return is_own_freedom(mechanism, set.row(k)); };
  std::stable_partition(left.begin(), left.end(), own);
  MatX given = make_dense(set.G(), mechanism.nv);  // by freedoms that are prescribed
  MatX open = given;                               // by the others
  for (const model::Link& link : mechanism.links)
    if (link.prescribed) open.col(link.iv).setZero();
  given -= open;
  constexpr double small = 1e-6;
  Eliminated motions;
  math::LeastSquares basis;
  const auto decompose = [&] {
    if (!chosen.empty()) basis.compute(open(chosen, Eigen::all).transpose());
  };
  decompose();
  for (const int k : left) {
    const VecX shares = chosen.empty() ? VecX() : VecX(basis.solve(open.row(k).transpose()));
    const VecX rest = given.row(k).transpose() - given(chosen, Eigen::all).transpose() * shares;
    if (motions.add(rest, small * (1 + shares.norm()))) continue;
    int blamed = k;
    if (own(k)) {
      double most = small;
      for (size_t i = 0; i < chosen.size(); ++i)
        if (const double share = std::abs(shares[static_cast<Eigen::Index>(i)]);
            share > most && !own(chosen[i]))
          most = share, blamed = chosen[i];
      std::replace(chosen.begin(), chosen.end(), blamed, k);
      if (blamed != k) decompose();
    }
    found.rows.push_back(blamed);
  }
  std::sort(found.rows.begin(), found.rows.end());
  for (const VecX& each : motions.rows) {
    std::vector<std::string>& names = found.motions.emplace_back();
    for (const model::TreeJoint& slot : mechanism.joints) {
      const model::Joint& joint = mechanism.model->joints[slot.joint];
      if (each.segment(slot.iv, info(joint.type).nv).norm() > small) names.push_back(joint.name);
    }
  }
  std::sort(found.motions.begin(), found.motions.end());
  return found;
}

std::vector<Redundancy> find_redundant(const Mechanism& mechanism, const ConstraintSet& set,
                                       const std::vector<int>& rows) {
  std::vector<Redundancy> found;
  std::vector<std::vector<char>> left_out;
  std::vector<RowInfo> first;  // of each
  for (const int k : rows) {
    const RowInfo& row = set.row(k);
    auto at = std::find_if(first.begin(), first.end(), [&](const RowInfo& r) {
      return r.element == row.element && r.joint == row.joint && r.constraint == row.constraint;
    });
    if (at == first.end()) {
      const int kept = find_kept_joint(mechanism, row);
      found.push_back({row.element, kept < 0 ? row.joint : kept, {}, "leave this constraint out"});
      left_out.emplace_back(6, 0);
      first.push_back(row);
      at = first.end() - 1;
    }
    const auto i = static_cast<size_t>(at - first.begin());
    found[i].directions.push_back(row.direction);
    left_out[i][static_cast<size_t>(row.equation)] = 1;
  }
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].joint >= 0) {
      const JointInfo& type =
          info(mechanism.model->joints[static_cast<size_t>(found[i].joint)].type);
      found[i].suggestion = find_kept_joint(mechanism, first[i]) < 0
                                ? suggest(type, type.closure, left_out[i])
                                : suggest_beside(type, left_out[i]);
    } else if (first[i].constraint >= 0) {
      found[i].suggestion =
          suggest(constraints::entry_of(
                      mechanism.model->constraints[static_cast<size_t>(first[i].constraint)]),
                  found[i].directions.size(), count_rows(set, first[i].constraint));
    }
  }
  return found;
}

/// Forces on bodies that balance in themselves run through the joints and constraints between them:
/// those are not determined.
std::vector<std::string> find_not_unique(System& system, const State& state) {
  const Mechanism& mechanism = system.mechanism();
  const ConstraintSet& set = system.constraints()->set();
  const int m = set.rows();
  if (system.constraints()->size() == m || m > largest) return {};
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
  const Mechanism& mechanism = system.mechanism();
  ConstraintAnalysis out;
  if (!system.constraints()) {
    out.freedoms = count_freedoms(system);
    return out;
  }
  const int nearby = find_rank_nearby(system, state);
  system.closure().choose_rows(state);
  const ConstraintSolver& constraints = *system.constraints();
  out.rows = constraints.set().rows();
  out.rank = constraints.size();
  out.freedoms = count_freedoms(system);
  out.singular = nearby > out.rank;
  LeftOut left_out = find_left_out(mechanism, constraints);
  out.redundant = find_redundant(mechanism, constraints.set(), left_out.rows);
  out.dependent_motions = std::move(left_out.motions);
  out.not_unique = find_not_unique(system, state);
  system.closure().calc_residuals(state);
  system.constraints()->factorise(state, system.calc_motions(state));
  out.singularity = constraints.singularity();
  return out;
}

}  // namespace couplet::dynamics
