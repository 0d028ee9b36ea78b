#include "couplet/dynamics/minimal/recursions/gradient_table.hpp"

namespace couplet::dynamics {

const DualKernels& portable_dual_kernels() {
  static constexpr DualKernels table = make_dual_kernels<2>();
  return table;
}

}  // namespace couplet::dynamics
