// Linearised around a state at rest:  d/dt (z, ż, x) = A (z, ż, x), z̈ and ẋ differentiated by
// central differences. z are coordinates of the motions that constraints allow, δq = D z.
#include "couplet/workbench/modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/constraints/assembly.hpp"
#include "couplet/math/eigenvalues.hpp"
#include "couplet/math/least_squares.hpp"
#include "couplet/model/state_rates.hpp"
#include "couplet/workbench/evaluate.hpp"
#include "couplet/workbench/linearize.hpp"

namespace couplet::workbench {
namespace {

using math::MatX;
using math::VecX;
using model::State;

class SmallMotions {
 public:
  SmallMotions(const LoadedModel& model, const State& at)
      : model_(model),
        mechanism_(*model.mechanism),
        system_(model.mechanism),
        rates_(mechanism_),
        inputs_(mechanism_),
        state_(at) {
    if (system_.friction())
      for (const dynamics::FrictionGroup& group : system_.friction()->groups())
        if (group.stick_speed == 0)
          throw base::UserError({},
                                fmt::format("the dry friction of joint {} sticks at rest: nothing "
                                            "moves a little",
                                            base::quoted(group.name)),
                                "take it away, or give it a stick-speed");
    settle();
  }

  const State& state() const { return state_; }
  const MatX& directions() const { return D_; }
  Eigen::Index freedoms() const { return D_.cols(); }

  /// (z̈, ẋ) beside the state.
  VecX calc(const VecX& z, const VecX& zdot, const VecX& x) {
    State s = state_;
    mechanism_.move(D_ * z, s.q);
    s.v = D_ * zdot;
    s.x += x;
    system_.set_ties(s);
    VecX tau = VecX::Zero(mechanism_.nv), vdot = tau, out(freedoms() + mechanism_.nx);
    for (const model::Link& link : mechanism_.links)
      if (link.prescribed) s.v[link.iv] = 0;  // the time stands still
    system_.calc_vdot(s, tau, vdot);
    vdot_ = vdot;
    out.head(freedoms()) = N_.transpose() * vdot(free_);
    inputs_.set(s);
    rates_.calc(inputs_, out.data() + freedoms());
    return out;
  }
  const VecX& vdot() const { return vdot_; }  // of the last evaluation

  /// ∂(z̈, ẋ)/∂(z, ż, x)
  MatX differentiate() {
    constexpr double h = 1e-6;
    const Eigen::Index f = freedoms(), nx = mechanism_.nx;
    MatX J(f + nx, 2 * f + nx);
    VecX u = VecX::Zero(2 * f + nx);
    const auto at = [&] { return calc(u.head(f), u.segment(f, f), u.tail(nx)); };
    for (Eigen::Index k = 0; k < u.size(); ++k) {
      const double step = k < 2 * f ? h : h * std::max(1.0, std::abs(state_.x[k - 2 * f]));
      u[k] = step;
      J.col(k) = at();
      u[k] = -step;
      J.col(k) = (J.col(k) - at()) / (2 * step);
      u[k] = 0;
    }
    return J;
  }

  VecX calc_here() {
    const VecX none = VecX::Zero(freedoms());
    return calc(none, none, VecX::Zero(mechanism_.nx));
  }

  /// (z̈, ẋ) = 0, by Newton's method; where that does not get there, by going downhill first.
  void find_equilibrium() {
    constexpr double good = 1e-6;
    const State start = state_;
    double left = find_nearest_rest();
    if (!(left <= good)) {
      state_ = start;
      settle();
      left = relax();
    }
    if (!(left <= good))
      throw base::ComputationError(
          fmt::format("no equilibrium was found near this state: accelerations of {:.3g} are left; "
                      "begin closer to one, as with the end of a run that has come to rest",
                      left));
  }

 private:
  static constexpr double exact = 1e-10;

