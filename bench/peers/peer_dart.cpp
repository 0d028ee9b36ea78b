// DART on the benchmark models. Its generalised coordinates are those of the models: angles, and
// for the free base the twist in body axes.
#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "../program.hpp"

namespace couplet::bench {
namespace {

namespace dd = dart::dynamics;

Eigen::Vector3d eigen(const Vec3& v) { return {v[0], v[1], v[2]}; }
Eigen::Matrix3d eigen(const Mat3& m) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m.data());
}
Eigen::Isometry3d pose(const Mat3& R, const Vec3& p) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = eigen(R);
  X.translation() = eigen(p);
  return X;
}

class Dart {
 public:
  explicit Dart(const Model& model) : skeleton_(dd::Skeleton::create(model.name)) {
    skeleton_->setGravity(eigen(gravity));
    std::vector<dd::BodyNode*> nodes;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const Body& b = model.bodies[i];
      dd::BodyNode* parent = b.parent < 0 ? nullptr : nodes[b.parent];
      nodes.push_back(add_body(parent, b, static_cast<int>(i), model.floating && i == 0));
    }
    for (std::size_t i = model.first_joint(); i < nodes.size(); ++i)
      dof_of_.push_back(static_cast<int>(nodes[i]->getParentJoint()->getIndexInSkeleton(0)));
    for (const Sample& s : make_samples(model)) inputs_.push_back(make_input(model, s));
  }

  void forward(int k) {
    skeleton_->setPositions(inputs_[k].q);
    skeleton_->setVelocities(inputs_[k].v);
    skeleton_->setForces(inputs_[k].tau);
    skeleton_->computeForwardDynamics();
    keep(*skeleton_);
  }
  void inverse(int k) {
    skeleton_->setPositions(inputs_[k].q);
    skeleton_->setVelocities(inputs_[k].v);
    skeleton_->setAccelerations(inputs_[k].vdot);
    skeleton_->computeInverseDynamics();
    keep(*skeleton_);
  }
  void mass(int k) {
    skeleton_->setPositions(inputs_[k].q);
    keep(skeleton_->getMassMatrix());
  }

  std::vector<double> accelerations() const { return joint_entries(skeleton_->getAccelerations()); }
  std::vector<double> torques() const { return joint_entries(skeleton_->getForces()); }
  std::vector<double> mass_matrix() const {
    const Eigen::MatrixXd& M = skeleton_->getMassMatrix();
    std::vector<double> rows;
    for (const int i : dof_of_)
      for (const int j : dof_of_) rows.push_back(M(i, j));
    return rows;
  }

 private:
  struct Input {
    Eigen::VectorXd q, v, tau, vdot;
  };

  dd::BodyNode* add_body(dd::BodyNode* parent, const Body& b, int number, bool free) {
    dd::BodyNode::Properties body;
    body.mName = "body" + std::to_string(number);
    body.mInertia = dd::Inertia(b.mass, eigen(b.p_BC_B), eigen(b.inertia_BC_B));
    if (free) {
      dd::FreeJoint::Properties joint;
      joint.mName = "free";
      return skeleton_->createJointAndBodyNodePair<dd::FreeJoint>(parent, joint, body).second;
    }
    dd::RevoluteJoint::Properties joint;
    joint.mName = "joint" + std::to_string(number);
    joint.mAxis = Eigen::Vector3d::Unit(b.axis);
    joint.mT_ParentBodyToJoint = pose(b.R_PF, b.p_PF_P);
    return skeleton_->createJointAndBodyNodePair<dd::RevoluteJoint>(parent, joint, body).second;
  }

  Input make_input(const Model& model, const Sample& s) const {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(skeleton_->getNumDofs());
    Input in{zero, zero, zero, zero};
    if (model.floating) {
      const Eigen::Index i = skeleton_->getJoint(0)->getIndexInSkeleton(0);
      in.q.segment<6>(i) = dd::FreeJoint::convertToPositions(pose(rotation(s.quat_WB), s.p_WB_W));
      in.v.segment<6>(i) << eigen(s.w_WB_B), eigen(s.v_WB_B);
      in.vdot.segment<6>(i) << eigen(s.alpha_WB_B), eigen(s.a_WB_B);
    }
    for (std::size_t i = 0; i < s.q.size(); ++i) {
      in.q[dof_of_[i]] = s.q[i];
      in.v[dof_of_[i]] = s.v[i];
      in.tau[dof_of_[i]] = s.tau[i];
      in.vdot[dof_of_[i]] = s.vdot[i];
    }
    return in;
  }

  std::vector<double> joint_entries(const Eigen::VectorXd& x) const {
    std::vector<double> entries;
    for (const int i : dof_of_) entries.push_back(x[i]);
    return entries;
  }

  dd::SkeletonPtr skeleton_;
  std::vector<int> dof_of_;  // per revolute joint
  std::vector<Input> inputs_;
};

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const Program program("dart", DART_VERSION, argc, argv);
  for (const Model& model : program.models()) {
    Dart engine(model);
    program.run(
        model, Operation::forward, "computeForwardDynamics", [&](int k) { engine.forward(k); },
        [&] { return engine.accelerations(); });
    program.run(
        model, Operation::inverse, "computeInverseDynamics", [&](int k) { engine.inverse(k); },
        [&] { return engine.torques(); });
    program.run(
        model, Operation::mass, "getMassMatrix", [&](int k) { engine.mass(k); },
        [&] { return engine.mass_matrix(); });
  }
}
