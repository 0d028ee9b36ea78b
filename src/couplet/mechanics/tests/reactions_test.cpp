// What joints exert on the body of their `to`: the same numbers wherever a loop is cut, whether a
// body is split, and whichever way the tree runs through a joint. The witness knows bodies and
// joints of the model, but no tree: momentum of every body, and joints that transmit nothing along
// their freedoms but their motor, as one system of linear equations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <map>
#include <set>

#include "model_text.hpp"

namespace couplet::mechanics {
namespace {

using math::Mat3;
using math::MatX;
using math::Vec3;
using math::Vec6;
using model::JointType;
using Wrench = Vec6;  // (torque, force)

constexpr double motor = 0.7;      // N m, in every joint E
constexpr double stiffness = 40;   // N/m, of the spring from the world's origin to b.end
const Vec3 weight(0.5, 1, -9.81);  // m/s²

/// Of a joint: its wrench about the origin of M in world axes, and the same in the axes of M.
struct OfJoint {
  Wrench world, local;
};

/// Velocities that a joint leaves to M in F, as (angular, of the origin of M).
MatX calc_freedoms(const model::Joint& joint, const math::Pose& X_WF, const math::Pose& X_WM) {
  const Vec3 x = X_WF.R.col(0), z = X_WF.R.col(2);
  MatX S = MatX::Zero(6, info(joint.type).nv);
  if (joint.type == JointType::revolute) S << z, Vec3::Zero();
  if (joint.type == JointType::prismatic) S << Vec3::Zero(), z;
  if (joint.type == JointType::screw) S << z, joint.pitch * z;
  if (joint.type == JointType::cylindrical)
    S.col(0) << z, Vec3::Zero(), S.col(1) << Vec3::Zero(), z;
  if (joint.type == JointType::universal)
    S.col(0) << x, Vec3::Zero(), S.col(1) << X_WM.R.col(1), Vec3::Zero();
  if (joint.type == JointType::spherical) S.topRows<3>().setIdentity();
  if (joint.type == JointType::planar)
    S.block<3, 2>(3, 0) = X_WF.R.leftCols(2), S.block<3, 1>(0, 2) = z;
  if (joint.type == JointType::xyz) S.bottomRows<3>().setIdentity();
  return S;
}

/// 6 unknowns for each joint, in the model's order; 6 equations for each body, one for each
/// freedom.
class Witness {
 public:
  Witness(const Mechanism& mechanism, const model::State& state, const VecX& vdot)
      : model_(*mechanism.model), kinematics_(mechanism) {
    calc_kinematics(mechanism, state, kinematics_);
    calc_accelerations(mechanism, state, vdot, kinematics_);
    const auto joints = static_cast<Eigen::Index>(model_.joints.size()),
               bodies = static_cast<Eigen::Index>(model_.bodies.size());
    Eigen::Index freedoms = 0;
    for (const model::Joint& joint : model_.joints) freedoms += info(joint.type).nv;
    A_ = MatX::Zero(6 * (bodies - 1) + freedoms, 6 * joints);
    b_ = VecX::Zero(A_.rows());
    for (Eigen::Index body = 1; body < bodies; ++body)
      b_.segment<6>(6 * (body - 1)) = calc_demand(static_cast<size_t>(body));
    Eigen::Index row = 6 * (bodies - 1);
    for (Eigen::Index j = 0; j < joints; ++j) row += add_joint(j, row);
    solver_.setThreshold(1e-9);
    solver_.compute(A_);
    x_ = solver_.solve(b_);
  }

  bool is_unique() const { return solver_.rank() == A_.cols(); }
  double calc_misfit() const { return (A_ * x_ - b_).norm() / (1 + b_.norm()); }
  OfJoint at(size_t joint) const {
    const Wrench F = x_.segment<6>(6 * static_cast<Eigen::Index>(joint));
    const Mat3 R = frame(model_.joints[joint], model_.joints[joint].to).R.transpose();
    OfJoint out{F, {}};
    out.local << R * F.head<3>(), R * F.tail<3>();
    return out;
  }

 private:
  math::Pose frame(const model::Joint& joint, int point) const {
    const model::Point& p = model_.points[static_cast<size_t>(point)];
    return kinematics_.bodies[static_cast<size_t>(p.body)].X_WB * p.X_BP *
           math::Pose{joint.R_axes, Vec3::Zero()};
  }

