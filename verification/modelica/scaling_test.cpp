// A chain of masses and springs, doubled from 1000 to 16000: sizes come out exactly. How the time
// of each pass grows is measured by bench_modelica, since a busy machine would make a test of it
// fail.
#include <gtest/gtest.h>

#include "couplet/modelica/translate.hpp"

namespace couplet::modelica {
namespace {

TEST(Scaling, LongChainsBalance) {
  for (const int n : {1000, 2000, 4000, 8000, 16000}) {
    base::Diagnostics diagnostics;
    Library library(diagnostics);
    library.add_file(COUPLET_SOURCE_DIR "/models/modelica/Chain.mo");
    library.add_text("chain.mo",
                     "model M extends Chain.Main(n = " + std::to_string(n) + "); end M;");
    const CheckResult result = check(library, "M");
    EXPECT_TRUE(result.balanced()) << result.str();
    EXPECT_EQ(result.unknowns, 10L * n + 2);
  }
}

// 0.4 s when it is linear, a minute when every declaration looks through all of them.
TEST(Scaling, ManyDeclarationsInOneClass) {
  constexpr int n = 100'000;
  std::string text = "model M\n", equations = "equation\n";
  for (int i = 0; i < n; ++i) {
    text += "  Real x" + std::to_string(i) + ";\n";
    equations += "  x" + std::to_string(i) + " = " + std::to_string(i) + ";\n";
  }
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_text("many.mo", text + equations + "end M;\n");
  const CheckResult result = check(library, "M");
  EXPECT_TRUE(result.balanced()) << result.str();
  EXPECT_EQ(result.unknowns, n);
}

}  // namespace
}  // namespace couplet::modelica
