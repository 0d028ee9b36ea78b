// The saddle-point system of the whole tree and its constraints, sparse: accelerations of bodies,
// joint forces, v̇ and λ are unknowns (tree_equations.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/constraints/tree_equations.hpp"
#include "couplet/dynamics/minimal/formalism.hpp"
#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/math/sparse_lu.hpp"

namespace couplet::dynamics {
namespace {

//   (M Gᵀ) (v̇)   (τ - h)
//   (G 0 ) (λ) = ( -γ  )       G and γ below may be those of a later position (half-explicit rules)
// with M as it comes from the tree, before anything is eliminated (tree_equations.hpp), and rows of
// G on the accelerations of the two bodies that they are between: in joint coordinates both are
// full along chains, and so would their factors be. Rows of a later position are on v̇: they have no
// other form.
class Augmented final : public Formalism {
 public:
  explicit Augmented(const Mechanism& mechanism)
      : mechanism_(mechanism),
        equations_(mechanism),
        inverse_(mechanism),
        link_forces_(mechanism),
        prescribed_(static_cast<size_t>(mechanism.nv), 0) {
    for (const model::Link& link : mechanism.links)
      if (link.prescribed) prescribed_[static_cast<size_t>(link.iv)] = 1;
  }

  void set_constraints(ConstraintSolver& constraints) override { constraints_ = &constraints; }
  const VecX* lambda() const override { return &lambda_; }
  void set_memory(const std::vector<double>&) override {  // pivots cannot be saved
    usual_.lu.forget();
    half_explicit_.lu.forget();
  }

  void prepare(const Stage& stage) override {
    rows_ = stage.rows;
    constraints_->factorise(stage.state,
                            stage.kinematics);  // tells how near a singular position is
    equations_.form(stage);
    system_ = stage.rows.G == &constraints_->set().G() ? &usual_ : &half_explicit_;
    if (system_->revision != constraints_->revision()) set_structure();
    size_t e = 0;
    for_entries([&](int, int, double value) { system_->values[system_->places[e++]] = value; });
    if (const std::optional<int> column = system_->lu.factorise(system_->values))
      explain(stage.state.t, *column);
  }

  void solve(VecX& tau, VecX& vdot) override {
    x_.resize(equations_.size() + constraints_->size());
    equations_.set_rhs(tau, vdot, x_);
    for (int k = 0; k < constraints_->size(); ++k)
      x_[equations_.size() + k] = -(*rows_.bias)[constraints_->rows()[k]];
    solve_refined();
    for (int j = 0; j < mechanism_.nv; ++j) vdot[j] = x_[TreeEquations::place(j)];
    lambda_ = x_.tail(constraints_->size());
    if (mechanism_.has_prescribed()) calc_prescribed_forces(tau);
  }

  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    calc_inverse_dynamics(mechanism_, stage.state, vdot, link_forces_.calc(stage), inverse_, load);
  }

 private:
  /// put(row, column, value) for every entry of the matrix, in an order that does not change.
  template <class Put>
  void for_entries(const Put& put) const {
    equations_.for_entries(put);
    const ConstraintSet& set = constraints_->set();
    const SparseRows &G = set.G(), &next = *rows_.G;
    for (int k = 0; k < constraints_->size(); ++k) {
      const int row = constraints_->rows()[static_cast<size_t>(k)], at = equations_.size() + k;
      const auto [a, b] = set.bodies(row);
      for (int e = G.begin[row]; e < G.begin[row + 1] && (a < 0 || &next != &G); ++e) {
        const int j = G.column[e];
        put(at, TreeEquations::place(j), next.value[e]);
        if (a < 0 && !prescribed_[static_cast<size_t>(j)])
          put(TreeEquations::place(j), at, G.value[e]);
      }
      if (a < 0) continue;
      const constraints::PairRow& pair = set.pair_row(row);
      for (const auto& [body, sign] : {std::pair(b, 1), std::pair(a, -1)}) {
        const int j = equations_.carrier(body);
        if (j < 0) continue;
        const Vec3 couple = pair.couple + (pair.point - equations_.origin(j)).cross(pair.force);
        for (int r = 0; r < 6; ++r) {
          const double w = sign * (r < 3 ? couple[r] : pair.force[r - 3]);
          if (&next == &G) put(at, TreeEquations::place_of_A(j) + r, w);
          put(TreeEquations::place_of_F(j) + r, at, -w);
        }
      }
    }
  }

