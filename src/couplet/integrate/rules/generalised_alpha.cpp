// The generalised-α method for constrained systems, on the manifold of positions: O. Brüls, A.
// Cardona, M. Arnold, "Lie group generalized-α time integration of constrained flexible multibody
// systems", Mech. Mach. Theory 48, 2012.
//
//   q' = q exp(h Δq),  Δq = v + h ((½ - β) a + β a'),    v' = v + h ((1 - γ) a + γ a')
//   (1 - αm) a' + αm a = (1 - αf) v̇' + αf v̇            M v̇' - f' + Gᵀλ' = 0,  g(t', q') = 0
//
// First-order states x go the same way with γ alone (O. Brüls, J.-C. Golinval, 2006). This is index
// 3: velocities miss their constraints by O(h²). Points are given projected, but the method goes on
// from its own: from projected velocities, multipliers would have order 1, and so would all that
// friction moves.
//
// Variable steps take G v' + g_t(t', q') = 0 instead, index 2, and go on from projected positions:
// in index 3 a change of the step shakes the multipliers, and the estimate with them (the rough
// ring of the tests ended at t = 0.07 s). a stands for v̇ at t + Δ h, Δ = αm - αf, where h is the
// step that made it: second order is kept if a is moved to the next step's place, a := v̇ +
// (h/h_before) (a - v̇). In the first step, where there is no a, its place is between the two ends,
// a = v̇ + Δ (v̇'
// - v̇); that is the trapezoidal rule, and nothing has to fade away.
//
// A step misses (1/12 + Δ²/4) h³ v̈ of the motion and (1/12 - Δ²/2 + κ) h³ v⃛ of the speeds, κ = Δ
// (αm + αf - 1)/2 (Taylor expansion). Both derivatives are divided differences of the last speeds.
#include "couplet/integrate/rules/generalised_alpha.hpp"

#include <cmath>
#include <utility>

#include "couplet/integrate/rules/crossing.hpp"

namespace couplet::integrate {
namespace {

using alpha::beta, alpha::gamma, alpha::by_mean;
constexpr double delta = alpha::m - alpha::f;
constexpr double error_of_q = 1.0 / 12 + delta * delta / 4;
constexpr double error_of_v = 1.0 / 12 - delta * delta / 2 + delta * (alpha::m + alpha::f - 1) / 2;

constexpr double round_off = 4e-16;
constexpr int most_iterations = 20;
constexpr double slow = 0.1;           // a contraction at which derivatives are evaluated anew
constexpr double newton_share = 0.01;  // of the tolerance of a step
constexpr double safety = 0.9, most_growth = 2, most_shrinking = 0.2;
constexpr double jump =
    4;  // a step so many times as long as the last, which was cut for a stop, cannot use its a

// The estimate of a step is O(h³), the error of a run O(h²): held to tolerance^(3/2), the error of
// a run follows the tolerance.
Tolerance for_estimate(const Tolerance& t) {
  return {std::pow(t.relative, 1.5), std::pow(t.absolute, 1.5)};
}

class GeneralisedAlpha final : public Rule {
 public:
  GeneralisedAlpha(Problem& problem, const Tolerance& tolerance, const ImplicitOptions& options)
      : Rule(problem, for_estimate(tolerance)),
        options_(options),
        matrix_(problem,
                tolerance.given() ? AlphaMatrix::Level::velocities : AlphaMatrix::Level::positions,
                options, counts_),
        form_(matrix_.form()),
        crossing_(problem, tolerance),
        scale_(nominal_),
        error_(nominal_),
        beside_(nominal_),
        slope_from_(nominal_),
        slope_to_(nominal_) {}

  void start(double t, const VecX& y, double h) override {
    Rule::start(t, y, h);
    begun_ = crosses_ = false;
    usual_step_ = 0;
    nearest_ = 1;
  }

  Trial attempt(double h) override;
  void accept() override {
    Rule::accept();
    std::swap(now_, next_);
    accepted_ = true;
    nearest_ = sine_;
    first_ = rejected_ = fresh_ = false;
  }
  void interpolate(double t, VecX& y) override;
  void archive(Archive& archive) override;

