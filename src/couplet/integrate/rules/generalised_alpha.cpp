// The generalised-α method for constrained systems, on the manifold of positions: O. Brüls, A. Cardona, M. Arnold, "Lie
// group generalized-α time integration of constrained flexible multibody systems", Mech. Mach. Theory 48, 2012.
//
//   q' = q exp(h Δq),  Δq = v + h ((½ - β) a + β a'),    v' = v + h ((1 - γ) a + γ a')
//   (1 - αm) a' + αm a = (1 - αf) v̇' + αf v̇            M v̇' - f' + Gᵀλ' = 0,  G v' + γ(t', q') = 0
//
// First-order states x go the same way with γ alone (O. Brüls, J.-C. Golinval, 2006). Positions miss the constraints by
// O(h³), and the problem projects them after the step. Multipliers have order 2 then; with g(t', q') = 0 instead (index 3)
// and velocities projected they would have order 1, and so would all that friction moves. Unknowns of Newton's method are
// the motion h Δq and h²λ, and its rows are scaled by powers of h, so that its matrix stays well conditioned as h becomes
// small (C. Bottasso, O. Bauchau, A. Cardona, 2007).
#include <array>
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/explicit_descriptor.hpp"
#include "couplet/integrate/implicit.hpp"
#include "couplet/integrate/jacobian/newton_matrix.hpp"

namespace couplet::integrate {
namespace {

// ρ: what remains of the fastest oscillations in a step; at 0.9 the error is hardly larger than at 1.
constexpr double rho = 0.9, alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1),
                 gamma = 0.5 + alpha_f - alpha_m, beta = (gamma + 0.5) * (gamma + 0.5) / 4,
                 by_acceleration = (1 - alpha_m) / (1 - alpha_f);  // ∂v̇'/∂a'
constexpr int most_iterations = 20;
constexpr double slow = 0.1;  // a contraction at which derivatives are evaluated anew
constexpr double round_off = 4e-16;

// Of the parts of Newton's matrix: by what δv̇', δv', δq and δx follow from the unknowns, times the scale of the row.
enum Coefficient { one, acceleration, speed, h_speed, h2_speed, h1, h2, x_q, x_v, x_lambda, coefficients };

class GeneralisedAlpha final : public Rule {
 public:
  GeneralisedAlpha(Problem& problem, const Tolerance& tolerance, const ImplicitOptions& options)
      : Rule(problem, tolerance), options_(options), form_(descriptor_of(problem, adapter_)),
        jacobian_(problem, form_, options.coloured, counts_) {}

  void start(double t, const VecX& y, double h) override {
    Rule::start(t, y, h);
    begun_ = false;
  }

  Trial attempt(double h) override;
  void accept() override {
    Rule::accept();
    std::swap(now_, next_);
    fresh_ = false;
  }
  void archive(Archive& archive) override;

 private:
  /// What belongs to a point besides y.
  struct Inner {
    VecX rate, mean;  // (v̇, ẋ), and the a of the method for them
    VecX lambda, s;
  };

  void set_structure();
  void begin();
  void prepare(double h);
  void set_next(double h);
  void set_point(double h);
  double improve(double h);
  bool iterate(double h);
  base::ComputationError singular(int unknown) const;

