// Dependent coordinates follow the independent ones: positions and speeds of the state's
// independent coordinates are all that counts, dependent ones are solved for. Which are which
// changes when the choice becomes ill-conditioned.
#include <fmt/format.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/minimal/kane.hpp"
#include "couplet/math/dense_lu.hpp"
#include "couplet/math/dense_symmetric.hpp"
#include "couplet/math/least_squares.hpp"

namespace couplet::dynamics {
namespace {

// A partition is given up when its condition has become this much worse than when it was chosen.
constexpr double worse = 0.1;

/// Columns of some rows of G in two groups: dependent ones, as many as rows, and the others.
class Partition {
 public:
  std::vector<int> dependent, independent;

  /// Factorises the dependent columns; chooses them anew when they have become ill-conditioned.
  void update(const MatX& G, const std::vector<int>& movable) {
    if (static_cast<Eigen::Index>(dependent.size()) == G.rows() && chosen_ > 0) {
      factorise(G);
      if (calc_condition(G, movable) >= worse * chosen_) return;
    }
    choose(G, movable);
  }
  void set_dependent(std::span<const double> columns, double condition,
                     const std::vector<int>& movable) {
    dependent.assign(columns.begin(), columns.end());
    independent.clear();
    for (const int j : movable)
      if (!std::binary_search(dependent.begin(), dependent.end(), j)) independent.push_back(j);
    chosen_ = condition;
  }
  /// The columns of another choice, in rows of another position.
  void set_dependent_as(const Partition& other, const MatX& G) {
    dependent = other.dependent;
    independent = other.independent;
    factorise(G);
  }
  double condition() const { return chosen_; }

  /// (dependent columns)⁻¹ x
  VecX solve(const VecX& x) const { return factor_.solve(x); }
  MatX solve_columns(const MatX& X) const { return factor_.solve_columns(X); }
  VecX solve_transposed(const VecX& x) const { return factor_.solve_transposed(x); }

 private:
  void choose(const MatX& G, const std::vector<int>& movable) {
    dependent.clear();
    if (G.rows() == 0) {
      independent = movable;
      chosen_ = 1;
      return;
    }
    independent.clear();
    MatX columns(G.rows(), static_cast<Eigen::Index>(movable.size()));
    for (size_t j = 0; j < movable.size(); ++j)
      columns.col(static_cast<Eigen::Index>(j)) = G.col(movable[j]);
    const std::vector<int> order = math::order_columns(columns);
    for (Eigen::Index k = 0; k < columns.cols(); ++k)
      (k < G.rows() ? dependent : independent)
          .push_back(movable[static_cast<size_t>(order[static_cast<size_t>(k)])]);
    std::sort(dependent.begin(), dependent.end());
    std::sort(independent.begin(), independent.end());
    factorise(G);
    chosen_ = calc_condition(G, movable);
  }
  /// 1 / (|G_d⁻¹| |G|), at most 1: of how much dependent columns move with the others. (The
  /// condition of G_d alone does not tell: with one row it is always 1.)
  double calc_condition(const MatX& G, const std::vector<int>& movable) const {
    if (G.rows() == 0) return 1;
    const double own = columns_.cwiseAbs().colwise().sum().maxCoeff();
    double all = 0;
    for (const int j : movable) all = std::max(all, G.col(j).lpNorm<1>());
    return factor_.calc_reciprocal_condition() * own / all;
  }
  void factorise(const MatX& G) {
    const auto m = G.rows();
    if (m == 0) return;
    columns_.resize(m, m);
    for (Eigen::Index k = 0; k < m; ++k) columns_.col(k) = G.col(dependent[static_cast<size_t>(k)]);
    factor_.compute(columns_);
  }

  MatX columns_;
  math::DenseLu<double> factor_;
  double chosen_ = 0;  // calc_condition when chosen
};

class Partitioned final : public Formalism {
 public:
  explicit Partitioned(const Mechanism& mechanism)
      : mechanism_(mechanism), equations_(mechanism), kinematics_(mechanism) {
    std::vector<char> prescribed(static_cast<size_t>(mechanism.nv), 0);
    for (const model::Link& link : mechanism.links)
      if (link.prescribed) prescribed[static_cast<size_t>(link.iv)] = 1;
    for (int j = 0; j < mechanism.nv; ++j)
      (prescribed[static_cast<size_t>(j)] ? prescribed_ : movable_).push_back(j);
  }

  void set_constraints(ConstraintSolver& constraints) override { constraints_ = &constraints; }
  const VecX* lambda() const override { return &lambda_; }

