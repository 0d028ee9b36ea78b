#include "couplet/simulate/mechanism_descriptor.hpp"

#include "couplet/dynamics/minimal/constraints/couplings.hpp"
#include "couplet/simulate/mechanism_problem.hpp"

namespace couplet::simulate {

using integrate::DescriptorPattern;
using math::VecX;

int MechanismDescriptor::rows() const {
  const dynamics::Loops* loops = problem_.system().loops();
  return loops ? loops->size() : 0;
}
int MechanismDescriptor::positions() const {
  const dynamics::Loops* loops = problem_.system().loops();
  return loops ? loops->positions() : 0;
}
int MechanismDescriptor::revision() const {
  const dynamics::Loops* loops = problem_.system().loops();
  return loops ? loops->revision() : 0;
}

void MechanismDescriptor::calc_consistent(double t, const VecX& y, VecX& ydot, VecX& lambda, VecX&) {
  const int nv = problem_.layout().nv;
  vdot_.resize(nv);
  tau_.resize(nv);
  problem_.calc_vdot(t, y, vdot_, tau_);
  ydot.tail(nv) = vdot_;
  if (problem_.system().loops())
    lambda = problem_.system().lambda();
  else
    lambda.resize(0);
}

void MechanismDescriptor::calc_residual(const integrate::DescriptorPoint& point, integrate::DescriptorResidual& out) {
  dynamics::System& system = problem_.system();
  const State& state = problem_.state(point.t, point.y);
  out.force.resize(problem_.layout().nv);
  out.xdot.resize(0);
  out.algebraic.resize(0);
  out.position.resize(positions());
  out.velocity.resize(rows());
  system.calc_force_residual(state, point.vdot, point.lambda, out.force);
  if (!system.loops()) return;
  const dynamics::Loops& loops = *system.loops();
  const dynamics::ConstraintSet& set = loops.constraints();
  for (int k = 0; k < loops.size(); ++k) {
    const int row = loops.rows()[static_cast<size_t>(k)];
    if (k < loops.positions()) out.position[k] = set.errors()[row];
    out.velocity[k] = set.G().times(row, state.v) + set.known()[row];
  }
}

void MechanismDescriptor::calc_half_explicit(double t, const VecX& y, double t_next, const VecX& next, double h,
                                             VecX& ydot, VecX& lambda) {
  if (!problem_.system().loops()) return problem_.calc_rates(t, y, ydot);
  next_ = problem_.state(t_next, next);
  vdot_.resize(problem_.layout().nv);
  problem_.system().calc_half_explicit(problem_.state(t, y), next_, h, vdot_, lambda);
  ydot.tail(problem_.layout().nv) = vdot_;
}

void MechanismDescriptor::calc_normal(double t, const VecX& y, const VecX& mu, VecX& out) {
  out.setZero(problem_.layout().nv);
  dynamics::System& system = problem_.system();
  if (!system.loops()) return;
  system.calc_residuals(problem_.state(t, y));
  const dynamics::Loops& loops = *system.loops();
  for (int k = 0; k < loops.positions(); ++k)
    loops.constraints().G().add_to(loops.rows()[static_cast<size_t>(k)], mu[k], out);
}

// A force at freedom i depends on the freedoms before and after it on its branch; a loop, a relation or a force between
// bodies ties all freedoms that it touches together.
const DescriptorPattern& MechanismDescriptor::pattern() const {
  if (pattern_revision_ == revision()) return pattern_;
  pattern_revision_ = revision();
  const std::vector<std::set<int>> coupled = dynamics::find_couplings(problem_.mechanism(), problem_.system().loops());
  const int nv = problem_.layout().nv, m = rows();
  pattern_ = {};
  pattern_.columns = 3 * nv + m;
  std::vector<std::set<int>> columns(static_cast<size_t>(nv));
  for (size_t i = 0; i < coupled.size(); ++i)
    for (const int j : coupled[i]) columns[i].insert({j, nv + j, 2 * nv + j});
  if (const dynamics::Loops* loops = problem_.system().loops()) {
    const dynamics::SparseRows& G = loops->constraints().G();
    for (int k = 0; k < m; ++k) {
      const int row = loops->rows()[static_cast<size_t>(k)];
      for (int e = G.begin[row]; e < G.begin[row + 1]; ++e) columns[static_cast<size_t>(G.column[e])].insert(3 * nv + k);
    }
    for (const std::set<int>& row : columns) pattern_.rows.emplace_back(row.begin(), row.end());
    for (const bool velocity : {false, true})
      for (int k = 0; k < (velocity ? m : loops->positions()); ++k) {
        const int row = loops->rows()[static_cast<size_t>(k)];
        std::set<int> entries;
        for (int e = G.begin[row]; e < G.begin[row + 1]; ++e) {
          entries.insert(G.column[e]);
          if (velocity) entries.insert(nv + G.column[e]);
        }
        pattern_.rows.emplace_back(entries.begin(), entries.end());
      }
  } else {
    for (const std::set<int>& row : columns) pattern_.rows.emplace_back(row.begin(), row.end());
  }
  return pattern_;
}

}  // namespace couplet::simulate
