// Half-explicit Euler for the index-2 form, Arnold 1998, eq. 4; positions are projected afterwards.
//   q₁ = q₀ + h N v₀,   M v̇ + Gᵀλ = f at t₀,   v₁ = v₀ + h v̇,   G(q₁) v₁ + g_t(t₁, q₁) = 0
#include "couplet/integrate/rule.hpp"
#include "couplet/integrate/rules/half_explicit.hpp"

namespace couplet::integrate {
namespace {

class HalfExplicitEuler final : public Rule {
 public:
  HalfExplicitEuler(Problem& problem, const Tolerance& tolerance)
      : Rule(problem, tolerance), stage_(problem), k_(VecX::Zero(nominal_.size())) {}

  Trial attempt(double h) override {
    begin_attempt(Needs::point);
    to_.y = from_.y;
    stage_.calc(from_.t, from_.y, from_.t + h, to_.y, h, k_);
    ++counts_.evaluations;
    to_.y = from_.y + h * k_;
    return {0, 0, end_attempt(h)};
  }

 private:
  HalfExplicitStage stage_;
  VecX k_;
};

}  // namespace

template <>
const RuleEntry& rule_entry<struct HalfExplicitEulerRule>() {
  static constexpr RuleEntry entry{
      .name = "half-explicit-euler",
      .doc = "half-explicit Euler, index 2 (Arnold 1998)",
      .order = 1,
      .error_order = 0,
      .control = StepControl::fixed,
      .share = 0,
      .asks = Asks::stages,
      .make = make_as<HalfExplicitEuler>,
  };
  return entry;
}

}  // namespace couplet::integrate
