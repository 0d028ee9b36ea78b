#include "couplet/model/numbers.hpp"

namespace couplet::model {

NumbersCalculator::NumbersCalculator(const Mechanism& tree)
    : heirs_(find_heirs(tree.links)), raw_(tree.links.size()), total_(tree.links.size()) {}

void NumbersCalculator::calc(Mechanism& m) {
  const Model& model = *m.model;
  m.bodies[0] = {};
  for (TreeJoint& slot : m.joints) place_joint(model.joints[slot.joint], slot, m);
  for (CutJoint& cut : m.cuts) {
    const Joint& joint = model.joints[cut.joint];
    const Pose X_axes{joint.R_axes, Vec3::Zero()};
    cut.X_AF = model.points[joint.from].X_BP * X_axes;
    cut.X_BM = model.points[joint.to].X_BP * X_axes;
  }
  choose_frames(m);
  add_masses(m);
  if (const auto* gravity = std::get_if<UniformGravity>(&model.gravity))
    m.uniform_gravity = gravity->g;
}

// Frames of the joint in its bodies, and where the child is: in a raw frame G of its link.
void NumbersCalculator::place_joint(const Joint& joint, TreeJoint& slot, Mechanism& m) {
  const std::vector<Point>& points = m.model->points;
  const Pose X_axes{joint.R_axes, Vec3::Zero()};
  const Pose& X_parent = points[slot.reversed ? joint.to : joint.from].X_BP;
  const Pose& X_child = points[slot.reversed ? joint.from : joint.to].X_BP;
  slot.X_PF = X_parent * X_axes;
  slot.X_MB = (X_child * X_axes).inverse();
  BodyPlacement& child = m.bodies[slot.child_body];
  if (info(joint.type).nv == 0) {
    child.X_LB = m.bodies[slot.parent_body].X_LB * slot.X_PF * slot.X_MB;
  } else {
    place_links(joint, slot, m);
    child.X_LB = raw_[slot.link].X_GM * slot.X_MB;
  }
}

// One link per elementary motion. A raw link frame G has the motion's axis as its z axis.
void NumbersCalculator::place_links(const Joint& joint, const TreeJoint& slot, Mechanism& m) {
  const JointInfo& type = info(joint.type);
  Pose X_GF = m.bodies[slot.parent_body].X_LB * slot.X_PF;  // the joint's F in the parent link
  if (type.primitives.empty()) {
    raw_[slot.link] = {X_GF, {}, {}};
    return;
  }
  Mat3 C_previous = Mat3::Identity();
  int link = slot.link + 1 - static_cast<int>(type.primitives.size());
  for (const Primitive& motion : type.primitives) {
    Mat3 C = turn_z_to(motion.axis);  // z of the link frame onto the motion's axis
    if (slot.reversed) C = C * Vec3(1, -1, -1).asDiagonal();  // turns about -z by q: backwards
    X_GF = X_GF * Pose{C_previous.transpose() * C, Vec3::Zero()};
    raw_[link] = {X_GF, {}, {}};
    m.links[link].x.h = motion.kind == Primitive::Kind::screw       ? joint.pitch
                        : motion.kind == Primitive::Kind::prismatic ? 1.0
                                                                    : 0.0;
    C_previous = C;
    X_GF = Pose{};
    ++link;
  }
  raw_[slot.link].X_GM = Pose{C_previous.transpose(), Vec3::Zero()};
}

void NumbersCalculator::choose_frames(Mechanism& m) {
  choose_link_frames(m.links, heirs_, raw_);
  for (size_t i = 0; i < m.links.size(); ++i) {
    Link& link = m.links[i];
    const Pose X_GP = link.parent < 0 ? Pose{} : raw_[link.parent].X_GB;
    const Pose X_PB = X_GP.inverse() * raw_[i].X_PG * raw_[i].X_GB;  // at q = 0
    if (link.frame < 0) {
      set_link_pose(X_PB, link);
      continue;
    }
    FrameNumbers& frame = m.quaternion_frames[link.frame];
    for (int k = 0; k < 9; ++k) frame.R[k] = X_PB.R(k / 3, k % 3);
    for (int k = 0; k < 3; ++k) frame.p[k] = X_PB.p[k];
  }
  for (size_t i = 0; i < m.links.size(); ++i) {
    Link& link = m.links[i];
    link.simple = link.parent >= 0 && link.parent + 1 == static_cast<int>(i) &&
                  link.kind == LinkKind::revolute && link.plain && !link.prescribed &&
                  link.branch < 0;
  }
  for (BodyPlacement& body : m.bodies)
    if (body.link >= 0) body.X_LB = raw_[body.link].X_GB.inverse() * body.X_LB;
}

void NumbersCalculator::add_masses(Mechanism& m) {
  std::fill(total_.begin(), total_.end(), MassProperties{});
  for (size_t b = 0; b < m.bodies.size(); ++b) {
    const BodyPlacement& body = m.bodies[b];
    if (body.link >= 0)
      total_[body.link] = total_[body.link] + m.model->bodies[b].mass.in(body.X_LB);
  }
  for (size_t i = 0; i < m.links.size(); ++i) {
    LinkNumbers<double>& x = m.links[i].x;
    const Mat3 I = total_[i].inertia_about_origin();
    const Vec3 h = total_[i].mass * total_[i].com;
    x.mass = total_[i].mass;
    x.hx = h.x(), x.hy = h.y(), x.hz = h.z();
    x.Ixx = I(0, 0), x.Ixy = I(0, 1), x.Ixz = I(0, 2);
    x.Iyy = I(1, 1), x.Iyz = I(1, 2), x.Izz = I(2, 2);
  }
}

}  // namespace couplet::model