  // v̇ = T a + b; T has 1 at independent freedoms and -G_d⁻¹ G_i at dependent ones. TᵀM T a = Tᵀ(τ -
  // h - M b). Where accelerations obey rows of a later position (half-explicit rules), v̇ = T⁺ a + b
  // with those, and forces have no power along T as before.
  void prepare(const Stage& stage) override {
    t_ = stage.state.t;
    rows_ = stage.rows;
    constraints_->factorise(stage.state, stage.kinematics);  // says how near a singular position is
    equations_.form(stage.kinematics, stage.applied);
    take_rows(constraints_->set().G(), constraints_->size(), G_);
    speeds_.update(G_, movable_);
    make_motions(G_, speeds_, T_);
    const bool half_explicit = rows_.G != &constraints_->set().G();
    if (half_explicit) {
      take_rows(*rows_.G, constraints_->size(), next_G_);
      next_.set_dependent_as(speeds_, next_G_);
      make_motions(next_G_, next_, next_T_);
    }
    const MatX& along = half_explicit ? next_T_ : T_;
    if (along.cols() == 0) return;
    reduced_ = T_.transpose() * equations_.mass_matrix() * along;
    if (half_explicit)
      mixed_factor_.compute(reduced_);
    else if (!factor_.compute(reduced_))
      throw base::ComputationError(
          fmt::format("t = {:.9g}: the reduced mass matrix is not positive definite: nothing "
                      "that {} moves has inertia",
                      t_, base::quoted(mechanism_.dof_names[speeds_.independent.front()])));
  }

  void solve(VecX& tau, VecX& vdot) override {
    const bool half_explicit = rows_.G != &constraints_->set().G();
    const MatX &M = equations_.mass_matrix(), &along = half_explicit ? next_T_ : T_,
               &G = half_explicit ? next_G_ : G_;
    const Partition& partition = half_explicit ? next_ : speeds_;
    const VecX& h = equations_.bias();
    b_.setZero(mechanism_.nv);
    for (const int j : prescribed_) b_[j] = vdot[j];
    if (constraints_->size() > 0) {
      rhs_ = G * b_;
      for (int k = 0; k < constraints_->size(); ++k)
        rhs_[k] += (*rows_.bias)[constraints_->rows()[k]];
      rhs_ = partition.solve(rhs_);
      for (size_t k = 0; k < partition.dependent.size(); ++k)
        b_[partition.dependent[k]] = -rhs_[static_cast<Eigen::Index>(k)];
    }
    force_ = tau - h - M * b_;
    vdot = b_;
    if (along.cols() > 0) {
      rhs_ = T_.transpose() * force_;
      vdot += along * (half_explicit ? mixed_factor_.solve(rhs_) : factor_.solve(rhs_));
    }
    // Gᵀ λ = τ - h - M v̇ at the dependent freedoms, where no force is unknown.
    force_ = tau - h - M * vdot;
    VecX at_dependent(constraints_->size());
    for (size_t k = 0; k < speeds_.dependent.size(); ++k)
      at_dependent[static_cast<Eigen::Index>(k)] = force_[speeds_.dependent[k]];
    lambda_ = constraints_->size() > 0 ? speeds_.solve_transposed(at_dependent) : VecX();
    for (const int j : prescribed_) tau[j] = M.row(j).dot(vdot) + h[j] + G_.col(j).dot(lambda_);
  }

  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    equations_.form(stage.state, stage.applied);
    load = equations_.bias();
    load.noalias() += equations_.mass_matrix() * vdot;
  }

  // Newton for the dependent coordinates, then their speeds.
  void settle(State& state) override {
    constexpr int most = 20;
    const int positions = constraints_->positions();
    double before = INFINITY;
    for (int iteration = 0; iteration < most && positions > 0; ++iteration) {
      evaluate(state);
      double error = 0;
      for (int k = 0; k < positions; ++k)
        error = std::max(error, std::abs(constraints_->set().errors()[constraints_->rows()[k]]));
      if (error <= 1e-15 || (iteration > 0 && error < 1e-11 && error > 0.25 * before)) break;
      before = error;
      take_rows(constraints_->set().G(), positions, G_);
      positions_.update(G_, movable_);
      VecX g(positions);
      for (int k = 0; k < positions; ++k)
        g[k] = -constraints_->set().errors()[constraints_->rows()[k]];
      const VecX step = positions_.solve(g);
      VecX move = VecX::Zero(mechanism_.nv);
      for (size_t k = 0; k < positions_.dependent.size(); ++k)
        move[positions_.dependent[k]] = step[static_cast<Eigen::Index>(k)];
      mechanism_.move(move, state.q);
      if (!state.q.allFinite() || (iteration + 1 == most && error > 1e-6))
        throw base::ComputationError(
            fmt::format("t = {:.9g}: the dependent coordinates cannot be found from the "
                        "independent ones",
                        state.t));
    }
    evaluate(state);
    take_rows(constraints_->set().G(), constraints_->size(), G_);
    if (constraints_->size() == 0) return;
    speeds_.update(G_, movable_);
    VecX v = state.v;
    for (const int j : speeds_.dependent) v[j] = 0;
    VecX c = G_ * v;
    for (int k = 0; k < constraints_->size(); ++k)
      c[k] += constraints_->set().known()[constraints_->rows()[k]];
    const VecX speeds = speeds_.solve(c);
    for (size_t k = 0; k < speeds_.dependent.size(); ++k)
      state.v[speeds_.dependent[k]] = -speeds[static_cast<Eigen::Index>(k)];
  }

