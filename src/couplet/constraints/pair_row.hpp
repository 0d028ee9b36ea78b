// Equations between two bodies A and B, at the level of positions, velocities and accelerations.
//
//   error = e(X_WA, X_WB, t)
//   ė = couple·(ω_B - ω_A) + force·(v_B(point) - v_A(point)) + known
//   ë = the same with accelerations + bias
// A row is also the force that it takes: λ times (couple, force) at `point` on A, and the opposite
// on B.
#pragma once

#include "couplet/model/motion.hpp"

namespace couplet::constraints {

using math::Vec3;
using model::BodyAcceleration;
using model::BodyMotion;

struct PairRow {
  double error = 0;
  Vec3 couple = Vec3::Zero(), force = Vec3::Zero(), point = Vec3::Zero();  // world
  double known = 0, bias = 0;
};

/// How a body moves. Without accelerations rows have no bias.
struct BodyState {
  const BodyMotion& motion;
  const BodyAcceleration& acceleration;
  bool accelerated = true;

  const math::Pose& X() const { return motion.X_WB; }
  const Vec3& w() const { return motion.w; }
  Vec3 velocity_at(const Vec3& p) const { return motion.velocity_at(p); }
  Vec3 acceleration_at(const Vec3& p) const {  // of a point fixed on the body
    const Vec3 r = p - motion.X_WB.p;
    return acceleration.a + acceleration.alpha.cross(r) + motion.w.cross(motion.w.cross(r));
  }
};

/// How a point of B moves as seen from A: velocity and acceleration, world axes.
struct RelativePoint {
  Vec3 velocity, acceleration;

  RelativePoint(const BodyState& A, const BodyState& B, const Vec3& p);
};

/// The point p of B stays where axis a of A, through p_A, has the coordinate 0.
PairRow along(const BodyState& A, const Vec3& p_A, const Vec3& a, const BodyState& B,
              const Vec3& p);
/// Axis a of A stays normal to axis b of B.
PairRow normal(const BodyState& A, const Vec3& a, const BodyState& B, const Vec3& b);
/// Points p_A of A and p_B of B are `length` apart, which changes with `rate` and `rate_dot`.
PairRow distance(const BodyState& A, const Vec3& p_A, const BodyState& B, const Vec3& p_B,
                 double length, double rate, double rate_dot);

/// Where a wheel touches a plane.
struct Contact {
  Vec3 n;            // normal of the plane, on A
  Vec3 axis;         // of the wheel, on B; zero: a ball
  Vec3 p_A, centre;  // a point of the plane, the wheel's centre
  double radius;
};
/// Rolling without slip: rows[0] keeps contact, rows[1] and rows[2] forbid sliding along the axes
/// t1 and t2 of A.
void rolling(const BodyState& A, const BodyState& B, const Contact& contact, const Vec3& t1,
             const Vec3& t2, PairRow* rows);

}  // namespace couplet::constraints
