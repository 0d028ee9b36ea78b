#include "couplet/dynamics/minimal/batch.hpp"

#include <algorithm>

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
  // Numbers of links, where every state has its own.
  const size_t varied = links * (sizeof(model::Link) + 64) +
                        static_cast<size_t>(width) *
                            (links * sizeof(model::LinkNumbers<double>) +
                             mechanism.quaternion_frames.size() * sizeof(model::FrameNumbers));
  return (static_cast<size_t>(width) * bytes + varied) / sizeof(double);
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

/// All but the numbers.
bool has_same_links(const TreeView& tree, const std::vector<model::Link>& links) {
  if (links.size() != static_cast<size_t>(tree.n)) return false;
  return std::equal(links.begin(), links.end(), tree.links,
                    [](const model::Link& a, const model::Link& b) {
                      return a.kind == b.kind && a.prescribed == b.prescribed &&
                             a.parent == b.parent && a.iv == b.iv && a.iq == b.iq &&
                             a.frame == b.frame && a.heavy == b.heavy && a.branch == b.branch;
                    });
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

void BatchDynamics::check_forward(const MatX& q, const MatX& v, const MatX& tau, const MatX& vdot,
                                  const MatX& tau_out) const {
  const Eigen::Index count = q.cols();
  base::ensure(is_batch(q, problem_.nq, count) && is_batch(v, problem_.nv, count) &&
                   is_batch(tau, problem_.nv, count) && is_batch(vdot, problem_.nv, count) &&
                   is_batch(tau_out, problem_.nv, count),
               "a batch has one column per state in every matrix");
}

void BatchDynamics::check_inverse(const MatX& q, const MatX& v, const MatX& vdot,
                                  const MatX& tau) const {
  check_forward(q, v, vdot, tau, tau);
}

void BatchDynamics::check_variants(std::span<const Mechanism* const> variants,
                                   Eigen::Index count) const {
  base::ensure(static_cast<Eigen::Index>(variants.size()) == count,
               "a batch has one mechanism per state");
  for (const Mechanism* variant : variants)
    base::ensure(has_same_links(problem_.tree, variant->links),
                 "the mechanisms of a batch have the same bodies and joints");
}

void BatchDynamics::calc_forward_dynamics(const MatX& q, const MatX& v, const MatX& tau, MatX& vdot,
                                          MatX& tau_out) {
  check_forward(q, v, tau, vdot, tau_out);
  kernels_.forward_dynamics(problem_, static_cast<int>(q.cols()), q.data(), v.data(), tau.data(),
                            vdot.data(), tau_out.data(), scratch_.data());
}

void BatchDynamics::calc_inverse_dynamics(const MatX& q, const MatX& v, const MatX& vdot,
                                          MatX& tau) {
  check_inverse(q, v, vdot, tau);
  kernels_.inverse_dynamics(problem_, static_cast<int>(q.cols()), q.data(), v.data(), vdot.data(),
                            tau.data(), scratch_.data());
}

void BatchDynamics::calc_forward_dynamics(std::span<const Mechanism* const> variants, const MatX& q,
                                          const MatX& v, const MatX& tau, MatX& vdot,
                                          MatX& tau_out) {
  check_forward(q, v, tau, vdot, tau_out);
  check_variants(variants, q.cols());
  kernels_.varied_forward_dynamics(problem_, variants.data(), static_cast<int>(q.cols()), q.data(),
                                   v.data(), tau.data(), vdot.data(), tau_out.data(),
                                   scratch_.data());
}

void BatchDynamics::calc_inverse_dynamics(std::span<const Mechanism* const> variants, const MatX& q,
                                          const MatX& v, const MatX& vdot, MatX& tau) {
  check_inverse(q, v, vdot, tau);
  check_variants(variants, q.cols());
  kernels_.varied_inverse_dynamics(problem_, variants.data(), static_cast<int>(q.cols()), q.data(),
                                   v.data(), vdot.data(), tau.data(), scratch_.data());
}

}  // namespace couplet::dynamics
