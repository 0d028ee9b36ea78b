// Compiles a Model into a Mechanism: spanning tree, merged welds, elementary links; the numbers are
// those of numbers.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/model/expand.hpp"
#include "couplet/model/numbers.hpp"
#include "couplet/model/spanning_tree.hpp"
#include "couplet/model/split.hpp"

namespace couplet::model {
namespace {

using base::Diagnostics;
using base::quoted;

class Compiler {
 public:
  Mechanism run(Model model, Strictness strictness, Diagnostics& diagnostics) {
    check(model, strictness, diagnostics);
    diagnostics.check();
    expand_outputs(model);
    open_loops(model, diagnostics);
    const auto shared = std::make_shared<Model>(std::move(model));
    out_.model = shared;
    walk_tree(diagnostics);
    const auto of_coordinates = std::make_shared<const std::vector<int>>(std::move(coordinates_));
    const auto of_speeds = std::make_shared<const std::vector<int>>(std::move(speeds_));
    out_.coordinate_names = {Names::Of::coordinates, shared, of_coordinates};
    out_.speed_names = {Names::Of::speeds, shared, of_speeds};
    out_.dof_names = {Names::Of::freedoms, shared, of_speeds};
    diagnostics.check();
    number_scratch();
    NumbersCalculator(out_).calc(out_);
    add_couplings(diagnostics);
    diagnostics.check();
    expand_points(out_, *shared);
    return std::move(out_);
  }

 private:
  const Model& model() const { return *out_.model; }
  const Point& point(int index) const { return model().points[index]; }
  const std::string& body_name(int body) const {  // as the user knows it
    const int whole = model().bodies[body].half_of;
    return model().bodies[whole < 0 ? body : whole].name;
  }

  void open_loops(Model& model, Diagnostics& diagnostics);
  void walk_tree(Diagnostics& diagnostics);
  void reserve();
  void cut(int index);
  void enter(const Neighbour& step, int parent_body, Diagnostics& diagnostics);
  void add_links(const Joint& joint, TreeJoint& slot);
  void name_coordinates(int joint);
  void number_scratch();
  void add_couplings(Diagnostics& diagnostics);

