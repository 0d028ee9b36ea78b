#include "couplet/mechanics/given.hpp"

#include <algorithm>

namespace couplet::mechanics {

using model::Mechanism;
using model::State;

dynamics::Given find_given(const Mechanism& mechanism, dynamics::Given said, const State& state) {
  const dynamics::Given by_model = dynamics::given_by_model(mechanism);
  if (said.q != by_model.q || said.v != by_model.v) return said;
  const State start = mechanism.default_state();
  for (const model::TreeJoint& slot : mechanism.joints) {
    const model::JointInfo& type =
        info(mechanism.model->joints[static_cast<size_t>(slot.joint)].type);
    if (state.q.segment(slot.iq, type.nq) != start.q.segment(slot.iq, type.nq))
      std::fill_n(said.q.begin() + slot.iv, type.nv, 1);
    if (state.v.segment(slot.iv, type.nv) != start.v.segment(slot.iv, type.nv))
      std::fill_n(said.v.begin() + slot.iv, type.nv, 1);
  }
  return said;
}

}  // namespace couplet::mechanics
