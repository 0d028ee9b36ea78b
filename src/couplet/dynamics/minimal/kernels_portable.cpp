#include <cstdlib>
#include <cstring>

#include "couplet/dynamics/minimal/recursions/kernel_table.hpp"

namespace couplet::dynamics {

const Kernels& portable_kernels() {
  static constexpr Kernels table = make_kernels<2>("portable");
  return table;
}

const Kernels& kernels() {
  static const Kernels& best = []() -> const Kernels& {
    const char* wish = std::getenv("COUPLET_ISA");
    const bool portable = wish && std::strcmp(wish, "portable") == 0;
#if defined(__x86_64__)
    const bool able = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    const bool able = false;
#endif
    return !portable && able && avx2_kernels() ? *avx2_kernels() : portable_kernels();
  }();
  return best;
}

}  // namespace couplet::dynamics
