#include "couplet/integrate/step_size.hpp"

#include <algorithm>
#include <cmath>

namespace couplet::integrate {
namespace {

constexpr double safety = 0.9, most_growth = 8, most_shrinking = 0.2;

}  // namespace

double guess_first_step(Problem& problem, const Tolerance& tolerance, int error_order, double t,
                        const VecX& y, double longest) {
  const Layout& layout = problem.layout();
  VecX scale(y.size());
  for (int i = 0; i < y.size(); ++i)
    scale[i] = tolerance.absolute * layout.nominal(i) + tolerance.relative * std::abs(y[i]);
  const auto norm = [&](const VecX& x) { return x.cwiseQuotient(scale).lpNorm<Eigen::Infinity>(); };
  const auto rates = [&](double time, const VecX& at) {
    VecX f = VecX::Zero(y.size());
    problem.calc_qdot(time, at, f);
    problem.calc_rates(time, at, f);
    return f;
  };
  const VecX f0 = rates(t, y);
  const double d0 = norm(y), d1 = norm(f0);
  const double h0 = std::min(longest, d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1);
  const VecX f1 = rates(t + h0, y + h0 * f0);
  const double d2 = norm(f1 - f0) / h0, largest = std::max(d1, d2);
  const double h1 =
      largest <= 1e-15 ? std::max(1e-6, h0 * 1e-3) : std::pow(0.01 / largest, 1.0 / error_order);
  const double h = std::min({100 * h0, h1, longest});
  return std::isfinite(h) && h > 0 ? h : std::min(longest, 1e-6);
}

PiController::PiController(int error_order) {
  beta_ = error_order < 8 ? 0.04 : 0.0;  // as in DOPRI5 and DOP853
  alpha_ = 1.0 / error_order - 0.75 * beta_;
}

double PiController::next_after_good(double h, double error) {
  const double e = std::max(error, 1e-10);
  double factor = safety * std::pow(e, -alpha_) * std::pow(error_before_, beta_);
  factor = std::clamp(factor, most_shrinking, rejected_ ? 1.0 : most_growth);
  error_before_ = std::max(e, 1e-4);
  rejected_ = false;
  return h * factor;
}

double PiController::next_after_bad(double h, double error) {
  rejected_ = true;
  if (!std::isfinite(error)) return h / 4;
  return h * std::clamp(safety * std::pow(error, -alpha_), most_shrinking, 0.9);
}

void PiController::reset() {
  error_before_ = 1e-4;
  rejected_ = false;
}

void PiController::archive(Archive& archive) {
  archive(error_before_);
  archive(rejected_);
}

}  // namespace couplet::integrate
