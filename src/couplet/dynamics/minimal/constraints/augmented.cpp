#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/composite.hpp"
#include "couplet/dynamics/minimal/constraints/formalisms.hpp"
#include "couplet/math/sparse_lu.hpp"

namespace couplet::dynamics {
namespace {

//   (M Gᵀ) (v̇)   (τ - h)
//   (G 0 ) (λ) = ( -γ  )       G and γ below may be those of a later position (half-explicit rules)
// M has entries only between a freedom and those that carry it. Where v̇ is known, its row is v̇ =
// known, and the balance of forces gives the force afterwards.
class Augmented final : public Formalism {
 public:
  explicit Augmented(const Mechanism& mechanism)
      : mechanism_(mechanism),
        equations_(mechanism),
        prescribed_(static_cast<size_t>(mechanism.nv), 0) {
    for (const model::Link& link : mechanism.links)
      if (link.prescribed) prescribed_[static_cast<size_t>(link.iv)] = 1;
  }

  void set_constraints(ConstraintSolver& constraints) override { constraints_ = &constraints; }
  const VecX* lambda() const override { return &lambda_; }
  void set_memory(const std::vector<double>&) override { lu_.forget(); }  // pivots cannot be saved

  void prepare(const Stage& stage) override {
    rows_ = stage.rows;
    constraints_->factorise(stage.state,
                            stage.kinematics);  // tells how near a singular position is
    equations_.form(stage);
    if (revision_ != constraints_->revision()) set_structure();
    for (size_t e = 0; e < places_.size(); ++e)
      values_[e] = entry(places_[e].first, places_[e].second);
    if (const std::optional<int> column = lu_.factorise(values_)) explain(stage.state.t, *column);
  }

  void solve(VecX& tau, VecX& vdot) override {
    const int n = mechanism_.nv;
    for (int i = 0; i < n; ++i)
      rhs_[i] = prescribed_[static_cast<size_t>(i)] ? vdot[i] : tau[i] - equations_.bias()[i];
    for (int k = 0; k < constraints_->size(); ++k)
      rhs_[n + k] = -(*rows_.bias)[constraints_->rows()[k]];
    lu_.solve(rhs_.data());
    vdot = rhs_.head(n);
    lambda_ = rhs_.tail(constraints_->size());
    if (mechanism_.has_prescribed()) calc_prescribed_forces(vdot, tau);
  }

  void calc_load(const Stage& stage, const VecX& vdot, VecX& load) override {
    equations_.form(stage);
    load = equations_.bias();
    load.noalias() += equations_.mass_matrix() * vdot;
  }

 private:
  /// Entry (row, column) of the saddle-point matrix.
  double entry(int row, int column) const {
    const int n = mechanism_.nv;
    if (row < n && prescribed_[static_cast<size_t>(row)]) return row == column ? 1 : 0;
    if (row < n && column < n) return equations_.mass_matrix()(row, column);
    const SparseRows& G = row < n ? constraints_->set().G() : *rows_.G;
    const int constraint = constraints_->rows()[static_cast<size_t>(std::max(row, column) - n)],
              j = std::min(row, column);
    const auto begin = G.column.begin() + G.begin[constraint],
               end = G.column.begin() + G.begin[constraint + 1];
    return G.value[static_cast<size_t>(std::lower_bound(begin, end, j) - G.column.begin())];
  }

  void set_structure() {
    revision_ = constraints_->revision();
    const int n = mechanism_.nv, m = constraints_->size();
    std::vector<std::vector<int>> columns(static_cast<size_t>(n + m));
    for (int j = 0; j < n; ++j)
      for (int i = j; i >= 0; i = constraints_->parent(i)) {
        columns[static_cast<size_t>(j)].push_back(i);
        if (i != j) columns[static_cast<size_t>(i)].push_back(j);
      }
    const SparseRows& G = constraints_->set().G();
    for (int k = 0; k < m; ++k) {
      const int row = constraints_->rows()[static_cast<size_t>(k)];
      for (int e = G.begin[row]; e < G.begin[row + 1]; ++e) {
        columns[static_cast<size_t>(G.column[e])].push_back(n + k);
        columns[static_cast<size_t>(n + k)].push_back(G.column[e]);
      }
    }
    std::vector<int> starts{0}, rows;
    places_.clear();
    for (size_t j = 0; j < columns.size(); ++j) {
      std::sort(columns[j].begin(), columns[j].end());
      for (const int i : columns[j])
        rows.push_back(i), places_.emplace_back(i, static_cast<int>(j));
      starts.push_back(static_cast<int>(rows.size()));
    }
    values_.assign(rows.size(), 0);
    rhs_.resize(n + m);
    lambda_.resize(m);
    lu_.analyse(starts, rows);
  }

  void calc_prescribed_forces(const VecX& vdot, VecX& tau) {
    force_ = equations_.bias();
    force_.noalias() += equations_.mass_matrix() * vdot;
    for (int k = 0; k < constraints_->size(); ++k)
      constraints_->set().G().add_to(constraints_->rows()[k], lambda_[k], force_);
    for (int i = 0; i < mechanism_.nv; ++i)
      if (prescribed_[static_cast<size_t>(i)]) tau[i] = force_[i];
  }

  [[noreturn]] void explain(double t, int column) const {
    const int n = mechanism_.nv;
    if (column < n)
      throw base::ComputationError(
          fmt::format("t = {:.9g}: the acceleration of {} is not determined: nothing that it moves "
                      "has inertia",
                      t, base::quoted(mechanism_.dof_names[column])));
    const RowInfo& row = constraints_->set().row(constraints_->rows()[column - n]);
    throw base::ComputationError(
        fmt::format("t = {:.9g}: the position is singular: {} of {} depends on other constraints",
                    t, row.direction, base::quoted(row.element)));
  }

  const Mechanism& mechanism_;
  ConstraintSolver* constraints_ = nullptr;
  CompositeEquations equations_;
  AccelerationRows rows_;
  VecX rhs_, lambda_, force_;
  std::vector<char> prescribed_;
  int revision_ = 0;
  std::vector<std::pair<int, int>> places_;  // row and column of each entry
  std::vector<double> values_;
  math::SparseLu<double> lu_;
};

}  // namespace

std::unique_ptr<Formalism> make_augmented(const Mechanism& mechanism) {
  return std::make_unique<Augmented>(mechanism);
}

}  // namespace couplet::dynamics
