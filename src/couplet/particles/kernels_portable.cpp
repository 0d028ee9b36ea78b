#include "couplet/dynamics/minimal/kernels.hpp"
#include "couplet/particles/kernels/kernel_table.hpp"

namespace couplet::particles {

const Kernels& portable_kernels() {
  static constexpr Kernels table = make_kernels<2>("portable");
  return table;
}

const Kernels& kernels() {
  const bool portable = &dynamics::kernels() == &dynamics::portable_kernels();
  return portable || !avx2_kernels() ? portable_kernels() : *avx2_kernels();
}

}  // namespace couplet::particles
