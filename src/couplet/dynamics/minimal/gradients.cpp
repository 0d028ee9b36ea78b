#include "couplet/dynamics/minimal/gradients.hpp"

#include <algorithm>

#include "couplet/dynamics/minimal/kernels.hpp"
#include "couplet/dynamics/minimal/only_trees.hpp"

namespace couplet::dynamics {
namespace {

size_t scratch_size(const Mechanism& mechanism, size_t scalar) {
  const size_t links = mechanism.links.size(), nv = static_cast<size_t>(mechanism.nv);
  const size_t doubles = links * (2 + sizeof(ForwardScratch<double>) / 8) +
                         mechanism.heavy_links * sizeof(HeavyScratch<double>) / 8 +
                         mechanism.branch_links * sizeof(BranchScratch<double>) / 8 +
                         mechanism.quaternion_frames.size() * sizeof(PoseScratch<double>) / 8 +
                         static_cast<size_t>(mechanism.nq) + 4 * nv;
  // Closed form: angles, 24 arrays of freedoms, X, M; frames, motions and bodies of links.
  const size_t padded = nv + 4, closed = 2 * (links + 4) + 24 * padded + nv * (3 * nv + 4) +
                                         nv * padded + links * (12 + 12 + 30) + padded;
  return std::max(scalar * doubles, closed);
}

V3<double> base_acceleration(const Mechanism& mechanism) {
  const Vec3& g = mechanism.uniform_gravity;
  return {-g.x(), -g.y(), -g.z()};
}

}  // namespace

const DualKernels& dual_kernels() {
  return &kernels() == &portable_kernels() || !avx2_dual_kernels() ? portable_dual_kernels()
                                                                   : *avx2_dual_kernels();
}

GradientWorkspace::GradientWorkspace(const Mechanism& mechanism, const DualKernels& kernels)
    : mechanism_(mechanism),
      kernels_(kernels),
      scratch_(scratch_size(mechanism, kernels.scalar)),
      forward_(mechanism),
      directions_(MatX::Zero(mechanism.nq, mechanism.nv)),
      identity_(MatX::Identity(mechanism.nv, mechanism.nv)),
      vdot_(mechanism.nv),
      tau_(mechanism.nv),
      qdot_(mechanism.nq) {
  check_is_tree(mechanism, "gradients");
  for (const model::Link& link : mechanism.links)  // these never change
    if (link.frame < 0) directions_(link.iq, link.iv) = 1;
}

void GradientWorkspace::calc_directions(const VecX& q) {
  for (const model::Link& link : mechanism_.links) {
    if (link.frame < 0) continue;
    const int n = link.kind == model::LinkKind::free ? 6 : 3;
    for (int k = link.iv; k < link.iv + n; ++k) {
      mechanism_.calc_qdot(q, identity_.col(k), qdot_);
      directions_.col(k) = qdot_;
    }
  }
}

void GradientWorkspace::differentiate(DualKernels::Kernel kernel, const State& state,
                                      const VecX& third, MatX& by_q, MatX& by_v, MatX* by_third) {
  calc_directions(state.q);
  const int nq = mechanism_.nq, nv = mechanism_.nv, columns = 3 * nv;
  for (MatX* out : {&by_q, &by_v, by_third}) out->resize(nv, nv);
  for (int first = 0; first < columns; first += kernels_.width) {
    DualProblem in{state.q.data(), state.v.data(), third.data(), {}, {}, {}, {}};
    for (int l = 0; l < std::min(kernels_.width, columns - first); ++l) {
      const int kind = (first + l) / nv, k = (first + l) % nv;
      const double* unit = identity_.data() + k * nv;
      if (kind == 0) in.q_along[l] = directions_.data() + k * nq;
      if (kind == 1) in.v_along[l] = unit;
      if (kind == 2) in.third_along[l] = unit;
      in.out_along[l] = (kind == 0 ? by_q : kind == 1 ? by_v : *by_third).data() + k * nv;
    }
    kernel(view(mechanism_), nq, nv, base_acceleration(mechanism_), in, scratch_.data());
  }
}

void GradientWorkspace::calc_inverse_gradients(const State& state, const VecX& vdot,
                                               InverseGradients& out) {
  for (MatX* each : {&out.by_q, &out.by_v, &out.by_vdot})
    each->resize(mechanism_.nv, mechanism_.nv);
  kernels_.gradients(view(mechanism_), mechanism_.nv, base_acceleration(mechanism_),
                     {false, state.q.data(), state.v.data(), vdot.data(), out.by_q.data(),
                      out.by_v.data(), out.by_vdot.data()},
                     scratch_.data());
}

void GradientWorkspace::calc_forward_gradients(const State& state, const VecX& tau,
                                               ForwardGradients& out) {
  check_is_free(mechanism_, "gradients of accelerations");
  for (MatX* each : {&out.by_q, &out.by_v, &out.by_tau}) each->resize(mechanism_.nv, mechanism_.nv);
  tau_ = tau;
  calc_forward_dynamics(mechanism_, state, tau_, nullptr, forward_, vdot_);
  kernels_.gradients(view(mechanism_), mechanism_.nv, base_acceleration(mechanism_),
                     {true, state.q.data(), state.v.data(), vdot_.data(), out.by_q.data(),
                      out.by_v.data(), out.by_tau.data()},
                     scratch_.data());
}

void GradientWorkspace::calc_inverse_gradients_by_duals(const State& state, const VecX& vdot,
                                                        InverseGradients& out) {
  differentiate(kernels_.inverse_dynamics, state, vdot, out.by_q, out.by_v, &out.by_vdot);
}

void GradientWorkspace::calc_forward_gradients_by_duals(const State& state, const VecX& tau,
                                                        ForwardGradients& out) {
  check_is_free(mechanism_, "gradients of accelerations");
  differentiate(kernels_.forward_dynamics, state, tau, out.by_q, out.by_v, &out.by_tau);
}

}  // namespace couplet::dynamics
