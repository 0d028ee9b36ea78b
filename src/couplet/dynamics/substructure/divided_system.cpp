#include "couplet/dynamics/substructure/divided_system.hpp"

#include <algorithm>
#include <cmath>

namespace couplet::dynamics {
namespace {

constexpr int most_refinements = 8;
constexpr double rounding = 1e-15;
constexpr double few_roundings = 1e-14;
constexpr double converged = 1e-9;  // what is accepted when no more is gained

double size_of(const std::vector<double>& x) {
  double size = 0;
  for (const double xi : x) size = std::max(size, std::isfinite(xi) ? std::abs(xi) : INFINITY);
  return size;
}

void add(const std::vector<double>& x, std::vector<double>& y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] += x[i];
}

}  // namespace

DividedSystem::DividedSystem(const Mechanism& mechanism, OuterRows outer, int in_leaf)
    : parts_(mechanism, std::move(outer)), assembly_(parts_.count(), parts_.ties(), in_leaf) {
  for (std::vector<double>* each : {&f_, &a_, &left_f_, &left_a_})
    each->assign(6 * static_cast<size_t>(parts_.count()), 0);
  for (std::vector<double>* each : {&gamma_, &lambda_, &left_gamma_, &left_lambda_})
    each->assign(static_cast<size_t>(assembly_.rows()), 0);
}

void DividedSystem::factorise(const Kinematics& kinematics, const forces::AppliedForces& applied) {
  parts_.form(kinematics, applied);
  parts_.fill(assembly_);
  assembly_.factorise();
}

bool DividedSystem::solve(VecX& tau, VecX& vdot, const Loads& loads) {
  parts_.calc_forces(tau, loads.on_bodies, f_);
  parts_.calc_gamma(vdot, loads.bias, gamma_);
  assembly_.solve(f_, gamma_, a_, lambda_);
  const bool done = !loads.refined || refine();
  parts_.read_motion(a_, lambda_, tau, vdot);
  return done;
}

// What a solution leaves of the equations is solved for again. In a long chain it has lost digits
// to all that was joined, and bodies without inertia were given some: each round takes that away by
// the same factor, which the last one has shown.
bool DividedSystem::refine() {
  const double size = size_of(a_), noise = few_roundings * parts_.calc_usual_acceleration(f_);
  double before = size;
  for (int k = 0; k < most_refinements; ++k) {
    parts_.calc_residual(assembly_, f_, gamma_, a_, lambda_, left_f_, left_gamma_);
    assembly_.solve(left_f_, left_gamma_, left_a_, left_lambda_);
    const double change = size_of(left_a_);
    if (change <= noise) return true;  // of parts that all stand still, there is nothing else
    if (!(change <= before)) return before <= converged * size;
    add(left_a_, a_);
    add(left_lambda_, lambda_);
    if (change * change <= rounding * size * before) return true;
    before = change;
  }
  return before <= converged * size;
}

AssemblySummary summarise_assembly(const Mechanism& mechanism,
                                   const ConstraintSolver* constraints) {
  const Parts parts(mechanism, all_rows(constraints));
  const AssemblyTree tree = make_assembly_tree(parts.count(), parts.ties());
  AssemblySummary out{parts.count(), tree.depth, 0};
  for (const AssemblyNode& node : tree.nodes)
    out.handles = std::max(out.handles, static_cast<int>(node.handles.size()));
  return out;
}

}  // namespace couplet::dynamics
