#include "check_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/constraints/open_rows.hpp"
#include "couplet/model/spanning_tree.hpp"
#include "couplet/model/split.hpp"

namespace couplet::app {
namespace {

using base::quoted;
using model::Mechanism;

struct Loop {
  std::string cut, type;            // the joint that is cut
  std::vector<std::string> joints;  // round the loop
  std::string reason;
};

struct Split {
  std::string body, joint, reason;  // the joint that keeps its coordinates
};

int half_at(const model::Model& model,
            const model::Joint& joint) {  // -1: none of its bodies is a half
  for (const int point : {joint.from, joint.to})
    if (model.bodies[model.points[point].body].half_of >= 0) return model.points[point].body;
  return -1;
}

Loop describe(const Mechanism& mechanism, const model::CutJoint& cut) {
  const model::Model& model = *mechanism.model;
  const model::Joint& joint = model.joints[cut.joint];
  const model::JointInfo& type = info(joint.type);
  Loop loop{joint.name, type.name, {}, ""};
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

std::vector<Split> find_splits(const model::Model& model) {
  const bool any = std::any_of(model.bodies.begin(), model.bodies.end(),
                               [](const model::Body& body) { return body.half_of >= 0; });
  if (!any) return {};
  const std::vector<std::string> features = find_features(model);
  std::vector<Split> splits;
  for (size_t k = 0; k < model.joints.size(); ++k) {
    const int half = half_at(model, model.joints[k]);
    if (half < 0 || features[k].empty()) continue;
    splits.push_back(
        {model.bodies[model.bodies[half].half_of].name, model.joints[k].name, features[k]});
  }
  return splits;
}

}  // namespace

Written count_written(const model::Model& model) {
  const auto halves = std::count_if(model.bodies.begin(), model.bodies.end(),
                                    [](const model::Body& body) { return body.half_of >= 0; });
  const int added = static_cast<int>(halves);  // a weld with each
  return {static_cast<int>(model.bodies.size()) - 1 - added,
          static_cast<int>(model.joints.size()) - added};
}

void print_loops(const Mechanism& mechanism) {
  constexpr size_t longest = 60;
  for (size_t i = 0; i < std::min(mechanism.cuts.size(), longest); ++i) {
    const Loop loop = describe(mechanism, mechanism.cuts[i]);
    fmt::print("loop {}: cut at {} ({}), {}\n  {}\n", i + 1, loop.cut, loop.type, loop.reason,
               fmt::join(loop.joints, " – "));
  }
  if (mechanism.cuts.size() > longest)
    fmt::print("… and {} more loops\n", mechanism.cuts.size() - longest);
  for (const Split& split : find_splits(*mechanism.model))
    fmt::print("body {} is split in two, so that joint {} keeps its coordinates: {}\n",
               quoted(split.body), quoted(split.joint), split.reason);
  for (const model::Element& constraint : mechanism.model->constraints)
    fmt::print("constraint {} ({})\n", constraint.name, constraint.type->name);
}

void write_loops(const Mechanism& mechanism, JsonWriter& json) {
  json.key("loops").begin_array();
  for (const model::CutJoint& cut : mechanism.cuts) {
    const Loop loop = describe(mechanism, cut);
    json.begin_object();
    json.key("cut").value(loop.cut);
    json.key("type").value(loop.type);
    json.key("joints").value(loop.joints);
    json.key("reason").value(loop.reason);
    json.end_object();
  }
  json.end_array();
  json.key("split_bodies").begin_array();
  for (const Split& split : find_splits(*mechanism.model)) {
    json.begin_object();
    json.key("body").value(split.body);
    json.key("joint").value(split.joint);
    json.key("reason").value(split.reason);
    json.end_object();
  }
  json.end_array();
  json.key("constraints").begin_array();
  for (const model::Element& constraint : mechanism.model->constraints) {
    json.begin_object();
    json.key("name").value(constraint.name);
    json.key("type").value(constraint.type->name);
    json.end_object();
  }
  json.end_array();
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

void print_analysis(const Mechanism& mechanism, const dynamics::ConstraintAnalysis& analysis) {
  if (analysis.rows == 0) return;
  fmt::print("constraints: {} equations of rank {}\n", analysis.rows, analysis.rank);
  for (const dynamics::Redundancy& r : analysis.redundant)
    fmt::print("  redundant at {}: {}; {}\n", quoted(r.element), fmt::join(r.directions, ", "),
               r.suggestion);
  for (const std::vector<std::string>& motions : analysis.dependent_motions)
    fmt::print("  {}\n", describe_dependent(motions));
  if (!analysis.not_unique.empty())
    fmt::print("  reactions that are not unique (the smallest are reported): {}\n",
               fmt::join(analysis.not_unique, ", "));
  const std::vector<std::string> rubbing = find_undetermined_friction(mechanism, analysis);
  if (!rubbing.empty())
    fmt::print(
        "  friction depends on reactions that are not unique; it follows from the smallest: {}\n",
        fmt::join(rubbing, ", "));
  if (analysis.singular)
    fmt::print(
        "  the initial position is singular: constraints that are independent nearby depend on "
        "each other here\n");
  else if (analysis.singularity < 1e-4)
    fmt::print("  the initial position is close to a singular one\n");
}

void write_analysis(const Mechanism& mechanism, const dynamics::ConstraintAnalysis& analysis,
                    JsonWriter& json) {
  json.key("friction_not_unique").value(find_undetermined_friction(mechanism, analysis));
  json.key("equations").value(analysis.rows);
  json.key("rank").value(analysis.rank);
  json.key("redundant").begin_array();
  for (const dynamics::Redundancy& r : analysis.redundant) {
    json.begin_object();
    json.key("element").value(r.element);
    json.key("directions").value(r.directions);
    json.key("suggestion").value(r.suggestion);
    json.end_object();
  }
  json.end_array();
  json.key("dependent_motions").begin_array();
  for (const std::vector<std::string>& motions : analysis.dependent_motions) json.value(motions);
  json.end_array();
  json.key("reactions_not_unique").value(analysis.not_unique);
  json.key("singular").value(analysis.singular);
}

}  // namespace couplet::app
