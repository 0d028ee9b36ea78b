#include "couplet/generate/batch.hpp"

#include <algorithm>

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
  symbolic::CFunction& f = code_.function;
  f.lanes = lanes;
  compiler_ = std::make_unique<BackgroundCompiler>(
      symbolic::write_c_prelude(std::span(&f, 1)) + symbolic::write_c_declaration(f) +
          symbolic::write_c_definition(f),
      machine_flags());
}

void GeneratedBatch::update() {
  if (!may_switch_ || compiler_->status() == BackgroundCompiler::Status::compiling) return;
  may_switch_ = false;
  compiled_ = reinterpret_cast<Compiled*>(compiler_->find("couplet_forward"));
}

namespace {

/// State l of four, the last of the columns where there are fewer.
inline const double* column(const MatX& x, Eigen::Index first, int l) {
  return x.data() + std::min(first + l, x.cols() - 1) * x.rows();
}
inline void gather(const MatX& x, Eigen::Index first, double* to) {
  const double *a = column(x, first, 0), *b = column(x, first, 1), *c = column(x, first, 2),
               *d = column(x, first, 3);
  for (Eigen::Index i = 0; i < x.rows(); ++i, to += 4)
    to[0] = a[i], to[1] = b[i], to[2] = c[i], to[3] = d[i];
}

}  // namespace

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
  for (Eigen::Index first = 0; first < q.cols(); first += lanes) {
    gather(q, first, q_.data()), gather(v, first, v_.data()), gather(tau, first, tau_.data());
    double* angle = angles_.data();
    for (const ForwardCode::Angle& each : code_.angles) {
      for (int l = 0; l < lanes; ++l) angle[l] = each.offset;
      for (const auto& [k, factor] : each.terms)
        for (int l = 0; l < lanes; ++l) angle[l] += factor * q_[lanes * k + l];
      angle += lanes;
    }
    dynamics::kernels().sincos(static_cast<int>(angles_.size()), angles_.data(), cosine_.data(),
                               sine_.data());
    compiled_(q_.data(), v_.data(), tau_.data(), nullptr, nullptr, cosine_.data(), sine_.data(),
              vdot_.data(), nullptr);
    const Eigen::Index count = std::min<Eigen::Index>(lanes, q.cols() - first);
    for (Eigen::Index l = 0; l < count; ++l)
      for (Eigen::Index i = 0; i < vdot.rows(); ++i)
        vdot(i, first + l) = vdot_[static_cast<std::size_t>(lanes * i + l)];
  }
}

}  // namespace couplet::generate
