// IDA of SUNDIALS: BDF of variable order and step on the stabilised index-2 form (Gear, Gupta,
// Leimkuhler), which keeps positions and velocities on their constraints without differentiating
// them twice.
//
// Newton's matrix is ours: its derivatives are kept over changes of the step, of which IDA makes
// many, and evaluated again when Newton's method becomes slow or fails. λ, μ and s are no part of
// the error test: they follow from q and v, and carry no history that errors could build up in.
// Points are projected when somebody looks at them, and at every tenth step, where the problem may
// notice that its rank changes; IDA's own history, which the stabilised form keeps at the
// constraints, is not touched by that. It cannot be saved, so that the rule begins anew at every
// checkpoint.
#include <fmt/format.h>
#include <ida/ida.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "couplet/base/diagnostics.hpp"
#include "couplet/integrate/rules/crossing.hpp"
#include "couplet/integrate/rules/round_off.hpp"
#include "couplet/integrate/rules/vectors.hpp"
#include "couplet/integrate/stabilised_system.hpp"

namespace couplet::integrate {
namespace {

// IDA carries on the solution whose error it estimates: N steps of error ε make N ε. With order 5 N
// ~ ε^(-1/6); for a total in proportion to the tolerance, ε ~ tolerance^(6/5). It cannot see errors
// below round-off.
double tolerance_of_a_step(double tolerance) {
  return std::max(10 * std::pow(tolerance, 1.2), 3e-16);
}
constexpr double newton_share =
    0.05;  // of a step's tolerance: what Newton's method leaves adds up without a sign
constexpr double visible = 10;  // times round-off of constrained states: less is not an error that
                                // shorter steps would help
constexpr int oldest = 100;     // steps for which derivatives are kept at most
constexpr int refreshed_after = 3;  // steps: M and G follow the motion, and cost little
constexpr int slow = 4;  // iterations of Newton's method after which derivatives are evaluated anew
constexpr int projected_after = 10;    // steps
constexpr double short_step = 1e-3;    // of the usual one
constexpr int most_short_steps = 100;  // in a row
constexpr int most_idle_steps = 3;     // that do not move t
constexpr int most_crossings = 100;    // with no step of a usual length between them

void no_messages(int, const char*, const char*, char*, void*) {
}  // what went wrong is in the status

void check(int status, const char* function) {
  if (status < 0)
    throw std::runtime_error(fmt::format("{} failed with status {}", function, status));
}

/// What SUNDIALS allocates for a system of one size.
struct Memory {
  Memory(VecX& z, VecX& zdot, VecX& id) {
    check(SUNContext_Create(nullptr, &context), "SUNContext_Create");
    y = N_VMake_Serial(z.size(), z.data(), context);
    ydot = N_VMake_Serial(zdot.size(), zdot.data(), context);
    differential = N_VMake_Serial(id.size(), id.data(), context);
    vectorise(y);
    solver = IDACreate(context);
    newton = SUNNonlinSol_Newton(y, context);
    matrix = SUNMatNewEmpty(context);
    linear = SUNLinSolNewEmpty(context);
  }
  ~Memory() {
    IDAFree(&solver);
    SUNNonlinSolFree(newton);
    SUNLinSolFreeEmpty(linear);
    SUNMatFreeEmpty(matrix);
    for (N_Vector v : {y, ydot, differential}) N_VDestroy(v);
    SUNContext_Free(&context);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  SUNContext context = nullptr;
  void* solver = nullptr;
  N_Vector y = nullptr, ydot = nullptr, differential = nullptr;
  SUNNonlinearSolver newton = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
};

class Ida final : public Rule {
 public:
  Ida(Problem& problem, const Tolerance& tolerance, const ImplicitOptions& options)
      : Rule(problem, tolerance),
        options_(options),
        system_(problem, options, counts_),
        round_off_(problem.layout()),
        crossing_(problem, tolerance) {}

  void start(double t, const VecX& y, double h) override {
    Rule::start(t, y, h);
    begun_ = false;
    usual_step_ = 0;
    nearest_ = 1;
    short_steps_ = crossings_ = 0;
  }

