#include "couplet/model/split.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "couplet/model/spanning_tree.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::model {
namespace {

// Every expression that may name coordinates, with speeds that are reset.
std::unordered_set<std::string> find_used_symbols(const Model& model) {
  std::vector<Expr> all;
  std::unordered_set<std::string> names;
  const auto add = [&](const auto&... expressions) { (all.push_back(expressions), ...); };
  const auto add_list = [&](const auto& list) { all.insert(all.end(), list.begin(), list.end()); };
  for (const Element& force : model.forces) add_list(find_expressions(model, force));
  for (const EventRule& rule : model.rules) {
    if (rule.condition) add(*rule.condition);
    for (const auto& [speed, value] : rule.resets) names.insert(speed), add(value);
    for (const auto& [parameter, value] : rule.switches) add(value);
  }
  for (const Output& output : model.outputs) add(output.value);
  for (const StateVariable& state : model.states) add(state.rate);
  for (const Element& constraint : model.constraints) add_list(find_expressions(model, constraint));
  for (const std::string& name : symbolic::find_symbols(all)) names.insert(name);
  return names;
}

std::string unused_name(const std::string& body, const char* what, int number,
                        const std::unordered_set<std::string>& taken) {
  for (;; ++number) {
    std::string name = number == 1 ? fmt::format("{} ({})", body, what)
                                   : fmt::format("{} ({} {})", body, what, number);
    if (!taken.contains(name)) return name;
  }
}

}  // namespace

MassProperties share_of(const MassProperties& whole, int parts) {
  return {whole.mass / parts, whole.com, whole.inertia / parts};
}

std::vector<std::string> find_features(const Model& model) {
  std::vector<std::string> features(model.joints.size());
  const auto set = [&](int joint, const char* why) {
    if (features[joint].empty()) features[joint] = why;
  };
  for (const Element& force : model.forces)
    for (const Coordinate& freedom : find_attachments(model, force).freedoms)
      set(freedom.joint, "a force acts in it");
  const std::unordered_set<std::string> used = find_used_symbols(model);
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    const Joint& joint = model.joints[k];
    if (!joint.limits.empty()) set(k, "it has limits");
    if (joint.friction) set(k, "it has friction");
    if (!joint.motion.empty()) set(k, "its motion is prescribed");
    if (joint.mimic) set(k, "it mimics a joint"), set(joint.mimic->joint, "a joint mimics it");
    const JointInfo& type = info(joint.type);
    if (type.has_pitch) set(k, "its pitch couples turning and sliding");
    for (int i = 0; i < type.nq + type.nv; ++i) {
      const char* own = i < type.nq ? type.q_names[i] : type.v_names[i - type.nq];
      if (used.contains(symbolic::canonical_name(joint.name + "." + own)))
        set(k, "an expression names its coordinates");
    }
    if (!joint.q0.empty() || !joint.v0.empty()) set(k, "its initial state is given");
  }
  return features;
}

void split_bodies(Model& model, const std::vector<std::string>& features,
                  std::vector<char>& in_tree) {
  std::vector<size_t> joints;  // that keep their coordinates
  for (size_t k = 0; k < model.joints.size(); ++k)
    if (!in_tree[k] && !features[k].empty()) joints.push_back(k);
  if (joints.empty()) return;

  const std::vector<Body> whole = model.bodies;
  std::vector<int> parts(whole.size(), 1);
  std::unordered_set<std::string> taken;
  for (const Point& point : model.points) taken.insert(point.name);
  for (const Joint& joint : model.joints) taken.insert(joint.name);

  for (const size_t k : joints) {
    // The half hangs on the joint, so a joint that cannot be turned round needs it on its `to`
    // side.
    const int from_point = model.joints[k].from, to_point = model.joints[k].to;
    const int from = model.points[from_point].body, to = model.points[to_point].body;
    const bool backwards = to == 0 || (from != 0 && info(model.joints[k].type).reversible &&
                                       whole[to].mass.mass == 0 && whole[from].mass.mass > 0);
    const int body = backwards ? from : to;
    const int number = parts[body]++;
    const std::string half_name = unused_name(whole[body].name, "half", number, taken);
    const std::string weld_name = unused_name(whole[body].name, "split", number, taken);
    const int half = model.add_body(half_name, whole[body].mass, whole[body].where);
    model.bodies[half].half_of = body;
    model.bodies[half].particle = whole[body].particle;

    const int end = backwards ? from_point : to_point;
    const Point own = model.points[end];  // a copy: adding one moves them
    const int end_on_half = model.add_point(fmt::format("{}.{}", half_name, model.joints[k].name),
                                            half, own.X_BP, own.where);
    (backwards ? model.joints[k].from : model.joints[k].to) = end_on_half;
    const base::SourceLocation where = model.joints[k].where;
    const Mat3 R_axes = model.joints[k].R_axes;
    Joint& weld =
        model.add_joint(weld_name, JointType::weld, end, end_on_half, Vec3::UnitZ(), where);
    weld.R_axes = R_axes;  // its equations are those of the joint, and the joint's own freedoms
    weld.cut = true;
    weld.split_for = static_cast<int>(k);
    taken.insert({half_name, weld_name});
    in_tree[k] = 1;
    in_tree.push_back(0);
  }
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const int body = model.bodies[b].half_of < 0 ? static_cast<int>(b) : model.bodies[b].half_of;
    if (parts[body] > 1) model.bodies[b].mass = share_of(whole[body].mass, parts[body]);
  }
}

}  // namespace couplet::model
