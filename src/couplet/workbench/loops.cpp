#include "couplet/workbench/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/constraints/open_rows.hpp"
#include "couplet/model/spanning_tree.hpp"
#include "couplet/model/split.hpp"

namespace couplet::workbench {
namespace {

using base::quoted;
using model::Mechanism;

int half_at(const model::Model& model,
            const model::Joint& joint) {  // -1: none of its bodies is a half
  for (const int point : {joint.from, joint.to})
    if (model.bodies[model.points[point].body].half_of >= 0) return model.points[point].body;
  return -1;
}

LoopLine describe(const Mechanism& mechanism, const model::CutJoint& cut) {
  const model::Model& model = *mechanism.model;
  const model::Joint& joint = model.joints[cut.joint];
  const model::JointInfo& type = info(joint.type);
  LoopLine loop{joint.name, type.name, {}, ""};
  for (const int k : find_loop(mechanism, cut)) loop.joints.push_back(model.joints[k].name);
  const int half = half_at(model, joint);
  if (half >= 0)
    loop.reason = fmt::format("between the halves of body {}",
                              quoted(model.bodies[model.bodies[half].half_of].name));
  else if (joint.cut)
    loop.reason = "as the model says";
  else
    loop.reason = fmt::format("it leaves {} equation{}", 6 - type.nv, type.nv == 5 ? "" : "s");
  return loop;
}

// A free joint of prescribed pose is two with a body between them, which stands where it stands.
bool leads_to_its_own_body(const model::Model& model, const model::Joint& joint) {
  const base::SourceLocation& body = model.bodies[model.points[joint.to].body].where;
  return body.line > 0 && body.line == joint.where.line && body.column == joint.where.column &&
         body.file && joint.where.file && *body.file == *joint.where.file;
}

}  // namespace

Written count_written(const model::Model& model) {
  const auto halves = std::count_if(model.bodies.begin(), model.bodies.end(),
                                    [](const model::Body& body) { return body.half_of >= 0; });
  const auto between =
      std::count_if(model.joints.begin(), model.joints.end(),
                    [&](const model::Joint& joint) { return leads_to_its_own_body(model, joint); });
  const int added = static_cast<int>(halves + between);  // and a joint with each
  return {static_cast<int>(model.bodies.size()) - 1 - added,
          static_cast<int>(model.joints.size()) - added};
}

std::vector<LoopLine> list_loops(const Mechanism& mechanism) {
  std::vector<LoopLine> loops;
  for (const model::CutJoint& cut : mechanism.cuts) loops.push_back(describe(mechanism, cut));
  return loops;
}

std::vector<SplitLine> list_splits(const model::Model& model) {
  const bool any = std::any_of(model.bodies.begin(), model.bodies.end(),
                               [](const model::Body& body) { return body.half_of >= 0; });
  if (!any) return {};
  const std::vector<std::string> features = find_features(model);
  std::vector<SplitLine> splits;
  for (size_t k = 0; k < model.joints.size(); ++k) {
    const int half = half_at(model, model.joints[k]);
    if (half < 0 || features[k].empty()) continue;
    splits.push_back(
        {model.bodies[model.bodies[half].half_of].name, model.joints[k].name, features[k]});
  }
  return splits;
}

std::vector<ConstraintLine> list_constraints(const model::Model& model) {
  std::vector<ConstraintLine> lines;
  for (const model::Element& constraint : model.constraints)
    lines.push_back({constraint.name, constraint.type->name});
  return lines;
}

std::string describe_dependent(const std::vector<std::string>& motions) {
  if (motions.size() == 1)
    return fmt::format(
        "the motion of {} is prescribed, but other constraints hold it already; leave its motion "
        "out",
        quoted(motions[0]));
  std::string names;
  for (const std::string& name : motions) names += (names.empty() ? "" : ", ") + quoted(name);
  return fmt::format(
      "the prescribed motions of {} depend on each other; leave one of these motions out", names);
}

std::vector<std::string> assembly_faults(const dynamics::AssemblyReport& report) {
  std::vector<std::string> faults;
  if (!report.closed() && !std::isfinite(report.open.front().error))
    return {fmt::format("{} is not finite at the initial position ({})",
                        quoted(report.open.front().element), report.open.front().direction)};
  for (size_t i = 0; i < std::min<size_t>(report.open.size(), 3); ++i)
    faults.push_back(describe_open(report, i) +
                     (only_speeds_open(report)
                          ? ": prescribed motions contradict each other"
                          : ": the mechanism cannot be assembled near its initial position"));
  if (report.closed() && report.before.position > 1e-6)
    faults.push_back(fmt::format(
        "loops are open by {:.3g} in the initial position; assembling moves it by up to {:.3g}",
        report.before.position, report.moved.lpNorm<Eigen::Infinity>()));
  return faults;
}

std::vector<std::string> find_undetermined_friction(const Mechanism& mechanism,
                                                    const dynamics::ConstraintAnalysis& analysis) {
  std::vector<std::string> found;
  for (const model::Joint& joint : mechanism.model->joints)
    if (joint.friction && joint.friction->coefficient > 0 &&
        std::find(analysis.not_unique.begin(), analysis.not_unique.end(), joint.name) !=
            analysis.not_unique.end())
      found.push_back(joint.name);
  return found;
}

}  // namespace couplet::workbench
