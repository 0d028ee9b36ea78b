// Simbody on the benchmark models.
#include "../program.hpp"
#include "simbody_bodies.hpp"

namespace couplet::bench {
namespace {

class Simbody {
 public:
  explicit Simbody(const Model& model)
      : matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, simtk(gravity)),
        joint_forces_(forces_, matter_) {
    matter_.setShowDefaultGeometry(false);
    index_ = add_bodies(model, matter_);
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
