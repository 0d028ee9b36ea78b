// Bullet's btMultiBody (double precision) on the benchmark models: forward dynamics only, since the
// package lacks Bullet's inverse dynamics. Bullet wants link frames at the centre of mass C along
// the principal axes I, so all joint data are converted to those.
#include <BulletDynamics/Featherstone/btMultiBody.h>

#include "../program.hpp"

namespace couplet::bench {
namespace {

btVector3 bullet(const Vec3& v) { return {v[0], v[1], v[2]}; }
btQuaternion bullet(const Mat3& R) {
  btQuaternion q;
  btMatrix3x3(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]).getRotation(q);
  return q;
}

class Bullet {
 public:
  explicit Bullet(const Model& model)
      : floating_(model.floating),
        body_(model.joint_count(), floating_ ? model.bodies[0].mass : 1.0,
              floating_ ? bullet(model.bodies[0].principal) : btVector3(1, 1, 1), !floating_,
              /*may sleep*/ false) {
    body_.setLinearDamping(0);
    body_.setAngularDamping(0);
    body_.setMaxCoordinateVelocity(1e30);
    body_.setUseGyroTerm(true);
    for (int i = 0; i < model.joint_count(); ++i) add_link(model, i);
    body_.finalizeMultiDof();
    for (const Sample& s : make_samples(model)) inputs_.push_back(make_input(model, s));
  }

  void forward(int k) {
    const Input& in = inputs_[k];
    body_.clearForcesAndTorques();
    if (floating_) {
      body_.setBasePos(in.p_WC_W);
      body_.setWorldToBaseRot(in.quat_IW);
      body_.setBaseVel(in.v_WC_W);
      body_.setBaseOmega(in.w_WB_W);
      body_.addBaseForce(bullet(gravity) * body_.getBaseMass());
    }
    for (int i = 0; i < body_.getNumLinks(); ++i) {
      body_.setJointPos(i, in.q[i]);
      body_.setJointVel(i, in.v[i]);
      body_.addJointTorque(i, in.tau[i]);
      body_.addLinkForce(i, bullet(gravity) * body_.getLinkMass(i));
    }
    // "One time step" of 1 s: the stored velocities become v + 1·vdot.
    body_.computeAccelerationsArticulatedBodyAlgorithmMultiDof(1.0, scalars_, vectors_, matrices_,
                                                               false, false, false);
    keep(body_);
    last_ = k;
  }

  std::vector<double> accelerations() {
    std::vector<double> vdot;
    for (int i = 0; i < body_.getNumLinks(); ++i)
      vdot.push_back(body_.getJointVel(i) - inputs_[last_].v[i]);
    return vdot;
  }

 private:
  struct Input {
    btVector3 p_WC_W{0, 0, 0}, v_WC_W{0, 0, 0}, w_WB_W{0, 0, 0};
    btQuaternion quat_IW{0, 0, 0, 1};
    std::vector<double> q, v, tau;
  };

  void add_link(const Model& model, int i) {
    const Body& b = model.bodies[model.first_joint() + i];
    const bool on_world = b.parent < 0;
    const Mat3 R_PIp = on_world ? identity : rotation(model.bodies[b.parent].quat_BI);
    const Vec3 p_PCp_P = on_world ? Vec3{0, 0, 0} : model.bodies[b.parent].p_BC_B;
    const Mat3 R_BI = rotation(b.quat_BI);
    Vec3 axis_B{0, 0, 0};
    axis_B[b.axis] = 1;

    const Mat3 R_IpI = transpose(R_PIp) * b.R_PF * R_BI;  // at q = 0
    body_.setupRevolute(i, b.mass, bullet(b.principal), b.parent - model.first_joint(),
                        bullet(transpose(R_IpI)), bullet(transpose(R_BI) * axis_B),
                        bullet(transpose(R_PIp) * (b.p_PF_P - p_PCp_P)),
                        bullet(transpose(R_BI) * b.p_BC_B), /*no collision with parent*/ true);
  }

  static Input make_input(const Model& model, const Sample& s) {
    Input in;
    in.q = s.q;
    in.v = s.v;
    in.tau = s.tau;
    if (model.floating) {
      const Body& base = model.bodies[0];
      const Mat3 R_WB = rotation(s.quat_WB);
      in.p_WC_W = bullet(s.p_WB_W + R_WB * base.p_BC_B);
      in.v_WC_W = bullet(R_WB * (s.v_WB_B + cross(s.w_WB_B, base.p_BC_B)));
      in.w_WB_W = bullet(R_WB * s.w_WB_B);
      in.quat_IW = bullet(transpose(R_WB * rotation(base.quat_BI)));
    }
    return in;
  }

  bool floating_;
  btMultiBody body_;
  std::vector<Input> inputs_;
  int last_ = 0;
  btAlignedObjectArray<btScalar> scalars_;
  btAlignedObjectArray<btVector3> vectors_;
  btAlignedObjectArray<btMatrix3x3> matrices_;
};

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const std::string version =
      std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
  const Program program("bullet", version, argc, argv);
  for (const Model& model : program.models()) {
    Bullet engine(model);
    program.run(
        model, Operation::forward, "btMultiBody", [&](int k) { engine.forward(k); },
        [&] { return engine.accelerations(); });
  }
}
