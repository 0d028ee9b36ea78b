#include "couplet/integrate/rules/extrapolation.hpp"

#include <cmath>
#include <utility>

#include "couplet/integrate/rules/project_error.hpp"

namespace couplet::integrate {
namespace {

// Differences of long steps carry their round-off: a tolerance below it only shortens steps in
// vain.
Tolerance visible(const Tolerance& tolerance) {
  constexpr double least = 1e-14;
  if (!tolerance.given()) return tolerance;
  return {std::max(tolerance.relative, least), std::max(tolerance.absolute, least)};
}

}  // namespace

Extrapolation::Extrapolation(Problem& problem, const Tolerance& tolerance, const Scheme& scheme)
    : Rule(problem, visible(tolerance)), scheme_(scheme), adaptive_(tolerance.given()) {
  const VecX zero = VecX::Zero(nominal_.size());
  table_.assign(most_columns + 1, zero);
  above_ = next_ = error_ = zero;
  at_start_ = at_end_ = {zero, zero};
  work_[0] = scheme.shares_first ? 1 : 0;
  for (int j = 1; j <= most_columns; ++j)
    work_[static_cast<size_t>(j)] =
        work(j - 1) + scheme.substeps(j) - (scheme.shares_first ? 1 : 0);
}

void Extrapolation::start(double t, const VecX& y, double h) {
  Rule::start(t, y, h);
  rejected_ = crosses_ = false;
  if (target_ != 0) return;
  const double digits = -std::log10(std::max(tolerance_.relative, 1e-16));
  const int guess = static_cast<int>(digits * scheme_.columns_per_digit + 1.5);
  target_ = adaptive_ ? std::clamp(guess, 3, scheme_.columns - 2) : scheme_.fixed_columns;
}

void Extrapolation::archive(Archive& archive) {
  Rule::archive(archive);
  archive(target_);
  archive.check(target_ >= 0 && target_ <= scheme_.columns);
  archive(rejected_);
  archive(usual_);
}

double Extrapolation::divisor(int j, int k) const {
  return std::pow(static_cast<double>(substeps(j)) / substeps(j - k), scheme_.power) - 1;
}

double Extrapolation::amplification(int k) const {
  double sum = 0;
  for (int j = 1; j <= k; ++j) {
    double weight = 1;
    for (int i = 1; i <= k; ++i)
      if (i != j)
        weight /= 1 - std::pow(static_cast<double>(substeps(i)) / substeps(j), scheme_.power);
    sum += std::abs(weight);
  }
  return sum;
}

// The error of line j if errors fall by the same factor again. In long steps a difference is small
// by chance now and then; a line that is far better than this was lucky.
double Extrapolation::foretold(int j) const {
  const size_t i = static_cast<size_t>(j);
  return j < 4 ? 0 : errors_[i - 1] * std::min(1.0, errors_[i - 1] / errors_[i - 2]);
}

// T_{j,k+1} = T_{j,k} + (T_{j,k} - T_{j-1,k}) / ((n_j/n_{j-k})^p - 1); table_ holds the line above
// and is replaced. [(9.10)]
bool Extrapolation::calc_line(int j, double h) {
  calc_first_column(j, h, above_);
  for (int k = 1; k <= j; ++k) {
    VecX& T = table_[static_cast<size_t>(k)];
    std::swap(T, above_);  // above_: T_{j-1,k}
    if (k == j) break;
    next_ = T + (T - above_) / divisor(j, k);
    std::swap(above_, next_);
  }
  to_.y = from_.y + table_[static_cast<size_t>(j)];
  if (!to_.y.allFinite()) return false;
  if (j > 1 && adaptive_) {
    error_ = table_[static_cast<size_t>(j)] - table_[static_cast<size_t>(j - 1)];
    forgive(j, error_);
    double norm = error_norm(error_);
    if (norm > 1 && j >= target_ - 1 &&
        project_error(problem_, from_.t + h, to_.y, norm, error_, above_, next_, forgivable())) {
      note_sine();
      norm = error_norm(error_);
    }
    errors_[static_cast<size_t>(j)] = std::max({norm, 0.2 * foretold(j), 1e-30});
  } else {
    errors_[1] = std::numeric_limits<double>::infinity();
  }
  return true;
}

void Extrapolation::extrapolate(std::vector<VecX>& lines, int first, VecX& last_correction) const {
  for (int column = 1; column <= line_ - first; ++column)
    for (int j = line_; j >= first + column; --j) {
      VecX& d = lines[static_cast<size_t>(j)];
      last_correction = (d - lines[static_cast<size_t>(j - 1)]) / divisor(j, column);
      d += last_correction;
    }
}

// No line looks into the step before its first substep ends, or after its last one begins. A jump J
// of the rates there, θ h from an end of the step, shifts all lines alike by θ h J (and by a
// multiple of 1/n_j, which extrapolation removes): their differences do not show it. It shows in
// the rates: at the end they are off by J, θ < 1/n, from what the lines foretell, and the lines
// agree on that. Smooth rates are off by no more than some last corrections.
double Extrapolation::calc_unseen_error(double h) {
  constexpr double smooth = 20;
  if (!foretell_rates(at_start_, at_end_)) return 0;
  ydot_at(from_);
  ydot_at(to_);
  double worst = 0;
  for (const auto& [point, foretold] : {std::pair{&from_, &at_start_}, std::pair{&to_, &at_end_}}) {
    error_ = (point->ydot - foretold->rate).cwiseAbs() - smooth * foretold->correction.cwiseAbs();
    error_ = (h / substeps(line_)) * error_.cwiseMax(0);
    forgive(line_, error_);
    worst = std::max(worst, error_norm(error_));
  }
  return worst;
}

// The error estimate of column k is of order p (k - 1) + 1 in h.
double Extrapolation::wish(int k, double h) const {
  const double error = errors_[static_cast<size_t>(k)],
               exponent = 1.0 / (scheme_.power * (k - 1) + 1);
  const double factor = 0.94 * std::pow(0.65 / error, exponent);
  const double least = std::pow(0.02, exponent);
  return h * std::clamp(factor, least / 4, 1 / least);
}

// Order and step control, Hairer, Nørsett, Wanner I, p. 236-237.
Trial Extrapolation::attempt(double h) {
  begin_attempt(needs());
  looked_ = halved_ = crossed_ = false;
  if (std::exchange(crosses_, false)) return cross(h);
  const bool free = adaptive_ && fixed_lines_ == 0;
  const int k = fixed_lines_ > 0 ? fixed_lines_ : target_;
  for (int j = 1; j <= (free ? k + 1 : k); ++j) {
    if (!calc_line(j, h)) {
      end_attempt(h);
      return {2, h / 4, false};
    }
    line_ = j;
    if (!free) continue;
    const double error = errors_[static_cast<size_t>(j)];
    if (j < k - 1) continue;
    const auto ratio = [&](int line) {
      return std::pow(static_cast<double>(substeps(line)) / substeps(1), scheme_.power);
    };
    const double hopeless = j == k - 1 ? ratio(k) * ratio(k + 1) : ratio(k + 1);
    if (error > 1 && j < k + 1 && error <= hopeless) continue;
    if (error > 1 && comes_near(h)) return pass(h);
    bool finite = false;
    try {
      finite = end_attempt(h);
    } catch (const base::ComputationError&) {  // it leads to another branch, or cannot be closed
      if (!comes_near(h)) throw;
      return pass(h);
    }
    if (finite && error <= 1 &&
        calc_unseen_error(h) > 1) {  // a shorter step; that says nothing about orders
      rejected_ = true;
      return {2, h / 2, true};
    }
    return choose(j, error <= 1, h, finite);
  }
  return {0, 0, end_attempt(h)};
}

// ---- Over a singular position, where all lines are blurred.

bool Extrapolation::comes_near(double h) const {
  constexpr double near = 0.05;  // the sine of an angle
  return fixed_lines_ == 0 && sine_ < near && is_blurred(sine_, h);
}

// To where it is clear yet, if that is far; otherwise across it, by another rule.
Trial Extrapolation::pass(double h) {
  constexpr double clear = 0.1, far = 0.5;  // the sine of an angle; a share of the step
  usual_ = std::max(usual_, h);
  rejected_ = true;
  const double first = leap_.find_first(clear, from_.t) - from_.t;
  return first > far * h ? Trial{2, 0.9 * first, true} : cross(h);
}

Trial Extrapolation::cross(double h) {
  if (!crossing_) crossing_.emplace(problem_, tolerance_);
  const Trial trial = crossing_->attempt(from_.t, from_.y, h, to_.y, counts_);
  crosses_ = trial.error > 1;
  if (crosses_) return trial;
  crossed_ = true;
  return {trial.error, std::exchange(usual_, 0), end_attempt(h)};
}

// ---- Between the ends.

// Each half by as many lines as the whole.
void Extrapolation::make_halves() {
  for (int i = 0; i < 2; ++i) {
    std::unique_ptr<Extrapolation>& half = halves_[static_cast<size_t>(i)];
    if (!half) half = make_alike();
    half->depth_ = depth_ + 1;
    half->fixed_lines_ = line_;
    half->worth_it_ = 0.25 * dense_error_;
    half->start(base_ + 0.5 * i * length_, i == 0 ? from_.y : halves_[0]->to_.y, 0);
    halved_ = half->attempt(0.5 * length_).finite;
    counts_.evaluations += std::exchange(half->counts_.evaluations, 0);
    if (!halved_) return;
  }
  gap_ = to_.y - halves_[1]->to_.y;
}

void Extrapolation::look(double t, VecX& y) {
  constexpr int deepest = 5;
  if (!looked_) {
    looked_ = true;
    base_ = from_.t;
    length_ = to_.t - from_.t;
    const int worst = worst_;
    dense_error_ = make_interpolant();
    worst_ = worst;
    if (adaptive_ && dense_error_ > scheme_.rows && dense_error_ < worth_it_ && depth_ < deepest)
      make_halves();
  }
  const double s = (t - base_) / length_;
  if (!halved_) return calc_interpolant(s, y);
  Extrapolation& half = *halves_[s < 0.5 ? 0 : 1];
  half.look(t, y);
  counts_.evaluations += std::exchange(half.counts_.evaluations, 0);
  y += s * s * (3 - 2 * s) * gap_;
}

void Extrapolation::interpolate(double t, VecX& y) {
  if (t == to_.t) return Rule::interpolate(t, y);
  if (crossed_) return crossing_->interpolate(t, y);
  look(t, y);
}

Trial Extrapolation::choose(int line, bool good, double h, bool finite) {
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
  next = std::clamp(next, 3, scheme_.columns - 1);
  if (rejected_) next = std::min(next, k);
  double h_next = next <= line ? wish(next, h) : wish(line, h) * work(next) / work(line);
  if (good && rejected_) h_next = std::min(h_next, h);
  if (!good) h_next = std::min(h_next, 0.7 * h);
  target_ = next;
  rejected_ = !good;
  const double error = errors_[static_cast<size_t>(line)];
  return {good ? std::min(error, 1.0) : std::max(error, 1.0001), h_next, finite, !forgiven_,
          find_clear_length(h)};
}

}  // namespace couplet::integrate
