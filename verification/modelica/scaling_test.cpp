// No pass grows worse than n log n: a chain of masses and springs, doubled from 1000 to 16000.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "couplet/modelica/translate.hpp"

namespace couplet::modelica {
namespace {

std::map<std::string, double> seconds_for(int n) {
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_file(COUPLET_SOURCE_DIR "/models/modelica/Chain.mo");
  library.add_text("chain.mo", "model M extends Chain.Main(n = " + std::to_string(n) + "); end M;");
  std::vector<PassTime> times;
  const CheckResult result = check(library, "M", {.times = &times});
  EXPECT_TRUE(result.balanced()) << result.str();
  EXPECT_EQ(result.unknowns, 10L * n + 2);
  std::map<std::string, double> by_pass;
  for (const PassTime& t : times) by_pass[t.name] = t.seconds;
  return by_pass;
}

TEST(Scaling, NoPassGrowsWorseThanNLogN) {
  seconds_for(1000);  // warm up
  const auto first = seconds_for(1000);
  std::map<std::string, double> last;
  for (const int n : {2000, 4000, 8000, 16000}) last = seconds_for(n);
  for (const auto& [name, seconds] : last) {
    // A tenth of a millisecond is what a busy machine adds to nothing.
    const double ratio = seconds / std::max(first.at(name), 1e-4);
    std::printf("%s: %.3f s, %.0f times that of 1000\n", name.c_str(), seconds, ratio);
    EXPECT_LT(ratio, 80) << name;  // n log n would be 16 * 1.4, a quadratic pass 256
  }
}

}  // namespace
}  // namespace couplet::modelica
