#include "support/oracle_model.hpp"

#include "couplet/constraints/entry.hpp"

namespace couplet::verification {
namespace {

math::Mat3 matrix(const std::array<double, 9>& rows) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows.data());
}
math::Vec3 vector(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }
const model::TreeJoint& slot_of(const model::Mechanism& mechanism, size_t joint) {
  base::ensure(mechanism.joint_slot[joint] >= 0, "joints of the tree are not cut");
  return mechanism.joints[mechanism.joint_slot[joint]];
}
math::Pose pose(const oracles::OraclePose& X) { return {matrix(X.rotation), vector(X.position)}; }

}  // namespace

model::Mechanism compile_tree(const oracles::OracleTree& tree) {
  model::Model model;
  model.gravity = model::UniformGravity{vector(tree.gravity)};
  for (size_t k = 0; k < tree.bodies.size(); ++k) {
    const oracles::OracleBody& body = tree.bodies[k];
    const std::string name = "b" + std::to_string(k);
    const int parent = body.parent + 1;  // body 0 is the world
    const int child = model.add_body(name, {body.mass, vector(body.com), matrix(body.inertia)});
    const int from = model.add_point(name + ".from", parent, pose(body.X_PF));
    const int to = model.add_point(name + ".to", child, pose(body.X_BM));
    model.add_joint("j" + std::to_string(k), *model::find_joint_type(body.joint_type), from, to)
        .pitch = body.pitch;
  }
  for (size_t k = 0; k < tree.loops.size(); ++k) {
    const oracles::OracleLoop& loop = tree.loops[k];
    const std::string name = "loop" + std::to_string(k);
    const int a = model.add_point(name + ".from", loop.a + 1, pose(loop.X_AF));
    const int b = model.add_point(name + ".to", loop.b + 1, pose(loop.X_BM));
    if (loop.kind == "distance")
      constraints::add_constraint(model, name, "distance",
                                  {{"from", a}, {"to", b}, {"length", loop.length}});
    else if (loop.kind == "plane")
      constraints::add_constraint(model, name, "on-plane", {{"point", b}, {"on", a}});
    else
      model.add_joint(name, *model::find_joint_type(loop.kind), a, b).cut = true;
  }
  for (size_t k = 0; k < tree.bodies.size() && !tree.loops.empty(); ++k)
    model.joints[k].cut = false;
  return model::compile(std::move(model));
}

model::State to_state(const model::Mechanism& mechanism, const oracles::OracleTree& tree,
                      const oracles::OracleState& state) {
  model::State out{0, math::VecX::Zero(mechanism.nq), math::VecX::Zero(mechanism.nv)};
  int iq = 0;
  for (size_t k = 0; k < tree.bodies.size(); ++k) {
    const model::TreeJoint& slot = slot_of(mechanism, k);
    const int nq = oracles::joint_size(tree.bodies[k].joint_type).nq;
    for (int i = 0; i < nq; ++i) out.q[slot.iq + i] = state.q[iq++];
  }
  out.v = to_speeds(mechanism, tree, state.v);
  return out;
}

math::VecX to_speeds(const model::Mechanism& mechanism, const oracles::OracleTree& tree,
                     const std::vector<double>& values) {
  math::VecX out = math::VecX::Zero(mechanism.nv);
  int iv = 0;
  for (size_t k = 0; k < tree.bodies.size(); ++k) {
    const model::TreeJoint& slot = slot_of(mechanism, k);
    const int nv = oracles::joint_size(tree.bodies[k].joint_type).nv;
    for (int i = 0; i < nv; ++i) out[slot.iv + i] = values[iv++];
  }
  return out;
}

oracles::OracleState from_state(const model::Mechanism& mechanism, const oracles::OracleTree& tree,
                                const model::State& state) {
  oracles::OracleState out;
  for (size_t k = 0; k < tree.bodies.size(); ++k) {
    const model::TreeJoint& slot = slot_of(mechanism, k);
    const oracles::JointSize size = oracles::joint_size(tree.bodies[k].joint_type);
    out.q.insert(out.q.end(), state.q.data() + slot.iq, state.q.data() + slot.iq + size.nq);
    out.v.insert(out.v.end(), state.v.data() + slot.iv, state.v.data() + slot.iv + size.nv);
  }
  return out;
}

}  // namespace couplet::verification
