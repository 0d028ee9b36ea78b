#include "couplet/constraints/pair_row.hpp"

namespace couplet::constraints {

RelativePoint::RelativePoint(const BodyState& A, const BodyState& B, const Vec3& p) {
  const Vec3 d = p - A.X().p, vp = B.velocity_at(p), vA = A.motion.v;
  velocity = vp - vA - A.w().cross(d);
  acceleration = B.acceleration_at(p) - A.acceleration.a - A.acceleration.alpha.cross(d) -
                 A.w().cross(vp - vA) - A.w().cross(velocity);
}

PairRow along(const BodyState& A, const Vec3& p_A, const Vec3& a, const BodyState& B,
              const Vec3& p) {
  PairRow row;
  row.error = a.dot(p - p_A);
  row.force = a;
  row.point = p;
  if (A.accelerated) row.bias = a.dot(RelativePoint(A, B, p).acceleration);
  return row;
}

PairRow normal(const BodyState& A, const Vec3& a, const BodyState& B, const Vec3& b) {
  PairRow row;
  row.error = a.dot(b);
  row.couple = b.cross(a);
  if (!A.accelerated) return row;
  const Vec3 change = B.w().cross(b).cross(a) + b.cross(A.w().cross(a));
  row.bias =
      row.couple.dot(B.acceleration.alpha - A.acceleration.alpha) + change.dot(B.w() - A.w());
  return row;
}

PairRow distance(const BodyState& A, const Vec3& p_A, const BodyState& B, const Vec3& p_B,
                 double length, double rate, double rate_dot) {
  PairRow row;
  const Vec3 d = p_B - p_A;
  const double size = d.norm();
  const Vec3 u = size > 0 ? Vec3(d / size) : Vec3::UnitX();
  row.error = size - length;
  row.force = u;
  row.point = p_B;
  row.known = -rate;
  if (!A.accelerated) return row;
  const Vec3 dv = B.velocity_at(p_B) - A.velocity_at(p_A);
  row.bias = u.dot(B.acceleration_at(p_B) - A.acceleration_at(p_A)) - rate_dot;
  if (size > 0) row.bias += (dv.squaredNorm() - u.dot(dv) * u.dot(dv)) / size;
  return row;
}

// The lowest point of a disc is at ρ = -r m/|m| from its centre, m = n - (n·a) a; of a ball at ρ =
// -r n. The body's material there has no velocity relative to the plane, and the point itself moves
// with ρ̇ in the body.
void rolling(const BodyState& A, const BodyState& B, const Contact& contact, const Vec3& t1,
             const Vec3& t2, PairRow* rows) {
  const Vec3 &n = contact.n, &a = contact.axis;
  const Vec3 m = n - n.dot(a) * a;
  const double size = m.norm();
  const Vec3 up = m / size, rho = -contact.radius * up, p = contact.centre + rho;
  const Vec3 ndot = A.w().cross(n), adot = B.w().cross(a);
  const Vec3 mdot = ndot - (ndot.dot(a) + n.dot(adot)) * a - n.dot(a) * adot;
  const Vec3 rhodot = -contact.radius / size * (mdot - up.dot(mdot) * up);

  const Vec3 w = B.w() - A.w(), slip = B.velocity_at(p) - A.velocity_at(p);
  const Vec3 from_A = contact.centre - A.X().p;
  const Vec3 v_C = B.velocity_at(contact.centre);
  const Vec3 carried =
      A.acceleration.a + A.acceleration.alpha.cross(from_A) + A.w().cross(v_C - A.motion.v);
  const Vec3 slip_rate = B.acceleration_at(contact.centre) - carried +
                         (B.acceleration.alpha - A.acceleration.alpha).cross(rho) + w.cross(rhodot);
  const Vec3 directions[] = {n, t1, t2};
  for (int k = 0; k < 3; ++k) {
    rows[k] = {};
    rows[k].force = directions[k];
    rows[k].point = p;
    rows[k].bias = directions[k].dot(slip_rate) + A.w().cross(directions[k]).dot(slip);
  }
  rows[0].error = n.dot(contact.centre - contact.p_A) - contact.radius * size;
}

}  // namespace couplet::constraints