  // Forces and accelerations of heavy and of light bodies are unknowns of one matrix: what a
  // solution leaves of the equations is solved for once more.
  void solve_refined() {
    const SparseSystem& system = *system_;
    left_ = x_;
    system_->lu.solve(x_.data());
    for (Eigen::Index j = 0; j < x_.size(); ++j)
      for (int e = system.starts[static_cast<size_t>(j)];
           e < system.starts[static_cast<size_t>(j) + 1]; ++e)
        left_[system.rows[static_cast<size_t>(e)]] -= system.values[static_cast<size_t>(e)] * x_[j];
    system_->lu.solve(left_.data());
    x_ += left_;
  }

  void set_structure() {
    system_->revision = constraints_->revision();
    const int n = equations_.size() + constraints_->size();
    std::vector<std::array<int, 3>> sorted;  // column, row, which
    for_entries([&](int row, int column, double) {
      sorted.push_back({column, row, static_cast<int>(sorted.size())});
    });
    std::sort(sorted.begin(), sorted.end());
    std::vector<int>&starts = system_->starts, &rows = system_->rows;
    starts.assign(static_cast<size_t>(n) + 1, 0);
    rows.clear();
    system_->places.resize(sorted.size());
    for (const auto& [column, row, which] : sorted) {
      ++starts[static_cast<size_t>(column) + 1];
      system_->places[static_cast<size_t>(which)] = rows.size();
      rows.push_back(row);
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    system_->values.assign(rows.size(), 0);
    system_->lu.analyse(starts, rows, math::Ordering::columns);
  }

  // Sᵀ F, and the share of relations between freedoms, where v̇ was given.
  void calc_prescribed_forces(VecX& tau) {
    force_.setZero(mechanism_.nv);
    for (int k = 0; k < constraints_->size(); ++k)
      if (const int row = constraints_->rows()[k]; constraints_->set().bodies(row).first < 0)
        constraints_->set().G().add_to(row, lambda_[k], force_);
    for (int j = 0; j < mechanism_.nv; ++j)
      if (prescribed_[static_cast<size_t>(j)]) tau[j] = equations_.force(j, x_) + force_[j];
  }

  [[noreturn]] void explain(double t, int column) const {
    const int n = equations_.size();
    if (column < n)
      throw base::ComputationError(
          fmt::format("t = {:.9g}: the acceleration of {} is not determined: nothing that it moves "
                      "has inertia",
                      t, base::quoted(mechanism_.dof_names[TreeEquations::freedom_of(column)])));
    const RowInfo& row = constraints_->set().row(constraints_->rows()[column - n]);
    throw base::ComputationError(
        fmt::format("t = {:.9g}: the position is singular: {} of {} depends on other constraints",
                    t, row.direction, base::quoted(row.element)));
  }

  const Mechanism& mechanism_;
  ConstraintSolver* constraints_ = nullptr;
  TreeEquations equations_;
  InverseWorkspace<double> inverse_;
  LinkForces link_forces_;
  AccelerationRows rows_;
  VecX x_, left_, lambda_, force_;
  std::vector<char> prescribed_;
  struct SparseSystem {
    int revision = 0;
    std::vector<size_t> places;     // of the entries, in the order in which they come, in values
    std::vector<int> starts, rows;  // compressed columns
    std::vector<double> values;
    math::SparseLu<double> lu;
  };
  SparseSystem usual_, half_explicit_;
  SparseSystem* system_ = nullptr;  // of the stage
};

}  // namespace

template <>
const FormalismEntry& formalism_entry<struct AugmentedFormalism>() {
  static constexpr FormalismEntry entry{
      .name = "augmented",
      .doc = "closed loops: the saddle-point system of mass matrix and constraints",
      .answers = {.residuals = true, .free_motion = false},
      .applies = is_constrained,
      .make = make_as<Augmented>,
  };
  return entry;
}

}  // namespace couplet::dynamics
