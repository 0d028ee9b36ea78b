#include "couplet/generate/batch.hpp"

#include "couplet/base/diagnostics.hpp"
#include "couplet/dynamics/minimal/kernels.hpp"

namespace couplet::generate {

using math::MatX;

GeneratedBatch::GeneratedBatch(const Mechanism& mechanism)
    : code_(make_forward_code(mechanism, false)),
      template_(mechanism),
      q_(lanes * mechanism.nq),
      v_(lanes * mechanism.nv),
      tau_(v_.size()),
      vdot_(v_.size()),
      angles_(lanes * code_.angles.size()),
      cosine_(angles_.size()),
      sine_(angles_.size()) {
  if (mechanism.has_prescribed())
    throw base::UserError({}, "generated batches are not for prescribed joints",
                          "use the batched recursion");
  if (dynamics::batch_kernels().width != lanes) {  // slower than the recursion without wide vectors
    may_switch_ = false;
    return;
  }
  // The angles, too, in lanes: what is written number by number cannot be read as a pack at once.
  std::vector<symbolic::CFunction> functions{code_.angle_function, code_.function};
  for (symbolic::CFunction& f : functions) f.lanes = lanes;
  std::string source = symbolic::write_c_prelude(functions);
  for (const symbolic::CFunction& f : functions)
    source += symbolic::write_c_declaration(f) + symbolic::write_c_definition(f);
  compiler_ = std::make_unique<BackgroundCompiler>(std::move(source), machine_flags());
}

void GeneratedBatch::update() {
  if (!may_switch_ || compiler_->status() == BackgroundCompiler::Status::compiling) return;
  may_switch_ = false;
  compiled_ = reinterpret_cast<Compiled*>(compiler_->find("couplet_forward"));
  calc_angles_ = reinterpret_cast<Angles*>(compiler_->find("couplet_angles"));
}

void GeneratedBatch::calc_forward_dynamics(const MatX& q, const MatX& v, const MatX& tau,
                                           MatX& vdot) {
  update();
  if (!compiled_) {
    tau_out_ = tau;
    return template_.calc_forward_dynamics(q, v, tau, vdot, tau_out_);
  }
  base::ensure(q.cols() == v.cols() && v.cols() == tau.cols() && tau.cols() == vdot.cols() &&
                   lanes * q.rows() == static_cast<Eigen::Index>(q_.size()) &&
                   v.rows() == tau.rows() && v.rows() == vdot.rows() &&
                   lanes * v.rows() == static_cast<Eigen::Index>(v_.size()),
               "a batch has one column per state in every matrix");
  const auto nq = static_cast<int>(q.rows()), nv = static_cast<int>(v.rows());
  const auto count = static_cast<int>(q.cols());
  const dynamics::BatchKernels& batch = dynamics::batch_kernels();
  for (int first = 0; first < count; first += lanes) {
    batch.interleave(nq, first, count, q.data(), q_.data());
    batch.interleave(nv, first, count, v.data(), v_.data());
    batch.interleave(nv, first, count, tau.data(), tau_.data());
    calc_angles_(q_.data(), angles_.data());
    dynamics::kernels().sincos(static_cast<int>(angles_.size()), angles_.data(), cosine_.data(),
                               sine_.data());
    compiled_(q_.data(), v_.data(), tau_.data(), nullptr, nullptr, cosine_.data(), sine_.data(),
              vdot_.data(), nullptr);
    batch.separate(nv, first, count, vdot_.data(), vdot.data());
  }
}

}  // namespace couplet::generate