  ImplicitOptions options_;
  std::unique_ptr<ExplicitDescriptor> adapter_;
  DescriptorForm& form_;
  DescriptorJacobian jacobian_;
  NewtonMatrix<double> matrix_;
  std::vector<double> parts_;  // those of the form, and 1
  DescriptorPoint point_;
  DescriptorResidual residual_;
  Inner now_, next_;
  VecX motion_, unknowns_, ydot_;  // h Δq and x; the right-hand side
  int revision_ = -1;
  bool begun_ = false, stale_ = true, fresh_ = false;
  double factorised_for_ = 0;  // s; 0: not
  double contraction_ = 0;
  double shift_ = 0;  // of positions in the last iteration, relative to the largest
};

// Rows: force, x, algebraic, velocity; columns: q, x, s, λ.
void GeneralisedAlpha::set_structure() {
  const Layout& layout = problem_.layout();
  const int nv = layout.nv, nx = layout.nx, m = form_.rows(), ns = form_.algebraic();
  const int x = nv, s = x + nx, lambda = s + ns, size = lambda + m;
  revision_ = form_.revision();
  jacobian_.set_structure();
  parts_.assign(static_cast<size_t>(jacobian_.entries()) + 1, 1);
  const DescriptorRows rows = rows_of(layout, form_);
  const DescriptorColumns columns = columns_of(layout, form_);
  std::vector<Placement> out;
  struct ByUnknown {
    int q, v, rest, lambda;
  };
  const auto add = [&](int row, int count, int to_row, const ByUnknown& coefficient) {
    place(jacobian_, {row, count, columns.q, nv, to_row, 0, coefficient.q}, out);
    place(jacobian_, {row, count, columns.v, nv, to_row, 0, coefficient.v}, out);
    place(jacobian_, {row, count, columns.x, nx, to_row, x, coefficient.rest}, out);
    place(jacobian_, {row, count, columns.s, ns, to_row, s, coefficient.rest}, out);
    place(jacobian_, {row, count, columns.lambda, m, to_row, lambda, coefficient.lambda}, out);
  };
  add(rows.force, nv, 0, {h2, h2_speed, h2, one});
  place(jacobian_, {rows.force, nv, columns.vdot, nv, 0, 0, acceleration}, out);
  add(rows.xdot, nx, x, {x_q, x_v, x_q, x_lambda});
  for (int i = 0; i < nx; ++i) out.push_back({jacobian_.entries(), x + i, x + i, one});
  add(rows.algebraic, ns, s, {one, speed, one, one});
  add(rows.velocity, m, lambda, {h1, h_speed, h1, one});
  matrix_.set_structure(size, out, options_.sparse);
  unknowns_ = VecX::Zero(size);
}

void GeneralisedAlpha::begin() {
  const int nq = problem_.layout().nq;
  if (revision_ != form_.revision()) set_structure();
  ydot_ = from_.y;
  form_.calc_consistent(from_.t, from_.y, ydot_, now_.lambda, now_.s);
  ++counts_.evaluations;
  if (revision_ != form_.revision()) set_structure();
  now_.rate = now_.mean = ydot_.tail(ydot_.size() - nq);
  next_ = now_;
  motion_ = VecX::Zero(now_.rate.size());
  begun_ = stale_ = true;
}

Trial GeneralisedAlpha::attempt(double h) {
  begin_attempt(Needs::point);
  if (!begun_ || revision_ != form_.revision()) begin();
  next_.rate = now_.rate;
  for (int trial = 0; trial < 2; ++trial) {
    next_.mean = ((1 - alpha_f) * next_.rate + alpha_f * now_.rate - alpha_m * now_.mean) / (1 - alpha_m);
    next_.lambda = now_.lambda;
    next_.s = now_.s;
    set_next(h);
    prepare(h);
    if (iterate(h)) break;
    if (fresh_) return {0, 0, false};
    stale_ = true;
    next_.rate = now_.rate;
  }
  stale_ = contraction_ > slow;
  return {0, 0, end_attempt(h)};
}

// y' from the mean rates a'.
void GeneralisedAlpha::set_next(double h) {
  const Layout& layout = problem_.layout();
  const int nq = layout.nq, nv = layout.nv, nx = layout.nx;
  to_.y = from_.y;
  motion_.head(nv) = h * from_.y.segment(nq, nv) +
                     (h * h) * ((0.5 - beta) * now_.mean.head(nv) + beta * next_.mean.head(nv));
  problem_.move(motion_.head(nv), to_.y);
  to_.y.tail(nv + nx) = from_.y.tail(nv + nx) + h * ((1 - gamma) * now_.mean + gamma * next_.mean);
}

base::ComputationError GeneralisedAlpha::singular(int unknown) const {
  const Layout& layout = problem_.layout();
  const DescriptorColumns columns = columns_of(layout, form_);
  const int nv = layout.nv, s = nv + layout.nx, lambda = s + form_.algebraic();
  const int column = unknown < nv       ? unknown
                     : unknown < s      ? columns.x + unknown - nv
                     : unknown < lambda ? columns.s + unknown - s
                                        : columns.lambda + unknown - lambda;
  return singular_matrix(name_of_column(layout, form_, column));
}

void GeneralisedAlpha::prepare(double h) {
  const bool same = std::abs(h - factorised_for_) <= 1e-10 * h;  // steps are rounded
  if (stale_ || (!same && !options_.keep_derivatives)) {
    set_point(h);
    jacobian_.differentiate(point_, parts_);
    stale_ = false;
    fresh_ = true;
  } else if (same) {
    return;
  }
  std::array<double, coefficients> values{};
  const double by_x = -h * gamma / by_acceleration;  // ∂x'/∂ẋ'
  values[one] = 1;
  values[acceleration] = by_acceleration / beta;
  values[speed] = gamma / (beta * h);
  values[h_speed] = gamma / beta;
  values[h2_speed] = h * gamma / beta;
  values[h1] = h;
  values[h2] = h * h;
  values[x_q] = by_x;
  values[x_v] = by_x * values[speed];
  values[x_lambda] = by_x / (h * h);
  factorised_for_ = 0;
  ++counts_.factorizations;
  if (const std::optional<int> column = matrix_.factorise(parts_, values)) throw singular(*column);
  factorised_for_ = h;
}

void GeneralisedAlpha::set_point(double h) {
  point_.t = from_.t + h;
  point_.y = to_.y;
  point_.vdot = next_.rate.head(problem_.layout().nv);
  point_.lambda = next_.lambda;
  point_.s = next_.s;
}

// One iteration; returns the size of the change of y relative to y.
double GeneralisedAlpha::improve(double h) {
  const Layout& layout = problem_.layout();
  const int nq = layout.nq, nv = layout.nv, nx = layout.nx, m = form_.rows(), ns = form_.algebraic();
  set_point(h);
  form_.calc_residual(point_, residual_);
  ++counts_.residuals;
  unknowns_ << (h * h) * residual_.force, (-h * gamma / by_acceleration) * (residual_.xdot - next_.rate.tail(nx)),
      residual_.algebraic, h * residual_.velocity;
  matrix_.solve(unknowns_);
  if (!unknowns_.allFinite()) return INFINITY;

  next_.mean.head(nv) -= unknowns_.head(nv) / (beta * h * h);
  next_.mean.tail(nx) -= unknowns_.segment(nv, nx) / (gamma * h);
  next_.rate = ((1 - alpha_m) * next_.mean + alpha_m * now_.mean - alpha_f * now_.rate) / (1 - alpha_f);
  next_.s -= unknowns_.segment(nv + nx, ns);
  next_.lambda -= unknowns_.tail(m) / (h * h);
  set_next(h);
  shift_ = nv ? unknowns_.head(nv).lpNorm<Eigen::Infinity>() / std::max(1.0, to_.y.head(nq).lpNorm<Eigen::Infinity>()) : 0;
  double largest = 0;
  for (int i = 0; i < nv + nx; ++i) {
    const double size = std::max(nominal_[nq + i], std::abs(to_.y[nq + i]));
    const double change = std::abs(unknowns_[i]) * (i < nv ? gamma / (beta * h) : 1);  // of v and x
    largest = std::max(largest, change / size);
  }
  return largest;
}

// Newton's method to round-off: the rule has no tolerance of its own.
bool GeneralisedAlpha::iterate(double h) {
  double before = 0;
  contraction_ = 0;
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    const double change = improve(h);
    if (!std::isfinite(change)) return false;
    if (change <= round_off) return true;
    if (iteration > 1) {
      const double ratio = change / before;
      // It cannot get better; round-off of positions is divided by h in the velocities.
      if ((change < 1e-11 || shift_ < 1e-13) && ratio > 0.3) return true;
      contraction_ = ratio;
      if (contraction_ > 2) return false;
    }
    before = change;
  }
  return false;
}

// Derivatives are not saved: both the run that is saved and the one that is loaded evaluate them anew.
void GeneralisedAlpha::archive(Archive& archive) {
  Rule::archive(archive);
  archive(begun_);
  for (VecX* x : {&now_.rate, &now_.mean, &now_.lambda, &now_.s}) archive(*x);
  if (archive.loading() && begun_) {
    set_structure();
    next_ = now_;
    motion_ = VecX::Zero(now_.rate.size());
  }
  stale_ = true;
  matrix_.forget();
}

}  // namespace

std::unique_ptr<Rule> make_generalised_alpha(Problem& problem, const Tolerance& tolerance,
                                             const ImplicitOptions& options) {
  return std::make_unique<GeneralisedAlpha>(problem, tolerance, options);
}

}  // namespace couplet::integrate
