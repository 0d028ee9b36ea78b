#include "couplet/generate/batch.hpp"

#include <algorithm>

#include "couplet/base/diagnostics.hpp"

namespace couplet::generate {
namespace {

using math::MatX;
using symbolic::CFunction;

// Short, so that the packs take turns before the processor has read too far ahead; shorter ones
// hand more over through memory.
constexpr std::size_t statements_per_turn = 200;

bool is_batch(const MatX& x, int rows, Eigen::Index count) {
  return x.rows() == rows && x.cols() == count;
}

}  // namespace

GeneratedBatch::Function::Function(const Mechanism& mechanism, What what) {
  if (mechanism.has_prescribed())
    throw base::UserError({}, "generated batches are not for prescribed joints",
                          "use the batched recursion");
  if (dynamics::batch_kernels().width != lanes) return;  // slower than the recursion
  Code code = make_code(make_formulas(mechanism, {what, {}, false}).functions[0]);
  angles = code.angles;
  CFunction& f = code.function;
  f.lanes = lanes, f.packs = packs;
  compiler = std::make_unique<BackgroundCompiler>(
      symbolic::write_c_prelude({&f, 1}) + symbolic::write_c_declaration(f) +
          symbolic::write_c_definition(f, statements_per_turn),
      machine_flags());
  may_switch = true;
}

void GeneratedBatch::Function::update() {
  if (!may_switch || compiler->status() == BackgroundCompiler::Status::compiling) return;
  may_switch = false;
  calc = reinterpret_cast<Calc*>(compiler->find("couplet_function"));
}

GeneratedBatch::GeneratedBatch(const Mechanism& mechanism)
    : nq_(mechanism.nq),
      nv_(mechanism.nv),
      forward_(mechanism, What::forward),
      inverse_(mechanism, What::inverse),
      template_(mechanism),
      q_(packs * lanes * mechanism.nq),
      v_(packs * lanes * mechanism.nv),
      x_(v_.size()),
      y_(v_.size()),
      cosine_(packs * lanes *
              std::max(forward_.angles.offset.size(), inverse_.angles.offset.size())),
      sine_(cosine_.size()) {}

void GeneratedBatch::wait() const {
  for (const Function* f : {&forward_, &inverse_})
    if (f->compiler) f->compiler->wait();
}

void GeneratedBatch::calc_forward_dynamics(const MatX& q, const MatX& v, const MatX& tau,
                                           MatX& vdot) {
  update();
  if (forward_.calc) return run(forward_, q, v, tau, vdot);
  tau_out_ = tau;
  template_.calc_forward_dynamics(q, v, tau, vdot, tau_out_);
}

void GeneratedBatch::calc_inverse_dynamics(const MatX& q, const MatX& v, const MatX& vdot,
                                           MatX& tau) {
  update();
  if (inverse_.calc) return run(inverse_, q, v, vdot, tau);
  template_.calc_inverse_dynamics(q, v, vdot, tau);
}

void GeneratedBatch::run(const Function& function, const MatX& q, const MatX& v, const MatX& x,
                         MatX& y) {
  base::ensure(is_batch(q, nq_, q.cols()) && is_batch(v, nv_, q.cols()) &&
                   is_batch(x, nv_, q.cols()) && is_batch(y, nv_, q.cols()),
               "a batch has one column per state in every matrix");
  const auto count = static_cast<int>(q.cols());
  const dynamics::BatchKernels& batch = dynamics::batch_kernels();
  for (int first = 0; first < count; first += packs * lanes) {
    const int n = std::min(packs, (count - first + lanes - 1) / lanes);
    batch.interleave(nq_, n, first, count, q.data(), q_.data());
    batch.interleave(nv_, n, first, count, v.data(), v_.data());
    batch.interleave(nv_, n, first, count, x.data(), x_.data());
    batch.sincos(function.angles, nq_, n, q_.data(), cosine_.data(), sine_.data());
    function.calc(n, q_.data(), v_.data(), x_.data(), cosine_.data(), sine_.data(), y_.data());
    batch.separate(nv_, n, first, count, y_.data(), y.data());
  }
}

}  // namespace couplet::generate
