#include "couplet/model/mechanism.hpp"

#include <algorithm>
#include <cmath>

namespace couplet::model {
namespace {

// p + R ∫₀¹ exp(s [w]×) v ds: where a frame of orientation R at p gets by the screw (w, v) in its
// own axes.
Vec3 moved_along_screw(const math::Quaternion& orientation, const Vec3& p, const Vec3& w,
                       const Vec3& v) {
  const double angle = w.norm(), half = 0.5 * angle;
  const double sinc_half = half < 1e-8 ? 1 : std::sin(half) / half;
  const double a = 0.5 * sinc_half * sinc_half;                 // (1 - cos θ)/θ²
  const double b = angle < 1e-2 ? (1 - angle * angle / 20) / 6  // (θ - sin θ)/θ³ up to θ⁴/5040
                                : (angle - std::sin(angle)) / (angle * angle * angle);
  return p + math::rotation(orientation) * (v + a * w.cross(v) + b * w.cross(w.cross(v)));
}

}  // namespace

State Mechanism::default_state() const {
  State state{0, VecX::Zero(nq), VecX::Zero(nv), VecX::Zero(nx)};
  for (int i = 0; i < nx; ++i) state.x[i] = model->states[i].start;
  for (const TreeJoint& slot : joints) {
    const Joint& joint = model->joints[slot.joint];
    RareList<double> q = joint.q0;
    if (q.empty()) q = zero_position(info(joint.type));
    std::copy(q.begin(), q.end(), state.q.data() + slot.iq);
    std::copy(joint.v0.begin(), joint.v0.end(), state.v.data() + slot.iv);
  }
  make_consistent(state);
  return state;
}

void Mechanism::make_consistent(State& state) const {
  for (const Coupling& c : couplings) {
    state.q[c.iq] = c.ratio * state.q[c.source_iq] + c.offset;
    state.v[c.iv] = c.ratio * state.v[c.source_iv];
  }
  for (const Link& link : links)
    if (link.kind == LinkKind::spherical || link.kind == LinkKind::free)
      state.q.segment<4>(link.iq).normalize();
}

void Mechanism::calc_qdot(const VecX& q, const VecX& v, VecX& qdot) const {
  for (const TreeJoint& slot : joints)
    info(model->joints[slot.joint].type)
        .qdot(q.data() + slot.iq, v.data() + slot.iv, qdot.data() + slot.iq);
}

void Mechanism::move(const VecX& dq, VecX& q) const {
  for (const TreeJoint& slot : joints) {
    const JointInfo& type = info(model->joints[slot.joint].type);
    if (!type.on_quaternion()) {
      q.segment(slot.iq, type.nq) += dq.segment(slot.iv, type.nv);
      continue;
    }
    Eigen::Ref<math::Quaternion> p = q.segment<4>(slot.iq);
    const Vec3 turn = dq.segment<3>(slot.iv);
    if (type.nq == 7) {
      Eigen::Ref<Vec3> place = q.segment<3>(slot.iq + 4);
      place = moved_along_screw(p, place, turn, dq.segment<3>(slot.iv + 3));
    }
    const double angle = turn.norm(), half = angle < 1e-8 ? 0.5 : std::sin(0.5 * angle) / angle;
    const Vec3 e = half * turn, u = p.tail<3>();
    const double c = std::cos(0.5 * angle), w = p[0];
    p << w * c - u.dot(e), w * e + c * u + u.cross(e);
    p.normalize();
  }
}

bool Mechanism::has_prescribed() const {
  return std::any_of(links.begin(), links.end(), [](const Link& link) { return link.prescribed; });
}

}  // namespace couplet::model
