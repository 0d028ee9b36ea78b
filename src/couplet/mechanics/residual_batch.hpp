// Residuals of a mechanism at several points at once, in the lanes of packs: what differences of
// Jacobians need.
#pragma once

#include <optional>
#include <span>

#include "couplet/dynamics/minimal/batch.hpp"
#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/integrate/descriptor.hpp"

namespace couplet::mechanics {

class MechanismProblem;

/// The balance of forces as it stands, M v̇ - f + Gᵀλ, or solved for v̇: v̇ - M⁻¹(f - Gᵀλ), which
/// costs more and couples all freedoms of a tree (Arnold 1998, section 4).
enum class Equations { residual, solved };

class ResidualBatch {
 public:
  /// For trees whose joints are all free, without friction, with forces on freedoms alone, and by
  /// the recursion: no other formalism was asked for.
  static bool applies(dynamics::System& system);
  ResidualBatch(MechanismProblem& problem, Equations equations);

  static int width() { return dynamics::batch_kernels().width; }
  /// Any number of points, none with multipliers. Allocates nothing when the residuals have their
  /// sizes.
  void calc(std::span<const integrate::DescriptorPoint> points,
            std::span<integrate::DescriptorResidual> out);

 private:
  MechanismProblem& problem_;
  Equations equations_;
  dynamics::BatchDynamics batch_;
  math::MatX q_, v_, given_, found_, forces_;  // a column is a point
};

}  // namespace couplet::mechanics
