#include "couplet/dynamics/minimal/batch.hpp"

#include <algorithm>

#include "couplet/base/diagnostics.hpp"
#include "couplet/dynamics/minimal/kernels.hpp"

namespace couplet::dynamics {
namespace {

size_t scratch_size(const Mechanism& mechanism, int width) {
  const size_t links = mechanism.links.size(), nv = static_cast<size_t>(mechanism.nv);
  const size_t per_link = 2 * sizeof(double) + sizeof(ForwardScratch<double>);
  const size_t bytes = links * per_link + mechanism.heavy_links * sizeof(HeavyScratch<double>) +
                       mechanism.branch_links * sizeof(BranchScratch<double>) +
                       mechanism.quaternion_frames.size() * sizeof(PoseScratch<double>) +
                       (static_cast<size_t>(mechanism.nq) + 4 * nv) * sizeof(double);
  return static_cast<size_t>(width) * bytes / sizeof(double);
}

V3<double> base_acceleration(const Mechanism& mechanism) {
  const Vec3& g = mechanism.uniform_gravity;
  return {-g.x(), -g.y(), -g.z()};
}

}  // namespace

const BatchKernels& batch_kernels() {
  return &kernels() == &portable_kernels() || !avx2_batch_kernels() ? portable_batch_kernels()
                                                                    : *avx2_batch_kernels();
}

BatchDynamics::BatchDynamics(const Mechanism& mechanism, const BatchKernels& kernels)
    : mechanism_(mechanism),
      kernels_(kernels),
      scratch_(scratch_size(mechanism, kernels.width)) {}

// The last pack is filled up with its last state: it is written several times, with the same value.
template <class Call>
void BatchDynamics::for_each_pack(Eigen::Index count, Call call) const {
  Eigen::Index column[widest_batch];
  for (Eigen::Index first = 0; first < count; first += kernels_.width) {
    for (int l = 0; l < kernels_.width; ++l) column[l] = std::min(first + l, count - 1);
    call(column);
  }
}

void BatchDynamics::calc_forward_dynamics(const MatX& q, const MatX& v, const MatX& tau, MatX& vdot,
                                          MatX& tau_out) {
  base::ensure(q.rows() == mechanism_.nq && v.rows() == mechanism_.nv && v.cols() == q.cols() &&
                   tau.rows() == v.rows() && tau.cols() == q.cols() && vdot.rows() == v.rows() &&
                   vdot.cols() == q.cols() && tau_out.rows() == v.rows() &&
                   tau_out.cols() == q.cols(),
               "a batch has one column per state in every matrix");
  for_each_pack(q.cols(), [&](const Eigen::Index* k) {
    const double *Q[widest_batch], *V[widest_batch], *F[widest_batch];
    double *A[widest_batch], *P[widest_batch];
    for (int l = 0; l < kernels_.width; ++l) {
      Q[l] = q.data() + k[l] * q.rows(), V[l] = v.data() + k[l] * v.rows();
      F[l] = tau.data() + k[l] * tau.rows();
      A[l] = vdot.data() + k[l] * vdot.rows(), P[l] = tau_out.data() + k[l] * tau_out.rows();
    }
    kernels_.forward_dynamics(view(mechanism_), mechanism_.nq, mechanism_.nv,
                              base_acceleration(mechanism_), Q, V, F, A, P, scratch_.data());
  });
}

void BatchDynamics::calc_inverse_dynamics(const MatX& q, const MatX& v, const MatX& vdot,
                                          MatX& tau) {
  base::ensure(q.rows() == mechanism_.nq && v.rows() == mechanism_.nv && v.cols() == q.cols() &&
                   vdot.rows() == v.rows() && vdot.cols() == q.cols() && tau.rows() == v.rows() &&
                   tau.cols() == q.cols(),
               "a batch has one column per state in every matrix");
  for_each_pack(q.cols(), [&](const Eigen::Index* k) {
    const double *Q[widest_batch], *V[widest_batch], *A[widest_batch];
    double* F[widest_batch];
    for (int l = 0; l < kernels_.width; ++l) {
      Q[l] = q.data() + k[l] * q.rows(), V[l] = v.data() + k[l] * v.rows();
      A[l] = vdot.data() + k[l] * vdot.rows(), F[l] = tau.data() + k[l] * tau.rows();
    }
    kernels_.inverse_dynamics(view(mechanism_), mechanism_.nq, mechanism_.nv,
                              base_acceleration(mechanism_), Q, V, A, F, scratch_.data());
  });
}

}  // namespace couplet::dynamics