  // Rate of momentum without weight and spring: what joints must give, about the world's origin.
  Wrench calc_demand(size_t body) const {
    const math::MassProperties& mass = model_.bodies[body].mass;
    const model::BodyMotion& m = kinematics_.bodies[body];
    const auto& [alpha, a] = kinematics_.accelerations[body];
    const Mat3 J = m.X_WB.R * mass.inertia * m.X_WB.R.transpose();
    const Vec3 r = m.X_WB.R * mass.com;
    const Vec3 force = mass.mass * (a + alpha.cross(r) + m.w.cross(m.w.cross(r)) - weight);
    Wrench out;
    out << (m.X_WB.p + r).cross(force) + J * alpha + m.w.cross(J * m.w), force;
    for (const model::Element& spring : model_.forces) {
      if (!spring.type->find_key("to")) continue;  // a motor
      const model::Point& end = model_.points[static_cast<size_t>(spring.point("to"))];
      if (end.body != static_cast<int>(body)) continue;
      const Vec3 p = m.X_WB * end.X_BP.p;
      out.tail<3>() +=
          stiffness * p;  // of no length: it pulls to the origin, without a moment about it
    }
    return out;
  }

  Eigen::Index add_joint(Eigen::Index j, Eigen::Index row) {
    const model::Joint& joint = model_.joints[static_cast<size_t>(j)];
    const math::Pose X_WF = frame(joint, joint.from), X_WM = frame(joint, joint.to);
    Eigen::Matrix<double, 6, 6> about_origin = Eigen::Matrix<double, 6, 6>::Identity();
    for (int k = 0; k < 3; ++k) about_origin.block<3, 1>(0, 3 + k) = X_WM.p.cross(Vec3::Unit(k));
    for (const auto& [point, sign] : {std::pair{joint.to, 1.0}, std::pair{joint.from, -1.0}}) {
      const Eigen::Index body = model_.points[static_cast<size_t>(point)].body;
      if (body > 0) A_.block<6, 6>(6 * (body - 1), 6 * j) += sign * about_origin;
    }
    const MatX S = calc_freedoms(joint, X_WF, X_WM);
    A_.block(row, 6 * j, S.cols(), 6) = S.transpose();
    if (joint.name == "E") b_[row] = motor;
    return S.cols();
  }