  Trial attempt(double h) override {
    begin_attempt(Needs::point);
    failure_ = nullptr;
    crossed_ = false;
    if (comes_near() && cross(h)) return {0, h, true};
    if (!begun_ || system_.outdated()) begin();
    IDASetStopTime(memory_->solver, from_.t + h);
    double t = from_.t;
    const int status =
        IDASolve(memory_->solver, from_.t + h, &t, memory_->y, memory_->ydot, IDA_ONE_STEP);
    to_.y = z_.head(nominal_.size());
    if (fatal_) std::rethrow_exception(std::exchange(fatal_, nullptr));
    // Before a singular position steps become short, until they no longer move t.
    const bool stands = t - from_.t <= 16 * std::numeric_limits<double>::epsilon() * std::abs(t);
    const bool creeps = status >= 0 &&
                        ++short_steps_ > (stands ? most_idle_steps : most_short_steps) &&
                        t - from_.t < short_step * usual_step_;
    if ((status < 0 || creeps) && cross(h)) return {0, h, true};
    if (status < 0 || (creeps && (failure_ || stands))) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      end_attempt(0);
      if (IDAGetEstLocalErrors(memory_->solver, memory_->y) ==
          IDA_SUCCESS)  // names the component to blame
        error_norm(z_.head(nominal_.size()));
      return {2, 0, false};
    }
    ++age_;
    if (t - from_.t >= short_step * usual_step_) short_steps_ = crossings_ = 0;
    usual_step_ = std::max(t - from_.t, 0.998 * usual_step_);
    const bool looks = age_ % projected_after == 0 || nearest_ < Crossing::rather_near;
    const bool finite = end_attempt(t - from_.t, looks ? Projection::now : Projection::when_seen);
    to_.t = t;
    if (looks) nearest_ = sine_;
    return {0, h, finite};
  }

  // IDA has gone past t; it is asked for y there, and starts again after the event.
  void shorten(double t) override { end_between(t); }

  void interpolate(double t, VecX& y) override {
    if (t == to_.t) {
      y = y_to();
      return;
    }
    if (crossed_) return crossing_.interpolate(t, y);
    // Steps of nanoseconds, after events that follow each other, are below what IDA's history
    // resolves.
    if (IDAGetDky(memory_->solver, t, 0, memory_->y) < 0) return Rule::interpolate(t, y);
    y = z_.head(nominal_.size());
  }

  bool restarts_at_checkpoints() const override { return true; }

 private:
  // IDA would see nothing but round-off there.
  bool comes_near() const { return nearest_ < Crossing::near && is_blurred(nearest_, usual_step_); }

  // IDA begins anew behind a singular position.
  bool cross(double h) {
    if (!constrained_ || ++crossings_ > most_crossings) return false;
    const Layout& layout = problem_.layout();
    const double most =
        std::max(usual_step_, Crossing::reach(from_.y.segment(layout.nq, layout.nv)));
    h = crossing_.cross(from_.t, settled(from_).y, std::min(h, most), to_.y, counts_);
    if (h == 0) return false;
    failure_ = nullptr;
    crossed_ = true;
    begun_ = false;
    short_steps_ = 0;
    if (!end_attempt(h)) return false;
    nearest_ = problem_.sine();
    return true;
  }

  void begin() {
    system_.calc_consistent(from_.t, settled(from_).y, z_, zdot_);
    constrained_ = z_.size() > nominal_.size();
    relative_ = tolerance_of_a_step(tolerance_.relative);
    absolute_ = tolerance_of_a_step(tolerance_.absolute);
    if (memory_ && z_.data() == numbers(memory_->y).data() &&
        z_.size() == numbers(memory_->y).size())
      check(IDAReInit(memory_->solver, from_.t, memory_->y, memory_->ydot), "IDAReInit");
    else
      make_memory();
    IDASetInitStep(memory_->solver, 0);
    system_.forget();
    stale_ = true;
    begun_ = true;
  }

