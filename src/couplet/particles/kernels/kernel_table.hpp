// All kernels for one width of registers. Internal linkage: this is compiled once for each
// instruction set.
#pragma once

#include "couplet/particles/kernels/expansions.hpp"
#include "couplet/particles/kernels/pairs.hpp"
#include "couplet/particles/kernels/translate.hpp"

namespace couplet::particles {
namespace {

template <int W>
constexpr Kernels make_kernels(const char* name) {
  return {
      name,        2 * W, sum<W>, to_multipole<W>, to_local<W>, from_local<W>, from_multipole<W>,
      translate<W>};
}

}  // namespace
}  // namespace couplet::particles
