#include "couplet/model/names.hpp"

#include "couplet/model/model.hpp"

namespace couplet::model {

std::string Names::operator[](size_t index) const {
  const int k = (*joints_)[index];
  size_t own = 0;  // which of the joint's
  while (own < index && (*joints_)[index - own - 1] == k) ++own;
  const Joint& joint = model_->joints[static_cast<size_t>(k)];
  const JointInfo& type = info(joint.type);
  if (of_ == Of::freedoms && type.nv == 1) return joint.name;
  return joint.name + "." + (of_ == Of::coordinates ? type.q_names[own] : type.v_names[own]);
}

Names::operator std::vector<std::string>() const {
  std::vector<std::string> all;
  all.reserve(size());
  for (size_t i = 0; i < size(); ++i) all.push_back((*this)[i]);
  return all;
}

}  // namespace couplet::model
