// Counts every allocation of a test program. Included by one file of it only: it replaces malloc,
// which Eigen calls itself, so that operator new would not see all.
#pragma once

#include <atomic>
#include <cstdlib>

namespace couplet::base {

inline std::atomic<long> allocations{0};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline bool allocations_are_counted() { return false; }  // sanitizers have a malloc of their own
#else
inline bool allocations_are_counted() {
  const long before = allocations;
  void* volatile p = std::malloc(8);  // not to be optimised away
  std::free(p);
  return allocations > before;
}
#endif

}  // namespace couplet::base

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++couplet::base::allocations;
  return __libc_malloc(size);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++couplet::base::allocations;
  return __libc_memalign(alignment, size);
}
#endif
