// Orocos KDL on the benchmark chains: it has neither a floating base nor forward dynamics or mass
// matrix of trees.
//
// A KDL segment is a joint followed by a fixed frame `tip`, with the inertia given in the tip. So
// the tip of segment i is the place of joint i + 1, and the place of the first joint only turns
// gravity.
#include <kdl/config.h>

#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <stdexcept>

#include "../program.hpp"

namespace couplet::bench {
namespace {

KDL::Vector kdl(const Vec3& v) { return {v[0], v[1], v[2]}; }
KDL::Rotation kdl(const Mat3& R) { return {R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]}; }
KDL::JntArray kdl(const std::vector<double>& x) {
  KDL::JntArray array(static_cast<unsigned>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) array(static_cast<unsigned>(i)) = x[i];
  return array;
}

KDL::Chain make_kdl_chain(const Model& model) {
  constexpr KDL::Joint::JointType about[] = {KDL::Joint::RotX, KDL::Joint::RotY, KDL::Joint::RotZ};
  KDL::Chain chain;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& b = model.bodies[i];
    KDL::Frame tip = KDL::Frame::Identity();
    if (i + 1 < model.bodies.size())
      tip = KDL::Frame(kdl(model.bodies[i + 1].R_PF), kdl(model.bodies[i + 1].p_PF_P));
    const Mat3& I = b.inertia_BC_B;
    const KDL::RigidBodyInertia inertia(b.mass, kdl(b.p_BC_B),
                                        KDL::RotationalInertia(I[0], I[4], I[8], I[1], I[2], I[5]));
    chain.addSegment(KDL::Segment(KDL::Joint(about[b.axis]), tip, tip.Inverse() * inertia));
  }
  return chain;
}

class Kdl {
 public:
  explicit Kdl(const Model& model)
      : chain_(make_kdl_chain(model)),
        gravity_(kdl(model.bodies[0].R_PF).Inverse() * kdl(gravity)),
        newton_euler_fd_(chain_, gravity_),
        vereshchagin_(chain_, KDL::Twist(-gravity_, KDL::Vector::Zero()), 1),
        newton_euler_id_(chain_, gravity_),
        parameters_(chain_, gravity_),
        no_forces_(chain_.getNrOfSegments(), KDL::Wrench::Zero()),
        no_constraint_(1),
        no_energy_(1),
        result_(chain_.getNrOfJoints()),
        constraint_torque_(chain_.getNrOfJoints()),
        mass_(chain_.getNrOfJoints()) {
    no_constraint_.setColumn(0, KDL::Twist::Zero());
    for (const Sample& s : make_samples(model))
      inputs_.push_back({kdl(s.q), kdl(s.v), kdl(s.tau), kdl(s.vdot)});
  }

  void forward(int k) {
    const Input& in = inputs_[k];
    check(newton_euler_fd_.CartToJnt(in.q, in.v, in.tau, no_forces_, result_));
  }
  /// Hybrid dynamics under one constraint that is null: an articulated-body recursion, O(n).
  void forward_vereshchagin(int k) {
    const Input& in = inputs_[k];
    check(vereshchagin_.CartToJnt(in.q, in.v, result_, no_constraint_, no_energy_, no_forces_,
                                  in.tau, constraint_torque_));
  }
  void inverse(int k) {
    const Input& in = inputs_[k];
    check(newton_euler_id_.CartToJnt(in.q, in.v, in.vdot, no_forces_, result_));
  }
  void mass(int k) { check(parameters_.JntToMass(inputs_[k].q, mass_)); }

  std::vector<double> result() const {
    return {result_.data.data(), result_.data.data() + result_.data.size()};
  }
  std::vector<double> mass_matrix() const {
    std::vector<double> rows;
    for (unsigned i = 0; i < mass_.rows(); ++i)
      for (unsigned j = 0; j < mass_.columns(); ++j) rows.push_back(mass_(i, j));
    return rows;
  }

 private:
  struct Input {
    KDL::JntArray q, v, tau, vdot;
  };

  void check(int status) const {
    if (status != 0) throw std::runtime_error("KDL solver failed: " + std::to_string(status));
    keep(result_);
    keep(mass_);
  }

  KDL::Chain chain_;
  KDL::Vector gravity_;  // in the axes of the first joint
  KDL::ChainFdSolver_RNE newton_euler_fd_;
  KDL::ChainHdSolver_Vereshchagin vereshchagin_;
  KDL::ChainIdSolver_RNE newton_euler_id_;
  KDL::ChainDynParam parameters_;
  const KDL::Wrenches no_forces_;
  KDL::Jacobian no_constraint_;
  const KDL::JntArray no_energy_;
  std::vector<Input> inputs_;
  KDL::JntArray result_, constraint_torque_;
  KDL::JntSpaceInertiaMatrix mass_;
};

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const Program program("kdl", KDL_VERSION_STRING, argc, argv);
  for (const Model& model : program.models()) {
    if (model.floating) continue;
    Kdl engine(model);
    const auto result = [&] { return engine.result(); };
    program.run(
        model, Operation::forward, "ChainFdSolver_RNE", [&](int k) { engine.forward(k); }, result);
    program.run(
        model, Operation::forward, "ChainHdSolver_Vereshchagin",
        [&](int k) { engine.forward_vereshchagin(k); }, result);
    program.run(
        model, Operation::inverse, "ChainIdSolver_RNE", [&](int k) { engine.inverse(k); }, result);
    program.run(
        model, Operation::mass, "JntToMass", [&](int k) { engine.mass(k); },
        [&] { return engine.mass_matrix(); });
  }
}
