// Assembly knows nothing of joints: here it closes a four-bar in natural coordinates, the places of
// its two moving pins.
#include "couplet/constraints/assembly.hpp"

#include <gtest/gtest.h>

namespace couplet::constraints {
namespace {

using Vec2 = Eigen::Vector2d;

constexpr double crank = 1, coupler = 3, rocker = 2.5, ground = 3.2;  // m

/// q = (x, y) of the pin of the crank, then of the pin of the rocker; v = q̇.
class FourBar : public Equations {
 public:
  FourBar() {
    for (const char* name : {"crank", "coupler", "rocker"}) {
      rows_.push_back({.element = name, .direction = "length"});
      for (int i = 0; i < 4; ++i) G_.column.push_back(i);
      G_.begin.push_back(static_cast<int>(G_.column.size()));
    }
    G_.value.resize(G_.column.size());
  }

  int speeds() const override { return 4; }
  int rows() const override { return 3; }
  int positions() const override { return 3; }
  const RowInfo& row(int k) const override { return rows_[static_cast<size_t>(k)]; }
  const std::string& owner(int) const override { return name_; }
  bool is_prescribed(int) const override { return false; }
  void move(const VecX& step, VecX& q) const override { q += step; }
  void evaluate(const State& state) override {
    const Vec2 a = state.q.head<2>(), b = state.q.tail<2>();
    const Vec2 bars[] = {a, b - a, b - Vec2(ground, 0)};
    const double lengths[] = {crank, coupler, rocker};
    const double share[][2] = {{1, 0}, {-1, 1}, {0, 1}};  // of each pin in each bar
    for (int k = 0; k < 3; ++k) {
      g_[k] = bars[k].norm() - lengths[k];
      for (int i = 0; i < 4; ++i)
        G_.value[static_cast<size_t>(4 * k + i)] = share[k][i / 2] * bars[k].normalized()[i % 2];
    }
  }
  const VecX& errors() const override { return g_; }
  const SparseRows& G() const override { return G_; }
  const VecX& known() const override { return known_; }

 private:
  std::vector<RowInfo> rows_;
  std::string name_ = "pins";
  SparseRows G_;
  VecX g_ = VecX::Zero(3), known_ = VecX::Zero(3);
};

/// Where the pins are at an angle of the crank, with the rocker above: two circles meet.
VecX closed_form(double angle) {
  const Vec2 a = crank * Vec2(std::cos(angle), std::sin(angle)), to = Vec2(ground, 0) - a;
  const double d = to.norm(), along = (d * d + coupler * coupler - rocker * rocker) / (2 * d);
  const double across = std::sqrt(coupler * coupler - along * along);
  const Vec2 b = a + along * to / d + across * Vec2(-to.y(), to.x()) / d;
  return VecX{{a.x(), a.y(), b.x(), b.y()}};
}

TEST(Assembly, ClosesNaturalCoordinatesAroundWhatWasGiven) {
  for (const double angle : {0.4, 1.3, 2.2}) {
    const VecX q = closed_form(angle);
    State state{0, q + VecX{{0, 0.1, -0.15, 0.12}}, VecX{{-0.7, 0.2, 0.1, 0}}};
    FourBar bars;
    AssemblyOptions options;
    options.given = Given{{1, 0, 0, 0}, {1, 0, 0, 0}};
    const AssemblyReport report = assemble(bars, state, options);
    EXPECT_TRUE(report.closed());
    EXPECT_LT((state.q - q).norm(), 1e-11) << angle;
    EXPECT_EQ(state.q[0], q[0]);
    EXPECT_EQ(state.v[0], -0.7);
    const double rate = -0.7 / (-crank * std::sin(angle)), h = 1e-6;
    const VecX v = rate * (closed_form(angle + h) - closed_form(angle - h)) / (2 * h);
    EXPECT_LT((state.v - v).norm(), 1e-9) << angle;  // of the differences
  }
}

TEST(Assembly, NamesTheBarThatStaysOpen) {
  FourBar bars;
  State state{0, VecX{{1, 0, 2, 2}}, VecX::Zero(4)};
  AssemblyOptions options;
  options.locked = {1, 1, 1, 1};
  const AssemblyReport report = assemble(bars, state, options);
  ASSERT_FALSE(report.closed());
  EXPECT_EQ(report.open[0].element, "coupler");  // √5 - 3; the rocker: 2.33 - 2.5
  EXPECT_NEAR(report.open[0].error, std::sqrt(5) - coupler, 1e-15);
}

}  // namespace
}  // namespace couplet::constraints
