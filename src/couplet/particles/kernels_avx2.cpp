// Compiled with -mavx2 -mfma where the compiler has them (CMakeLists.txt).
#include "couplet/particles/kernels/kernel_table.hpp"

namespace couplet::particles {

#ifdef __AVX2__
const Kernels* avx2_kernels() {
  static constexpr Kernels table = make_kernels<4>("avx2");
  return &table;
}
#else
const Kernels* avx2_kernels() { return nullptr; }
#endif

}  // namespace couplet::particles
