#include "couplet/integrate/branch.hpp"

#include <fmt/format.h>

#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"

namespace couplet::integrate {

int find_jump(Problem& problem, const Tolerance& tolerance, const VecX& from, const VecX& predicted,
              const VecX& projected) {
  // Shares of a speed itself, and of the largest one; of the step; tolerances of a step.
  constexpr double own = 0.1, of_largest = 1e-2, of_step = 0.5, tolerances = 1000;
  constexpr double round_off = 1e-6;  // of positions, near singular ones
  const DescriptorForm* form = problem.descriptor();
  if (!form || form->rows() == 0) return -1;
  const Layout& layout = problem.layout();
  const auto tolerated = [&](int i, double size) {
    const double nominal = layout.nominal(i);
    return tolerances * (tolerance.absolute * nominal + tolerance.relative * size);
  };
  const double step = (predicted - from).head(layout.nq).lpNorm<Eigen::Infinity>();
  for (int i = 0; i < layout.nq; ++i) {
    const double size = std::abs(predicted[i]),
                 most = of_step * step + round_off * std::max(1.0, size) + tolerated(i, size);
    if (!(std::abs(projected[i] - predicted[i]) <= most)) return i;
  }
  const double largest = predicted.segment(layout.nq, layout.nv).lpNorm<Eigen::Infinity>();
  for (int i = layout.nq; i < layout.nq + layout.nv; ++i) {
    const double speed = std::abs(predicted[i]),
                 most = own * speed + of_largest * largest + tolerated(i, speed);
    if (!(std::abs(projected[i] - predicted[i]) <= most)) return i;
  }
  return -1;
}

void check_branch(Problem& problem, const Tolerance& tolerance, double t, const VecX& from,
                  const VecX& predicted, const VecX& projected) {
  const int i = find_jump(problem, tolerance, from, predicted, projected);
  if (i < 0) return;
  throw base::ComputationError(fmt::format(
      "t = {:.9g}: the constraints lead to another branch of the motion: {} would jump from {:.6g} "
      "to {:.6g}",
      t, base::quoted(problem.layout().component(i).name), predicted[i], projected[i]));
}

}  // namespace couplet::integrate