  std::vector<double> memory() const override {
    std::vector<double> all{positions_.condition(), speeds_.condition(),
                            static_cast<double>(positions_.dependent.size())};
    all.insert(all.end(), positions_.dependent.begin(), positions_.dependent.end());
    all.insert(all.end(), speeds_.dependent.begin(), speeds_.dependent.end());
    return all;
  }
  void set_memory(const std::vector<double>& all) override {
    const size_t n = all.size() < 3 ? 0 : static_cast<size_t>(std::max(all[2], 0.0));
    const bool fits = all.size() >= 3 && n <= all.size() - 3 &&
                      std::all_of(all.begin() + 3, all.end(),
                                  [&](double j) { return j >= 0 && j < mechanism_.nv; });
    if (!fits)
      throw base::UserError({}, "the checkpoint does not fit this model", "start the run again");
    const std::span<const double> columns(all.data() + 3, all.size() - 3);
    positions_.set_dependent(columns.first(n), all[0], movable_);
    speeds_.set_dependent(columns.subspan(n), all[1], movable_);
  }

  std::string note() const override {
    std::string names;
    for (const int j : speeds_.independent)
      names += (names.empty() ? "" : ", ") + mechanism_.dof_names[static_cast<size_t>(j)];
    return names.empty() ? "" : "independent: " + names;
  }

 private:
  void evaluate(const State& state) {
    calc_kinematics(mechanism_, state, kinematics_);
    constraints_->set().evaluate(state, kinematics_);
  }
  /// The first `count` rows that count, dense.
  void take_rows(const SparseRows& G, int count, MatX& out) const {
    out.setZero(count, mechanism_.nv);
    for (int k = 0; k < count; ++k) {
      const int row = constraints_->rows()[static_cast<size_t>(k)];
      for (int e = G.begin[row]; e < G.begin[row + 1]; ++e) out(k, G.column[e]) = G.value[e];
    }
  }
  /// T: how all freedoms move with the independent ones.
  void make_motions(const MatX& G, const Partition& partition, MatX& T) {
    const auto n = static_cast<Eigen::Index>(partition.independent.size());
    T.setZero(mechanism_.nv, n);
    for (Eigen::Index i = 0; i < n; ++i) T(partition.independent[static_cast<size_t>(i)], i) = 1;
    if (G.rows() == 0) return;
    dependent_.resize(G.rows(), n);
    for (Eigen::Index i = 0; i < n; ++i)
      dependent_.col(i) = -G.col(partition.independent[static_cast<size_t>(i)]);
    dependent_ = partition.solve_columns(dependent_);
    for (size_t k = 0; k < partition.dependent.size(); ++k)
      T.row(partition.dependent[k]) = dependent_.row(static_cast<Eigen::Index>(k));
  }

  const Mechanism& mechanism_;
  ConstraintSolver* constraints_ = nullptr;
  KaneEquations equations_;
  Kinematics kinematics_;
  std::vector<int> movable_, prescribed_;
  Partition positions_, speeds_, next_;
  double t_ = 0;
  AccelerationRows rows_;
  MatX G_, next_G_, T_, next_T_, dependent_, reduced_;
  VecX b_, rhs_, force_, lambda_;
  math::DenseLu<double> mixed_factor_;
  math::DenseCholesky factor_;
};

}  // namespace

template <>
const FormalismEntry& formalism_entry<struct PartitionedFormalism>() {
  static constexpr FormalismEntry entry{
      .name = "partitioned",
      .doc =
          "closed loops: dependent coordinates follow independent ones, switching when they must",
      .answers = {.residuals = true, .free_motion = false},
      .applies = is_constrained,
      .make = make_as<Partitioned>,
  };
  return entry;
}

}  // namespace couplet::dynamics