 private:
  /// What belongs to a point besides y; w = (v, x).
  struct Inner {
    VecX y;           // as the method has it: positions on the constraints, velocities up to O(h²)
    VecX rate, mean;  // ẇ, and the a of the method for it
    VecX lambda, s;
    VecX lambda_slope, s_slope;  // differences over the step that led here, for a guess
    VecX slope, curve;           // divided differences of w: w[t, t₁] and w[t, t₁, t₂]
    double h = 0, h_before = 0;  // s, t - t₁ and t₁ - t₂: the last steps; 0 at the start
  };

  /// Too different from the last step for its a.
  bool h_is_new(double h) const {
    return tolerance_.given() ? h > jump * now_.h : std::abs(h - now_.h) > 1e-10 * h;
  }
  void begin(double h);
  bool is_near(double sine, double h) const { return sine < Crossing::near && is_blurred(sine, h); }
  Trial cross(double h);
  void set_scale();
  void guess(double h);
  void set_next(double h);
  void set_point(double h);
  void prepare(double h);
  bool iterate(double h);
  double improve(double h);
  void set_differences(double h);
  double calc_error(double h);
  double next_step(double h, double error) const;

  ImplicitOptions options_;
  AlphaMatrix matrix_;
  DescriptorForm& form_;
  Crossing crossing_;
  DescriptorPoint point_;
  DescriptorResidual residual_;
  Inner now_, next_;
  VecX mean_;               // a at the start of the step, moved to its place for this step
  VecX motion_, unknowns_;  // h Δq; right-hand side and solution
  VecX scale_, error_, beside_;
  VecX slope_from_, slope_to_;  // ẏ at the ends, for interpolation
  bool slopes_known_ = false, accepted_ = false;
  bool begun_ = false, first_ = true, rejected_ = false;
  bool crossed_ = false;   // was the last step
  bool crosses_ = false;   // does the next one
  double usual_step_ = 0;  // s, where it began to cross; 0: it does not
  double nearest_ = 1;     // Problem::sine() at `from`
  bool stale_ = true,
       fresh_ = false;      // derivatives: shall be evaluated, were evaluated for this step
  double contraction_ = 0;  // of Newton's method
  double shift_ = 0;        // of its last iteration: change of y, relative
};

// v̈, for the first estimate and the first guess, is a difference of v̇ along the motion.
void GeneralisedAlpha::begin(double h) {
  const Layout& layout = problem_.layout();
  const int nw = layout.nv + layout.nx;
  now_.y = from_.y;
  if (matrix_.outdated()) matrix_.set_structure();
  form_.calc_consistent(from_.t, now_.y, error_, now_.lambda, now_.s);
  nearest_ = std::min(nearest_, problem_.sine());
  ++counts_.evaluations;
  if (matrix_.outdated()) matrix_.set_structure();
  now_.rate = now_.mean = now_.slope = error_.tail(nw);
  now_.curve = VecX::Zero(nw);
  now_.lambda_slope = VecX::Zero(now_.lambda.size());
  now_.s_slope = VecX::Zero(now_.s.size());
  now_.h = now_.h_before = 0;
  if (tolerance_.given()) {
    const double shift = 1e-3 * h;
    problem_.calc_qdot(from_.t, now_.y, error_);
    beside_ = now_.y + shift * error_;
    problem_.calc_rates(from_.t + shift, beside_, error_);
    ++counts_.evaluations;
    now_.curve = (error_.tail(nw) - now_.rate) / (2 * shift);
  }
  next_ = now_;
  mean_ = now_.mean;
  motion_ = VecX::Zero(layout.nv);
  unknowns_ = VecX::Zero(matrix_.size());
  begun_ = first_ = stale_ = true;
  fresh_ = rejected_ = false;
}

Trial GeneralisedAlpha::attempt(double h) {
  begin_attempt(Needs::point);
  accepted_ = slopes_known_ = crossed_ = false;
  if (crosses_ || is_near(nearest_, h)) return cross(h);
  if (!begun_ || matrix_.outdated() || (!first_ && h_is_new(h))) begin(h);
  set_scale();
  if (!first_) mean_ = now_.rate + (h / now_.h) * (now_.mean - now_.rate);
  if (!options_.keep_derivatives && !matrix_.factorised_for(h)) stale_ = true;
  while (!iterate(h)) {
    rejected_ = true;
    if (fresh_) return cross(h);
    stale_ = true;
  }
  stale_ = contraction_ > slow;
  to_.y = next_.y;
  if (!end_attempt(h)) return {2, h / 4, false};
  if (is_near(sine_, h)) return cross(h);
  if (tolerance_.given()) next_.y = to_.y;
  set_differences(h);
  if (!tolerance_.given()) return {};
  const double error = calc_error(h);
  const Trial trial{error, next_step(h, error), std::isfinite(error)};
  rejected_ = rejected_ || !(error <= 1);
  return trial;
}

// Near a singular position what a step would find is blurred; behind it the method begins anew.
Trial GeneralisedAlpha::cross(double h) {
  const bool blurred = is_near(std::min(nearest_, sine_), h),
             may_fail = tolerance_.given() && form_.rows() > 0 && nearest_ < Crossing::rather_near;
  if (!crosses_ && !blurred && !may_fail) return {2, h / 2, false};
  if (blurred) usual_step_ = std::max(usual_step_, h);
  crosses_ = true;
  const Trial trial = crossing_.attempt(from_.t, from_.y, h, to_.y, counts_);
  crosses_ = trial.error > 1;
  if (crosses_) return trial;
  begun_ = rejected_ = false;
  crossed_ = true;
  sine_ = 1;
  return {trial.error, std::max(h, std::exchange(usual_step_, 0)), end_attempt(h)};
}

// From what the last steps let expect.
void GeneralisedAlpha::guess(double h) {
  next_.rate = now_.rate + (2 * h) * now_.curve;
  next_.lambda = now_.lambda + h * now_.lambda_slope;
  next_.s = now_.s + h * now_.s_slope;
  set_next(h);
}

void GeneralisedAlpha::prepare(double h) {
  if (stale_) {
    set_point(h);
    matrix_.differentiate(point_);
    stale_ = false;
    fresh_ = true;
  }
  if (!matrix_.factorised_for(h)) matrix_.factorise(h);
}

void GeneralisedAlpha::set_scale() {
  const bool given = tolerance_.given();
  for (int i = 0; i < scale_.size(); ++i)
    scale_[i] = given
                    ? tolerance_.absolute * nominal_[i] + tolerance_.relative * std::abs(now_.y[i])
                    : std::max(nominal_[i], std::abs(now_.y[i]));
}

// a' and y' from the rates v̇' and ẋ'.
void GeneralisedAlpha::set_next(double h) {
  const Layout& layout = problem_.layout();
  const int nq = layout.nq, nv = layout.nv, nw = nv + layout.nx;
  if (first_) mean_ = now_.rate + delta * (next_.rate - now_.rate);
  next_.mean =
      ((1 - alpha::f) * next_.rate + alpha::f * now_.rate - alpha::m * mean_) / (1 - alpha::m);
  next_.y = now_.y;
  motion_ = h * now_.y.segment(nq, nv) +
            (h * h) * ((0.5 - beta) * mean_.head(nv) + beta * next_.mean.head(nv));
  problem_.move(motion_, next_.y);
  next_.y.tail(nw) = now_.y.tail(nw) + h * ((1 - gamma) * mean_ + gamma * next_.mean);
}

void GeneralisedAlpha::set_point(double h) {
  point_.t = from_.t + h;
  point_.y = next_.y;
  point_.vdot = next_.rate.head(problem_.layout().nv);
  point_.lambda = next_.lambda;
  point_.s = next_.s;
}

// One iteration; returns the size of the change of y, in units of scale_. (In the first step v' and
// q' follow v̇' with other coefficients, ½ and (1 + Δ²)/4: half a percent, which is no reason for
// another matrix.)
double GeneralisedAlpha::improve(double h) {
  const Layout& layout = problem_.layout();
  const int nq = layout.nq, nv = layout.nv, nx = layout.nx, m = form_.rows(),
            p = matrix_.positions(), ns = form_.algebraic();
  set_point(h);
  form_.calc_residual(point_, residual_);
  ++counts_.residuals;
  unknowns_ << (h * h) * residual_.force,
      (-h * gamma / by_mean) * (residual_.xdot - next_.rate.tail(nx)), residual_.algebraic,
      residual_.position.head(p), h * residual_.velocity.tail(m - p);
  matrix_.solve(unknowns_);
  if (!unknowns_.allFinite()) return INFINITY;

  next_.rate.head(nv) -= (by_mean / (beta * h * h)) * unknowns_.head(nv);
  next_.rate.tail(nx) -= (by_mean / (gamma * h)) * unknowns_.segment(nv, nx);
  next_.s -= unknowns_.segment(nv + nx, ns);
  next_.lambda -= unknowns_.tail(m) / (h * h);
  set_next(h);
  beside_ = next_.y;
  beside_.segment(nq, nv) = unknowns_.head(nv);
  problem_.calc_qdot(point_.t, beside_, error_);
  error_.segment(nq, nv) = (gamma / (beta * h)) * unknowns_.head(nv);
  error_.tail(nx) = unknowns_.segment(nv, nx);
  double largest = shift_ = 0;
  const double seen =
      p == 0 ? 1 : beta * h / gamma;  // in index 3, speeds have round-off of positions over h
  for (int i = 0; i < error_.size(); ++i) {
    largest = std::max(largest, std::abs(error_[i]) / scale_[i]);
    shift_ = std::max(shift_, (i < nq ? 1 : seen) * std::abs(error_[i]) /
                                  std::max(nominal_[i], std::abs(next_.y[i])));
  }
  return largest;
}

// Simplified Newton iterations: to a share of the tolerance or, at fixed steps, to round-off; never
// one alone, as derivatives of forces that were stiff make its change small, however far the
// solution is. Where
// round-off comes first, changes stay as they are, and are no sign of bad derivatives. Nor is the
// second change, which shows how bad the guess of λ was.
bool GeneralisedAlpha::iterate(double h) {
  guess(h);
  prepare(h);
  double before = 0;
  contraction_ = 0;
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    const double change = improve(h);
    if (!std::isfinite(change)) return false;
    double left = change;  // of the way to the solution, at most
    if (iteration > 1) {
      const double ratio = change / before, rounded = matrix_.positions() > 0 ? 1e-13
                                                      : tolerance_.given() && iteration <= 3
                                                          ? 1e-14
                                                          : 1e-11;
      if (ratio > 0.3 && shift_ < rounded) return true;
      if (ratio > 2) return false;
      if (iteration > 2 && shift_ > rounded) contraction_ = ratio;
      left = ratio < 1 ? change * ratio / (1 - ratio) : INFINITY;
    }
    if (change == 0 ||
        (iteration > 1 && (shift_ <= round_off || (tolerance_.given() && left <= newton_share))))
      return true;
    before = change;
  }
  return false;
}

void GeneralisedAlpha::set_differences(double h) {
  const int nw = problem_.layout().nv + problem_.layout().nx;
  next_.h = h;
  next_.h_before = now_.h;
  next_.lambda_slope = (next_.lambda - now_.lambda) / h;
  next_.s_slope = (next_.s - now_.s) / h;
  next_.slope = (next_.y.tail(nw) - now_.y.tail(nw)) / h;
  next_.curve = (next_.slope - now_.slope) / (h + now_.h);
}

double GeneralisedAlpha::calc_error(double h) {
  const Layout& layout = problem_.layout();
  const int nq = layout.nq, nv = layout.nv, nw = nv + layout.nx;
  beside_ = next_.y;
  beside_.segment(nq, nv) = (2 * error_of_q * h * h * h) * next_.curve.head(nv);
  problem_.calc_qdot(to_.t, beside_, error_);
  error_.tail(nw) =
      (6 * error_of_v * h * h * h / (h + now_.h + now_.h_before)) * (next_.curve - now_.curve);
  return error_norm(error_);
}

// A small growth is not taken: the factorisation remains good.
double GeneralisedAlpha::next_step(double h, double error) const {
  if (!std::isfinite(error)) return h / 4;
  const double growth = std::clamp(safety * std::pow(std::max(error, 1e-10), -1.0 / 3),
                                   most_shrinking, rejected_ ? 1.0 : most_growth);
  return error <= 1 && growth >= 1 && growth <= 1.2 ? h : h * growth;
}

// Hermite's cubic through both ends: v and the rates of the step are their derivatives.
void GeneralisedAlpha::interpolate(double t, VecX& y) {
  const double h = to_.t - from_.t, s = (t - from_.t) / h, one = 1 - s;
  if (t == to_.t || h == 0) {
    y = to_.y;
    return;
  }
  if (crossed_) return crossing_.interpolate(t, y);
  if (!slopes_known_) {
    problem_.calc_qdot(from_.t, from_.y, slope_from_);
    problem_.calc_qdot(to_.t, to_.y, slope_to_);
    const Inner &at_from = accepted_ ? next_ : now_, &at_to = accepted_ ? now_ : next_;
    slope_from_.tail(at_from.rate.size()) = at_from.rate;
    slope_to_.tail(at_to.rate.size()) = at_to.rate;
    slopes_known_ = true;
  }
  y = ((1 + 2 * s) * one * one) * from_.y + (s * s * (3 - 2 * s)) * to_.y +
      (h * s * one * one) * slope_from_ - (h * s * s * one) * slope_to_;
}

// Derivatives are not saved: both the run that is saved and the one that is loaded evaluate them
// anew.
void GeneralisedAlpha::archive(Archive& archive) {
  Rule::archive(archive);
  archive(begun_);
  archive(first_);
  archive(rejected_);
  archive(crosses_);
  archive(usual_step_);
  archive(nearest_);
  archive(now_.h);
  archive(now_.h_before);
  for (VecX* x : {&now_.y, &now_.rate, &now_.mean, &now_.lambda, &now_.s, &now_.lambda_slope,
                  &now_.s_slope, &now_.slope, &now_.curve})
    archive.of_any_size(*x);
  if (archive.loading() && begun_) {
    const integrate::Layout& layout = problem_.layout();
    const Eigen::Index nw = layout.nv + layout.nx;
    archive.check(now_.y.size() == layout.size() && now_.rate.size() == nw &&
                  now_.mean.size() == nw && now_.slope.size() == nw && now_.curve.size() == nw &&
                  now_.lambda.size() == form_.rows() &&
                  now_.lambda_slope.size() == now_.lambda.size() &&
                  now_.s.size() == form_.algebraic() && now_.s_slope.size() == now_.s.size());
    matrix_.set_structure();
    next_ = now_;
    mean_ = now_.mean;
    motion_ = VecX::Zero(problem_.layout().nv);
    unknowns_ = VecX::Zero(matrix_.size());
  }
  stale_ = true;
  matrix_.forget();
}

}  // namespace

std::unique_ptr<Rule> make_generalised_alpha(Problem& problem, const Tolerance& tolerance,
                                             const ImplicitOptions& options) {
  return std::make_unique<GeneralisedAlpha>(problem, tolerance, options);
}

template <>
const RuleEntry& rule_entry<struct GeneralisedAlphaRule>() {
  static constexpr RuleEntry entry{
      .name = "generalised-alpha",
      .doc =
          "Brüls, Cardona and Arnold's, index 3, with variable steps 2: stiff and constrained "
          "systems, "
          "damped high frequencies",
      .order = 2,
      .error_order = 3,
      .control = StepControl::error,
      .share = 0.1,
      .asks = Asks::residuals,
      .make = [](Problem& p, const Tolerance& t) { return make_generalised_alpha(p, t, {}); },
  };
  return entry;
}

}  // namespace couplet::integrate
