#include "couplet/model/cut_joint.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/name.hpp"

namespace couplet::model {
namespace {

bool names_motion_of(const Joint& joint, std::string_view name) {
  const std::string plain =
      fmt::format("{}", fmt::join(symbolic::split_path(name), "."));  // 'far end'.q → far end.q
  const auto is = [&](const std::string& own) {
    return name == own || plain == own || name == symbolic::canonical_name(own);
  };
  if (is(joint.name)) return true;
  const JointInfo& type = info(joint.type);
  for (int i = 0; i < type.nq; ++i)
    if (is(joint.name + "." + type.q_names[i])) return true;
  for (int i = 0; i < type.nv; ++i)
    if (is(joint.name + "." + type.v_names[i]) || is(joint.name + "." + type.v_names[i] + "dot"))
      return true;
  return false;
}

}  // namespace

void check_has_coordinates(const Mechanism& mechanism, std::string_view name,
                           const base::SourceLocation& where) {
  for (const CutJoint& cut : mechanism.cuts) {
    const Joint& joint = mechanism.model->joints[static_cast<size_t>(cut.joint)];
    if (names_motion_of(joint, name))
      throw base::UserError(where,
                            fmt::format("joint {} closes a loop and has no coordinates of its own",
                                        base::quoted(joint.name)),
                            "write `cut: false` at this joint, so that another one is cut");
  }
}

}  // namespace couplet::model
