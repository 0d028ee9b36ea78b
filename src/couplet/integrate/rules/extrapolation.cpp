// Gragg-Bulirsch-Stoer extrapolation of the explicit midpoint rule, with variable order and step, after
// Hairer, Nørsett, Wanner I, section II.9 (their code ODEX): step numbers 2, 6, 10, … , which allow an
// interpolant of high order, (9.45) to (9.48). With a fixed step (no tolerance) the order is 8.
#include <array>
#include <cmath>

#include "couplet/integrate/rule.hpp"

namespace couplet::integrate {
namespace {

constexpr int most_columns = 9;
constexpr int fixed_columns = 4;

constexpr int substeps(int j) { return 4 * j - 2; }  // of line j = 1, 2, …
// Evaluations of the lines up to j.
constexpr double work(int j) {
  double sum = 1;
  for (int i = 1; i <= j; ++i) sum += substeps(i) - 1;
  return sum;
}

// Differences of long steps carry their round-off: a tolerance below it only shortens steps in vain.
Tolerance visible(const Tolerance& tolerance) {
  constexpr double least = 3e-14;
  if (!tolerance.given()) return tolerance;
  return {std::max(tolerance.relative, least), std::max(tolerance.absolute, least)};
}

class Extrapolation final : public Rule {
 public:
  Extrapolation(Problem& problem, const Tolerance& tolerance)
      : Rule(problem, visible(tolerance)), adaptive_(tolerance.given()) {
    const VecX zero = VecX::Zero(nominal_.size());
    table_.assign(most_columns + 1, zero);
    middle_.assign(most_columns + 1, zero);
    derivatives_.resize(most_columns + 1);
    for (int j = 1; j <= most_columns; ++j)
      derivatives_[static_cast<size_t>(j)].assign(static_cast<size_t>(substeps(j)), zero);
    taylor_.assign(2 * most_columns + 4, zero);
    previous_ = current_ = next_ = error_ = zero;
  }

  void start(double t, const VecX& y, double h) override {
    Rule::start(t, y, h);
    rejected_ = false;
    if (target_ == 0) {
      const double digits = -std::log10(std::max(tolerance_.relative, 1e-16)) * 0.6 + 1.5;
      target_ = adaptive_ ? std::clamp(static_cast<int>(digits), 3, most_columns - 2) : fixed_columns;
    }
  }

  Trial attempt(double h) override;
  void interpolate(double t, VecX& y) override;

  void archive(Archive& archive) override {
    Rule::archive(archive);
    archive(target_);
    archive(rejected_);
  }

 private:
  bool calc_line(int j, double h);
  /// The error of line j if errors fall by the same factor again. In long steps a difference is small
  /// by chance now and then; a line that is far better than this was lucky.
  double foretold(int j) const {
    const size_t i = static_cast<size_t>(j);
    return j < 4 ? 0 : errors_[i - 1] * std::min(1.0, errors_[i - 1] / errors_[i - 2]);
  }
  double wish(int k, double h) const;   // H_k
  double cost(int k, double h) const { return work(k) / wish(k, h); }  // W_k
  Trial choose(int line, bool good, double h);
  void calc_taylor();