  const model::Model& model_;
  dynamics::Kinematics kinematics_;
  MatX A_;
  VecX b_, x_;
  Eigen::CompleteOrthogonalDecomposition<MatX> solver_;
};

/// Runs and compares what is recorded at the end with the witness. By joint of the model, halves
/// left out.
std::map<std::string, OfJoint> run_and_compare(const std::shared_ptr<const Mechanism>& mechanism,
                                               const char* formalism, double t_end) {
  RunOptions options;
  options.formalism = formalism;
  options.integrator = "dop853";
  options.tolerance = {1e-11, 1e-11};
  options.t_end = t_end;
  options.record = {"*"};
  const results::Recording r = simulate(mechanism, options);
  EXPECT_EQ(last(r, "t"), t_end);

  model::State state = mechanism->default_state();
  state.t = t_end;
  for (int i = 0; i < mechanism->nq; ++i)
    state.q[i] = last(r, mechanism->coordinate_names[static_cast<size_t>(i)]);
  VecX vdot(mechanism->nv);
  for (int i = 0; i < mechanism->nv; ++i) {
    state.v[i] = last(r, mechanism->speed_names[static_cast<size_t>(i)]);
    vdot[i] = last(r, mechanism->speed_names[static_cast<size_t>(i)] + "dot");
  }
  const Witness witness(*mechanism, state, vdot);
  EXPECT_TRUE(witness.is_unique());
  EXPECT_LT(witness.calc_misfit(), 1e-10);

  std::map<std::string, OfJoint> out;
  for (size_t j = 0; j < mechanism->model->joints.size(); ++j) {
    const std::string& name = mechanism->model->joints[j].name;
    const auto vector = [&](const char* what) {
      return Vec3(last(r, name + what + ".x"), last(r, name + what + ".y"),
                  last(r, name + what + ".z"));
    };
    OfJoint found;
    found.world << vector(".torque"), vector(".force");
    found.local << vector(".local_torque"), vector(".local_force");
    const OfJoint expected = witness.at(j);
    const double size = 1 + expected.world.norm();
    // Rounding, times the condition of the equations: 3e-13 is seen.
    EXPECT_LT((found.world - expected.world).norm(), 1e-11 * size) << name;
    EXPECT_LT((found.local - expected.local).norm(), 1e-11 * size) << name << " in its own axes";
    if (name.find('(') == std::string::npos) out[name] = found;
  }
  return out;
}

const std::string bodies = R"(
gravity: [0.5, 1, -9.81]
points: {G: {position: [1.1, 0.3, -0.1], orientation: {rpy: [0.1, 0.2, 0.3]}}}
bodies:
  a: {mass: 1, com: [0.2, 0, 0.02], inertia: [0.02, 0.03, 0.035], points: {end: [0.4, 0, 0]}}
  b:
    mass: 0.8
    com: [0.2, 0.01, 0]
    inertia: [0.01, 0.03, 0.035]
    points: {end: {position: [0.4, 0.1, 0], orientation: {rpy: [0.3, -0.2, 0.4]}}}
  c:
    mass: 1.2
    com: [0.15, 0, 0.03]
    inertia: [0.02, 0.04, 0.045]
    points:
      start: {position: [-0.1, 0, 0.05], orientation: {rpy: [0.3, -0.2, 0.4]}}
      end: {position: [0.2, 0.2, -0.05], orientation: {rpy: [0.1, 0.2, 0.3]}}
forces:
  pull: {spring-damper: {from: world, to: b.end, stiffness: 40, damping: 0, length: 0}}
)";

/// A type of the joint X, between b and c.
struct Type {
  const char *keys, *zero;
  bool reversible;
};
constexpr Type types[] = {{"type: weld", "", true},
                          {"type: revolute, axis: [1, 0.2, 0.1]", ", q: 0", true},
                          {"type: prismatic, axis: [1, 0.2, 0.1]", ", q: 0", true},
                          {"type: screw, pitch: 0.05, axis: [1, 0.2, 0.1]", ", q: 0", true},
                          {"type: cylindrical, axis: [1, 0.2, 0.1]", ", q: [0, 0]", true},
                          {"type: universal, axes: [y, z]", ", q: [0, 0]", false},
                          {"type: spherical", ", q: [1, 0, 0, 0]", false},
                          {"type: planar, axis: [1, 0.2, 0.1]", ", q: [0, 0, 0]", false},
                          {"type: xyz", ", q: [0, 0, 0]", true}};

/// A loop in space that the joints close without redundancy. Of X either body may be written as its
/// `to`.
struct Variant {
  std::string s1{}, e{}, x{}, s2{};  // more keys
};
std::string loop_with(const std::string& x_type, const Variant& with, bool swapped = false) {
  const std::string x_ends = swapped ? "from: c.start, to: b.end" : "from: b.end, to: c.start";
  return bodies + R"(
joints:
  S1: {type: spherical, from: world, to: a)" +
         with.s1 + R"(}
  E: {type: revolute, from: a.end, to: b, axis: [0, 1, 0.3], torque: 0.7)" +
         with.e + R"(}
  X: {)" +
         x_type + ", " + x_ends + with.x + R"(}
  S2: {type: spherical, from: world.G, to: c.end)" +
         with.s2 + "}";
}

TEST(Reactions, DoNotDependOnWhereALoopIsCut) {
  for (const Type& type : types) {
    SCOPED_TRACE(type.keys);
    const std::string ball = ", q: [1, 0, 0, 0]", cut = ", cut: true";
    std::vector<std::pair<std::string, Variant>> variants{
        {"cut as chosen", {}},
        {"cut at X", {.x = cut}},
        {"cut at S2", {.s2 = cut}},
        {"split at S2", {.s1 = ball, .x = type.zero, .s2 = ball + cut}},
        {"split at X", {.s1 = ball, .x = type.zero + cut, .s2 = ball}},
    };
    if (type.reversible) {
      variants.push_back({"cut at S1", {.s1 = cut}});
      variants.push_back({"split at E", {.e = cut}});
    }
    for (const bool swapped : {false, true}) {
      if (swapped && !type.reversible) continue;
      SCOPED_TRACE(swapped ? "from c to b" : "from b to c");
      std::map<std::string, OfJoint> first;
      std::set<std::string> places;  // where the loop was cut
      for (const auto& [name, variant] : variants) {
        SCOPED_TRACE(name);
        const auto mechanism = mechanism_of(loop_with(type.keys, variant, swapped));
        ASSERT_EQ(mechanism->cuts.size(), 1u);
        places.insert(mechanism->model->joints[static_cast<size_t>(mechanism->cuts[0].joint)].name);
        for (const char* formalism : {"schur", "augmented", "partitioned", "dca"}) {
          SCOPED_TRACE(formalism);
          const auto found = run_and_compare(mechanism, formalism, 0.2);
          if (first.empty()) first = found;
          for (const auto& [joint, expected] : first) {
            const double size =
                1 + expected.world.norm();  // errors of the integration: 3e-12 is seen
            EXPECT_LT((found.at(joint).world - expected.world).norm(), 1e-9 * size) << joint;
            EXPECT_LT((found.at(joint).local - expected.local).norm(), 1e-9 * size) << joint;
          }
        }
      }
      EXPECT_THAT(places, testing::IsSupersetOf({"S2", swapped ? "b (split)" : "c (split)"}));
      EXPECT_EQ(places.contains("S1"), type.reversible);
      EXPECT_NE(places.contains("X"),
                std::string(type.keys).starts_with("type: screw"));  // a screw is always split
    }
  }
}

// Joints may be written from the body outward to the one that carries it, and from a body to the
// world.
TEST(Reactions, OfATreeActOnTheBodyOfToWhicheverWayItIsWritten) {
  for (const Type& type : types)
    for (const bool swapped : {false, true}) {
      if (swapped && !type.reversible) continue;
      SCOPED_TRACE(type.keys + std::string(swapped ? " from c to b" : " from b to c"));
      const std::string a = swapped ? "from: a, to: world" : "from: world, to: a";
      const std::string e = swapped ? "from: b, to: a.end" : "from: a.end, to: b";
      const std::string x = swapped ? "from: c.start, to: b.end" : "from: b.end, to: c.start";
      const std::string joints = R"(
joints:
  A: {type: revolute, axis: [0.2, 1, 0], )" +
                                 a + R"(}
  E: {type: revolute, axis: [0, 1, 0.3], torque: 0.7, )" +
                                 e + R"(}
  X: {)" + type.keys + ", " + x + "}";
      const auto mechanism = mechanism_of(bodies + joints);
      for (const char* formalism : {"recursive", "composite", "kane"}) {
        SCOPED_TRACE(formalism);
        run_and_compare(mechanism, formalism, 0.2);
      }
    }
}

