// What a constraint besides joints exerts, and how it is recorded.
#pragma once

#include <vector>

#include "couplet/math/spatial.hpp"

namespace couplet::constraints {

/// Between bodies it is a force at a point, with a torque about it: on the body of `to`, of
/// `point`, or on the wheel where it touches; the opposite acts on the other body. A relation acts
/// on freedoms.
struct ConstraintForce {
  struct OnFreedom {
    int freedom;
    double force;  // N m or N
  };
  math::Vec3 force = math::Vec3::Zero(), point = math::Vec3::Zero();  // N, m; world axes
  math::Vec3 torque = math::Vec3::Zero();                             // N m about `point`
  double pull = 0;  // N, of its first row: > 0 where its points are pulled together
  std::vector<OnFreedom> on_freedoms;  // of a relation: -λ ∂value/∂q
};

/// Something that can be recorded of a constraint, as <constraint>.<name>.
struct Exerted {
  enum class Kind { pull, force, torque, on_freedoms } kind;
  const char* name;
  const char* unit;  // of one component; on_freedoms: N m or N, by the freedom

  int components() const { return kind == Kind::force || kind == Kind::torque ? 3 : 1; }
  double value(const ConstraintForce& of, int component) const {
    switch (kind) {
      case Kind::pull:
        return of.pull;
      case Kind::force:
        return of.force[component];
      case Kind::torque:
        return of.torque[component];
      case Kind::on_freedoms:
        break;
    }
    return of.on_freedoms[static_cast<size_t>(component)].force;
  }
};

inline constexpr Exerted pull{Exerted::Kind::pull, "force", "N"};
inline constexpr Exerted force{Exerted::Kind::force, "force", "N"};
inline constexpr Exerted torque{Exerted::Kind::torque, "torque", "N m"};
inline constexpr Exerted on_freedoms{Exerted::Kind::on_freedoms, "tau", ""};

}  // namespace couplet::constraints