  /// ∂(z̈, ẋ)/∂(z, x)
  MatX differentiate_by_position() {
    const MatX J = differentiate();
    MatX out(J.rows(), freedoms() + mechanism_.nx);
    out << J.leftCols(freedoms()), J.rightCols(mechanism_.nx);
    return out;
  }
  VecX solve(const MatX& matrix, const VecX& right) const {
    math::LeastSquares solver;
    solver.compute(matrix);
    VecX step = solver.solve(right);
    constexpr double longest = 0.3;  // rad or m
    if (const double size = step.head(freedoms()).norm(); size > longest) step *= longest / size;
    return step;
  }
  VecX calc_after(const VecX& step) {
    mechanism_.move(D_ * step.head(freedoms()), state_.q);
    state_.x += step.tail(mechanism_.nx);
    settle();
    return calc_here();
  }

  /// Newton's method, damped. Gives what is left.
  double find_nearest_rest() {
    constexpr int most = 100;
    VecX r = calc_here();
    for (int k = 0; k < most && r.norm() > exact; ++k) {
      const VecX step = solve(differentiate_by_position(), -r);
      const State before = state_;
      const double error = r.norm();
      for (double part = 1; part > 1e-4; part /= 2) {
        state_ = before;
        r = calc_after(part * step);
        if (r.norm() < (1 - part / 4) * error) break;
      }
      if (!(r.norm() < error)) break;
    }
    return r.norm();
  }

  /// Pseudo-transient continuation (Kelley and Keyes, SIAM J. Numer. Anal. 35, 1998): implicit
  /// Euler steps of ż = z̈(z), which loses potential energy, the longer the nearer to rest.
  double relax() {
    constexpr int most = 500;
    constexpr double first = 0.1;  // rad or m, of the first step
    VecX r = calc_here();
    for (int k = 0; k < most && r.norm() > exact; ++k) {
      MatX matrix = differentiate_by_position();
      matrix.diagonal().array() -= r.norm() / first;
      r = calc_after(solve(matrix, -r));
    }
    return r.norm();
  }

  // Closes loops, and finds the directions that are left.
  void settle() {
    system_.set_ties(state_);
    state_.v.setZero();
    system_.closure().choose_rows(state_);
    system_.closure().project(state_);
    state_.v.setZero();
    EvaluateOptions options;
    options.state = make_input(state_, mechanism_);
    const EvaluationReport report = evaluate(model_, options);

    const std::vector<int>& listed = system_.inverse().listed_freedoms();
    std::vector<int> columns;  // of those that are listed: what is not prescribed
    free_.clear();
    for (size_t k = 0; k < listed.size(); ++k) {
      const auto is_it = [&](const model::Link& link) {
        return link.prescribed && link.iv == listed[k];
      };
      if (std::ranges::any_of(mechanism_.links, is_it)) continue;
      free_.push_back(listed[k]);
      columns.push_back(static_cast<int>(k));
    }
    const auto n = static_cast<Eigen::Index>(free_.size());
    N_ = MatX::Identity(n, n);
    if (report.constraints && report.constraints->G.rows() > 0) {
      const MatX Gt = report.constraints->G(Eigen::all, columns).transpose();
      N_ = math::make_left_null_space(Gt, static_cast<int>(Gt.cols()));
    }
    if (N_.cols() == 0)
      throw base::UserError({}, "the mechanism has no freedom to move",
                            "check shows what holds it");
    MatX all = MatX::Zero(mechanism_.nv, n);
    for (Eigen::Index k = 0; k < n; ++k) all(free_[static_cast<size_t>(k)], k) = 1;
    for (const model::Coupling& follower : mechanism_.couplings)
      all.row(follower.iv) = follower.ratio * all.row(follower.source_iv);
    D_ = all * N_;
  }

  const LoadedModel& model_;
  const model::Mechanism& mechanism_;
  dynamics::System system_;
  model::StateRates rates_;
  model::ExpressionInputs inputs_;
  State state_;
  std::vector<int> free_;  // freedoms that move by themselves
  MatX N_, D_;             // δv of those, and of all, by z
  VecX vdot_;
};

/// The largest first, and 1; small ones left out.
std::vector<Participation> order_shape(
    std::vector<std::pair<std::string, std::complex<double>>> all) {
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second) > 1.000001 * std::abs(b.second);
  });
  std::vector<Participation> shape;
  for (const auto& [name, value] : all) {
    const std::complex<double> share = value / all.front().second;
    if (!(std::abs(share) > 1e-3)) break;
    const double sign = share.real() < 0 ? -1 : 1;
    shape.push_back({name, sign * std::abs(share)});
  }
  return shape;
}

