#include "couplet/dynamics/minimal/batch.hpp"

#include "couplet/base/diagnostics.hpp"
#include "couplet/dynamics/minimal/kernels.hpp"
#include "couplet/dynamics/minimal/only_trees.hpp"

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

BatchProblem make_problem(const Mechanism& mechanism) {
  const Vec3& g = mechanism.uniform_gravity;
  return {view(mechanism),
          mechanism.nq,
          mechanism.nv,
          static_cast<int>(mechanism.heavy_links),
          static_cast<int>(mechanism.branch_links),
          static_cast<int>(mechanism.quaternion_frames.size()),
          {-g.x(), -g.y(), -g.z()}};
}

bool is_batch(const MatX& x, int rows, Eigen::Index count) {
  return x.rows() == rows && x.cols() == count;
}

}  // namespace

const BatchKernels& batch_kernels() {
  return &kernels() == &portable_kernels() || !avx2_batch_kernels() ? portable_batch_kernels()
                                                                    : *avx2_batch_kernels();
}

BatchDynamics::BatchDynamics(const Mechanism& mechanism, const BatchKernels& kernels)
    : problem_(make_problem(mechanism)),
      kernels_(kernels),
      scratch_(scratch_size(mechanism, kernels.width)) {
  check_is_tree(mechanism, "batches of states");
}

void BatchDynamics::calc_forward_dynamics(const MatX& q, const MatX& v, const MatX& tau, MatX& vdot,
                                          MatX& tau_out) {
  const Eigen::Index count = q.cols();
  base::ensure(is_batch(q, problem_.nq, count) && is_batch(v, problem_.nv, count) &&
                   is_batch(tau, problem_.nv, count) && is_batch(vdot, problem_.nv, count) &&
                   is_batch(tau_out, problem_.nv, count),
               "a batch has one column per state in every matrix");
  kernels_.forward_dynamics(problem_, static_cast<int>(count), q.data(), v.data(), tau.data(),
                            vdot.data(), tau_out.data(), scratch_.data());
}

void BatchDynamics::calc_inverse_dynamics(const MatX& q, const MatX& v, const MatX& vdot,
                                          MatX& tau) {
  const Eigen::Index count = q.cols();
  base::ensure(is_batch(q, problem_.nq, count) && is_batch(v, problem_.nv, count) &&
                   is_batch(vdot, problem_.nv, count) && is_batch(tau, problem_.nv, count),
               "a batch has one column per state in every matrix");
  kernels_.inverse_dynamics(problem_, static_cast<int>(count), q.data(), v.data(), vdot.data(),
                            tau.data(), scratch_.data());
}

}  // namespace couplet::dynamics
