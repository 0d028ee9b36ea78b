// Extrapolation of the half-explicit Euler method, variable order and step: Ch. Lubich, Ch.
// Engstler, U. Nowak, U. Pöhle, "Numerical integration of constrained mechanical systems using
// MEXX", Mech. Struct. Mach. 23 (1995). Its error has all powers of h. The result is projected.
// With a fixed step the order is 5.
#include <cmath>
#include <limits>

#include "couplet/integrate/rules/extrapolation.hpp"
#include "couplet/integrate/rules/half_explicit.hpp"

namespace couplet::integrate {
namespace {

// Harmonic at first; then growing, because ten columns of 1, 2, 3, … amplify round-off 40 000
// times, and these 1200 times.
constexpr int numbers[] = {1, 2, 3, 4, 5, 6, 8, 10, 13, 17};

constexpr Extrapolation::Scheme scheme{.substeps = [](int j) { return numbers[j - 1]; },
                                       .power = 1,
                                       .shares_first = false,
                                       .columns = 10,
                                       .fixed_columns = 5,
                                       .columns_per_digit = 0.7,
                                       .rows = 100};

class Mexx final : public Extrapolation {
 public:
  Mexx(Problem& problem, const Tolerance& tolerance)
      : Extrapolation(problem, tolerance, scheme), stage_(problem) {
    const VecX zero = VecX::Zero(nominal_.size());
    rates_.resize(most_columns + 1);
    for (int j = 1; j <= scheme.columns; ++j)
      rates_[static_cast<size_t>(j)].assign(static_cast<size_t>(substeps(j)), zero);
    differences_.assign(most_columns + 1, zero);
    polynomial_.assign(most_columns + 2, zero);
    current_ = next_ = correction_ = zero;
    for (int j = 1; j <= scheme.columns; ++j) noise_[static_cast<size_t>(j)] = amplification(j);
  }

  void shorten(double t) override;

 private:
  void calc_first_column(int j, double h, VecX& increment) override;
  Needs needs() const override { return Needs::point; }
  void forgive(int j, VecX& error) override {
    stage_.forgive_round_off(0.3 * noise_[static_cast<size_t>(j)], to_.y, error);
  }
  // Its lines meet the constraints of speeds, not those of positions: what projection takes out is
  // large at any length. A jump to another branch is found at the end of the step (branch.hpp).
  double forgivable() const override { return std::numeric_limits<double>::infinity(); }
  bool foretell_rates(Foretold& at_start, Foretold& at_end) override;
  void calc_derivative(int kappa, bool at_end, double h, VecX& out);
  double make_interpolant() override;
  void calc_interpolant(double s, VecX& y) const override;
  std::unique_ptr<Extrapolation> make_alike() const override {
    return std::make_unique<Mexx>(problem_, tolerance_);
  }

