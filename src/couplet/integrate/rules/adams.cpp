// Adams-Bashforth-Moulton predictor-corrector of order 5 in PECE mode, on any grid: two evaluations
// per step. Hairer, Nørsett, Wanner I, section III.5.
//
//   predictor: y + ∫ of the cubic through the last four derivatives
//   corrector: y + ∫ of the quartic through these and the predicted derivative ahead; the
//   difference to the one without the oldest, of order 4, is the error.
//
// The first three steps, and those after an event, are Dormand-Prince steps of the same length.
#include <algorithm>
#include <array>
#include <cmath>

#include "couplet/integrate/rules/project_error.hpp"
#include "couplet/integrate/rules/runge_kutta.hpp"

namespace couplet::integrate {
namespace {

constexpr size_t history = 4;  // derivatives at this many points

// ∫ from 0 to h of the Lagrange polynomials on the given nodes (relative to the start of the step).
template <size_t N>
std::array<double, N> integrate_basis(const std::array<double, N>& nodes, double h) {
  std::array<double, N> weights;
  for (size_t i = 0; i < N; ++i) {
    std::array<double, N> p{
        1};  // coefficients of ∏ (x - xⱼ)/(xᵢ - xⱼ), lowest first, in units of h
    size_t degree = 0;
    for (size_t j = 0; j < N; ++j) {
      if (j == i) continue;
      const double root = nodes[j] / h, scale = h / (nodes[i] - nodes[j]);
      ++degree;
      for (size_t k = degree + 1; k-- > 0;)
        p[k] = scale * ((k > 0 ? p[k - 1] : 0) - (k < degree ? root * p[k] : 0));
    }
    weights[i] = 0;
    for (size_t k = 0; k <= degree; ++k) weights[i] += h * p[k] / static_cast<double>(k + 1);
  }
  return weights;
}

class Adams final : public Rule {
 public:
  Adams(Problem& problem, const Tolerance& tolerance)
      : Rule(problem, tolerance),
        starter_(problem, tolerance, dormand_prince_5),
        error_(VecX::Zero(nominal_.size())),
        ahead_(error_) {
    past_.fill({0, error_, 1});
  }

  void start(double t, const VecX& y, double h) override {
    Rule::start(t, y, h);
    known_ = 0;
  }

  Trial attempt(double h) override {
    begin_attempt();
    const Trial trial =
        known_ + 1 < static_cast<int>(history) ? attempt_start(h) : attempt_adams(h);
    const bool finite = end_attempt(h) && trial.finite;
    // On a grid whose steps grow too quickly the extrapolation is poor: the rule grows by its own
    // measure.
    const double growth = 0.8 * std::pow(std::max(trial.error, 1e-10), -1.0 / 5);
    return {trial.error, tolerance_.given() && finite ? h * std::clamp(growth, 0.2, 1.5) : 0,
            finite, trial.may_grow, find_clear_length(h)};
  }

  void accept() override {  // `from` becomes the past
    std::rotate(past_.begin(), past_.end() - 1, past_.end());
    past_[0].t = from_.t;
    past_[0].ydot = from_.ydot;
    past_[0].sine = from_.sine;
    known_ = std::min(known_ + 1, static_cast<int>(history) - 1);
    Rule::accept();
  }

  void archive(Archive& archive) override {
    Rule::archive(archive);
    archive(known_);
    archive.check(known_ >= 0 && known_ < static_cast<int>(history));
    for (Past& past : past_) archive(past.t), archive(past.ydot), archive(past.sine);
  }

 private:
  struct Past {
    double t;
    VecX ydot;
    double sine = 1;
  };

  Trial attempt_start(double h) {
    starter_.start(from_.t, from_.y, h);
    const Trial trial = starter_.attempt(h);
    to_.y = starter_.y_to();
    counts_.evaluations += starter_.counts().evaluations;
    starter_.counts().evaluations = 0;
    worst_ = starter_.worst_component();
    return trial;
  }

  Trial attempt_adams(double h) {
    if (past_[0].sine < 1) leap_.note(past_[0].t, past_[0].sine);
    const double t1 = past_[0].t - from_.t, t2 = past_[1].t - from_.t, t3 = past_[2].t - from_.t;
    const auto sum = [&](const auto& weights, bool with_ahead, VecX& out) {
      size_t i = 0;
      if (with_ahead) out += weights[i++] * ahead_;
      out += weights[i++] * from_.ydot;
      for (size_t k = 0; i < weights.size(); ++k) out += weights[i++] * past_[k].ydot;
    };
    to_.y = from_.y;
    sum(integrate_basis<4>({0, t1, t2, t3}, h), false, to_.y);
    evaluate(from_.t + h, to_.y, ahead_);
    error_ = to_.y = from_.y;
    sum(integrate_basis<5>({h, 0, t1, t2, t3}, h), true, to_.y);
    sum(integrate_basis<4>({h, 0, t1, t2}, h), true, error_);
    error_ = 2 * (error_ - to_.y);  // the predictor, of order 4 only, has its share in the error
    forgive_round_off(h, error_);
    double error = tolerance_.given() ? error_norm(error_) : 0;
    if (error > 1 && project_error(problem_, from_.t + h, to_.y, error, error_, ahead_, other_)) {
      note_sine();
      forgive_round_off(h, error_);
      error = error_norm(error_);
    }
    return {error, 0, std::isfinite(error), !forgiven_};
  }

  RungeKutta starter_;
  std::array<Past, history - 1> past_;  // newest first
  int known_ = 0;                       // how many of them are valid
  VecX error_, ahead_, other_;
};

}  // namespace

template <>
const RuleEntry& rule_entry<struct AbmRule>() {
  static constexpr RuleEntry entry{
      .name = "abm",
      .doc = "Adams-Bashforth-Moulton predictor-corrector",
      .order = 5,
      .error_order = 5,
      .control = StepControl::error,
      .share = 0.03,
      .asks = Asks::rates,
      .make = make_as<Adams>,
      .finest = 1e-13,
      .reach = 1,
  };
  return entry;
}

}  // namespace couplet::integrate
