// Forward dynamics of many states by generated code, several at once in the lanes of vectors.
#pragma once

#include "couplet/dynamics/minimal/batch.hpp"
#include "couplet/generate/program.hpp"

namespace couplet::generate {

class GeneratedBatch {
 public:
  explicit GeneratedBatch(const Mechanism& mechanism);

  /// A column is a state, as in dynamics::BatchDynamics, which does the work until the compiler is
  /// done. Not for prescribed joints. Allocates nothing.
  void calc_forward_dynamics(const math::MatX& q, const math::MatX& v, const math::MatX& tau,
                             math::MatX& vdot);

  /// Waits for the compiler, if there is something to wait for.
  void wait() const {
    if (compiler_) compiler_->wait();
  }
  bool is_compiled() const { return compiled_ != nullptr; }

 private:
  static constexpr int lanes = 4;
  using Compiled = void(const double* q, const double* v, const double* tau,
                        const double* prescribed, const double* body_forces, const double* cosine,
                        const double* sine, double* vdot, double* tau_out);
  using Angles = void(const double* q, double* angles);
  using Numbers = dynamics::AlignedVector<double>;

  void update();

  ForwardCode code_;
  dynamics::BatchDynamics template_;
  Numbers q_, v_, tau_, vdot_, angles_, cosine_, sine_;  // number i of state l at [4 i + l]
  math::MatX tau_out_;
  bool may_switch_ = true;
  Compiled* compiled_ = nullptr;
  Angles* calc_angles_ = nullptr;
  std::unique_ptr<BackgroundCompiler> compiler_;
};

}  // namespace couplet::generate
