// Couplet's models of the mechanisms whose motion is known in closed form.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "couplet/model/mechanism.hpp"

namespace couplet::verification {

struct ExactMotion {
  std::string name;
  std::shared_ptr<const model::Mechanism> mechanism;
  std::function<math::VecX(double)> y;  // (q, v) at a time
  double duration;                      // s, a few periods
  std::vector<int> quaternions;         // where one begins in q; q and -q are the same

  /// The exact y(t) with its quaternions on the side of `near`.
  math::VecX exact(double t, const math::VecX& near) const;
};

/// All of them, for one to three periods. How far an error of a step grows depends on the motion
/// and its length; the shares in integrate/ were chosen on these motions, so they say little about
/// harder ones.
std::vector<ExactMotion> make_exact_motions();

}  // namespace couplet::verification
