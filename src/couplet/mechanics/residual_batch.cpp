#include "couplet/mechanics/residual_batch.hpp"

#include "couplet/mechanics/mechanism_problem.hpp"

namespace couplet::mechanics {

using math::MatX;
using math::VecX;

bool ResidualBatch::applies(dynamics::System& system) {
  const Mechanism& mechanism = system.mechanism();
  return mechanism.nv > 0 && !system.constraints() && !system.friction() &&
         mechanism.couplings.empty() && !mechanism.has_prescribed() &&
         !system.stages().forces().needs_motions() && system.formalism_name() == "recursive";
}

ResidualBatch::ResidualBatch(MechanismProblem& problem, Equations equations)
    : problem_(problem),
      equations_(equations),
      batch_(problem.mechanism()),
      q_(MatX::Zero(problem.mechanism().nq, width())),
      v_(MatX::Zero(problem.mechanism().nv, width())),
      given_(v_),
      found_(v_),
      forces_(v_) {}

void ResidualBatch::calc(std::span<const integrate::DescriptorPoint> points,
                         std::span<integrate::DescriptorResidual> out) {
  const size_t lanes = static_cast<size_t>(width());
  for (size_t first = 0; first < points.size(); first += lanes) {
    const size_t count = std::min(lanes, points.size() - first);
    for (size_t lane = 0; lane < lanes; ++lane) {
      const Eigen::Index k = static_cast<Eigen::Index>(lane);
      if (lane >= count) {  // the last one fills the pack up
        q_.col(k) = q_.col(k - 1), v_.col(k) = v_.col(k - 1);
        given_.col(k) = given_.col(k - 1), forces_.col(k) = forces_.col(k - 1);
        continue;
      }
      const integrate::DescriptorPoint& point = points[first + lane];
      const State& state = problem_.state(point.t, point.y);
      q_.col(k) = state.q, v_.col(k) = state.v;
      given_.col(k) = point.vdot;
      forces_.col(k) = problem_.system().stages().calc_joint_forces(state);
      out[first + lane].xdot.resize(problem_.layout().nx);
      problem_.calc_xdot_here(out[first + lane].xdot.data());
    }

    if (equations_ == Equations::residual) {  // M v̇ + h - f
      batch_.calc_inverse_dynamics(q_, v_, given_, found_);
      found_ -= forces_;
    } else {  // v̇ - M⁻¹(f - h)
      batch_.calc_forward_dynamics(q_, v_, forces_, found_, forces_);
      found_ = given_ - found_;
    }

    for (size_t lane = 0; lane < count; ++lane) {
      integrate::DescriptorResidual& residual = out[first + lane];
      residual.force = found_.col(static_cast<Eigen::Index>(lane));
      for (VecX* none : {&residual.algebraic, &residual.position, &residual.velocity})
        none->resize(0);
    }
  }
}

}  // namespace couplet::mechanics
