// Verlet's methods, second order, one evaluation of accelerations per step; symplectic where a(q)
// does not depend on v. L. Verlet, Phys. Rev. 159 (1967); W. C. Swope et al., J. Chem. Phys. 76
// (1982).
//
// Where accelerations depend on v (joint coordinates, damping), v is predicted to O(h²) where it is
// needed, which keeps the order. First-order states x are advanced with v.
#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {
namespace {

// q after h at constant speeds: q̇ = N(q) v, solved by RK4, exact where N is constant.
class Drift {
 public:
  Drift(Problem& problem, int size)
      : problem_(problem),
        nq_(problem.layout().nq),
        k_(VecX::Zero(size)),
        stage_(VecX::Zero(size)),
        sum_(VecX::Zero(nq_)) {}

  void advance(double t, double h, VecX& y) {
    sum_ = y.head(nq_);
    stage_ = y;
    const double weights[] = {h / 6, h / 3, h / 3, h / 6}, next[] = {h / 2, h / 2, h};
    for (int i = 0; i < 4; ++i) {
      problem_.calc_qdot(t, stage_, k_);
      sum_ += weights[i] * k_.head(nq_);
      if (i < 3) stage_.head(nq_) = y.head(nq_) + next[i] * k_.head(nq_);
    }
    y.head(nq_) = sum_;
  }

 private:
  Problem& problem_;
  int nq_;
  VecX k_, stage_, sum_;
};

/// Kick, drift, kick: v½ = v + h/2 a(q), q' = q + h v½, v' = v½ + h/2 a(q').
class VelocityVerlet final : public Rule {
 public:
  VelocityVerlet(Problem& problem, const Tolerance& tolerance)
      : Rule(problem, tolerance),
        drift_(problem, static_cast<int>(nominal_.size())),
        rest_(problem.layout().size() - problem.layout().nq),
        half_(VecX::Zero(rest_)) {}

  Trial attempt(double h) override {
    begin_attempt();
    to_.y = from_.y;
    half_ = from_.y.tail(rest_) + h / 2 * from_.ydot.tail(rest_);
    to_.y.tail(rest_) = half_;
    drift_.advance(from_.t, h, to_.y);
    to_.y.tail(rest_) += h / 2 * from_.ydot.tail(rest_);  // predicted: exact where a is constant
    evaluate(from_.t + h, to_.y, to_.ydot);
    to_.y.tail(rest_) = half_ + h / 2 * to_.ydot.tail(rest_);
    const bool finite = end_attempt(h);
    to_.ydot_known = true;
    return {0, 0, finite};
  }

 private:
  Drift drift_;
  int rest_;  // v and x
  VecX half_;
};

/// Drift, kick, drift: q½ = q + h/2 v, v' = v + h a(q½), q' = q½ + h/2 v'.
class PositionVerlet final : public Rule {
 public:
  PositionVerlet(Problem& problem, const Tolerance& tolerance)
      : Rule(problem, tolerance),
        drift_(problem, static_cast<int>(nominal_.size())),
        rest_(problem.layout().size() - problem.layout().nq),
        half_(VecX::Zero(nominal_.size())),
        a_(VecX::Zero(nominal_.size())) {}

  void start(double t, const VecX& y, double h) override {
    Rule::start(t, y, h);
    a_known_ = false;
  }

  Trial attempt(double h) override {
    begin_attempt(Needs::point);
    half_ = from_.y;
    drift_.advance(from_.t, h / 2, half_);
    if (!a_known_) evaluate(from_.t, from_.y, a_);  // at the start
    half_.tail(rest_) +=
        h / 2 * a_.tail(rest_);  // with the accelerations of the step before: O(h²)
    evaluate(from_.t + h / 2, half_, trial_a_);
    to_.y = half_;
    to_.y.tail(rest_) = from_.y.tail(rest_) + h * trial_a_.tail(rest_);
    drift_.advance(from_.t + h / 2, h / 2, to_.y);
    return {0, 0, end_attempt(h)};
  }
  void accept() override {
    Rule::accept();
    std::swap(a_, trial_a_);
    a_known_ = true;
  }
  void archive(Archive& archive) override {
    Rule::archive(archive);
    archive(a_);
    archive(a_known_);
  }

 private:
  Drift drift_;
  int rest_;  // v and x
  VecX half_, a_, trial_a_ = half_;
  bool a_known_ = false;
};

}  // namespace

template <>
const RuleEntry& rule_entry<struct VerletRule>() {
  static constexpr RuleEntry entry{
      .name = "verlet",
      .doc = "Verlet, drift-kick-drift",
      .order = 2,
      .error_order = 0,
      .control = StepControl::fixed,
      .share = 0,
      .asks = Asks::both,
      .make = make_as<PositionVerlet>,
  };
  return entry;
}

template <>
const RuleEntry& rule_entry<struct VelocityVerletRule>() {
  static constexpr RuleEntry entry{
      .name = "velocity-verlet",
      .doc = "Verlet, kick-drift-kick",
      .order = 2,
      .error_order = 0,
      .control = StepControl::fixed,
      .share = 0,
      .asks = Asks::both,
      .make = make_as<VelocityVerlet>,
  };
  return entry;
}

}  // namespace couplet::integrate
