// Forward dynamics of a mechanism as straight-line code: on a tape at once, compiled when ready,
// with the same results bit by bit.
//
// Sines and cosines are taken out of the code: their angles are affine in q, and the kernel that
// does many at once (recursions/sincos.hpp) is ten times faster than the C library.
#pragma once

#include <memory>

#include "couplet/dynamics/minimal/batch.hpp"
#include "couplet/generate/background_compiler.hpp"
#include "couplet/generate/formulas.hpp"
#include "couplet/math/spatial.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::generate {

/// Code without trigonometry: its C, and the angles that it wants the sines and cosines of.
struct Code {
  dynamics::AngleSums angles;
  symbolic::CFunction function;  // couplet_function: cosine and sine after its other inputs
  std::string form;
  symbolic::OpCounts counts;  // with the trigonometry
};
/// Of a function whose first input is q.
Code make_code(const Formulas::Function& function);
/// q, v, tau, prescribed, body_forces, cosine, sine → vdot, tau_out, whether they are used or not.
Code make_forward_code(const Mechanism& mechanism, bool body_forces);

/// Flags that let the compiler use what this machine has, as the kernels do.
std::vector<std::string> machine_flags();

class ForwardProgram {
 public:
  ForwardProgram(const Mechanism& mechanism, bool body_forces)
      : ForwardProgram(mechanism, make_forward_code(mechanism, body_forces)) {}
  /// With code that was made for this mechanism.
  ForwardProgram(const Mechanism& mechanism, Code code);

  /// vdot holds the accelerations of prescribed joints; tau is replaced by their forces. Allocates
  /// nothing. `body_forces` as it was asked for; null means zero.
  void run(const double* q, const double* v, double* tau, const double* body_forces, double* vdot);

  bool is_compiled() const { return compiled_ != nullptr; }
  /// Looks whether the compiler is done; run() does that by itself.
  void update();
  const BackgroundCompiler& compiler() const { return *compiler_; }
  const std::string& form() const { return code_.form; }
  /// The tape from now on, for comparisons.
  void stay_on_tape() { may_switch_ = false, compiled_ = nullptr; }

 private:
  using Compiled = void(const double* q, const double* v, const double* tau,
                        const double* prescribed, const double* body_forces, const double* cosine,
                        const double* sine, double* vdot, double* tau_out);
  void run_tape(const double* q, const double* v, const double* tau, const double* body_forces);

  Code code_;
  int nv_;
  bool has_prescribed_;
  symbolic::Tape tape_;
  math::VecX angles_, cosine_, sine_, prescribed_, no_forces_, tau_out_;
  math::VecX inputs_, outputs_, registers_;
  bool may_switch_ = true;
  Compiled* compiled_ = nullptr;
  std::unique_ptr<BackgroundCompiler> compiler_;
};

}  // namespace couplet::generate
