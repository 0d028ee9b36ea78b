#include "generic_ida.hpp"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "couplet/integrate/stabilised_system.hpp"

namespace couplet::bench {
namespace {

using integrate::VecX;

// Newton's method stalls when multipliers shall be as good as states: on Andrews' mechanism at t =
// 0, with 1 below a tolerance of 1e-7. They are of the order of 100 N.
constexpr double tolerance_of_multipliers = 1e3;

class GenericIda final : public integrate::Rule {
 public:
  GenericIda(integrate::Problem& problem, const integrate::Tolerance& tolerance)
      : Rule(problem, tolerance), system_(problem, {}, counts_) {
    SUNContext_Create(nullptr, &context_);
  }
  ~GenericIda() override {
    IDAFree(&ida_);
    if (linear_) SUNLinSolFree(linear_), SUNMatDestroy(matrix_);
    for (N_Vector v : {y_, ydot_, id_})
      if (v) N_VDestroy(v);
    SUNContext_Free(&context_);
  }

  integrate::Trial attempt(double h) override {
    begin_attempt(Needs::point);
    if (!ida_) begin();
    IDASetStopTime(ida_, from_.t + h);
    double t = from_.t;
    const int status = IDASolve(ida_, from_.t + h, &t, y_, ydot_, IDA_ONE_STEP);
    to_.t = t;
    to_.y = z_.head(nominal_.size());
    counts_.jacobians = count(&IDAGetNumJacEvals);
    counts_.factorizations = count(&IDAGetNumLinSolvSetups);
    return {status < 0 ? 2.0 : 0.0, h, status >= 0 && to_.y.allFinite()};
  }

 private:
  void begin() {
    system_.calc_consistent(from_.t, from_.y, z_, zdot_);
    differential_ = VecX::Zero(z_.size());
    differential_.head(system_.places().lambda).setOnes();
    y_ = N_VMake_Serial(z_.size(), z_.data(), context_);
    ydot_ = N_VMake_Serial(zdot_.size(), zdot_.data(), context_);
    id_ = N_VMake_Serial(differential_.size(), differential_.data(), context_);
    ida_ = IDACreate(context_);
    IDAInit(ida_, &GenericIda::residual, from_.t, y_, ydot_);
    IDASetErrHandlerFn(
        ida_, [](int, const char*, const char*, char*, void*) {}, nullptr);
    IDASetUserData(ida_, this);
    absolute_ = VecX::Constant(z_.size(), tolerance_.absolute);
    absolute_.tail(z_.size() - nominal_.size()).setConstant(tolerance_of_multipliers);
    N_Vector absolute = N_VMake_Serial(absolute_.size(), absolute_.data(), context_);
    IDASVtolerances(ida_, tolerance_.relative, absolute);
    N_VDestroy(absolute);
    IDASetId(ida_, id_);
    IDASetSuppressAlg(ida_, true);  // without, errors of λ fail the test at every step
    matrix_ = SUNDenseMatrix(z_.size(), z_.size(), context_);
    linear_ = SUNLinSol_Dense(y_, matrix_, context_);
    IDASetLinearSolver(ida_, linear_, matrix_);
  }
  long count(int (*get)(void*, long*)) const {
    long number = 0;
    get(ida_, &number);
    return number;
  }
  static int residual(double t, N_Vector z, N_Vector zdot, N_Vector out, void* self_pointer) {
    GenericIda& self = *static_cast<GenericIda*>(self_pointer);
    const auto n = N_VGetLength(z);
    self.point_ = Eigen::Map<const VecX>(N_VGetArrayPointer(z), n);
    self.rates_ = Eigen::Map<const VecX>(N_VGetArrayPointer(zdot), n);
    self.residual_.resize(n);
    self.system_.calc_residual(t, self.point_, self.rates_, self.residual_);
    Eigen::Map<VecX>(N_VGetArrayPointer(out), n) = self.residual_;
    return self.residual_.allFinite() ? 0 : 1;
  }

  integrate::StabilisedSystem system_;
  SUNContext context_ = nullptr;
  void* ida_ = nullptr;
  N_Vector y_ = nullptr, ydot_ = nullptr, id_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  VecX z_, zdot_, differential_, absolute_, point_, rates_, residual_;
};

}  // namespace

std::unique_ptr<integrate::Rule> make_generic_ida(integrate::Problem& problem,
                                                  const integrate::Tolerance& tolerance) {
  return std::make_unique<GenericIda>(problem, tolerance);
}

}  // namespace couplet::bench
