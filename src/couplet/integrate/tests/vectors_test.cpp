#include "couplet/integrate/rules/vectors.hpp"

#include <gtest/gtest.h>

#include <array>

namespace couplet::integrate {
namespace {

class VectorsTest : public testing::Test {
 protected:
  VectorsTest() { SUNContext_Create(nullptr, &context); }
  ~VectorsTest() override { SUNContext_Free(&context); }

  N_Vector random(int n) const {
    const N_Vector v = N_VNew_Serial(n, context);
    numbers(v) = VecX::Random(n);
    return v;
  }

  SUNContext context = nullptr;
};

// The same but for the order of additions: a few ε of terms below 3.
TEST_F(VectorsTest, HaveTheSumsAndNormsOfSundials) {
  constexpr double few = 4e-15;
  for (int n = 1; n < 40; ++n) {
    std::array<N_Vector, 2> x{};
    for (N_Vector& v : x) v = random(n);
    const N_Vector ours = random(n), theirs = random(n), mask = random(n);
    vectorise(ours);
    numbers(mask) = (numbers(mask).array() > 0).cast<double>();
    const auto expect_same = [&](const char* operation) {
      EXPECT_LE((numbers(ours) - numbers(theirs)).lpNorm<Eigen::Infinity>(), few)
          << operation << " of " << n;
    };

    ours->ops->nvlinearsum(2, x[0], -3, x[1], ours);
    N_VLinearSum_Serial(2, x[0], -3, x[1], theirs);
    expect_same("sum");
    ours->ops->nvscale(-0.7, ours, ours);
    N_VScale_Serial(-0.7, theirs, theirs);
    expect_same("scaling in place");
    EXPECT_NEAR(ours->ops->nvwrmsnorm(x[0], x[1]), N_VWrmsNorm_Serial(x[0], x[1]), few);
    EXPECT_NEAR(ours->ops->nvwrmsnormmask(x[0], x[1], mask),
                N_VWrmsNormMask_Serial(x[0], x[1], mask), few);

    for (const N_Vector v : x) N_VDestroy(v);
    for (const N_Vector v : {ours, theirs, mask}) N_VDestroy(v);
  }
}

}  // namespace
}  // namespace couplet::integrate
