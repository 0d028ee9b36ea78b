// Gragg-Bulirsch-Stoer extrapolation of the explicit midpoint rule, with variable order and step,
// after Hairer, Nørsett, Wanner I, section II.9 (their code ODEX): step numbers 2, 6, 10, … , which
// allow an interpolant of high order, (9.45) to (9.48). With a fixed step (no tolerance) the order
// is 8.
#include <cmath>

#include "couplet/integrate/rules/extrapolation.hpp"

namespace couplet::integrate {
namespace {

constexpr Extrapolation::Scheme scheme{.substeps = [](int j) { return 4 * j - 2; },
                                       .power = 2,
                                       .shares_first = true,
                                       .columns = 9,
                                       .fixed_columns = 4,
                                       .columns_per_digit = 0.6,
                                       .rows = 300};

class Gbs final : public Extrapolation {
 public:
  Gbs(Problem& problem, const Tolerance& tolerance) : Extrapolation(problem, tolerance, scheme) {
    const VecX zero = VecX::Zero(nominal_.size());
    middle_.assign(most_columns + 1, zero);
    derivatives_.resize(most_columns + 1);
    for (int j = 1; j <= scheme.columns; ++j)
      derivatives_[static_cast<size_t>(j)].assign(static_cast<size_t>(substeps(j)), zero);
    taylor_.assign(2 * most_columns + 4, zero);
    differences_.assign(most_columns + 1, zero);
    previous_ = current_ = next_ = zero;
  }

 private:
  void calc_first_column(int j, double h, VecX& increment) override;
  double make_interpolant() override;
  void calc_interpolant(double s, VecX& y) const override;
  std::unique_ptr<Extrapolation> make_alike() const override {
    return std::make_unique<Gbs>(problem_, tolerance_);
  }
  int derivatives() const { return std::max(2 * lines() - 3, 0); }  // at the middle, of y
  void calc_taylor();

  std::vector<VecX> middle_;  // of each line, at half the step
  std::vector<std::vector<VecX>>
      derivatives_;                // of each line, at its points; the first is at `from`
  std::vector<VecX> taylor_;       // interpolant around the middle
  std::vector<VecX> differences_;  // one derivative there, by each line
  VecX previous_, current_, next_;
};

// The midpoint rule with n_j substeps.
void Gbs::calc_first_column(int j, double h, VecX& increment) {
  const int n = substeps(j);
  const double step = h / n;
  std::vector<VecX>& f = derivatives_[static_cast<size_t>(j)];
  previous_ = from_.y;
  current_ = from_.y + step * from_.ydot;
  f[0] = from_.ydot;
  for (int i = 1; i < n; ++i) {
    if (2 * i == n) middle_[static_cast<size_t>(j)] = current_;
    VecX& rate = f[static_cast<size_t>(i)];
    evaluate(from_.t + i * step, current_, rate);
    next_ = previous_ + (2 * step) * rate;
    std::swap(previous_, current_);
    std::swap(current_, next_);
  }
  increment = current_ - from_.y;
}

// Derivatives of y at the middle: central differences of the lines' derivatives, extrapolated; then
// four coefficients more so that both ends and their derivatives are met.      [(9.45), (9.46),
// (9.48)]
void Gbs::calc_taylor() {
  const int k = lines(), mu = derivatives();
  const double h = to_.t - from_.t;
  std::vector<VecX>& d = differences_;
  const VecX &f0 = ydot_at(from_), &f1 = ydot_at(to_);
  double factorial = 1;
  for (int kappa = 0; kappa <= mu; ++kappa) {
    const int first = kappa / 2 + 1;  // line with enough points
    for (int j = first; j <= k; ++j) {
      const size_t line = static_cast<size_t>(j);
      const int middle = substeps(j) / 2;
      if (kappa == 0) {
        d[line] = middle_[line];
        continue;
      }
      // δ^{κ-1} f / (2 h_j)^{κ-1}, δ f_i = f_{i+1} - f_{i-1}
      double binomial = 1;
      d[line].setZero();
      for (int i = 0; i <= kappa - 1; ++i) {
        const size_t at = static_cast<size_t>(middle + kappa - 1 - 2 * i);
        d[line] += (i % 2 == 0 ? binomial : -binomial) * derivatives_[line][at];
        binomial *= static_cast<double>(kappa - 1 - i) / (i + 1);
      }
      d[line] /= std::pow(2 * h / substeps(j), kappa - 1);
    }
    for (int column = 1; column <= k - first; ++column)
      for (int j = k; j >= first + column; --j) {
        d[static_cast<size_t>(j)] +=
            (d[static_cast<size_t>(j)] - d[static_cast<size_t>(j - 1)]) / divisor(j, column);
      }
    if (kappa > 0) factorial *= kappa;
    taylor_[static_cast<size_t>(kappa)] =
        std::pow(h, kappa) / factorial * d[static_cast<size_t>(k)];
  }
  // In u = s - ½: even and odd parts at u = ½ separately, two unknown coefficients p, p + 2 each.
  for (int parity = 0; parity < 2; ++parity) {
    const double sign = parity == 0 ? 1 : -1;
    VecX &value = current_, &slope = previous_;
    value = 0.5 * (to_.y + sign * from_.y);
    slope = h / 2 * (f1 - sign * f0);
    for (int p = parity; p <= mu; p += 2) {
      value -= std::pow(0.5, p) * taylor_[static_cast<size_t>(p)];
      if (p > 0) slope -= p * std::pow(0.5, p - 1) * taylor_[static_cast<size_t>(p)];
    }
    const int p = mu + 1 + ((mu + 1) % 2 == parity ? 0 : 1);
    // a ½^p + b ½^(p+2) = value,  p a ½^(p-1) + (p+2) b ½^(p+1) = slope
    VecX& b = taylor_[static_cast<size_t>(p + 2)];
    b = (slope / 2 - p * value) / 2 * std::pow(2.0, p + 2);
    taylor_[static_cast<size_t>(p)] = std::pow(2.0, p) * value - b / 4;
  }
}

// The interpolant with one derivative less at the middle differs by c (¼ - u²)² u^μ, c the highest
// coefficient, which is largest at u² = μ/(4 (μ + 4)) [(9.52)]; and the one with two less by this
// and the same with μ - 1 and the coefficient before it. Either may be small by chance, of motions
// that are even or odd about the middle.
double Gbs::make_interpolant() {
  calc_taylor();
  double worst = 0;
  for (int mu = derivatives(); mu >= std::max(derivatives() - 1, 0); --mu) {
    const double n = mu + 4, largest = std::pow(mu / (4 * n), mu / 2.0) / (n * n);
    worst = std::max(worst, largest * error_norm(taylor_[static_cast<size_t>(mu + 4)]));
  }
  return worst;
}

void Gbs::calc_interpolant(double s, VecX& y) const {
  const double u = s - 0.5;
  const int degree = derivatives() + 4;
  y = taylor_[static_cast<size_t>(degree)];
  for (int p = degree; p-- > 0;) y = taylor_[static_cast<size_t>(p)] + u * y;
}

}  // namespace

template <>
const RuleEntry& rule_entry<struct GbsRule>() {
  static constexpr RuleEntry entry{
      .name = "gbs",
      .doc = "Gragg-Bulirsch-Stoer extrapolation, variable order (8 at a fixed step)",
      .order = 8,
      .error_order = 8,
      .control = StepControl::error,
      .share = 0.003,
      .asks = Asks::rates,
      .make = make_as<Gbs>,
      .finest = 1e-13,
      .reach = 3,
  };
  return entry;
}

}  // namespace couplet::integrate