  const bool adaptive_;
  int target_ = 0;          // the column that should converge
  int line_ = 0;            // the column that did
  bool rejected_ = false;   // the last attempt was
  bool taylor_known_ = false;
  std::vector<VecX> table_;   // T_{j,1..j} of the newest line, from index 1
  std::vector<VecX> middle_;  // of each line, at half the step
  std::vector<std::vector<VecX>> derivatives_;  // of each line, at its points; the first is at `from`
  std::array<double, most_columns + 1> errors_{};
  std::vector<VecX> taylor_;  // interpolant around the middle
  VecX previous_, current_, next_, error_;
};

// T_{j,1} by the midpoint rule with n_j substeps, then T_{j,k+1} = T_{j,k} + (T_{j,k} - T_{j-1,k}) /
// ((n_j/n_{j-k})² - 1); table_ holds the line above and is replaced.                    [(9.10)]
bool Extrapolation::calc_line(int j, double h) {
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
  // current_ is T_{j,1}; walk along the line, keeping the entry above in `next_`.
  previous_ = current_;
  for (int k = 1; k <= j; ++k) {
    std::swap(table_[static_cast<size_t>(k)], previous_);  // previous_: T_{j-1,k}, the line above
    if (k == j) break;
    const double ratio = static_cast<double>(n) / substeps(j - k);
    const VecX& T = table_[static_cast<size_t>(k)];
    next_ = T + (T - previous_) / (ratio * ratio - 1);
    std::swap(previous_, next_);
  }
  to_.y = table_[static_cast<size_t>(j)];
  if (!to_.y.allFinite()) return false;
  if (j > 1 && adaptive_) {
    error_ = to_.y - table_[static_cast<size_t>(j - 1)];
    errors_[static_cast<size_t>(j)] = std::max({error_norm(error_), 0.2 * foretold(j), 1e-30});
  } else {
    errors_[1] = std::numeric_limits<double>::infinity();
  }
  return true;
}

double Extrapolation::wish(int k, double h) const {
  const double error = errors_[static_cast<size_t>(k)];
  const double factor = 0.94 * std::pow(0.65 / error, 1.0 / (2 * k - 1));
  const double least = std::pow(0.02, 1.0 / (2 * k - 1));
  return h * std::clamp(factor, least / 4, 1 / least);
}

// Order and step control, Hairer, Nørsett, Wanner I, p. 236-237.
Trial Extrapolation::attempt(double h) {
  begin_attempt();
  taylor_known_ = false;
  const int k = target_;
  for (int j = 1; j <= (adaptive_ ? k + 1 : k); ++j) {
    if (!calc_line(j, h)) {
      end_attempt(h);
      return {2, h / 4, false};
    }
    line_ = j;
    if (!adaptive_) continue;
    const double error = errors_[static_cast<size_t>(j)];
    if (j < k - 1) continue;
    const auto ratio = [](int a, int b) { return static_cast<double>(substeps(a)) / substeps(b); };
    const double hopeless = j == k - 1 ? std::pow(ratio(k, 1) * ratio(k + 1, 1), 2) : std::pow(ratio(k + 1, 1), 2);
    if (error <= 1 || j == k + 1 || error > hopeless) return choose(j, error <= 1, h);
  }
  return {0, 0, end_attempt(h)};
}

Trial Extrapolation::choose(int line, bool good, double h) {
  const int k = target_;
  int next = k;
  if (good && line == k - 1) {
    next = line > 2 && cost(k - 1, h) < 0.9 * cost(k - 2, h) ? k : k - 1;
  } else {
    const int last = std::min(line, k);
    next = last;
    if (last > 2 && cost(last - 1, h) < 0.8 * cost(last, h)) next = last - 1;
    if (good && line == k && last > 2 && cost(k, h) < 0.9 * cost(k - 1, h)) next = k + 1;
    if (good && line == k + 1 && cost(k + 1, h) < 0.9 * cost(next, h)) next = k + 1;
  }
  next = std::clamp(next, 3, most_columns - 1);
  if (rejected_) next = std::min(next, k);
  double h_next = next <= line ? wish(next, h) : wish(line, h) * work(next) / work(line);
  if (good && rejected_) h_next = std::min(h_next, h);
  if (!good) h_next = std::min(h_next, 0.7 * h);
  target_ = next;
  rejected_ = !good;
  const double error = errors_[static_cast<size_t>(line)];
  const bool finite = end_attempt(h);
  return {good ? std::min(error, 1.0) : std::max(error, 1.0001), h_next, finite};
}

// Derivatives of y at the middle: central differences of the lines' derivatives, extrapolated; then four
// coefficients more so that both ends and their derivatives are met.      [(9.45), (9.46), (9.48)]
void Extrapolation::calc_taylor() {
  const int k = line_, mu = std::max(2 * k - 5, 0);
  const double h = to_.t - from_.t;
  const VecX &f0 = ydot_at(from_), &f1 = ydot_at(to_);
  double factorial = 1;
  for (int kappa = 0; kappa <= mu; ++kappa) {
    const int first = kappa / 2 + 1;  // line with enough points
    std::array<VecX, most_columns + 1> d;
    for (int j = first; j <= k; ++j) {
      const size_t line = static_cast<size_t>(j);
      const int middle = substeps(j) / 2;
      if (kappa == 0) {
        d[line] = middle_[line];
        continue;
      }
      // δ^{κ-1} f / (2 h_j)^{κ-1}, δ f_i = f_{i+1} - f_{i-1}
      double binomial = 1;
      d[line] = VecX::Zero(nominal_.size());
      for (int i = 0; i <= kappa - 1; ++i) {
        const size_t at = static_cast<size_t>(middle + kappa - 1 - 2 * i);
        d[line] += (i % 2 == 0 ? binomial : -binomial) * derivatives_[line][at];
        binomial *= static_cast<double>(kappa - 1 - i) / (i + 1);
      }
      d[line] /= std::pow(2 * h / substeps(j), kappa - 1);
    }
    for (int column = 1; column <= k - first; ++column)
      for (int j = k; j >= first + column; --j) {
        const double ratio = static_cast<double>(substeps(j)) / substeps(j - column);
        d[static_cast<size_t>(j)] +=
            (d[static_cast<size_t>(j)] - d[static_cast<size_t>(j - 1)]) / (ratio * ratio - 1);
      }
    if (kappa > 0) factorial *= kappa;
    taylor_[static_cast<size_t>(kappa)] = std::pow(h, kappa) / factorial * d[static_cast<size_t>(k)];
  }
  // In u = s - ½: even and odd parts at u = ½ separately, two unknown coefficients p, p + 2 each.
  for (int parity = 0; parity < 2; ++parity) {
    const double sign = parity == 0 ? 1 : -1;
    VecX value = 0.5 * (to_.y + sign * from_.y), slope = h / 2 * (f1 - sign * f0);
    for (int p = parity; p <= mu; p += 2) {
      value -= std::pow(0.5, p) * taylor_[static_cast<size_t>(p)];
      if (p > 0) slope -= p * std::pow(0.5, p - 1) * taylor_[static_cast<size_t>(p)];
    }
    const int p = mu + 1 + ((mu + 1) % 2 == parity ? 0 : 1);
    // a ½^p + b ½^(p+2) = value,  p a ½^(p-1) + (p+2) b ½^(p+1) = slope
    const VecX b = (slope / 2 - p * value) / 2 * std::pow(2.0, p + 2);
    taylor_[static_cast<size_t>(p + 2)] = b;
    taylor_[static_cast<size_t>(p)] = std::pow(2.0, p) * value - b / 4;
  }
  taylor_known_ = true;
}

void Extrapolation::interpolate(double t, VecX& y) {
  if (t == to_.t) return Rule::interpolate(t, y);
  if (!taylor_known_) calc_taylor();
  const double u = (t - from_.t) / (to_.t - from_.t) - 0.5;
  const int degree = std::max(2 * line_ - 5, 0) + 4;
  y = taylor_[static_cast<size_t>(degree)];
  for (int p = degree; p-- > 0;) y = taylor_[static_cast<size_t>(p)] + u * y;
}

}  // namespace

std::unique_ptr<Rule> make_extrapolation(Problem& problem, const Tolerance& tolerance) {
  return std::make_unique<Extrapolation>(problem, tolerance);
}

}  // namespace couplet::integrate
