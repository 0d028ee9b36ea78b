// The same targets for libFuzzer, which looks for inputs that reach new code. One program a target.
#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  static const couplet::fuzz::Target* const target =
      couplet::fuzz::find_target(COUPLET_FUZZ_TARGET);
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