  void make_memory() {
    const StabilisedSystem::Places& at = system_.places();
    scratch_z_ = scratch_zdot_ = scratch_ = z_;
    id_ = VecX::Zero(at.end);
    id_.head(at.lambda).setOnes();
    memory_ = std::make_unique<Memory>(z_, zdot_, id_);
    void* ida = memory_->solver;
    check(IDAInit(ida, &Ida::residual, from_.t, memory_->y, memory_->ydot), "IDAInit");
    IDASetErrHandlerFn(ida, no_messages, nullptr);
    IDASetUserData(ida, this);
    IDASetNonlinConvCoef(ida, newton_share);
    check(IDAWFtolerances(ida, &Ida::weights), "IDAWFtolerances");
    check(IDASetId(ida, memory_->differential), "IDASetId");
    IDASetSuppressAlg(ida, at.end > at.lambda);

    memory_->newton->ops->solve = &Ida::solve_nonlinear;
    check(IDASetNonlinearSolver(ida, memory_->newton), "IDASetNonlinearSolver");
    SUNNonlinSolConvTestFn& test =
        static_cast<SUNNonlinearSolverContent_Newton>(memory_->newton->content)->CTest;
    test_of_ida_ = std::exchange(test, &Ida::test_convergence);
    memory_->matrix->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
    memory_->matrix->ops->zero = [](SUNMatrix) { return 0; };
    memory_->linear->content = this;
    memory_->linear->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    memory_->linear->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
    memory_->linear->ops->setup = [](SUNLinearSolver, SUNMatrix) { return 0; };
    memory_->linear->ops->solve = &Ida::solve_linear;
    check(IDASetLinearSolver(ida, memory_->linear, memory_->matrix), "IDASetLinearSolver");
    check(IDASetJacFn(ida, &Ida::set_up), "IDASetJacFn");
  }

  // ---- What IDA calls. No exception may pass through C; after a ComputationError IDA tries a
  // smaller step.
  template <class Function>
  int guarded(const Function& function) {
    try {
      return function();
    } catch (const base::ComputationError&) {
      failure_ = std::current_exception();
      return 1;
    } catch (...) {
      fatal_ = std::current_exception();
      return -1;
    }
  }

  static int residual(double t, N_Vector z, N_Vector zdot, N_Vector out, void* self_pointer) {
    Ida& self = *static_cast<Ida*>(self_pointer);
    return self.guarded([&] {
      self.scratch_z_ = numbers(z);
      self.scratch_zdot_ = numbers(zdot);
      self.system_.calc_residual(t, self.scratch_z_, self.scratch_zdot_, self.scratch_);
      numbers(out) = self.scratch_;
      return self.scratch_.allFinite() ? 0 : 1;
    });
  }

  // The norm is the root of the mean square over all of z: weights undo that λ, μ and s dilute it.
  static int weights(N_Vector z, N_Vector out, void* self_pointer) {
    Ida& self = *static_cast<Ida*>(self_pointer);
    const Eigen::Map<VecX> values = numbers(z);
    Eigen::Map<VecX> w = numbers(out);
    const int ny = static_cast<int>(self.nominal_.size());
    const double share = std::sqrt(static_cast<double>(values.size()) / ny);
    self.round_off_.set(values);
    for (int i = 0; i < ny; ++i)
      w[i] = share /
             std::max(values.size() > ny ? visible * self.round_off_.of(i) : 0,
                      self.absolute_ * self.nominal_[i] + self.relative_ * std::abs(values[i]));
    w.tail(values.size() - ny).setConstant(1e-30);
    return 0;
  }

  static int set_up(double t, double cj, N_Vector z, N_Vector zdot, N_Vector, SUNMatrix,
                    void* self_pointer, N_Vector, N_Vector, N_Vector) {
    Ida& self = *static_cast<Ida*>(self_pointer);
    return self.guarded([&] {
      if (!self.stale_ && self.age_ <= oldest && self.options_.keep_derivatives) {
        self.system_.refresh();  // IDA has just asked for the residual at this point
      } else {
        self.scratch_z_ = numbers(z);
        self.scratch_zdot_ = numbers(zdot);
        self.system_.differentiate(t, self.scratch_z_, self.scratch_zdot_);
        self.age_ = 0;
        self.stale_ = false;
        self.fresh_ = true;
      }
      self.system_.factorise(cj);
      self.unrefreshed_ = 0;
      return 0;
    });
  }

