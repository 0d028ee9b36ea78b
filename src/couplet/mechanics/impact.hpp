// Impacts at several stops at once, without friction: Poisson's law as two complementarity problems
// (F. Pfeiffer and C. Glocker, Multibody dynamics with unilateral contacts, 1996, section 8).
//
//   γ = Eᵀv inwards, C = EᵀM⁻¹E, e_i the restitution of each
//   compression: γ' = γ + C Λ,            0 ≤ γ' ⊥ Λ ≥ 0
//   expansion:   γ⁺ = γ' + C (e Λ + P),   0 ≤ γ⁺ ⊥ P ≥ 0
//
// No stop is moved into, γ⁺ ≥ 0, and a single one throws back by Newton's law γ⁺ = -e γ. The
// kinetic energy changes by ½ ((eΛ)ᵀC(eΛ) - ΛᵀCΛ - PᵀCP): with one e for all it cannot grow. With
// several it could; then all e are reduced by the factor that keeps the first two terms equal.
#pragma once

#include <optional>

#include "couplet/math/spatial.hpp"

namespace couplet::mechanics {

/// All of the impulses, inwards; absent where none can turn the motion round.
std::optional<math::VecX> calc_impulses(const math::MatX& C, const math::VecX& speeds,
                                        const math::VecX& restitution);

}  // namespace couplet::mechanics
