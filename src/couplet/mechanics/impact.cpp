#include "couplet/mechanics/impact.hpp"

#include <cmath>

#include "couplet/math/complementarity.hpp"

namespace couplet::mechanics {

using math::VecX;

std::optional<VecX> calc_impulses(const math::MatX& C, const VecX& speeds,
                                  const VecX& restitution) {
  VecX pressed, more;
  if (!math::solve_complementarity(C, speeds, pressed)) return std::nullopt;
  VecX returned = restitution.cwiseProduct(pressed);
  const double stored = pressed.dot(C * pressed), given = returned.dot(C * returned);
  if (given > stored) returned *= std::sqrt(stored / given);
  const VecX impulses = pressed + returned;
  if (!math::solve_complementarity(C, speeds + C * impulses, more)) return std::nullopt;
  return impulses + more;
}

}  // namespace couplet::mechanics