// A beam of 2 kg and 1 m that is clamped: what acts on it, and, with the ends of the weld
// exchanged, on the wall.
TEST(Reactions, AWallFeelsTheWeightThatAClampCarries) {
  const std::string beam =
      "bodies: {beam: {mass: 2, com: [0.5, 0, 0], shape: {rod: {length: 1, axis: x}}}}\n";
  for (const bool swapped : {false, true}) {
    const auto mechanism =
        mechanism_of(beam + "joints: {clamp: {type: weld, " +
                     (swapped ? "from: beam, to: world}}" : "from: world, to: beam}}"));
    dynamics::System system(mechanism);
    const dynamics::Reaction r =
        system.reactions()
            .calc_joints(mechanism->default_state(), VecX::Zero(0), system.lambda())
            .at(0);
    const double sign = swapped ? -1 : 1;
    EXPECT_LT((r.force - sign * Vec3(0, 0, 2 * 9.81)).norm(), 1e-12);
    EXPECT_LT((r.torque - sign * Vec3(0, -9.81, 0)).norm(), 1e-12);
  }
}

// Two hanging rods of equal length carry a bar of 1 kg: half of its weight goes down through C,
// which has `to` on the rod.
TEST(Reactions, ARodThatCarriesHalfABarIsPulledDown) {
  const auto parallelogram = [](const std::string& b, const std::string& c) {
    return mechanism_of(R"(
points: {D: [1, 0, 0]}
bodies:
  a: {mass: 1, com: [0, 0, -0.25], inertia: [0.02, 0.02, 0.01], points: {B: [0, 0, -0.5]}}
  b: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.08, 0.08], points: {C: [1, 0, 0]}}
  c: {mass: 1, com: [0, 0, -0.25], inertia: [0.02, 0.02, 0.01], points: {C: [0, 0, -0.5]}}
joints:
  A: {type: revolute, from: world, to: a, axis: y}
  B: {type: revolute, from: a.B, to: b, axis: y)" +
                        b + R"(}
  C: {type: revolute, axis: y, )" +
                        c + R"(}
  D: {type: revolute, from: world.D, to: c, axis: y}
)");
  };
  const std::string on_rod = "from: b.C, to: c.C", on_bar = "from: c.C, to: b.C";
  for (const auto& [b, c, expected] : {std::tuple{"", on_rod, -4.905},
                                       {", cut: true", on_rod, -4.905},
                                       {"", on_rod + ", damping: 1e-9", -4.905},
                                       {"", on_rod + ", cut: true", -4.905},
                                       {"", on_bar, 4.905},
                                       {", cut: true", on_bar, 4.905}}) {
    const auto mechanism = parallelogram(b, c);
    for (const char* formalism : {"schur", "augmented", "partitioned", "dca"}) {
      dynamics::System system(mechanism, formalism);
      VecX tau = VecX::Zero(mechanism->nv), vdot = tau;
      const model::State state = mechanism->default_state();
      system.calc_vdot(state, tau, vdot);
      for (const dynamics::Reaction& r :
           system.reactions().calc_joints(state, vdot, system.lambda()))
        if (mechanism->model->joints[static_cast<size_t>(r.joint)].name == "C") {
          EXPECT_NEAR(r.force.z(), expected, 1e-12) << b << c << ' ' << formalism;
        }
    }
  }
}

}  // namespace
}  // namespace couplet::mechanics
