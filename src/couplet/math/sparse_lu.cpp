#include "couplet/math/sparse_lu.hpp"

#include <klu.h>

#include <complex>

#include "couplet/base/diagnostics.hpp"

namespace couplet::math {
namespace {

// A matrix that is worse conditioned than this, by the ratio of its pivots, is singular up to
// round-off.
constexpr double singular = 1e-17;
// Old pivots are good while neither the growth of entries nor the ratio of pivots became worse by
// this factor.
constexpr double worsening = 1e-3;

using Complex = std::complex<double>;
double* numbers(const double* x) { return const_cast<double*>(x); }  // KLU does not change them
double* numbers(const Complex* x) { return reinterpret_cast<double*>(const_cast<Complex*>(x)); }

}  // namespace

template <class Scalar>
struct SparseLu<Scalar>::Klu {
  static constexpr bool real = std::is_same_v<Scalar, double>;
  klu_common common;
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  std::vector<int> starts, rows;
  double condition = 0, growth = 0;  // of the last choice of pivots

  Klu() { klu_defaults(&common); }
  ~Klu() {
    free_numeric();
    if (symbolic) klu_free_symbolic(&symbolic, &common);
  }
  int size() const { return static_cast<int>(starts.size()) - 1; }
  void free_numeric() {
    if (numeric) (real ? klu_free_numeric : klu_z_free_numeric)(&numeric, &common);
  }
  bool measure(double* values) {
    return (real ? klu_rcond : klu_z_rcond)(symbolic, numeric, &common) &&
           (real ? klu_rgrowth : klu_z_rgrowth)(starts.data(), rows.data(), values, symbolic,
                                                numeric, &common);
  }
  bool refactor(double* values) {
    return (real ? klu_refactor : klu_z_refactor)(starts.data(), rows.data(), values, symbolic,
                                                  numeric, &common) &&
           common.status == KLU_OK && measure(values) && common.rcond > worsening * condition &&
           common.rgrowth > worsening * growth;
  }
  bool factor(double* values) {
    free_numeric();
    numeric =
        (real ? klu_factor : klu_z_factor)(starts.data(), rows.data(), values, symbolic, &common);
    if (!numeric || common.status != KLU_OK || !measure(values)) return false;
    condition = common.rcond;
    growth = common.rgrowth;
    return condition > singular;
  }
};

template <class Scalar>
SparseLu<Scalar>::SparseLu() : klu_(std::make_unique<Klu>()) {}
template <class Scalar>
SparseLu<Scalar>::~SparseLu() = default;

template <class Scalar>
void SparseLu<Scalar>::analyse(const std::vector<int>& starts, const std::vector<int>& rows,
                               Ordering ordering) {
  klu_ = std::make_unique<Klu>();
  klu_->common.ordering = ordering == Ordering::columns ? 1 : 0;  // COLAMD, AMD
  klu_->starts = starts;
  klu_->rows = rows;
  if (klu_->size() > 0)
    klu_->symbolic =
        klu_analyze(klu_->size(), klu_->starts.data(), klu_->rows.data(), &klu_->common);
  base::ensure(klu_->size() == 0 || klu_->symbolic, "KLU accepts the structure of a matrix");
}

template <class Scalar>
std::optional<int> SparseLu<Scalar>::factorise(const std::vector<Scalar>& values) {
  Klu& klu = *klu_;
  if (klu.size() == 0) return {};
  double* x = numbers(values.data());
  if (klu.numeric && klu.refactor(x)) return {};
  if (klu.factor(x)) return {};
  klu.free_numeric();
  const int column = klu.common.singular_col;
  return column >= 0 && column < klu.size() ? column : klu.size() - 1;
}

template <class Scalar>
void SparseLu<Scalar>::solve(Scalar* b) {
  Klu& klu = *klu_;
  if (klu.size() == 0) return;
  base::ensure(klu.numeric, "a matrix is factorised before it is solved with");
  (Klu::real ? klu_solve : klu_z_solve)(klu.symbolic, klu.numeric, klu.size(), 1, numbers(b),
                                        &klu.common);
}

template <class Scalar>
void SparseLu<Scalar>::forget() {
  klu_->free_numeric();
}

template class SparseLu<double>;
template class SparseLu<Complex>;

}  // namespace couplet::math
