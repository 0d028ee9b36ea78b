// CVODE of SUNDIALS: variable-order Adams (fixed-point iteration) and BDF (Newton with a dense
// difference Jacobian, for stiff systems). It chooses order and step itself.
//
// Its history cannot be saved, so it begins anew at every checkpoint, whether the run is
// interrupted there or not: the two give the same bits.
#include <cvode/cvode.h>
#include <fmt/format.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/rules/crossing.hpp"
#include "couplet/integrate/rules/round_off.hpp"
#include "couplet/integrate/rules/vectors.hpp"

namespace couplet::integrate {
namespace {

// CVODE controls a mean over the components, and its errors add up more than those of one-step
// rules: it carries on the solution whose error it estimates, so that N steps of error ε make N ε.
// With BDF of order 5 N ~ ε^(-1/6); for a total in proportion to the tolerance, ε ~
// tolerance^(6/5).
double share_of_a_step(int method, double tolerance) {
  return method == CV_BDF ? 0.25 * std::pow(tolerance, 0.2) : 0.03;
}
constexpr double least_tolerance =
    3e-16;  // relative: CVODE cannot see less above its own round-off

void no_messages(int, const char*, const char*, char*, void*) {
}  // what went wrong is in the status

class Cvode final : public Rule {
 public:
  Cvode(Problem& problem, const Tolerance& tolerance, int method)
      : Rule(problem, tolerance), crossing_(problem, tolerance), n_(nominal_.size()) {
    check(SUNContext_Create(nullptr, &context_), "SUNContext_Create");
    y_ = N_VNew_Serial(n_, context_);
    absolute_ = N_VNew_Serial(n_, context_);
    solver_ = CVodeCreate(method, context_);
    const double relative =
                     std::max(share_of_a_step(method, tolerance.relative) * tolerance.relative,
                              least_tolerance),
                 absolute =
                     std::max(share_of_a_step(method, tolerance.absolute) * tolerance.absolute,
                              least_tolerance);
    numbers(absolute_) = absolute * nominal_;
    scratch_y_ = scratch_ydot_ = VecX::Zero(n_);
    check(CVodeInit(solver_, &Cvode::right_hand_side, 0, y_), "CVodeInit");
    CVodeSetErrHandlerFn(solver_, no_messages, nullptr);
    check(CVodeSVtolerances(solver_, relative, absolute_), "CVodeSVtolerances");
    CVodeSetUserData(solver_, this);
    CVodeSetMaxNumSteps(solver_, 100000);
    if (method == CV_BDF) {
      matrix_ = SUNDenseMatrix(n_, n_, context_);
      linear_ = SUNLinSol_Dense(y_, matrix_, context_);
      check(CVodeSetLinearSolver(solver_, linear_, matrix_), "CVodeSetLinearSolver");
    } else {
      fixed_point_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
      check(CVodeSetNonlinearSolver(solver_, fixed_point_), "CVodeSetNonlinearSolver");
    }
  }

  ~Cvode() override {
    CVodeFree(&solver_);
    if (linear_) SUNLinSolFree(linear_);
    if (matrix_) SUNMatDestroy(matrix_);
    if (fixed_point_) SUNNonlinSolFree(fixed_point_);
    N_VDestroy(y_);
    N_VDestroy(absolute_);
    SUNContext_Free(&context_);
  }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;

  void start(double t, const VecX& y, double h) override {
    Rule::start(t, y, h);
    begin_at(t, y);
  }

  Trial attempt(double h) override {
    begin_attempt(Needs::point);
    crossed_ = comes_near() && cross(h);
    if (crossed_) return {0, h, true};
    if (has_drifted_) begin_at(from_.t, from_.y);
    CVodeSetStopTime(solver_, from_.t + h);
    double t = from_.t;
    failure_ = nullptr;
    const int status = CVode(solver_, from_.t + h, y_, &t, CV_ONE_STEP);
    to_.y = numbers(y_);
    if (fatal_) std::rethrow_exception(std::exchange(fatal_, nullptr));
    // CVODE itself goes on with steps that no longer move t.
    const bool stands =
        failure_ && t - from_.t <= 16 * std::numeric_limits<double>::epsilon() * std::abs(t);
    if (status < 0 || stands) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      end_attempt(0);
      if (CVodeGetEstLocalErrors(solver_, y_) == CV_SUCCESS)  // names the component to blame
        error_norm(numbers(y_));
      return {2, 0, false};
    }
    scratch_y_ = to_.y;
    const bool finite = end_attempt(t - from_.t);
    to_.t = t;
    // CVODE's own y is not projected. Off the constraints, errors may grow however well the motion
    // itself behaves.
    scratch_y_ -= to_.y;
    has_drifted_ = error_norm(scratch_y_) > 1;
    nearest_ = sine_;
    usual_step_ = std::max(t - from_.t, 0.9 * usual_step_);
    return {0, h, finite};
  }

