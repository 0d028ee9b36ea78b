#include "couplet/dynamics/minimal/constraints/tree_equations.hpp"

namespace couplet::dynamics {

TreeEquations::TreeEquations(const Mechanism& mechanism)
    : mechanism_(mechanism),
      carrier_(mechanism.bodies.size(), -1),
      nodes_(static_cast<size_t>(mechanism.nv)) {
  for (const model::TreeJoint& slot : mechanism.joints) {  // parents first
    const model::Joint& joint = mechanism.model->joints[slot.joint];
    int carrier = carrier_[static_cast<size_t>(slot.parent_body)];
    for (int k = 0; k < info(joint.type).nv; ++k) {
      Node& node = nodes_[static_cast<size_t>(slot.iv + k)];
      node.parent = carrier;
      node.prescribed = !joint.motion.empty();
      node.carries = false;
      carrier = slot.iv + k;
    }
    carrier_[static_cast<size_t>(slot.child_body)] = carrier;
  }
  for (size_t b = 1; b < carrier_.size(); ++b)
    if (carrier_[b] >= 0) nodes_[static_cast<size_t>(carrier_[b])].carries = true;
}

void TreeEquations::form(const Stage& stage) {
  const std::vector<FreedomMotion>& freedoms = stage.kinematics.freedoms;
  for (size_t j = 0; j < nodes_.size(); ++j) {
    Node& node = nodes_[j];
    node.origin = freedoms[j].p;
    node.S << freedoms[j].w, freedoms[j].v;
    node.arm = node.parent < 0 ? Vec3(Vec3::Zero())
                               : freedoms[j].p - freedoms[static_cast<size_t>(node.parent)].p;
    node.load.setZero();
    node.I.setZero();
  }
  for (size_t b = 1; b < carrier_.size(); ++b) {
    if (carrier_[b] < 0) continue;
    Node& node = nodes_[static_cast<size_t>(carrier_[b])];
    const math::MassProperties& mass = mechanism_.model->bodies[b].mass;
    const BodyMotion& body = stage.kinematics.bodies[b];
    const BodyAcceleration& at_rest = stage.kinematics.accelerations[b];
    const Vec3& origin = freedoms[static_cast<size_t>(carrier_[b])].p;
    const math::Mat3 J = body.X_WB.R * mass.inertia * body.X_WB.R.transpose();
    const Vec3 from_body = body.X_WB.R * mass.com, c = body.X_WB.p - origin + from_body;
    math::Mat3 cx;
    cx << 0, -c.z(), c.y(), c.z(), 0, -c.x(), -c.y(), c.x(), 0;
    node.I.topLeftCorner<3, 3>() += J - mass.mass * cx * cx;
    node.I.topRightCorner<3, 3>() += mass.mass * cx;
    node.I.bottomLeftCorner<3, 3>() -= mass.mass * cx;
    node.I.bottomRightCorner<3, 3>().diagonal().array() += mass.mass;

    // Newton and Euler about the centre of mass at v̇ = 0, less what is applied.
    const Vec3 a_com =
        at_rest.a + at_rest.alpha.cross(from_body) + body.w.cross(body.w.cross(from_body));
    const Vec3 force = mass.mass * (a_com - mechanism_.uniform_gravity);
    node.load.head<3>() += J * at_rest.alpha + body.w.cross(J * body.w) + c.cross(force);
    node.load.tail<3>() += force;
    if (!stage.applied.any_on_bodies) continue;
    const Vec6& applied = stage.applied.on_bodies[b];  // about the body's origin
    node.load.head<3>() -= applied.head<3>() + Vec3(body.X_WB.p - origin).cross(applied.tail<3>());
    node.load.tail<3>() -= applied.tail<3>();
  }
}

void TreeEquations::set_rhs(const VecX& tau, const VecX& vdot, VecX& rhs) const {
  for (size_t j = 0; j < nodes_.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    rhs.segment<6>(unknowns * i).setZero();
    rhs.segment<6>(unknowns * i + 6) = nodes_[j].load;
    rhs[unknowns * i + 12] = nodes_[j].prescribed ? vdot[i] : tau[i];
  }
}

double TreeEquations::force(int freedom, const VecX& solution) const {
  return nodes_[static_cast<size_t>(freedom)].S.dot(solution.segment<6>(unknowns * freedom + 6));
}

}  // namespace couplet::dynamics
