#include "couplet/model/mechanism.hpp"

#include <algorithm>

namespace couplet::model {

State Mechanism::default_state() const {
  State state{0, VecX::Zero(nq), VecX::Zero(nv)};
  for (const TreeJoint& slot : joints) {
    const Joint& joint = model->joints[slot.joint];
    const std::vector<double> q = joint.q0.empty() ? zero_position(info(joint.type)) : joint.q0;
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

bool Mechanism::has_prescribed() const {
  return std::any_of(links.begin(), links.end(), [](const Link& link) { return link.prescribed; });
}

}  // namespace couplet::model