  // CVODE has gone past t; it is asked for y there, and starts again after the event.
  void shorten(double t) override { end_between(t); }

  void interpolate(double t, VecX& y) override {
    if (t == to_.t) {
      y = to_.y;
      return;
    }
    if (crossed_) return crossing_.interpolate(t, y);
    // Steps of nanoseconds, after events that follow each other, are below what CVODE's history
    // resolves.
    if (CVodeGetDky(solver_, t, 0, y_) < 0) return Rule::interpolate(t, y);
    y = numbers(y_);
  }

  bool restarts_at_checkpoints() const override { return true; }

 private:
  void begin_at(double t, const VecX& y) {
    numbers(y_) = y;
    check(CVodeReInit(solver_, t, y_), "CVodeReInit");
    CVodeSetInitStep(solver_, 0);
    has_drifted_ = false;
    nearest_ = 1;
  }

  // Near a singular position CVODE would see nothing but round-off, and shorten its steps for it.
  bool comes_near() const { return nearest_ < Crossing::near && is_blurred(nearest_, usual_step_); }
  // CVODE begins anew behind it.
  bool cross(double h) {
    const Layout& layout = problem_.layout();
    const double most =
        std::max(usual_step_, Crossing::reach(from_.y.segment(layout.nq, layout.nv)));
    h = crossing_.cross(from_.t, from_.y, std::min(h, most), to_.y, counts_);
    if (h == 0) return false;
    has_drifted_ = true;
    nearest_ = problem_.sine();
    return end_attempt(h);
  }

  static int right_hand_side(double t, N_Vector y, N_Vector ydot, void* self_pointer) {
    Cvode& self = *static_cast<Cvode*>(self_pointer);
    self.scratch_y_ = numbers(y);
    try {  // no exception may pass through C; CVODE tries a smaller step
      self.evaluate(t, self.scratch_y_, self.scratch_ydot_);
    } catch (const base::ComputationError&) {
      self.failure_ = std::current_exception();
      return 1;
    } catch (...) {
      self.fatal_ = std::current_exception();
      return -1;
    }
    if (!self.scratch_ydot_.allFinite()) return 1;
    numbers(ydot) = self.scratch_ydot_;
    return 0;
  }

  static void check(int status, const char* function) {
    if (status < 0)
      throw std::runtime_error(fmt::format("{} failed with status {}", function, status));
  }

  Crossing crossing_;
  sunindextype n_;
  SUNContext context_ = nullptr;
  void* solver_ = nullptr;
  N_Vector y_ = nullptr, absolute_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  SUNNonlinearSolver fixed_point_ = nullptr;
  VecX scratch_y_, scratch_ydot_;
  double nearest_ = 1;     // Problem::sine() of the last step
  double usual_step_ = 0;  // s, a mean that follows long steps
  bool crossed_ = false;   // was the last step
  std::exception_ptr failure_, fatal_;
  bool has_drifted_ = false;  // from the constraints, by more than the tolerance
};

template <int method>
std::unique_ptr<Rule> make_cvode(Problem& problem, const Tolerance& tolerance) {
  return std::make_unique<Cvode>(problem, tolerance, method);
}

}  // namespace

template <>
const RuleEntry& rule_entry<struct CvodeAdamsRule>() {
  static constexpr RuleEntry entry{
      .name = "cvode-adams",
      .doc = "SUNDIALS CVODE, Adams, variable order: expensive accelerations",
      .order = 12,
      .error_order = 0,
      .control = StepControl::own,
      .share = 0.03,
      .asks = Asks::rates,
      .make = make_cvode<CV_ADAMS>,
      .reach = 1,
  };
  return entry;
}

template <>
const RuleEntry& rule_entry<struct CvodeBdfRule>() {
  static constexpr RuleEntry entry{
      .name = "cvode-bdf",
      .doc = "SUNDIALS CVODE, BDF, variable order: stiff systems",
      .order = 5,
      .error_order = 0,
      .control = StepControl::own,
      .share = 0.03,
      .asks = Asks::rates,
      .make = make_cvode<CV_BDF>,
  };
  return entry;
}

}  // namespace couplet::integrate
