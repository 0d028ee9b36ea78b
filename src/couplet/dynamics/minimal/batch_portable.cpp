#include "couplet/dynamics/minimal/recursions/batch_table.hpp"

namespace couplet::dynamics {

const BatchKernels& portable_batch_kernels() {
  static constexpr BatchKernels table = make_batch_kernels<2>();
  return table;
}

}  // namespace couplet::dynamics
