// Where the Modelica Standard Library 4.1.0 (BSD-3, https://github.com/modelica) is on this
// machine.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace couplet::modelica {

/// The first directory on MODELICAPATH that holds Modelica/package.mo; empty when there is none.
inline std::filesystem::path find_msl() {
  const char* path = std::getenv("MODELICAPATH");
  std::string rest = path ? path : "";
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    const std::filesystem::path one = rest.substr(0, colon);
    if (std::filesystem::exists(one / "Modelica" / "package.mo")) return one;
    rest.erase(0, colon + 1);
  }
  return {};
}

/// Processor time, so that a busy machine does not make a test fail.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

#define SKIP_WITHOUT_MSL()                                \
  if (find_msl().empty())                                 \
  GTEST_SKIP() << "no Modelica library on MODELICAPATH: " \
                  "this test proves nothing here"

}  // namespace couplet::modelica
