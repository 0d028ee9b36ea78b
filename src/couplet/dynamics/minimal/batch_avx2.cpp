// Compiled with -mavx2 -mfma where the compiler has them (CMakeLists.txt).
#include "couplet/dynamics/minimal/recursions/batch_table.hpp"

namespace couplet::dynamics {

#ifdef __AVX2__
const BatchKernels* avx2_batch_kernels() {
  static constexpr BatchKernels table = make_batch_kernels<4>();
  return &table;
}
#else
const BatchKernels* avx2_batch_kernels() { return nullptr; }
#endif

}  // namespace couplet::dynamics
