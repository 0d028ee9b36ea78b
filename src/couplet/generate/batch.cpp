#include "couplet/generate/batch.hpp"

#include <algorithm>

#include "couplet/base/diagnostics.hpp"
#include "couplet/dynamics/minimal/kernels.hpp"

namespace couplet::generate {
namespace {

using math::MatX;
using symbolic::CFunction;

// Short, so that the packs take turns before the processor has read too far ahead; shorter ones hand
// more over through memory.
constexpr std::size_t statements_per_turn = 200;

bool is_batch(const MatX& x, int rows, Eigen::Index count) {
  return x.rows() == rows && x.cols() == count;
}

}  // namespace

GeneratedBatch::Function::Function(const Mechanism& mechanism, What what)
    : code(make_code(make_formulas(mechanism, {what, {}, false}).functions[0])) {
  for (CFunction* f : {&code.angle_function, &code.function}) f->lanes = lanes, f->packs = packs;
}

void GeneratedBatch::Function::find_in(const BackgroundCompiler& compiler) {
  calc_angles = reinterpret_cast<Angles*>(compiler.find(code.angle_function.name.c_str()));
  calc = reinterpret_cast<Calc*>(compiler.find(code.function.name.c_str()));
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
      angles_(packs * lanes * std::max(forward_.code.angles.size(), inverse_.code.angles.size())),
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
  const std::vector<CFunction> functions{forward_.code.angle_function, forward_.code.function,
                                         inverse_.code.angle_function, inverse_.code.function};
  std::string source = symbolic::write_c_prelude(functions);
  for (const CFunction& f : functions)
    source += symbolic::write_c_declaration(f) + symbolic::write_c_definition(f, statements_per_turn);
  compiler_ = std::make_unique<BackgroundCompiler>(std::move(source), machine_flags());
}

bool GeneratedBatch::is_ready() {
  if (may_switch_ && compiler_->status() != BackgroundCompiler::Status::compiling) {
    may_switch_ = false;
    forward_.find_in(*compiler_);
    inverse_.find_in(*compiler_);
  }
  return is_compiled();
}

void GeneratedBatch::calc_forward_dynamics(const MatX& q, const MatX& v, const MatX& tau,
                                           MatX& vdot) {
  if (is_ready()) return run(forward_, q, v, tau, vdot);
  tau_out_ = tau;
  template_.calc_forward_dynamics(q, v, tau, vdot, tau_out_);
}

void GeneratedBatch::calc_inverse_dynamics(const MatX& q, const MatX& v, const MatX& vdot,
                                           MatX& tau) {
  if (is_ready()) return run(inverse_, q, v, vdot, tau);
  template_.calc_inverse_dynamics(q, v, vdot, tau);
}

void GeneratedBatch::run(const Function& function, const MatX& q, const MatX& v, const MatX& x,
                         MatX& y) {
  base::ensure(is_batch(q, nq_, q.cols()) && is_batch(v, nv_, q.cols()) &&
                   is_batch(x, nv_, q.cols()) && is_batch(y, nv_, q.cols()),
               "a batch has one column per state in every matrix");
  const auto count = static_cast<int>(q.cols());
  const auto angles = static_cast<int>(function.code.angles.size());
  const dynamics::BatchKernels& batch = dynamics::batch_kernels();
  for (int first = 0; first < count; first += packs * lanes) {
    const int n = std::min(packs, (count - first + lanes - 1) / lanes);
    for (int p = 0; p < n; ++p) {
      batch.interleave(nq_, first + lanes * p, count, q.data(), q_.data() + lanes * nq_ * p);
      batch.interleave(nv_, first + lanes * p, count, v.data(), v_.data() + lanes * nv_ * p);
      batch.interleave(nv_, first + lanes * p, count, x.data(), x_.data() + lanes * nv_ * p);
    }
    function.calc_angles(n, q_.data(), angles_.data());
    dynamics::kernels().sincos(n * lanes * angles, angles_.data(), cosine_.data(), sine_.data());
    function.calc(n, q_.data(), v_.data(), x_.data(), cosine_.data(), sine_.data(), y_.data());
    for (int p = 0; p < n; ++p)
      batch.separate(nv_, first + lanes * p, count, y_.data() + lanes * nv_ * p, y.data());
  }
}

}  // namespace couplet::generate
