#include "couplet/dynamics/minimal/constraints/assembly.hpp"

#include <algorithm>

#include "couplet/dynamics/minimal/constraints/joint_equations.hpp"

namespace couplet::dynamics {

Given given_by_model(const Mechanism& mechanism) {
  Given given;
  given.q.assign(static_cast<size_t>(mechanism.nv), 0);
  given.v = given.q;
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::Joint& joint = mechanism.model->joints[static_cast<size_t>(slot.joint)];
    const int n = info(joint.type).nv;
    if (!joint.q0.empty()) std::fill_n(given.q.begin() + slot.iv, n, 1);
    if (!joint.v0.empty()) std::fill_n(given.v.begin() + slot.iv, n, 1);
  }
  return given;
}

AssemblyReport assemble(System& system, State& state, const AssemblyOptions& options) {
  if (!system.constraints()) {
    AssemblyReport report;
    report.moved = report.speed_change = VecX::Zero(system.mechanism().nv);
    return report;
  }
  JointEquations equations(system);
  AssemblyReport report = constraints::assemble(equations, state, options);
  if (report.closed()) system.closure().choose_rows(state);
  return report;
}

}  // namespace couplet::dynamics
