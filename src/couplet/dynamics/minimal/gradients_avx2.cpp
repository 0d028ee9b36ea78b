// Compiled with -mavx2 -mfma where the compiler has them (CMakeLists.txt).
#include "couplet/dynamics/minimal/recursions/gradient_table.hpp"

namespace couplet::dynamics {

#ifdef __AVX2__
const DualKernels* avx2_dual_kernels() {
  static constexpr DualKernels table = make_dual_kernels<4>();
  return &table;
}
#else
const DualKernels* avx2_dual_kernels() { return nullptr; }
#endif

}  // namespace couplet::dynamics
