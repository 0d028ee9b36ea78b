// Formalisms for constrained mechanisms: three ways to solve
//   M v̇ + h + Gᵀ λ = τ,   G v̇ + γ = 0
// for v̇ and λ. All use the independent rows that ConstraintSolver has chosen; accelerations are
// unique, λ are those of these rows.
#pragma once

#include <memory>

#include "couplet/dynamics/minimal/formalism.hpp"

namespace couplet::dynamics {

/// G M⁻¹ Gᵀ with M⁻¹ applied by the O(n) recursion (Otter et al. 1994, eq. 20): neither M nor its
/// inverse is formed.
std::unique_ptr<Formalism> make_schur(const Mechanism& mechanism);
/// The saddle-point system of M and G, with M of composite bodies.
std::unique_ptr<Formalism> make_augmented(const Mechanism& mechanism);
/// Dependent coordinates follow the independent ones: positions and speeds of the state's
/// independent coordinates are all that counts, dependent ones are solved for. Which are which
/// changes when the choice becomes ill-conditioned.
std::unique_ptr<Formalism> make_partitioned(const Mechanism& mechanism);

}  // namespace couplet::dynamics
