#include "couplet_models.hpp"

namespace couplet::bench {

using math::VecX;

namespace {

math::Vec3 eigen(const Vec3& v) { return {v[0], v[1], v[2]}; }
math::Mat3 eigen(const Mat3& R) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.data());
}

}  // namespace

model::Mechanism make_mechanism(const Model& bench, model::JointType type) {
  model::Model model;
  model.gravity = model::UniformGravity{eigen(gravity)};
  for (std::size_t i = 0; i < bench.bodies.size(); ++i) {
    const Body& b = bench.bodies[i];
    const std::string number = std::to_string(i);
    const bool is_base = bench.floating && i == 0;
    math::MassProperties mass;
    mass.mass = b.mass;
    mass.com = eigen(b.p_BC_B);
    mass.inertia = eigen(b.inertia_BC_B);
    const int body = model.add_body("body" + number, mass);  // body 0 is the world
    const math::Pose X_PF = is_base ? math::Pose{} : math::Pose{eigen(b.R_PF), eigen(b.p_PF_P)};
    const int place = model.add_point("place" + number, b.parent + 1, X_PF);
    model.add_joint("joint" + number, is_base ? model::JointType::free : type, place,
                    model.bodies[body].origin, math::Vec3::Unit(is_base ? 2 : b.axis));
  }
  return model::compile(std::move(model));
}

std::vector<Input> make_inputs(const Model& bench, const model::Mechanism& mechanism, int count) {
  const int base_q = bench.floating ? 7 : 0, base_v = bench.floating ? 6 : 0;
  std::vector<Input> inputs;
  for (const Sample& s : make_samples(bench, count)) {
    Input in{mechanism.default_state(), VecX::Zero(mechanism.nv), VecX::Zero(mechanism.nv)};
    if (bench.floating) {
      for (int i = 0; i < 4; ++i) in.state.q[i] = s.quat_WB[i];
      in.state.q.segment<3>(4) = eigen(s.p_WB_W);
      in.state.v.head<6>() << eigen(s.w_WB_B), eigen(s.v_WB_B);
      in.vdot.head<6>() << eigen(s.alpha_WB_B), eigen(s.a_WB_B);
    }
    const int n = bench.joint_count();
    for (int i = base_q; i < mechanism.nq; ++i) in.state.q[i] = s.q[(i - base_q) % n];
    for (int i = base_v; i < mechanism.nv; ++i) {
      in.state.v[i] = s.v[(i - base_v) % n];
      in.tau[i] = s.tau[(i - base_v) % n];
      in.vdot[i] = s.vdot[(i - base_v) % n];
    }
    inputs.push_back(std::move(in));
  }
  return inputs;
}

}  // namespace couplet::bench
