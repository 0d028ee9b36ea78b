#include "couplet/base/memory.hpp"

#include <malloc.h>

namespace couplet::base {

void give_back_memory(std::size_t elements) {
  constexpr std::size_t few = 10000;  // a few megabytes
#ifdef __GLIBC__
  if (elements > few) malloc_trim(0);
#else
  static_cast<void>(elements > few);
#endif
}

}  // namespace couplet::base
