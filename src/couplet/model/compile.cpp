// Compiles a Model into a Mechanism: spanning tree, merged welds, elementary links, canonical
// frames.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/model/canonical.hpp"
#include "couplet/model/mechanism.hpp"
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
    open_loops(model, diagnostics);
    out_.model = std::make_shared<const Model>(std::move(model));
    walk_tree(diagnostics);
    diagnostics.check();
    choose_frames();
    add_masses();
    add_couplings(diagnostics);
    diagnostics.check();
    if (const auto* gravity = std::get_if<UniformGravity>(&this->model().gravity))
      out_.uniform_gravity = gravity->g;
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
  void cut(int index);
  void enter(const Neighbour& step, int parent_body, Diagnostics& diagnostics);
  void add_links(const Joint& joint, TreeJoint& slot, int parent_link);
  void name_coordinates(const Joint& joint);
  void choose_frames();
  void add_masses();
  void add_couplings(Diagnostics& diagnostics);

  Mechanism out_;
  std::vector<char> in_tree_;  // per joint
  std::vector<char> visited_;  // per body
  std::vector<RawLink> raw_;   // per link
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

void Compiler::cut(int index) {
  const Joint& joint = model().joints[index];
  const Pose X_axes{joint.R_axes, Vec3::Zero()};
  const Point &from = point(joint.from), &to = point(joint.to);
  out_.cuts.push_back({index, from.body, to.body, from.X_BP * X_axes, to.X_BP * X_axes});
}

// Takes one joint into the tree: the body on its far side becomes a child.
void Compiler::enter(const Neighbour& step, int parent_body, Diagnostics& diagnostics) {
  const Joint& joint = model().joints[step.joint];
  const JointInfo& type = info(joint.type);
  const Pose X_axes{joint.R_axes, Vec3::Zero()};
  TreeJoint slot;
  slot.joint = step.joint;
  slot.parent_body = parent_body;
  slot.child_body = step.body;
  slot.reversed = point(joint.from).body != parent_body;
  const Pose& X_parent = point(slot.reversed ? joint.to : joint.from).X_BP;
  const Pose& X_child = point(slot.reversed ? joint.from : joint.to).X_BP;
  slot.X_PF = X_parent * X_axes;
  slot.X_MB = (X_child * X_axes).inverse();

  if (slot.reversed && !is_reversible(type.type))
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
  const BodyPlacement& parent = out_.bodies[parent_body];
  BodyPlacement& child = out_.bodies[step.body];
  if (type.nv == 0) {
    slot.link = parent.link;
    child = {parent.link, parent.X_LB * slot.X_PF * slot.X_MB};
  } else {
    add_links(joint, slot, parent.link);
    child = {slot.link, raw_[slot.link].X_GM * slot.X_MB};
    name_coordinates(joint);
  }
  out_.nq += type.nq;
  out_.nv += type.nv;
  visited_[step.body] = 1;
  out_.joint_slot[step.joint] = static_cast<int>(out_.joints.size());
  out_.joints.push_back(slot);
}

// One link per elementary motion. A raw link frame G has the motion's axis as its z axis.
void Compiler::add_links(const Joint& joint, TreeJoint& slot, int parent_link) {
  const JointInfo& type = info(joint.type);
  Pose X_GF = out_.bodies[slot.parent_body].X_LB * slot.X_PF;  // the joint's F in the parent link
  const auto add = [&](LinkKind kind, int iq, int iv, double sigma, double h) {
    Link link{};
    link.kind = kind;
    link.prescribed = !joint.motion.empty();
    link.parent = parent_link;
    link.iq = iq;
    link.iv = iv;
    link.x.sigma = sigma;
    link.x.h = h;
    parent_link = static_cast<int>(out_.links.size());
    out_.links.push_back(link);
    raw_.push_back({X_GF, {}, {}});
  };
  if (type.primitives.empty()) {
    const bool is_free = joint.type == JointType::free;
    add(is_free ? LinkKind::free : LinkKind::spherical, slot.iq, slot.iv, 0, 0);
    slot.link = parent_link;
    return;
  }
  Mat3 C_previous = Mat3::Identity();
  for (size_t k = 0; k < type.primitives.size(); ++k) {
    const Primitive& motion = type.primitives[k];
    Mat3 C = turn_z_to(motion.axis);  // z of the link frame onto the motion's axis
    if (slot.reversed) C = C * Vec3(1, -1, -1).asDiagonal();  // turns about -z by q: backwards
    X_GF = X_GF * Pose{C_previous.transpose() * C, Vec3::Zero()};
    const bool turns = motion.kind != Primitive::Kind::prismatic;
    const double h = motion.kind == Primitive::Kind::screw       ? joint.pitch
                     : motion.kind == Primitive::Kind::prismatic ? 1.0
                                                                 : 0.0;
    const int offset = static_cast<int>(k);
    add(turns && h == 0 ? LinkKind::revolute : LinkKind::helical, slot.iq + offset,
        slot.iv + offset, turns ? 1 : 0, h);
    C_previous = C;
    X_GF = Pose{};
  }
  slot.link = parent_link;
  raw_[slot.link].X_GM = Pose{C_previous.transpose(), Vec3::Zero()};
}

