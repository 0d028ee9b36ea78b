#include "couplet/integrate/rules/vectors.hpp"

#include <cmath>

namespace couplet::integrate {
namespace {

void scale(double a, N_Vector x, N_Vector out) { numbers(out).noalias() = a * numbers(x); }

void add(double a, N_Vector x, double b, N_Vector y, N_Vector out) {
  numbers(out).noalias() = a * numbers(x) + b * numbers(y);
}

/// Σ aᵢ xᵢ, where only x₀ may be `out` itself.
int combine(int count, double* a, N_Vector* x, N_Vector out) {
  if (count == 1) return scale(a[0], x[0], out), 0;
  add(a[0], x[0], a[1], x[1], out);
  Eigen::Map<VecX> sum = numbers(out);
  int i = 2;
  for (; i + 1 < count; i += 2) sum.noalias() += a[i] * numbers(x[i]) + a[i + 1] * numbers(x[i + 1]);
  if (i < count) sum.noalias() += a[i] * numbers(x[i]);
  return 0;
}

double mean_root(double squares, N_Vector x) {
  return std::sqrt(squares / static_cast<double>(numbers(x).size()));
}

double norm(N_Vector x, N_Vector w) { return mean_root(numbers(x).cwiseProduct(numbers(w)).squaredNorm(), x); }

double masked_norm(N_Vector x, N_Vector w, N_Vector zeros_and_ones) {
  return mean_root(numbers(x).cwiseProduct(numbers(w)).cwiseProduct(numbers(zeros_and_ones)).squaredNorm(), x);
}

}  // namespace

void vectorise(N_Vector v) {
  v->ops->nvscale = &scale;
  v->ops->nvlinearsum = &add;
  v->ops->nvlinearcombination = &combine;
  v->ops->nvwrmsnorm = &norm;
  v->ops->nvwrmsnormmask = &masked_norm;
}

}  // namespace couplet::integrate
