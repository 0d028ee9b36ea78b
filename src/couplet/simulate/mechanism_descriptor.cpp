#include "couplet/simulate/mechanism_descriptor.hpp"

#include "couplet/dynamics/minimal/constraints/couplings.hpp"
#include "couplet/simulate/mechanism_problem.hpp"

namespace couplet::simulate {

using integrate::DescriptorPattern;
using math::VecX;

// Rows: positions of loops, stops that hold, velocities of loops. A stop's row says q = bound and v = 0. With friction,
// the system itself holds what stands still.
int MechanismDescriptor::rows() const { return first_stop() + stops() + speeds_of_loops(); }
int MechanismDescriptor::positions() const { return first_stop() + stops(); }
int MechanismDescriptor::stops() const { return problem_.system().friction() ? 0 : problem_.stops().holding(); }
int MechanismDescriptor::revision() const {
  const dynamics::Loops* loops = problem_.system().loops();
  return (loops ? loops->revision() : 0) + problem_.stops().revision();
}
int MechanismDescriptor::first_stop() const {
  const dynamics::Loops* loops = problem_.system().loops();
  return loops ? loops->positions() : 0;
}
int MechanismDescriptor::speeds_of_loops() const {
  const dynamics::Loops* loops = problem_.system().loops();
  return loops ? loops->size() - loops->positions() : 0;
}
int MechanismDescriptor::row_of(int loop_row) const {
  return loop_row < first_stop() ? loop_row : loop_row + stops();
}

template <class Function>
void MechanismDescriptor::for_stops(const Function& function) const {
  if (stops() == 0) return;
  int row = first_stop();
  for (const Stop& stop : problem_.stops().list())
    if (stop.holds) function(stop, row++);
}

// λ of the loops, and of the stops from the forces of the last hold().
void MechanismDescriptor::set_lambda(const VecX& of_loops, VecX& lambda) {
  lambda.resize(rows());
  for (int k = 0; k < of_loops.size(); ++k) lambda[row_of(k)] = of_loops[k];
  problem_.stops().calc_tau(tau_);
  for_stops([&](const Stop& stop, int row) { lambda[row] = -tau_[stop.iv]; });
}

void MechanismDescriptor::calc_consistent(double t, const VecX& y, VecX& ydot, VecX& lambda, VecX&) {
  const int nv = problem_.layout().nv;
  vdot_.resize(nv);
  tau_.resize(nv);
  problem_.calc_vdot(t, y, vdot_, tau_);
  ydot.tail(nv) = vdot_;
  if (problem_.system().loops())
    of_loops_ = problem_.system().lambda();
  else
    of_loops_.resize(0);
  set_lambda(of_loops_, lambda);
}

void MechanismDescriptor::calc_residual(const integrate::DescriptorPoint& point, integrate::DescriptorResidual& out) {
  dynamics::System& system = problem_.system();
  const State& state = problem_.state(point.t, point.y);
  const dynamics::Loops* loops = system.loops();
  out.force.resize(problem_.layout().nv);
  out.xdot.resize(0);
  out.algebraic.resize(0);
  out.position.resize(positions());
  out.velocity.resize(rows());
  of_loops_.resize(loops ? loops->size() : 0);
  for (int k = 0; k < of_loops_.size(); ++k) of_loops_[k] = point.lambda[row_of(k)];
  tau_.setZero(problem_.layout().nv);
  for_stops([&](const Stop& stop, int row) {
    tau_[stop.iv] -= point.lambda[row];
    out.position[row] = state.q[stop.iq] - stop.bound;
    out.velocity[row] = state.v[stop.iv];
  });
  system.calc_force_residual(state, tau_, point.vdot, of_loops_, out.force);
  for (int k = 0; k < of_loops_.size(); ++k) {
    const int row = loops->rows()[static_cast<size_t>(k)];
    if (k < loops->positions()) out.position[k] = loops->constraints().errors()[row];
    out.velocity[row_of(k)] = loops->constraints().G().times(row, state.v) + loops->constraints().known()[row];
  }
}

// Joints that are held stand still at both points: the stage is as without stops, with forces such that they stay so.
void MechanismDescriptor::calc_half_explicit(double t, const VecX& y, double t_next, const VecX& next, double h,
                                             VecX& ydot, VecX& lambda) {
  dynamics::System& system = problem_.system();
  if (!system.loops()) return problem_.calc_rates(t, y, ydot);
  next_ = problem_.state(t_next, next);
  const State& state = problem_.state(t, y);
  vdot_.resize(problem_.layout().nv);
  tau_.setZero(problem_.layout().nv);
  if (stops() > 0) {
    problem_.stops().hold(
        [&](const VecX& forces, VecX& out) { system.calc_half_explicit(state, next_, h, forces, out, of_loops_); }, vdot_);
    problem_.stops().calc_tau(tau_);
  }
  system.calc_half_explicit(state, next_, h, tau_, vdot_, of_loops_);
  ydot.tail(problem_.layout().nv) = vdot_;
  set_lambda(of_loops_, lambda);
}

void MechanismDescriptor::calc_normal(double t, const VecX& y, const VecX& mu, VecX& out) {
  out.setZero(problem_.layout().nv);
  for_stops([&](const Stop& stop, int row) { out[stop.iv] += mu[row]; });
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
  const dynamics::Loops* loops = problem_.system().loops();
  const std::vector<std::set<int>> coupled = dynamics::find_couplings(problem_.mechanism(), loops);
  const int nv = problem_.layout().nv;
  std::vector<std::set<int>> force(static_cast<size_t>(nv)), position(static_cast<size_t>(positions())),
      velocity(static_cast<size_t>(rows()));
  for (size_t i = 0; i < coupled.size(); ++i)
    for (const int j : coupled[i]) force[i].insert({j, nv + j, 2 * nv + j});
  for (int k = 0; k < (loops ? loops->size() : 0); ++k) {
    const dynamics::SparseRows& G = loops->constraints().G();
    const int row = loops->rows()[static_cast<size_t>(k)];
    for (int e = G.begin[row]; e < G.begin[row + 1]; ++e) {
      force[static_cast<size_t>(G.column[e])].insert(3 * nv + row_of(k));
      velocity[static_cast<size_t>(row_of(k))].insert({G.column[e], nv + G.column[e]});
      if (k < loops->positions()) position[static_cast<size_t>(k)].insert(G.column[e]);
    }
  }
  for_stops([&](const Stop& stop, int row) {
    force[static_cast<size_t>(stop.iv)].insert(3 * nv + row);
    position[static_cast<size_t>(row)].insert(stop.iv);
    velocity[static_cast<size_t>(row)].insert(nv + stop.iv);
  });
  for (const model::Coupling& c : problem_.mechanism().couplings) {  // the mimic's forces act on its source
    force[static_cast<size_t>(c.source_iv)].insert(force[static_cast<size_t>(c.iv)].begin(),
                                                   force[static_cast<size_t>(c.iv)].end());
    force[static_cast<size_t>(c.iv)] = {2 * nv + c.iv, 2 * nv + c.source_iv};
  }
  pattern_ = {3 * nv + rows(), {}};
  for (const auto* part : {&force, &position, &velocity})
    for (const std::set<int>& row : *part) pattern_.rows.emplace_back(row.begin(), row.end());
  return pattern_;
}

}  // namespace couplet::simulate
