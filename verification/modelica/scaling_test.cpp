// No pass grows worse than n log n: a chain of masses and springs, doubled from 1000 to 16000.
#include <gtest/gtest.h>

#include <chrono>

#include "couplet/modelica/translate.hpp"

namespace couplet::modelica {
namespace {

const char* const chain = R"(
package Chain
  connector Flange Real s; flow Real f; end Flange;
  model Mass
    Flange a; Flange b; parameter Real m = 1; Real s(start = 0); Real v;
  equation
    a.s = s; b.s = s; v = der(s); m*der(v) = a.f + b.f;
  end Mass;
  model Spring
    Flange a; Flange b; parameter Real c = 1;
  equation
    a.f = -c*(b.s - a.s); a.f + b.f = 0;
  end Spring;
  model Fixed Flange a; equation a.s = 0; end Fixed;
  partial model Base
    parameter Integer n = 2;
    Mass m[n](m = {1.0 + i for i in 1:n}); Spring s[n]; Fixed f;
  equation
    connect(f.a, s[1].a);
    for i in 1:n loop connect(s[i].b, m[i].a); end for;
    for i in 1:n - 1 loop connect(m[i].b, s[i + 1].a); end for;
  end Base;
)";

double seconds_for(int n, long& unknowns) {
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_text("chain.mo", chain + ("model M extends Base(n = " + std::to_string(n) +
                                        "); end M;\nend Chain;"));
  const auto start = std::chrono::steady_clock::now();
  const CheckResult result = check(library, "Chain.M");
  EXPECT_TRUE(result.balanced()) << result.str();
  unknowns = result.unknowns;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(Scaling, ChainsOfMassesTakeTimeInProportion) {
  long unknowns = 0;
  seconds_for(1000, unknowns);  // warm up
  const double first = seconds_for(1000, unknowns);
  EXPECT_EQ(unknowns, 10002);
  double last = 0;
  for (const int n : {2000, 4000, 8000, 16000}) {
    last = seconds_for(n, unknowns);
    EXPECT_EQ(unknowns, 10L * n + 2);
    std::printf("%d masses: %.2f s\n", n, last);
  }
  // n log n would be 16 * 1.4; a quadratic pass would be 256.
  EXPECT_LT(last, 60 * first);
}

}  // namespace
}  // namespace couplet::modelica