  Mechanism out_;
  std::vector<char> in_tree_;              // per joint
  std::vector<char> visited_;              // per body
  std::vector<int> coordinates_, speeds_;  // the joint of each
};

// Decides which joints are in the tree, and splits bodies where a joint outside of it needs its
// coordinates.
void Compiler::open_loops(Model& model, Diagnostics& diagnostics) {
  const size_t joints = model.joints.size();
  const bool may_have_loops = joints >= model.bodies.size();  // if all bodies are connected
  const std::vector<std::string> features =
      may_have_loops ? find_features(model) : std::vector<std::string>(joints);
  in_tree_ = choose_tree(model, make_joint_graph(model), features, diagnostics);
  split_bodies(model, features, in_tree_);
}

// Depth first from the world, joints in the order of the file. Joints outside of the tree are cut;
// bodies that are never met are disconnected.
void Compiler::walk_tree(Diagnostics& diagnostics) {
  const size_t bodies = model().bodies.size();
  const JointGraph graph = make_joint_graph(model());
  visited_.assign(bodies, 0);
  out_.nx = static_cast<int>(model().states.size());
  out_.bodies.resize(bodies);
  out_.joint_slot.assign(model().joints.size(), -1);
  reserve();

  struct Visit {
    int body;
    size_t next;
  };
  std::vector<Visit> stack{{0, 0}};
  visited_[0] = 1;
  while (!stack.empty()) {
    const int body = stack.back().body;
    if (stack.back().next == graph[body].size()) {
      stack.pop_back();
      continue;
    }
    const Neighbour step = graph[body][stack.back().next++];
    if (!in_tree_[step.joint] || visited_[step.body]) continue;
    enter(step, body, diagnostics);
    stack.push_back({step.body, 0});
  }
  for (int k = 0; k < static_cast<int>(model().joints.size()); ++k)
    if (!in_tree_[k]) cut(k);
  for (size_t b = 0; b < bodies; ++b)
    if (!visited_[b])
      diagnostics.error(model().bodies[b].where,
                        fmt::format("no chain of joints connects body {} with the world",
                                    quoted(model().bodies[b].name)),
                        "add a joint; type 'free' leaves all six motions open");
}

// What the tree will have, so that no list is twice as long as it has to be.
void Compiler::reserve() {
  size_t joints = 0, links = 0, nq = 0, nv = 0;
  for (size_t k = 0; k < in_tree_.size(); ++k) {
    if (!in_tree_[k]) continue;
    const JointInfo& type = info(model().joints[k].type);
    ++joints;
    links += type.nv > 0 ? std::max<size_t>(1, type.primitives.size()) : 0;
    nq += static_cast<size_t>(type.nq);
    nv += static_cast<size_t>(type.nv);
  }
  out_.joints.reserve(joints);
  out_.links.reserve(links);
  coordinates_.reserve(nq);
  speeds_.reserve(nv);
  out_.turns.reserve(nv);
}

void Compiler::cut(int index) {
  const Joint& joint = model().joints[index];
  out_.cuts.push_back({index, point(joint.from).body, point(joint.to).body, {}, {}});
}

// Takes one joint into the tree: the body on its far side becomes a child.
void Compiler::enter(const Neighbour& step, int parent_body, Diagnostics& diagnostics) {
  const Joint& joint = model().joints[step.joint];
  const JointInfo& type = info(joint.type);
  TreeJoint slot;
  slot.joint = step.joint;
  slot.parent_body = parent_body;
  slot.child_body = step.body;
  slot.reversed = point(joint.from).body != parent_body;

  if (slot.reversed && !type.reversible)
    diagnostics.error(
        joint.where,
        fmt::format(
            "{0} joint {1} points from body {2} back to body {3}, which carries it; a {0} joint "
            "can be run through in one direction only",
            type.name, quoted(joint.name), quoted(body_name(step.body)),
            quoted(body_name(parent_body))),
        "swap `from` and `to`");
  slot.iq = out_.nq;
  slot.iv = out_.nv;
  slot.link = out_.bodies[parent_body].link;
  if (type.nv > 0) {
    add_links(joint, slot);
    name_coordinates(step.joint);
  }
  out_.bodies[step.body].link = slot.link;
  out_.nq += type.nq;
  out_.nv += type.nv;
  visited_[step.body] = 1;
  out_.joint_slot[step.joint] = static_cast<int>(out_.joints.size());
  out_.joints.push_back(slot);
}

// One link per elementary motion, the first one on slot.link; slot.link becomes the last one.
void Compiler::add_links(const Joint& joint, TreeJoint& slot) {
  const JointInfo& type = info(joint.type);
  const auto add = [&](LinkKind kind, int offset, double sigma) {
    Link link{};
    link.kind = kind;
    link.prescribed = !joint.motion.empty();
    link.parent = slot.link;
    link.iq = slot.iq + offset;
    link.iv = slot.iv + offset;
    link.x.sigma = sigma;
    slot.link = static_cast<int>(out_.links.size());
    out_.links.push_back(link);
  };
  if (type.primitives.empty()) {
    add(type.nv == 6 ? LinkKind::free : LinkKind::spherical, 0, 0);
    out_.links.back().frame = static_cast<int>(out_.quaternion_frames.size());
    out_.quaternion_frames.emplace_back();
    return;
  }
  for (size_t k = 0; k < type.primitives.size(); ++k) {
    const Primitive::Kind motion = type.primitives[k].kind;
    const bool slides = motion == Primitive::Kind::prismatic ||
                        (motion == Primitive::Kind::screw && joint.pitch != 0);
    add(slides ? LinkKind::helical : LinkKind::revolute, static_cast<int>(k),
        motion == Primitive::Kind::prismatic ? 0 : 1);
  }
}

void Compiler::name_coordinates(int joint) {
  const JointInfo& type = info(model().joints[joint].type);
  coordinates_.insert(coordinates_.end(), type.nq, joint);
  speeds_.insert(speeds_.end(), type.nv, joint);
  for (int i = 0; i < type.nv; ++i) out_.turns.push_back(type.angular >> i & 1);
}

// Which links need scratch of their own.
void Compiler::number_scratch() {
  for (size_t i = out_.links.size(); i-- > 0;) {
    Link& link = out_.links[i];
    if (link.frame >= 0 || link.prescribed) link.heavy = out_.heavy_links++;
    if (link.parent < 0) continue;
    Link& parent = out_.links[link.parent];
    if (link.parent + 1 != static_cast<int>(i) && parent.branch < 0)
      parent.branch = out_.branch_links++;
  }
}

// Follows each mimic joint to the joint that moves by itself.
void Compiler::add_couplings(Diagnostics& diagnostics) {
  for (const TreeJoint& slot : out_.joints) {
    const Joint& joint = model().joints[slot.joint];
    if (!joint.mimic) continue;
    double ratio = joint.mimic->ratio, offset = joint.mimic->offset;
    int source = joint.mimic->joint;
    size_t steps = 0;
    while (model().joints[source].mimic && steps++ <= model().joints.size()) {
      const Mimic& next = *model().joints[source].mimic;
      offset += ratio * next.offset;
      ratio *= next.ratio;
      source = next.joint;
    }
    if (steps > model().joints.size()) {
      diagnostics.error(joint.where, fmt::format("joint {} mimics itself", quoted(joint.name)),
                        "let one joint of the cycle move by itself");
      continue;
    }
    base::ensure(out_.joint_slot[source] >= 0, "a joint that another mimics is never cut");
    const TreeJoint& leader = out_.joints[out_.joint_slot[source]];
    out_.couplings.push_back({slot.iq, slot.iv, leader.iq, leader.iv, ratio, offset, slot.joint});
  }
}

}  // namespace

Mechanism compile(Model model, Strictness strictness, Diagnostics* warnings) {
  Diagnostics diagnostics;
  Mechanism mechanism = Compiler().run(std::move(model), strictness, diagnostics);
  if (warnings) warnings->append(diagnostics);
  return mechanism;
}

}  // namespace couplet::model
