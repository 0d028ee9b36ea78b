// The Lobatto IIIA-IIIB pair: partitioned Runge-Kutta methods of order 2 (Störmer-Verlet, for any
// forces) and 4, symmetric, and symplectic for separable Hamiltonians. Hairer, Lubich, Wanner,
// "Geometric Numerical Integration", tables II.2.2 and II.2.3.
//
//   Qᵢ = q + h Σ aᵢⱼ N(Qⱼ) Vⱼ  (IIIA),   Vᵢ = v + h Σ âᵢⱼ f(Qⱼ, Vⱼ)  (IIIB)
//
// The stages are solved by fixed-point iteration to round-off, as symmetry needs; x goes with v.
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {
namespace {

struct Pair {
  int stages;
  const double *c, *a, *a_hat, *b;
};

constexpr double c2[] = {0, 1}, a2[] = {0, 0, 0.5, 0.5}, a_hat2[] = {0.5, 0, 0.5, 0},
                 b2[] = {0.5, 0.5};
constexpr double c3[] = {0, 0.5, 1};
constexpr double a3[] = {0, 0, 0, 5.0 / 24, 1.0 / 3, -1.0 / 24, 1.0 / 6, 2.0 / 3, 1.0 / 6};
constexpr double a_hat3[] = {1.0 / 6, -1.0 / 6, 0, 1.0 / 6, 1.0 / 3, 0, 1.0 / 6, 5.0 / 6, 0};
constexpr double b3[] = {1.0 / 6, 2.0 / 3, 1.0 / 6};
constexpr Pair second_order{2, c2, a2, a_hat2, b2}, fourth_order{3, c3, a3, a_hat3, b3};

class Lobatto final : public Rule {
 public:
  Lobatto(Problem& problem, const Tolerance& tolerance, const Pair& pair)
      : Rule(problem, tolerance),
        pair_(pair),
        nq_(problem.layout().nq),
        rest_(problem.layout().size() - nq_),
        stages_(static_cast<size_t>(pair.stages), VecX::Zero(nominal_.size())),
        rates_(stages_),
        next_(VecX::Zero(nominal_.size())) {}

  Trial attempt(double h) override {
    begin_attempt();
    const size_t s = stages_.size();
    for (size_t i = 0; i < s; ++i) stages_[i] = from_.y + (h * pair_.c[i]) * from_.ydot;
    double before = std::numeric_limits<double>::infinity();
    bool converged = false;
    for (int iteration = 0; iteration < most_iterations && !converged; ++iteration) {
      if (!calc_rates(h, iteration == 0)) break;
      double change = 0;
      for (size_t i = 0; i < s; ++i) change = std::max(change, update(i, h));
      if (!std::isfinite(change)) break;
      converged = change <= round_off || (change < 1e-13 && change >= before);  // cannot get better
      before = change;
    }
    to_.y = from_.y;
    for (size_t i = 0; i < s; ++i) to_.y += (h * pair_.b[i]) * rates_[i];
    const bool finite = end_attempt(h);
    return {0, 0, finite && converged};
  }

 private:
  static constexpr int most_iterations = 100;
  static constexpr double round_off = 2e-16;

  // False: stages have run away to where the model cannot be evaluated. The iteration did that,
  // not the model, unless it is so where it begins.
  bool calc_rates(double h, bool first) {
    try {
      for (size_t i = 0; i < stages_.size(); ++i)
        evaluate(from_.t + pair_.c[i] * h, stages_[i], rates_[i]);
      return true;
    } catch (const base::ComputationError&) {
      if (first) throw;
      return false;
    }
  }

  // One stage from the rates of all; returns the relative change.
  double update(size_t i, double h) {
    const size_t s = stages_.size();
    next_ = from_.y;
    for (size_t j = 0; j < s; ++j) {
      next_.head(nq_) += (h * pair_.a[i * s + j]) * rates_[j].head(nq_);
      next_.tail(rest_) += (h * pair_.a_hat[i * s + j]) * rates_[j].tail(rest_);
    }
    const double scale = std::max(1.0, next_.lpNorm<Eigen::Infinity>());
    const double change = (next_ - stages_[i]).lpNorm<Eigen::Infinity>() / scale;
    std::swap(next_, stages_[i]);
    return change;
  }

  const Pair& pair_;
  int nq_, rest_;
  std::vector<VecX> stages_, rates_;
  VecX next_;
};

template <const Pair& pair>
std::unique_ptr<Rule> make_lobatto(Problem& problem, const Tolerance& tolerance) {
  return std::make_unique<Lobatto>(problem, tolerance, pair);
}

}  // namespace

template <>
const RuleEntry& rule_entry<struct Lobatto2Rule>() {
  static constexpr RuleEntry entry{
      .name = "lobatto2",
      .doc = "Lobatto IIIA-IIIB, two stages, implicit, symmetric",
      .order = 2,
      .error_order = 0,
      .control = StepControl::fixed,
      .share = 0,
      .asks = Asks::both,
      .make = make_lobatto<second_order>,
  };
  return entry;
}

template <>
const RuleEntry& rule_entry<struct Lobatto4Rule>() {
  static constexpr RuleEntry entry{
      .name = "lobatto4",
      .doc = "Lobatto IIIA-IIIB, three stages, implicit, symmetric",
      .order = 4,
      .error_order = 0,
      .control = StepControl::fixed,
      .share = 0,
      .asks = Asks::both,
      .make = make_lobatto<fourth_order>,
  };
  return entry;
}

}  // namespace couplet::integrate
