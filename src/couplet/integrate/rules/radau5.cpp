// Radau IIA with three stages, order 5, stiffly accurate, on the stabilised index-2 form (Gear,
// Gupta, Leimkuhler). E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", sections
// IV.8 and VII.4 to VII.7.
//
//   F(t + cᵢ h, z + Zᵢ, Żᵢ) = 0,   h Żᵢ = Σ (A⁻¹)ᵢⱼ Zⱼ,   z' = z + Z₃
//
// Newton's method has one matrix for all stages, and T⁻¹ A⁻¹ T = (γ, α ± iβ) takes it apart: a real
// system with γ/h and a complex one with (α + iβ)/h instead of one of three times the size. Errors
// of λ, μ and s are not tested: they do not act on later steps.
//
// Between the ends the quartic of all one-step rules stands in. The collocation polynomial has an
// error of O(h⁴), far larger than that of the ends; it serves as first guess of the next step.
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <utility>

#include "couplet/integrate/rules/crossing.hpp"
#include "couplet/integrate/rules/round_off.hpp"
#include "couplet/integrate/stabilised_system.hpp"

namespace couplet::integrate {
namespace {

constexpr int stages = 3;
const double root6 = std::sqrt(6.0);
const double c[stages] = {(4 - root6) / 10, (4 + root6) / 10, 1};
const Eigen::Matrix3d A_inverse =
    (Eigen::Matrix3d() << (88 - 7 * root6) / 360, (296 - 169 * root6) / 1800,
     (-2 + 3 * root6) / 225, (296 + 169 * root6) / 1800, (88 + 7 * root6) / 360,
     (-2 - 3 * root6) / 225, (16 - root6) / 36, (16 + root6) / 36, 1.0 / 9)
        .finished()
        .inverse();
constexpr double gamma = 3.6378342527444957322;
constexpr std::complex<double> alpha_beta{2.6810828736277521338, 3.0504301992474105694};
constexpr double T[stages][stages] = {
    {9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
    {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
    {0.96604818261509293619, 1, 0}};
constexpr double T_inverse[stages][stages] = {
    {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};
// γ₀ (e₁, e₂, e₃) of the embedded formula of order 3, section IV.8.
const double embedded[stages] = {-(13 + 7 * root6) / 3, (-13 + 7 * root6) / 3, -1.0 / 3};

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int most_iterations = 10;
constexpr double slow =
    0.03;  // a contraction at which derivatives are evaluated anew for the next step
constexpr double safety = 0.9, most_growth = 8, most_shrinking = 0.2;

// The estimate of a step is O(h⁴), the error of a run O(h⁵): held to tolerance^⅘, the error of a
// run follows the tolerance. (RADAU5 takes tolerance^⅔: the error of a step follows it.)
Tolerance for_estimate(const Tolerance& t) {
  return {0.2 * std::pow(t.relative, 0.8), 0.2 * std::pow(t.absolute, 0.8)};
}

class Radau5 final : public Rule {
 public:
  Radau5(Problem& problem, const Tolerance& tolerance, const ImplicitOptions& options)
      : Rule(problem, for_estimate(tolerance)),
        options_(options),
        system_(problem, options, counts_),
        newton_tolerance_(tolerance.given()
                              ? std::max(10 * eps / tolerance_.relative,
                                         std::min(0.03, std::sqrt(tolerance_.relative)))
                              : eps),
        round_off_(problem.layout()),
        crossing_(problem, tolerance),
        scale_(nominal_) {}

  void start(double t, const VecX& y, double h) override {
    Rule::start(t, y, h);
    begun_ = crosses_ = false;
    usual_step_ = 0;
    nearest_ = 1;
  }

  Trial attempt(double h) override {
    begin_attempt(Needs::point);
    crossed_ = false;
    if (crosses_ || is_near(nearest_, h)) return cross(h);
    if (!begun_ || system_.outdated()) begin();
    set_scale();
    if (stale_ || (!options_.keep_derivatives && !same_step(h))) differentiate();
    factorise(h);
    guess(h);
    if (!iterate(h) && !iterate_anew(h)) return cross(h);
    next_ = z_ + Z_[2];
    to_.y = next_.head(nominal_.size());
    stale_ = contraction_ > slow;
    if (!tolerance_.given()) return {0, 0, end_attempt(h)};
    const double error = calc_error(h);
    const bool finite = end_attempt(h);
    if (is_near(sine_, h)) return cross(h);
    rejected_ = !(error <= 1);
    return {error, next_step(h, error), finite && std::isfinite(error)};
  }

  void accept() override {
    Rule::accept();
    nearest_ = sine_;
    first_ = false;
    accepted_step_ = to_.t - from_.t;
    accepted_error_ = std::max(1e-2, error_);
    std::swap(Z_, Z_before_);
    std::swap(z_, next_);
    std::swap(zdot_, Zdot_[2]);
    z_.head(nominal_.size()) = to_.y;
    fresh_ = false;
  }

  void interpolate(double t, VecX& y) override {
    if (crossed_ && t != to_.t)
      crossing_.interpolate(t, y);
    else
      Rule::interpolate(t, y);
  }
  bool restarts_at_checkpoints() const override { return true; }

 private:
  void begin() {
    system_.calc_consistent(from_.t, from_.y, z_, zdot_);
    nearest_ = std::min(nearest_, problem_.sine());
    for (auto* set : {&Z_, &Z_before_, &Zdot_, &F_, &F_first_}) set->fill(VecX::Zero(z_.size()));
    next_ = at_ = real_ = error_vector_ = z_;
    complex_ = z_.cast<std::complex<double>>();
    system_.forget();
    stale_ = first_ = begun_ = true;
    fresh_ = rejected_ = false;
    factorised_for_ = 0;
    eta_ = 1;
  }

  void differentiate() {
    system_.differentiate(from_.t, z_, zdot_);
    stale_ = false;
    fresh_ = true;
    factorised_for_ = 0;
  }

  // With new derivatives, and then with those at the expected end. Shortly before a singular
  // position some rows of the constraints at `from` are nearly zero, and beyond it they have the
  // other sign: shorter steps only come closer to it.
  bool iterate_anew(double h) {
    if (!fresh_) {
      differentiate();
      factorise(h);
      guess(h);
      if (iterate(h)) return true;
    }
    guess(h);
    at_ = z_ + Z_[2];
    Zdot_[2] = (A_inverse(2, 0) * Z_[0] + A_inverse(2, 1) * Z_[1] + A_inverse(2, 2) * Z_[2]) / h;
    system_.differentiate(from_.t + h, at_, Zdot_[2]);
    factorised_for_ = 0;
    factorise(h);
    return iterate(h);
  }

  // So near to a singular position that what a step would find is blurred.
  bool is_near(double sine, double h) const { return sine < Crossing::near && is_blurred(sine, h); }

  bool may_fail() const {
    return system_.size() > nominal_.size() && tolerance_.given() &&
           nearest_ < Crossing::rather_near;
  }

  // The method begins anew behind it.
  Trial cross(double h) {
    const bool blurred = is_near(std::min(nearest_, sine_), h);
    if (!crosses_ && !blurred && !may_fail()) return {2, h / 2, false};
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

  bool same_step(double h) const {
    return std::abs(h - factorised_for_) <= 1e-10 * h;
  }  // steps are rounded
  void factorise(double h) {
    if (same_step(h)) return;
    factorised_for_ = 0;
    system_.factorise(gamma / h);
    system_.factorise(alpha_beta / h);
    factorised_for_ = h;
  }

  void set_scale() {
    const bool given = tolerance_.given(), constrained = system_.size() > nominal_.size();
    round_off_.set(from_.y);
    for (int i = 0; i < scale_.size(); ++i)
      scale_[i] =
          given ? tolerance_.absolute * nominal_[i] + tolerance_.relative * std::abs(from_.y[i])
                : std::max(nominal_[i], std::abs(from_.y[i]));
    for (int i = 0; i < scale_.size() && constrained; ++i)
      scale_[i] = std::max(scale_[i], round_off_.of(i));
  }

  // The collocation polynomial of the last step, through 0 at its begin and Z at its stages, goes
  // on.
  void guess(double h) {
    for (size_t i = 0; i < stages; ++i) {
      if (first_) {
        Z_[i] = (c[i] * h) * zdot_;
        continue;
      }
      const double s = 1 + c[i] * h / accepted_step_;
      Z_[i] = -Z_before_[2];
      for (size_t j = 0; j < stages; ++j) {
        double basis = s / c[j];
        for (size_t k = 0; k < stages; ++k)
          if (k != j) basis *= (s - c[k]) / (c[j] - c[k]);
        Z_[i] += basis * Z_before_[j];
      }
    }
  }

  // One iteration; returns the size of the change in units of the tolerance.
  double improve(double h) {
    for (size_t i = 0; i < stages; ++i) {
      Zdot_[i] =
          (A_inverse(static_cast<int>(i), 0) * Z_[0] + A_inverse(static_cast<int>(i), 1) * Z_[1] +
           A_inverse(static_cast<int>(i), 2) * Z_[2]) /
          h;
      at_ = z_ + Z_[i];
      system_.calc_residual(from_.t + c[i] * h, at_, Zdot_[i], F_[i]);
    }
    const auto combine = [&](const double* row, auto&& out) {
      out = -(row[0] * F_[0] + row[1] * F_[1] + row[2] * F_[2]);
    };
    combine(T_inverse[0], real_);
    combine(T_inverse[1], complex_.real());
    combine(T_inverse[2], complex_.imag());
    system_.solve(real_);
    system_.solve(complex_);
    double largest = 0;
    only_round_off_ = true;
    for (size_t i = 0; i < stages; ++i) {
      at_ = T[i][0] * real_ + T[i][1] * complex_.real() + T[i][2] * complex_.imag();
      Z_[i] += at_;
      if (!at_.allFinite()) return INFINITY;
      only_round_off_ = only_round_off_ && (round_off_.covers(at_) || is_nothing(at_));
      largest = std::max(largest,
                         at_.head(scale_.size()).cwiseQuotient(scale_).lpNorm<Eigen::Infinity>());
    }
    return largest;
  }

  // Whatever the size of the states.
  bool is_nothing(const VecX& change) const {
    return (change.head(nominal_.size()).cwiseAbs() - 10 * eps * nominal_).maxCoeff() <= 0;
  }

  // Simplified Newton iterations with RADAU5's rule for their end, but never one alone, and with
  // old derivatives only where the first took something off all residuals; at fixed steps, to
  // round-off. Where a force jumps, they do not converge, and a small change has to do.
  bool iterate(double h) {
    double before = 0;
    contraction_ = 0;
    eta_ = std::pow(std::max(eta_, eps), 0.8);
    for (iterations_ = 1; iterations_ <= most_iterations; ++iterations_) {
      const double change = improve(h);
      if (!std::isfinite(change)) return false;
      if (iterations_ == 1) std::swap(F_, F_first_);
      if (iterations_ > 1) {
        const double ratio = change / before;
        const bool is_blind =
            only_round_off_ ? ratio > 0.5 : iterations_ == 2 && misses_a_residual();
        if (is_blind && !fresh_) return false;
        if (only_round_off_) break;
        contraction_ = iterations_ == 2 ? ratio : std::sqrt(ratio * contraction_);
        if (!tolerance_.given() && change < 1e-12 && ratio > 0.3) break;  // cannot get better
        if (contraction_ >= 0.99 && fresh_ && change <= newton_tolerance_) break;
        if (contraction_ >= 0.99) return false;
        eta_ = contraction_ / (1 - contraction_);
        const double at_end =
            eta_ * change * std::pow(contraction_, most_iterations - 1 - iterations_);
        if (tolerance_.given() && at_end > newton_tolerance_) return false;
      }
      if (change == 0 || (iterations_ > 1 && eta_ * change <= newton_tolerance_)) break;
      before = change;
    }
    if (iterations_ > most_iterations) return false;
    return true;
  }

  // Derivatives of forces that were stiff, and are so no more, make changes small, however far the
  // solution is: the first change left the residual of some force or rate as it was.
  bool misses_a_residual() const {
    const StabilisedSystem::Places& at = system_.places();
    for (int i = at.v; i < at.lambda; ++i) {
      double first = 0, now = 0;
      for (size_t k = 0; k < stages; ++k) {
        first = std::max(first, std::abs(F_first_[k][i]));
        now = std::max(now, std::abs(F_[k][i]));
      }
      if (now > 0.5 * first) return true;
    }
    return false;
  }

  // -(γ/h ∂F/∂ż + ∂F/∂z)⁻¹ F(t, z, -Σ eᵢZᵢ/h), and where that is large for a stiff component's
  // sake, the same once more beside z (Hairer, Wanner II, eqs. IV.8.19 and 8.20).
  double calc_error(double h) {
    at_ = (-embedded[0] / h) * Z_[0] - (embedded[1] / h) * Z_[1] - (embedded[2] / h) * Z_[2];
    system_.calc_residual(from_.t, z_, at_, error_vector_);
    error_vector_ = -error_vector_;
    system_.solve(error_vector_);
    error_ = norm_of_error();
    if (error_ > 1 && (first_ || rejected_)) {
      real_ = z_ + error_vector_;
      system_.calc_residual(from_.t, real_, at_, error_vector_);
      error_vector_ = -error_vector_;
      system_.solve(error_vector_);
      error_ = norm_of_error();
    }
    return error_;
  }

  double norm_of_error() {
    error_of_y_ = error_vector_.head(nominal_.size());
    return error_norm(error_of_y_);
  }

  // By the estimate, the number of iterations and, after a good step, how the error changed
  // (Gustafsson's predictive controller). A small growth is not taken: the factorisation remains
  // good.
  double next_step(double h, double error) const {
    if (!std::isfinite(error)) return h / 4;
    const double e = std::max(error, 1e-10);
    const double factor = std::min(
        safety, safety * (1 + 2.0 * most_iterations) / (iterations_ + 2.0 * most_iterations));
    double growth = factor * std::pow(e, -0.25);
    if (error <= 1 && !first_)
      growth =
          std::min(growth, safety * h / accepted_step_ * std::pow(accepted_error_ / (e * e), 0.25));
    growth = std::clamp(growth, most_shrinking, rejected_ ? 1.0 : most_growth);
    return error <= 1 && growth >= 1 && growth <= 1.2 ? h : h * growth;
  }

  ImplicitOptions options_;
  StabilisedSystem system_;
  double newton_tolerance_;
  RoundOff round_off_;
  Crossing crossing_;
  bool only_round_off_ = false;  // is what the last iteration changed
  VecX scale_, z_, zdot_, next_, at_, real_, error_vector_, error_of_y_;
  StabilisedSystem::ComplexVecX complex_;
  std::array<VecX, stages> Z_, Z_before_, Zdot_, F_, F_first_;
  bool begun_ = false, first_ = true, rejected_ = false;
  bool crossed_ = false;               // was the last step
  bool crosses_ = false;               // does the next one
  double usual_step_ = 0;              // s, where it began to cross; 0: it does not
  double nearest_ = 1;                 // Problem::sine() at `from`
  bool stale_ = true, fresh_ = false;  // derivatives: shall be evaluated, were evaluated at `from`
  double factorised_for_ = 0;          // s; 0: not
  double eta_ = 1, contraction_ = 0;   // of Newton's method
  int iterations_ = 0;
  double error_ = 0, accepted_step_ = 0, accepted_error_ = 0;
};

}  // namespace

std::unique_ptr<Rule> make_radau5(Problem& problem, const Tolerance& tolerance,
                                  const ImplicitOptions& options) {
  return std::make_unique<Radau5>(problem, tolerance, options);
}

template <>
const RuleEntry& rule_entry<struct Radau5Rule>() {
  static constexpr RuleEntry entry{
      .name = "radau5",
      .doc =
          "Radau IIA on the stabilised index-2 form: stiff and constrained systems, tight "
          "tolerances",
      .order = 5,
      .error_order = 4,
      .control = StepControl::error,
      .share = 0.1,
      .asks = Asks::residuals,
      .make = [](Problem& p, const Tolerance& t) { return make_radau5(p, t, {}); },
  };
  return entry;
}

}  // namespace couplet::integrate