void Compiler::name_coordinates(const Joint& joint) {
  const JointInfo& type = info(joint.type);
  for (int i = 0; i < type.nq; ++i)
    out_.coordinate_names.push_back(joint.name + "." + type.q_names[i]);
  for (int i = 0; i < type.nv; ++i) {
    out_.speed_names.push_back(joint.name + "." + type.v_names[i]);
    out_.dof_names.push_back(type.nv == 1 ? joint.name : joint.name + "." + type.v_names[i]);
    out_.turns.push_back(type.angular >> i & 1);
  }
}

void Compiler::choose_frames() {
  choose_link_frames(out_.links, raw_);
  for (size_t i = 0; i < out_.links.size(); ++i) {
    Link& link = out_.links[i];
    const Pose X_GP = link.parent < 0 ? Pose{} : raw_[link.parent].X_GB;
    const Pose X_PB = X_GP.inverse() * raw_[i].X_PG * raw_[i].X_GB;  // at q = 0
    if (link.kind == LinkKind::revolute || link.kind == LinkKind::helical) {
      set_link_pose(X_PB, link);
    } else {
      link.frame = static_cast<int>(out_.quaternion_frames.size());
      FrameNumbers& frame = out_.quaternion_frames.emplace_back();
      for (int k = 0; k < 9; ++k) frame.R[k] = X_PB.R(k / 3, k % 3);
      for (int k = 0; k < 3; ++k) frame.p[k] = X_PB.p[k];
    }
  }
  for (size_t i = out_.links.size(); i-- > 0;) {
    Link& link = out_.links[i];
    if (link.frame >= 0 || link.prescribed) link.heavy = out_.heavy_links++;
    if (link.parent < 0) continue;
    const bool next = link.parent + 1 == static_cast<int>(i);
    link.simple = next && link.kind == LinkKind::revolute && link.plain && !link.prescribed &&
                  link.branch < 0;  // its children, which come later, have been seen
    Link& parent = out_.links[link.parent];
    if (!next && parent.branch < 0) parent.branch = out_.branch_links++;
  }
  for (BodyPlacement& body : out_.bodies)
    if (body.link >= 0) body.X_LB = raw_[body.link].X_GB.inverse() * body.X_LB;
}

void Compiler::add_masses() {
  std::vector<MassProperties> total(out_.links.size());
  for (size_t b = 0; b < out_.bodies.size(); ++b) {
    const BodyPlacement& body = out_.bodies[b];
    if (body.link >= 0) total[body.link] = total[body.link] + model().bodies[b].mass.in(body.X_LB);
  }
  for (size_t i = 0; i < out_.links.size(); ++i) {
    LinkNumbers<double>& x = out_.links[i].x;
    const Mat3 I = total[i].inertia_about_origin();
    const Vec3 h = total[i].mass * total[i].com;
    x.mass = total[i].mass;
    x.hx = h.x(), x.hy = h.y(), x.hz = h.z();
    x.Ixx = I(0, 0), x.Ixy = I(0, 1), x.Ixz = I(0, 2);
    x.Iyy = I(1, 1), x.Iyz = I(1, 2), x.Izz = I(2, 2);
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
