// Forward and inverse dynamics of many states by generated code, several at once in the lanes of
// vectors.
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
  void calc_inverse_dynamics(const math::MatX& q, const math::MatX& v, const math::MatX& vdot,
                             math::MatX& tau);

  /// Waits for the compiler, if there is something to wait for.
  void wait() const;
  bool is_compiled() const { return forward_.calc && inverse_.calc; }

 private:
  static constexpr int lanes = 4;
  static constexpr int packs = 8;  // in turns: one works while another waits for a result

  /// y of q, v and x: accelerations of forces, or forces of accelerations.
  struct Function {
    using Calc = void(int packs, const double* q, const double* v, const double* x,
                      const double* cosine, const double* sine, double* y);
    dynamics::AngleSums angles;
    Calc* calc = nullptr;
    bool may_switch = false;
    std::unique_ptr<BackgroundCompiler> compiler;

    Function(const Mechanism& mechanism, What what);
    void update();
  };

  void update() { forward_.update(), inverse_.update(); }

  void run(const Function& function, const math::MatX& q, const math::MatX& v, const math::MatX& x,
           math::MatX& y);

  int nq_, nv_;
  Function forward_, inverse_;
  dynamics::BatchDynamics template_;
  // Number i of lane l of pack p at [lanes (p n + i) + l], if there are n of them.
  dynamics::AlignedVector<double> q_, v_, x_, y_, cosine_, sine_;
  math::MatX tau_out_;
};

}  // namespace couplet::generate
