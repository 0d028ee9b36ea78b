// Simbody on the benchmark models. Every body frame is turned so that its joint axis is z and the
// mobilizer frame coincides with it: the case that Simbody's Pin joint handles fastest.
#include <Simbody.h>

#include "../program.hpp"

namespace couplet::bench {
namespace {

/// The cyclic permutation C with C·ez = the given unit axis.
Mat3 axis_from_z(int axis) {
  if (axis == 0) return {0, 0, 1, 1, 0, 0, 0, 1, 0};
  if (axis == 1) return {0, 1, 0, 0, 0, 1, 1, 0, 0};
  return identity;
}

SimTK::Vec3 simtk(const Vec3& v) { return {v[0], v[1], v[2]}; }
SimTK::Rotation simtk(const Mat3& R) {
  const bool as_is = true;  // do not re-orthogonalise
  return {SimTK::Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), as_is};
}

class Simbody {
 public:
  explicit Simbody(const Model& model)
      : matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, simtk(gravity)),
        joint_forces_(forces_, matter_) {
    matter_.setShowDefaultGeometry(false);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) add_body(model, static_cast<int>(i));
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
    for (std::size_t i = model.first_joint(); i < index_.size(); ++i) {
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(index_[i]);
      q_of_.push_back(body.getFirstQIndex(state_));
      u_of_.push_back(body.getFirstUIndex(state_));
    }
    for (const Sample& s : make_samples(model)) inputs_.push_back(make_input(model, s));
    residual_.resize(state_.getNU());
  }

  void forward(int k) {
    state_.updQ() = inputs_[k].q;
    state_.updU() = inputs_[k].u;
    joint_forces_.setAllMobilityForces(state_, inputs_[k].tau);
    system_.realize(state_, SimTK::Stage::Acceleration);
    keep(state_.getUDot());
  }
  void inverse(int k) {
    state_.updQ() = inputs_[k].q;
    state_.updU() = inputs_[k].u;
    system_.realize(state_, SimTK::Stage::Velocity);
    matter_.calcResidualForceIgnoringConstraints(
        state_, no_joint_forces_, gravity_.getBodyForces(state_), inputs_[k].udot, residual_);
    keep(residual_);
  }
  void mass(int k) {
    state_.updQ() = inputs_[k].q;
    system_.realize(state_, SimTK::Stage::Position);
    matter_.calcM(state_, mass_);
    keep(mass_);
  }

  std::vector<double> accelerations() const { return joint_entries(state_.getUDot()); }
  std::vector<double> torques() const { return joint_entries(residual_); }
  std::vector<double> mass_matrix() const {
    std::vector<double> rows;
    for (const int i : u_of_)
      for (const int j : u_of_) rows.push_back(mass_(i, j));
    return rows;
  }

 private:
  struct Input {
    SimTK::Vector q, u, tau, udot;
  };

  void add_body(const Model& model, int i) {
    const Body& b = model.bodies[i];
    const bool free = model.floating && i == 0;
    const bool on_joint = b.parent >= model.first_joint();
    const Mat3 C_P = on_joint ? axis_from_z(model.bodies[b.parent].axis) : identity;
    const Mat3 C_B = free ? identity : axis_from_z(b.axis);

    const SimTK::Vec3 com = simtk(transpose(C_B) * b.p_BC_B);
    const Mat3 I = transpose(C_B) * b.inertia_BC_B * C_B;
    const SimTK::Inertia about_com(I[0], I[4], I[8], I[1], I[2], I[5]);
    const SimTK::Body::Rigid rigid(
        SimTK::MassProperties(b.mass, com, about_com.shiftFromMassCenter(-com, b.mass)));
    SimTK::MobilizedBody& parent =
        b.parent < 0 ? matter_.updGround() : matter_.updMobilizedBody(index_[b.parent]);
    if (free) {
      const SimTK::MobilizedBody::Free joint(parent, rigid);
      index_.push_back(joint.getMobilizedBodyIndex());
    } else {
      const SimTK::Transform X_PF(simtk(transpose(C_P) * b.R_PF * C_B),
                                  simtk(transpose(C_P) * b.p_PF_P));
      const SimTK::MobilizedBody::Pin joint(parent, X_PF, rigid, SimTK::Transform());
      index_.push_back(joint.getMobilizedBodyIndex());
    }
  }

  Input make_input(const Model& model, const Sample& s) const {
    const int nq = state_.getNQ(), nu = state_.getNU();
    Input in{SimTK::Vector(nq, 0.0), SimTK::Vector(nu, 0.0), SimTK::Vector(nu, 0.0),
             SimTK::Vector(nu, 0.0)};
    for (std::size_t i = 0; i < s.q.size(); ++i) {
      in.q[q_of_[i]] = s.q[i];
      in.u[u_of_[i]] = s.v[i];
      in.tau[u_of_[i]] = s.tau[i];
      in.udot[u_of_[i]] = s.vdot[i];
    }
    if (model.floating) {
      // Free: q = quaternion, position; u = angular, linear velocity in world axes, so udot holds
      // the classical acceleration a + w × v.
      const SimTK::MobilizedBody& base = matter_.getMobilizedBody(index_[0]);
      const int q0 = base.getFirstQIndex(state_), u0 = base.getFirstUIndex(state_);
      const Mat3 R_WB = rotation(s.quat_WB);
      for (int i = 0; i < 4; ++i) in.q[q0 + i] = s.quat_WB[i];
      for (int i = 0; i < 3; ++i) {
        in.q[q0 + 4 + i] = s.p_WB_W[i];
        in.u[u0 + i] = (R_WB * s.w_WB_B)[i];
        in.u[u0 + 3 + i] = (R_WB * s.v_WB_B)[i];
        in.udot[u0 + i] = (R_WB * s.alpha_WB_B)[i];
        in.udot[u0 + 3 + i] = (R_WB * (s.a_WB_B + cross(s.w_WB_B, s.v_WB_B)))[i];
      }
    }
    return in;
  }

  std::vector<double> joint_entries(const SimTK::Vector& x) const {
    std::vector<double> entries;
    for (const int i : u_of_) entries.push_back(x[i]);
    return entries;
  }

  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::Gravity gravity_;
  SimTK::Force::DiscreteForces joint_forces_;
  SimTK::State state_;
  std::vector<SimTK::MobilizedBodyIndex> index_;  // per body
  std::vector<int> q_of_, u_of_;                  // per revolute joint
  std::vector<Input> inputs_;
  const SimTK::Vector no_joint_forces_;
  SimTK::Vector residual_;
  SimTK::Matrix mass_;
};

std::string version() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const Program program("simbody", version(), argc, argv);
  for (const Model& model : program.models()) {
    Simbody engine(model);
    program.run(
        model, Operation::forward, "realize(Acceleration)", [&](int k) { engine.forward(k); },
        [&] { return engine.accelerations(); });
    program.run(
        model, Operation::inverse, "calcResidualForce", [&](int k) { engine.inverse(k); },
        [&] { return engine.torques(); });
    program.run(
        model, Operation::mass, "calcM", [&](int k) { engine.mass(k); },
        [&] { return engine.mass_matrix(); });
  }
}
