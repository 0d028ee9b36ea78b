#include "couplet/mechanics/mechanism_descriptor.hpp"

#include <map>

#include "couplet/dynamics/minimal/constraints/couplings.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"

namespace couplet::mechanics {

using integrate::DescriptorPattern;
using math::VecX;

MechanismDescriptor::MechanismDescriptor(MechanismProblem& problem, Equations equations)
    : problem_(problem),
      equations_(equations),
      batches_(ResidualBatch::applies(problem.system())) {}

// Rows: positions of loops, stops that hold, velocities of loops. A stop's row says q = bound and v
// = 0. With friction, the system itself holds what stands still.
int MechanismDescriptor::rows() const { return first_stop() + stops() + speeds_of_loops(); }
int MechanismDescriptor::positions() const { return first_stop() + stops(); }
int MechanismDescriptor::stops() const {
  return problem_.system().friction() ? 0 : problem_.stops().holding();
}
int MechanismDescriptor::revision() const {
  const dynamics::ConstraintSolver* constraints = problem_.system().constraints();
  return (constraints ? constraints->revision() : 0) + problem_.stops().revision();
}
int MechanismDescriptor::first_stop() const {
  const dynamics::ConstraintSolver* constraints = problem_.system().constraints();
  return constraints ? constraints->positions() : 0;
}
int MechanismDescriptor::speeds_of_loops() const {
  const dynamics::ConstraintSolver* constraints = problem_.system().constraints();
  return constraints ? constraints->size() - constraints->positions() : 0;
}
int MechanismDescriptor::row_of(int loop_row) const {
  return loop_row < first_stop() ? loop_row : loop_row + stops();
}

MechanismDescriptor::Columns MechanismDescriptor::columns() const {
  const int nv = problem_.layout().nv, nx = problem_.layout().nx;
  return {2 * nv, 2 * nv + nx, 3 * nv + nx};
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

void MechanismDescriptor::calc_consistent(double t, const VecX& y, VecX& ydot, VecX& lambda,
                                          VecX&) {
  const int nq = problem_.layout().nq, nv = problem_.layout().nv;
  vdot_.resize(nv);
  tau_.resize(nv);
  problem_.calc_vdot(t, y, vdot_, tau_);
  ydot.segment(nq, nv) = vdot_;
  problem_.calc_xdot_here(ydot.data() + nq + nv);
  of_loops_ = problem_.system().lambda();
  set_lambda(of_loops_, lambda);
}

void MechanismDescriptor::calc_residual(const integrate::DescriptorPoint& point,
                                        integrate::DescriptorResidual& out) {
  dynamics::System& system = problem_.system();
  const State& state = problem_.state_as_given(point.t, point.y);
  const dynamics::ConstraintSolver* constraints = system.constraints();
  out.force.resize(problem_.layout().nv);
  out.xdot.resize(problem_.layout().nx);
  problem_.calc_xdot_here(out.xdot.data());
  out.algebraic.resize(0);
  out.position.resize(positions());
  out.velocity.resize(rows());
  of_loops_.resize(constraints ? constraints->size() : 0);
  for (int k = 0; k < of_loops_.size(); ++k) of_loops_[k] = point.lambda[row_of(k)];
  tau_.setZero(problem_.layout().nv);
  for_stops([&](const Stop& stop, int row) {
    tau_[stop.iv] -= point.lambda[row];
    out.position[row] = state.q[stop.iq] - stop.bound;
    out.velocity[row] = state.v[stop.iv];
  });
  q_ = state.q;
  if (equations_ == Equations::residual)
    system.balance().calc_residual(state, tau_, point.vdot, of_loops_, out.force);
  else
    system.balance().calc_explicit_residual(state, tau_, point.vdot, of_loops_, out.force);
  for (int k = 0; k < of_loops_.size(); ++k) {
    const int row = constraints->rows()[static_cast<size_t>(k)];
    if (k < constraints->positions()) out.position[k] = constraints->set().errors()[row];
    out.velocity[row_of(k)] =
        constraints->set().G().times(row, state.v) + constraints->set().known()[row];
  }
  if (point.mu.size() == 0) return;
  out.normal.setZero(problem_.layout().nv);
  for_stops([&](const Stop& stop, int row) { out.normal[stop.iv] += point.mu[row]; });
  for (int k = 0; constraints && k < constraints->positions(); ++k)
    constraints->set().G().add_to(constraints->rows()[static_cast<size_t>(k)], point.mu[k],
                                  out.normal);
}

// A stop that holds is a row, which batches do not have.
int MechanismDescriptor::lanes() const {
  return batches_ && rows() == 0 ? ResidualBatch::width() : 1;
}

void MechanismDescriptor::calc_residuals(std::span<const integrate::DescriptorPoint> points,
                                         std::span<integrate::DescriptorResidual> out) {
  if (lanes() == 1) return DescriptorForm::calc_residuals(points, out);
  if (!batch_) batch_.emplace(problem_, equations_);
  batch_->calc(points, out);
  q_ = problem_.state(points.back().t, points.back().y).q;
}

// Joints that are held stand still at both points: the stage is as without stops, with forces such
// that they stay so.
void MechanismDescriptor::calc_half_explicit(double t, const VecX& y, double t_next,
                                             const VecX& next, double h, VecX& ydot, VecX& lambda) {
  dynamics::System& system = problem_.system();
  if (!system.constraints()) return problem_.calc_rates(t, y, ydot);
  next_ = problem_.state_as_given(
      t_next, next);  // its speeds are still without the h k that will close them
  const State& state = problem_.state_as_given(t, y);
  vdot_.resize(problem_.layout().nv);
  tau_.setZero(problem_.layout().nv);
  dynamics::System::Motion motion = system.half_explicit(state, next_, h);
  if (stops() > 0) {
    problem_.stops().hold(
        [&](const VecX& forces, VecX& out) {
          tau_ = forces;
          motion.calc_vdot(tau_, out);
        },
        vdot_);
    problem_.stops().calc_tau(tau_);
  }
  motion.calc_vdot(tau_, vdot_);
  of_loops_ = system.lambda();
  const int nq = problem_.layout().nq, nv = problem_.layout().nv;
  ydot.segment(nq, nv) = vdot_;
  problem_.calc_xdot_here(ydot.data() + nq + nv);
  set_lambda(of_loops_, lambda);
}

// M and the rows of G, except where forces depend on v̇ and λ in other ways, or where mimic joints
// mix rows.
bool MechanismDescriptor::gives_derivatives() const {
  return !problem_.system().friction() &&
         (problem_.mechanism().couplings.empty() || problem_.system().constraints());
}

bool MechanismDescriptor::linear_in_vdot() const { return !problem_.system().friction(); }

const DescriptorPattern& MechanismDescriptor::pattern() const {
  if (pattern_revision_ != revision()) set_pattern();
  return pattern_;
}

const DescriptorPattern& MechanismDescriptor::given() const {
  pattern();
  return given_;
}

void MechanismDescriptor::set_given() const {
  given_ = {pattern_.columns, {}};
  sources_.clear();
  if (!gives_derivatives()) return;
  const dynamics::ConstraintSolver* constraints = problem_.system().constraints();
  const int nv = problem_.layout().nv, vdot = columns().vdot, lambda = columns().lambda;
  std::map<std::pair<int, int>, Source> all;  // by row and column
  std::vector<char> prescribed(static_cast<size_t>(nv), 0);
  for (const model::Link& link : problem_.mechanism().links)
    if (link.prescribed) prescribed[static_cast<size_t>(link.iv)] = 1;
  const bool solved = equations_ == Equations::solved;
  const std::vector<std::set<int>> carried = dynamics::find_mass_pattern(problem_.mechanism());
  for (int i = 0; i < nv; ++i) {
    if (prescribed[static_cast<size_t>(i)] || solved)
      all[{i, vdot + i}] = {Source::one};
    else
      for (const int j : carried[static_cast<size_t>(i)])
        all[{i, vdot + j}] = {Source::mass, std::min(i, j), std::max(i, j)};
  }
  const int position = nv + problem_.layout().nx, velocity = position + positions();
  for (int k = 0; k < (constraints ? constraints->size() : 0); ++k) {
    const dynamics::SparseRows& G = constraints->set().G();
    const int row = constraints->rows()[static_cast<size_t>(k)];
    for (int e = G.begin[row]; e < G.begin[row + 1]; ++e) {
      const bool moves_by_itself = prescribed[static_cast<size_t>(G.column[e])];  // whatever y says
      const Source source{moves_by_itself ? Source::zero : Source::loop, e, 0};
      if (!moves_by_itself && !solved) all[{G.column[e], lambda + row_of(k)}] = source;
      all[{velocity + row_of(k), nv + G.column[e]}] = source;
      if (k < constraints->positions()) all[{position + k, G.column[e]}] = source;
    }
  }
  for_stops([&](const Stop& stop, int row) {
    if (!solved) all[{stop.iv, lambda + row}] = {Source::one};
    all[{position + row, stop.iv}] = all[{velocity + row, nv + stop.iv}] = {Source::one};
  });
  given_.rows.resize(pattern_.rows.size());
  for (const auto& [at, source] : all) {
    given_.rows[static_cast<size_t>(at.first)].push_back(at.second);
    sources_.push_back(source);
  }
}

void MechanismDescriptor::calc_given(std::span<double> values) {
  dynamics::System& system = problem_.system();
  if (equations_ == Equations::residual) system.inverse().calc_mass_matrix(q_, M_);
  for (size_t i = 0; i < values.size(); ++i) {
    const Source& source = sources_[i];
    switch (source.kind) {
      case Source::mass:
        values[i] = M_(source.a, source.b);
        break;
      case Source::loop:
        values[i] = system.constraints()->set().G().value[static_cast<size_t>(source.a)];
        break;
      case Source::one:
        values[i] = 1;
        break;
      case Source::zero:
        values[i] = 0;
        break;
    }
  }
}

// An acceleration depends on all that forces on its tree depend on; on v̇ only through friction.
void MechanismDescriptor::spread_over_trees(std::vector<std::set<int>>& force) const {
  const int vdot = columns().vdot, lambda = columns().lambda;
  const bool all_as_one = !problem_.mechanism().couplings.empty() &&
                          !problem_.system().constraints();  // mimics tie trees
  const std::vector<std::set<int>> carried = dynamics::find_mass_pattern(problem_.mechanism());
  std::vector<std::set<int>> by_tree(force.size());  // at its first freedom
  const auto tree_of = [&](size_t i) {
    return all_as_one ? 0 : static_cast<size_t>(*carried[i].begin());
  };
  for (size_t i = 0; i < force.size(); ++i)
    by_tree[tree_of(i)].insert(force[i].begin(), force[i].end());
  const bool by_vdot = problem_.system().friction() && problem_.system().constraints();
  for (size_t i = 0; i < force.size(); ++i) {
    force[i] = by_tree[tree_of(i)];
    if (!by_vdot) force[i].erase(force[i].lower_bound(vdot), force[i].lower_bound(lambda));
    force[i].insert(vdot + static_cast<int>(i));
  }
}

// A force at freedom i depends on the freedoms before and after it on its branch; a loop, a
// relation or a force between bodies ties all freedoms that it touches together. By v̇ there is M
// alone, where friction does not depend on reactions.
void MechanismDescriptor::set_pattern() const {
  pattern_revision_ = revision();
  const dynamics::ConstraintSolver* constraints = problem_.system().constraints();
  const std::vector<std::set<int>> coupled =
      dynamics::find_couplings(problem_.mechanism(), constraints);
  const std::vector<std::set<int>> by_vdot =
      problem_.system().friction() ? coupled : dynamics::find_mass_pattern(problem_.mechanism());
  const int nv = problem_.layout().nv, x = columns().x, vdot = columns().vdot,
            lambda = columns().lambda;
  const auto insert = [&](int read, std::set<int>& row) {
    if (read < nv)
      row.insert({read, nv + read});
    else
      row.insert(x + read - nv);
  };
  std::vector<std::set<int>> force(static_cast<size_t>(nv)),
      position(static_cast<size_t>(positions())), velocity(static_cast<size_t>(rows()));
  for (size_t i = 0; i < coupled.size(); ++i) {
    for (const int j : coupled[i]) insert(j, force[i]);
    for (const int j : by_vdot[i])
      if (j < nv) force[i].insert(vdot + j);
    for (int k = x; k < vdot && problem_.system().friction(); ++k) force[i].insert(k);
  }
  for (int k = 0; k < (constraints ? constraints->size() : 0); ++k) {
    const dynamics::SparseRows& G = constraints->set().G();
    const int row = constraints->rows()[static_cast<size_t>(k)];
    for (int e = G.begin[row]; e < G.begin[row + 1]; ++e) {
      force[static_cast<size_t>(G.column[e])].insert(lambda + row_of(k));
      velocity[static_cast<size_t>(row_of(k))].insert({G.column[e], nv + G.column[e]});
      if (k < constraints->positions()) position[static_cast<size_t>(k)].insert(G.column[e]);
    }
  }
  for_stops([&](const Stop& stop, int row) {
    force[static_cast<size_t>(stop.iv)].insert(lambda + row);
    position[static_cast<size_t>(row)].insert(stop.iv);
    velocity[static_cast<size_t>(row)].insert(nv + stop.iv);
  });
  if (equations_ == Equations::solved) spread_over_trees(force);
  for (const model::Link& link : problem_.mechanism().links)
    if (link.prescribed) force[static_cast<size_t>(link.iv)] = {vdot + link.iv};
  for (const model::Coupling& c :
       problem_.mechanism().couplings) {  // the mimic's forces act on its source
    if (constraints || equations_ == Equations::solved) break;  // where it is not a row of G
    force[static_cast<size_t>(c.source_iv)].insert(force[static_cast<size_t>(c.iv)].begin(),
                                                   force[static_cast<size_t>(c.iv)].end());
    force[static_cast<size_t>(c.iv)] = {vdot + c.iv, vdot + c.source_iv};
  }
  std::vector<std::set<int>> xdot;
  for (const std::set<int>& reads : dynamics::find_state_couplings(problem_.mechanism()))
    for (std::set<int>& row = xdot.emplace_back(); const int read : reads) insert(read, row);
  pattern_ = {lambda + rows(), {}};
  for (const auto* part : {&force, &xdot, &position, &velocity})
    for (const std::set<int>& row : *part) pattern_.rows.emplace_back(row.begin(), row.end());
  set_given();
}

}  // namespace couplet::mechanics
