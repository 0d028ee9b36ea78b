#include "couplet/integrate/rules/vectors.hpp"

#include <cmath>

namespace couplet::integrate {
namespace {

void scale(double a, N_Vector x, N_Vector out) { numbers(out).noalias() = a * numbers(x); }

void add(double a, N_Vector x, double b, N_Vector y, N_Vector out) {
  numbers(out).noalias() = a * numbers(x) + b * numbers(y);
}

double mean_root(double squares, N_Vector x) {
  return std::sqrt(squares / static_cast<double>(numbers(x).size()));
}

double norm(N_Vector x, N_Vector w) {
  return mean_root(numbers(x).cwiseProduct(numbers(w)).squaredNorm(), x);
}

double masked_norm(N_Vector x, N_Vector w, N_Vector zeros_and_ones) {
  return mean_root(
      numbers(x).cwiseProduct(numbers(w)).cwiseProduct(numbers(zeros_and_ones)).squaredNorm(), x);
}

}  // namespace

void vectorise(N_Vector v) {
  v->ops->nvscale = &scale;
  v->ops->nvlinearsum = &add;
  v->ops->nvwrmsnorm = &norm;
  v->ops->nvwrmsnormmask = &masked_norm;
}

}  // namespace couplet::integrate