std::vector<Participation> make_shape(const math::EigenPair& pair, const MatX& D,
                                      const model::Mechanism& mechanism) {
  const Eigen::Index f = D.cols();
  std::vector<std::pair<std::string, std::complex<double>>> all;
  for (int i = 0; i < mechanism.nv; ++i) {
    std::complex<double> sum = 0;
    for (Eigen::Index k = 0; k < f; ++k) sum += D(i, k) * pair.vector[static_cast<size_t>(k)];
    all.emplace_back(mechanism.dof_names[static_cast<size_t>(i)], sum);
  }
  for (int i = 0; i < mechanism.nx; ++i)
    all.emplace_back(mechanism.model->states[static_cast<size_t>(i)].name,
                     pair.vector[static_cast<size_t>(2 * f + i)]);
  return order_shape(std::move(all));
}

}  // namespace

double Mode::frequency() const { return std::abs(eigenvalue.imag()) / (2 * std::numbers::pi); }
double Mode::damping() const {
  return std::abs(eigenvalue) > 0 ? -eigenvalue.real() / std::abs(eigenvalue) : 0;
}

namespace {

void add_modes(const MatX& A, ModesReport& report,
               const std::function<std::vector<Participation>(const math::EigenPair&)>& shape) {
  for (const math::EigenPair& pair : math::find_eigenvalues(A))
    if (pair.value.imag() >= 0) report.modes.push_back({pair.value, shape(pair)});
  std::stable_sort(report.modes.begin(), report.modes.end(), [](const Mode& a, const Mode& b) {
    return std::abs(a.eigenvalue) < std::abs(b.eigenvalue);
  });
}

ModesReport find_modes_of_class(const LoadedModel& model, const ModesOptions& options) {
  if (options.state)
    throw base::UserError({}, "a Modelica model has no option `state`", "leave it out");
  PointOptions asked;
  asked.equilibrium = options.equilibrium;
  LinearReport linear = linearize(model, asked);
  ModesReport report;
  report.A = std::move(linear.A);
  if (report.A.rows() == 0) throw base::UserError({}, "the model has no states", {});
  add_modes(report.A, report, [&](const math::EigenPair& pair) {
    std::vector<std::pair<std::string, std::complex<double>>> all;
    for (size_t i = 0; i < linear.states.size(); ++i)
      all.emplace_back(linear.states[i], pair.vector[i]);
    return order_shape(std::move(all));
  });
  report.acceleration = linear.point.rate;
  report.accelerating = linear.point.moving;
  report.notes = linear.point.notes;
  return report;
}

}  // namespace

ModesReport find_modes(const LoadedModel& model, const ModesOptions& options) {
  if (model.modelica) return find_modes_of_class(model, options);
  check_plugins(model);
  const model::Mechanism& mechanism = *model.mechanism;
  State start = options.state ? options.state->state : model.start();
  dynamics::System assembled(model.mechanism);
  dynamics::AssemblyOptions willing;
  willing.given = dynamics::given_by_model(mechanism);
  const dynamics::AssemblyReport assembly = dynamics::assemble(assembled, start, willing);
  if (!assembly.closed())
    throw base::ComputationError(
        fmt::format("the loops cannot be closed: {}", assembly.open.front().element));
  SmallMotions motions(model, start);
  if (options.equilibrium) motions.find_equilibrium();

  const MatX J = motions.differentiate();
  const Eigen::Index f = motions.freedoms(), nx = mechanism.nx;
  MatX A = MatX::Zero(2 * f + nx, 2 * f + nx);
  A.block(0, f, f, f).setIdentity();
  A.bottomRows(f + nx) = J;
  ModesReport report;
  add_modes(A, report, [&](const math::EigenPair& pair) {
    return make_shape(pair, motions.directions(), mechanism);
  });
  report.A = A;
  report.directions = motions.directions();
  report.state = motions.state();
  motions.calc_here();
  Eigen::Index worst = 0;
  report.acceleration = motions.vdot().cwiseAbs().maxCoeff(&worst);
  report.accelerating = mechanism.dof_names[static_cast<size_t>(worst)];
  return report;
}

}  // namespace couplet::workbench