  static int solve_linear(SUNLinearSolver linear, SUNMatrix, N_Vector z, N_Vector b, double) {
    Ida& self = *static_cast<Ida*>(linear->content);
    return self.guarded([&] {
      self.scratch_ = numbers(b);
      self.system_.solve(self.scratch_);
      numbers(z) = self.scratch_;
      return 0;
    });
  }

  // Newton's method of SUNDIALS; where it fails with derivatives that were kept, once more with new
  // ones.
  static int solve_nonlinear(SUNNonlinearSolver newton, N_Vector z0, N_Vector change, N_Vector w,
                             double tolerance, int set_up_first, void* ida) {
    void* pointer = nullptr;
    IDAGetUserData(ida, &pointer);
    Ida& self = *static_cast<Ida*>(pointer);
    self.fresh_ = false;
    if (++self.unrefreshed_ >= refreshed_after) set_up_first = 1;
    int status = SUNNonlinSolSolve_Newton(newton, z0, change, w, tolerance, set_up_first, ida);
    if (status > 0 && !self.fresh_) {
      self.stale_ = true;
      N_VConst(0, change);
      status = SUNNonlinSolSolve_Newton(newton, z0, change, w, tolerance, 1, ida);
    }
    long iterations = 0;
    SUNNonlinSolGetNumIters(newton, &iterations);
    if (iterations >= slow && !self.fresh_) self.stale_ = true;
    return status;
  }

  // IDA's test is on the rate at which changes become smaller. At round-off they no longer do, and
  // are as good as any.
  static int test_convergence(SUNNonlinearSolver newton, N_Vector z, N_Vector change,
                              double tolerance, N_Vector w, void* ida) {
    void* pointer = nullptr;
    IDAGetUserData(ida, &pointer);
    const Ida& self = *static_cast<Ida*>(pointer);
    const int status = self.test_of_ida_(newton, z, change, tolerance, w, ida);
    int iteration = 0;
    SUNNonlinSolGetCurIter(newton, &iteration);
    return iteration > 0 && self.round_off_.covers(numbers(change)) ? SUN_NLS_SUCCESS : status;
  }

  ImplicitOptions options_;
  StabilisedSystem system_;
  double relative_ = 0, absolute_ = 0;  // tolerances of a step
  RoundOff round_off_;
  Crossing crossing_;
  std::unique_ptr<Memory> memory_;
  VecX z_, zdot_, id_, scratch_z_, scratch_zdot_, scratch_;
  SUNNonlinSolConvTestFn test_of_ida_ = nullptr;
  bool begun_ = false;
  bool stale_ = true;   // derivatives shall be evaluated at the next opportunity
  bool fresh_ = false;  // they were, in this step
  int age_ = 0;         // steps since
  bool constrained_ = false;
  bool crossed_ = false;   // was the last step
  double usual_step_ = 0;  // s, a mean that follows long steps
  double nearest_ = 1;     // Problem::sine() where it was looked at last
  int short_steps_ = 0;    // in a row
  int crossings_ = 0;      // since the last step of a usual length
  int unrefreshed_ = 0;    // steps since M and G were
  std::exception_ptr failure_, fatal_;
};

}  // namespace

std::unique_ptr<Rule> make_ida(Problem& problem, const Tolerance& tolerance,
                               const ImplicitOptions& options) {
  return std::make_unique<Ida>(problem, tolerance, options);
}

template <>
const RuleEntry& rule_entry<struct IdaRule>() {
  static constexpr RuleEntry entry{
      .name = "ida",
      .doc = "SUNDIALS IDA, BDF on the stabilised index-2 form: stiff and constrained systems",
      .order = 5,
      .error_order = 0,
      .control = StepControl::own,
      .share = 0.01,
      .asks = Asks::residuals,
      .make = [](Problem& p, const Tolerance& t) { return make_ida(p, t, {}); },
  };
  return entry;
}

}  // namespace couplet::integrate
