#include "couplet/integrate/branch.hpp"

#include <fmt/format.h>

#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"

namespace couplet::integrate {

int find_jump(Problem& problem, const Tolerance& tolerance, const VecX& predicted,
              const VecX& projected) {
  // Shares of a speed itself, and of the largest one; tolerances of a step.
  constexpr double own = 0.1, of_largest = 1e-2, tolerances = 1000;
  const DescriptorForm* form = problem.descriptor();
  if (!form || form->rows() == 0) return -1;
  const Layout& layout = problem.layout();
  const double largest = predicted.segment(layout.nq, layout.nv).lpNorm<Eigen::Infinity>();
  for (int i = layout.nq; i < layout.nq + layout.nv; ++i) {
    const double speed = std::abs(predicted[i]),
                 nominal = layout.components[static_cast<size_t>(i)].nominal;
    const double most = own * speed + of_largest * largest +
                        tolerances * (tolerance.absolute * nominal + tolerance.relative * speed);
    if (!(std::abs(projected[i] - predicted[i]) <= most)) return i;
  }
  return -1;
}

void check_branch(Problem& problem, const Tolerance& tolerance, double t, const VecX& predicted,
                  const VecX& projected) {
  const int i = find_jump(problem, tolerance, predicted, projected);
  if (i < 0) return;
  throw base::ComputationError(fmt::format(
      "t = {:.9g}: the constraints lead to another branch of the motion: {} would jump from {:.6g} "
      "to {:.6g}",
      t, base::quoted(problem.layout().components[static_cast<size_t>(i)].name), predicted[i],
      projected[i]));
}

}  // namespace couplet::integrate
