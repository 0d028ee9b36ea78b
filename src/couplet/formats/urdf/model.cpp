#include "couplet/formats/urdf/model.hpp"

#include <cmath>
#include <unordered_set>

#include "couplet/forces/entry.hpp"

namespace couplet::formats::urdf {
namespace {

using math::Vec3;
using model::JointType;
using model::Model;

constexpr const char* world = "world";

/// Names that the file does not give: the wanted one, or the next that is free.
class FreeNames {
 public:
  template <class Element>
  explicit FreeNames(const std::vector<Element>& elements) {
    for (const Element& element : elements) used_.insert(element.name);
  }
  std::string take(std::string name) {
    while (!used_.insert(name).second) name += '_';
    return name;
  }

 private:
  std::unordered_set<std::string> used_;
};

/// Returns the body of each link.
std::vector<int> add_bodies(const Robot& robot, Model& model) {
  std::vector<int> bodies;
  for (const Link& link : robot.links)
    bodies.push_back(link.name == world ? 0 : model.add_body(link.name, link.mass, link.where));
  return bodies;
}

/// A force or torque that is always there. That of a joint which follows another is felt by its
/// leader.
void add_friction(const Robot& robot, const std::vector<std::optional<Follower>>& followers,
                  int first, Model& model) {
  for (size_t j = 0; j < robot.joints.size(); ++j) {
    if (robot.joints[j].friction == 0) continue;
    const int leader = followers[j] ? followers[j]->leader : static_cast<int>(j);
    const double ratio = followers[j] ? std::abs(followers[j]->ratio) : 1;
    model::Joint& joint = model.joints[static_cast<size_t>(first + leader)];
    if (!joint.friction) joint.friction.emplace();
    const bool turns = (info(joint.type).angular & 1u) != 0;
    (turns ? joint.friction->torque : joint.friction->force) += ratio * robot.joints[j].friction;
  }
}

}  // namespace

Model make_model(const Robot& robot, const Tree& tree,
                 const std::vector<std::optional<Follower>>& followers,
                 const UrdfOptions& options) {
  Model model;
  model.name = robot.name;
  model.gravity = model::UniformGravity{options.gravity};
  const std::vector<int> bodies = add_bodies(robot, model);
  const auto own_point = [&](int link) {
    return model.bodies[static_cast<size_t>(bodies[static_cast<size_t>(link)])].origin;
  };

  if (const Link& root = robot.links[static_cast<size_t>(tree.root)]; root.name != world)
    model.add_joint(
        FreeNames(robot.joints).take(options.floating_base ? "floating_base" : "fixed_base"),
        options.floating_base ? JointType::free : JointType::weld, 0, own_point(tree.root),
        Vec3::UnitZ(), root.where);
  const int first = static_cast<int>(model.joints.size());  // index of the file's first joint

  FreeNames point_names(model.points);
  for (size_t j = 0; j < robot.joints.size(); ++j) {
    const Joint& joint = robot.joints[j];
    const int parent = bodies[static_cast<size_t>(tree.parent[j])];
    const int from =
        model.add_point(point_names.take(joint.name + ".origin"), parent, joint.X_PC, joint.where);
    model::Joint& added = model.add_joint(joint.name, joint.type, from, own_point(tree.child[j]),
                                          joint.axis, joint.where);
    added.q0 = joint.q0;
    added.v0 = joint.v0;
    if (joint.range) added.limits = {{joint.range->lower, joint.range->upper}};
    if (const std::optional<Follower>& f = followers[j])
      added.mimic = model::Mimic{first + f->leader, f->ratio, f->offset};
    if (joint.damping != 0)
      forces::add_force(model, joint.name + ".damping", "joint",
                        {{"joint", first + static_cast<int>(j)}, {"damping", joint.damping}},
                        joint.where);
  }
  add_friction(robot, followers, first, model);
  return model;
}

void check_world_link(const Robot& robot, const Tree& tree, const UrdfOptions& options,
                      base::Diagnostics& found) {
  if (tree.root < 0) return;  // there is no tree to speak of
  for (size_t l = 0; l < robot.links.size(); ++l) {
    const Link& link = robot.links[l];
    if (link.name != world) continue;
    if (static_cast<int>(l) != tree.root)
      found.error(link.where, "link 'world' is not the root, but its name is the inertial frame's",
                  "give the link another name");
    else if (options.floating_base)
      found.error(link.where, "the root link 'world' is the inertial frame: it cannot float",
                  "remove it and its joint, or do not ask for a floating base");
  }
}

}  // namespace couplet::formats::urdf