  HalfExplicitStage stage_;
  std::array<double, most_columns + 1> noise_{};
  std::vector<std::vector<VecX>> rates_;  // of each line, over its substeps
  std::vector<VecX> differences_;         // one derivative, by each line
  std::vector<VecX> polynomial_;
  int degree_ = 0;
  VecX current_, next_, correction_;
};

// Half-explicit Euler with n_j substeps. Increments are summed, not states: round-off of a state
// would be amplified.
void Mexx::calc_first_column(int j, double h, VecX& increment) {
  const int n = substeps(j);
  const double step = h / n;
  increment.setZero();
  for (int i = 0; i < n; ++i) {
    VecX& rate = rates_[static_cast<size_t>(j)][static_cast<size_t>(i)];
    current_ = from_.y + increment;
    next_ = current_;
    stage_.calc(from_.t + i * step, current_, from_.t + (i + 1) * step, next_, step, rate);
    ++counts_.evaluations;
    note_sine(from_.t + i * step);
    increment += step * rate;
  }
}

// h^κ y⁽κ⁾/κ! at the start or the end of the step: differences of the first or last rates of each
// line, ∇^(κ-1) ẏ / h_j^(κ-1), extrapolated.                          [as in SEULEX, Hairer, Wanner
// II, (VI.9.23)]
void Mexx::calc_derivative(int kappa, bool at_end, double h, VecX& out) {
  const int k = lines();
  for (int j = kappa; j <= k; ++j) {
    const std::vector<VecX>& rates = rates_[static_cast<size_t>(j)];
    VecX& d = differences_[static_cast<size_t>(j)];
    const int last = at_end ? substeps(j) - 1 : kappa - 1;
    d.setZero();
    double binomial = 1;
    for (int i = 0; i < kappa; ++i) {
      d += (i % 2 == 0 ? binomial : -binomial) * rates[static_cast<size_t>(last - i)];
      binomial *= static_cast<double>(kappa - 1 - i) / (i + 1);
    }
    d *= h * std::pow(substeps(j), kappa - 1) / std::tgamma(kappa + 1);
  }
  extrapolate(differences_, kappa, correction_);
  out = differences_[static_cast<size_t>(k)];
}

// Each line's second rate is one substep after the start, its last rate one before the end.
bool Mexx::foretell_rates(Foretold& at_start, Foretold& at_end) {
  const int k = lines();
  for (int j = 2; j <= k; ++j)
    differences_[static_cast<size_t>(j)] = rates_[static_cast<size_t>(j)][1];
  extrapolate(differences_, 2, at_start.correction);
  at_start.rate = differences_[static_cast<size_t>(k)];
  for (int j = 1; j <= k; ++j)
    differences_[static_cast<size_t>(j)] = rates_[static_cast<size_t>(j)].back();
  extrapolate(differences_, 1, at_end.correction);
  at_end.rate = differences_[static_cast<size_t>(k)];
  return true;
}

// Hermite's polynomial through both ends and half as many derivatives there as there are lines, in
// Newton's form with the nodes 0, …, 0, 1, …, 1. The one without the last node differs by
// c s^e (s - 1)^(e-1), c the highest coefficient, which is largest at s = e/(2e - 1).
double Mexx::make_interpolant() {
  const int each = lines() / 2 + 1, nodes = 2 * each;
  const double length = to_.t - from_.t;
  // Divided differences in place: of equal nodes, the derivative; otherwise nodes are 1 apart.
  for (int i = 0; i < nodes; ++i) polynomial_[static_cast<size_t>(i)] = i < each ? from_.y : to_.y;
  for (int order = 1; order < nodes; ++order) {
    if (order < each) {
      calc_derivative(order, false, length, current_);
      calc_derivative(order, true, length, next_);
    }
    for (int i = nodes - 1; i >= order; --i) {
      VecX& d = polynomial_[static_cast<size_t>(i)];
      if (i < each)
        d = current_;
      else if (i - order >= each)
        d = next_;
      else
        d -= polynomial_[static_cast<size_t>(i - 1)];
    }
  }
  degree_ = nodes - 1;
  const double e = each, at = e / (2 * e - 1),
               largest = std::pow(at, each) * std::pow(1 - at, each - 1);
  return largest * error_norm(polynomial_[static_cast<size_t>(degree_)]);
}

void Mexx::calc_interpolant(double s, VecX& y) const {
  const int each = (degree_ + 1) / 2;
  y = polynomial_[static_cast<size_t>(degree_)];
  for (int i = degree_; i-- > 0;)
    y = polynomial_[static_cast<size_t>(i)] + (i < each ? s : s - 1) * y;
}

// On the interpolant: it is as good as a shorter step, without the round-off that extrapolation
// amplifies.
void Mexx::shorten(double t) {
  if (crossed()) return end_between(t);
  look(t, next_);
  to_.y = next_;
  to_.ydot_known = false;
  end_attempt(t - from_.t);
  set_end(t);
}

}  // namespace

template <>
const RuleEntry& rule_entry<struct MexxRule>() {
  static constexpr RuleEntry entry{
      .name = "mexx",
      .doc =
          "extrapolated half-explicit Euler, variable order (5 at a fixed step): constrained "
          "systems, "
          "index 2",
      .order = 5,
      .error_order = 5,
      .control = StepControl::error,
      .share = 0.03,
      .asks = Asks::stages,
      .make = make_as<Mexx>,
      .finest = 1e-13,
      .reach = 3,
  };
  return entry;
}

}  // namespace couplet::integrate
