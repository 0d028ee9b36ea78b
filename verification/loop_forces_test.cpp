// Forces and accelerations of random mechanisms with closed loops: three formalisms against each
// other, and the equations of Newton and Euler of every body, written down once more from poses,
// velocities and accelerations alone.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cstdio>

#include "couplet/dynamics/minimal/system.hpp"
#include "couplet/dynamics/minimal/tests/random_loops.hpp"

namespace couplet::verification {
namespace {

using dynamics::Kinematics;
using dynamics::RandomLoops;
using dynamics::Reaction;
using dynamics::System;
using math::Mat3;
using math::MatX;
using math::Vec3;
using math::Vec6;
using math::VecX;
using model::JointType;
using model::Mechanism;
using model::State;

using Shared = std::shared_ptr<const Mechanism>;

struct Case {
  std::string name;
  Shared mechanism;
  State state;  // on the constraints
  VecX tau;     // motors
};

/// A spring-damper between two bodies and a force that turns with one, so that more than weight and
/// motors acts.
Shared with_forces(const Mechanism& bare, dynamics::RandomMechanism& random) {
  model::Model model = *bare.model;
  const auto any_point = [&] {
    const int body = random.below(static_cast<int>(model.bodies.size()));
    return model.add_point("q" + std::to_string(model.points.size()), body,
                           {Mat3::Identity(), random.vector(3, 0.3)});
  };
  const int a = any_point(), b = any_point(), pushed = any_point();
  if (model.points[a].body != model.points[b].body)
    forces::add_force(model, "spring", "spring-damper",
                      {{"from", a}, {"to", b}, {"stiffness", 30}, {"damping", 2}, {"length", 0.4}});
  using Three = std::array<symbolic::Expr, 3>;
  if (model.points[pushed].body != 0)
    forces::add_force(model, "push", "applied",
                      {{"point", pushed},
                       {"force", Three{3.0, -1.0, 2.0}},
                       {"torque", Three{0.5, 0.2, -0.7}},
                       {"axes", std::string("body")}});
  return std::make_shared<const Mechanism>(model::compile(std::move(model)));
}

/// A case at the closed position with random speeds and motors.
Case make_case(std::string name, Shared mechanism, dynamics::RandomMechanism& random) {
  Case c{std::move(name), std::move(mechanism), {}, {}};
  c.state = c.mechanism->default_state();
  c.state.v = random.vector(c.mechanism->nv, 1);
  System(c.mechanism).closure().project(c.state);
  c.tau = random.vector(c.mechanism->nv, 3);
  return c;
}

/// Planar and spatial, with and without redundant constraints.
std::vector<Case> make_cases(int seed, int count) {
  RandomLoops loops(seed);
  const std::vector<std::vector<JointType>> closures{
      {JointType::revolute},
      {JointType::spherical, JointType::revolute},
      {JointType::weld},
      {JointType::spherical},
      {JointType::weld, JointType::weld},
      {JointType::revolute, JointType::revolute, JointType::spherical}};
  std::vector<Case> cases;
  for (int n = 0; n < count; ++n) {
    const bool plane = n % 2 == 0;
    const Mechanism bare =
        plane ? loops.planar(4 + n % 9, 1 + n % 3)
              : loops.mechanism(5 + n % 10, closures[static_cast<size_t>(n / 2) % closures.size()]);
    cases.push_back(make_case((plane ? "planar " : "spatial ") + std::to_string(n),
                              with_forces(bare, loops.random()), loops.random()));
  }
  return cases;
}

double difference(const VecX& a, const VecX& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / (1 + b.lpNorm<Eigen::Infinity>());
}

VecX calc_vdot(System& system, const Case& c) {
  VecX tau = c.tau, vdot = VecX::Zero(c.mechanism->nv);
  system.calc_vdot(c.state, tau, vdot);
  return vdot;
}

/// 6 numbers a joint: torque, force.
VecX flat(const std::vector<Reaction>& reactions) {
  VecX all(6 * static_cast<Eigen::Index>(reactions.size()));
  for (size_t k = 0; k < reactions.size(); ++k)
    all.segment<6>(6 * static_cast<Eigen::Index>(k)) << reactions[k].torque, reactions[k].force;
  return all;
}

// Three algorithms for M v̇ and three for the constraints. Accelerations are of order 10 to 1000;
// conditions of up to 1e4 times rounding.
TEST(LoopForces, FormalismsAgreeOnAccelerationsAndReactions) {
  double worst = 0, worst_reaction = 0;
  int redundant = 0, cases = 0;
  for (const Case& c : make_cases(21, 240)) {
    System first(c.mechanism, "schur");
    const VecX expected = calc_vdot(first, c),
               reactions = flat(first.reactions().calc_joints(c.state, expected, first.lambda()));
    redundant += first.constraints()->size() < first.constraints()->set().rows();
    ++cases;
    for (const char* name : {"augmented", "partitioned"}) {
      System system(c.mechanism, name);
      const VecX vdot = calc_vdot(system, c);
      EXPECT_LT(difference(vdot, expected), 1e-9) << c.name << ", " << name;
      const VecX other = flat(system.reactions().calc_joints(c.state, vdot, system.lambda()));
      EXPECT_LT(difference(other, reactions), 1e-9) << c.name << ", " << name;
      worst = std::max(worst, difference(vdot, expected));
      worst_reaction = std::max(worst_reaction, difference(other, reactions));
    }
  }
  EXPECT_GT(redundant, cases / 3);
  EXPECT_LT(redundant, cases);
  std::printf(
      "largest difference: accelerations %.1e, reactions %.1e (%d of %d mechanisms redundant)\n",
      worst, worst_reaction, redundant, cases);
}

/// Force and moment about the world's origin.
struct Wrench {
  Vec3 moment = Vec3::Zero(), force = Vec3::Zero();

  void add(const Vec3& p, const Vec3& f, const Vec3& torque = Vec3::Zero()) {
    moment += p.cross(f) + torque;
    force += f;
  }
};

/// Motion of everything at a state, and what acts on each body besides joints.
class Bodies {
 public:
  Bodies(const Case& c, const VecX& vdot) : mechanism_(*c.mechanism), kinematics_(*c.mechanism) {
    calc_kinematics(mechanism_, c.state, kinematics_);
    calc_accelerations(mechanism_, c.state, vdot, kinematics_);
  }

  size_t count() const { return kinematics_.bodies.size(); }
  const Kinematics& kinematics() const { return kinematics_; }
  const model::BodyMotion& motion(size_t body) const { return kinematics_.bodies[body]; }
  Vec3 place(int point) const {
    const model::Point& p = mechanism_.model->points[static_cast<size_t>(point)];
    return motion(static_cast<size_t>(p.body)).X_WB * p.X_BP.p;
  }

  /// Rate of momentum: m a_c, and J α + ω × J ω + c × m a_c.
  Wrench momentum_rate(size_t body) const {
    const auto& [alpha, a] = kinematics_.accelerations[body];
    const math::MassProperties& mass = mechanism_.model->bodies[body].mass;
    const model::BodyMotion& m = motion(body);
    const Mat3 J = m.X_WB.R * mass.inertia * m.X_WB.R.transpose();
    const Vec3 r = m.X_WB.R * mass.com, c = m.X_WB.p + r;
    Wrench out;
    out.add(c, mass.mass * (a + alpha.cross(r) + m.w.cross(m.w.cross(r))),
            J * alpha + m.w.cross(J * m.w));
    return out;
  }

  /// Weight and force elements.
  std::vector<Wrench> applied() const {
    std::vector<Wrench> out(count());
    const Vec3 g = std::get<model::UniformGravity>(mechanism_.model->gravity).g;
    for (size_t b = 1; b < count(); ++b) {
      const math::MassProperties& mass = mechanism_.model->bodies[b].mass;
      out[b].add(motion(b).X_WB * mass.com, mass.mass * g);
    }
    for (const model::Element& force : mechanism_.model->forces)
      if (force.name == "spring") {
        const int from = force.point("from"), to = force.point("to");
        const auto a = body_of(from), b = body_of(to);
        const Vec3 p = place(from), q = place(to), e = (q - p).normalized();
        const double rate = e.dot(motion(b).velocity_at(q) - motion(a).velocity_at(p));
        const double pull = 30 * ((q - p).norm() - 0.4) + 2 * rate;
        out[a].add(p, pull * e);
        out[b].add(q, -pull * e);
      } else if (force.name == "push") {
        const int point = force.point("point");
        const Mat3& R = motion(body_of(point)).X_WB.R;
        out[body_of(point)].add(place(point), R * Vec3(3, -1, 2), R * Vec3(0.5, 0.2, -0.7));
      }
    return out;
  }

  size_t body_of(int point) const {
    return static_cast<size_t>(mechanism_.model->points[static_cast<size_t>(point)].body);
  }

 private:
  const Mechanism& mechanism_;
  Kinematics kinematics_;
};

// The strongest statement about reactions: with those of all joints, cut or not, with weight,
// motors, springs and applied forces, momentum and angular momentum of every body balance, of those
// that are welded together as well.
TEST(LoopForces, NewtonAndEulerHoldForEveryBody) {
  double worst = 0;
  for (const Case& c : make_cases(22, 240)) {
    System system(c.mechanism);
    const VecX vdot = calc_vdot(system, c);
    const Bodies bodies(c, vdot);
    std::vector<Wrench> left = bodies.applied();
    double size = 1;
    for (size_t b = 1; b < bodies.count(); ++b) {
      const Wrench rate = bodies.momentum_rate(b);
      left[b].moment -= rate.moment, left[b].force -= rate.force;
      size = std::max({size, rate.force.norm(), rate.moment.norm()});
    }
    std::vector<char> reported(c.mechanism->model->joints.size(), 0);
    for (const Reaction& reaction :
         system.reactions().calc_joints(c.state, vdot, system.lambda())) {
      const model::Joint& joint = c.mechanism->model->joints[static_cast<size_t>(reaction.joint)];
      const Vec3 p = bodies.place(joint.to);
      left[bodies.body_of(joint.to)].add(p, reaction.force, reaction.torque);
      left[bodies.body_of(joint.from)].add(p, -reaction.force, -reaction.torque);
      reported[static_cast<size_t>(reaction.joint)] = 1;
      size = std::max({size, reaction.force.norm(), reaction.torque.norm()});
    }
    for (size_t b = 1; b < bodies.count(); ++b) {
      const double error = std::max(left[b].force.norm(), left[b].moment.norm()) / size;
      EXPECT_LT(error, 1e-9) << c.name << ", body " << c.mechanism->model->bodies[b].name;
      worst = std::max(worst, error);
    }
    for (size_t j = 0; j < reported.size(); ++j)
      EXPECT_TRUE(reported[j]) << c.name << ": nothing is said of joint "
                               << c.mechanism->model->joints[j].name;
  }
  std::printf("largest imbalance over the largest force: %.1e\n", worst);
}

// A joint transmits nothing along its freedom but what its motor gives.
TEST(LoopForces, HingesTransmitOnlyTheMotorAlongTheirAxes) {
  for (const Case& c : make_cases(23, 60)) {
    System system(c.mechanism);
    const VecX vdot = calc_vdot(system, c);
    const Bodies bodies(c, vdot);
    const std::vector<Reaction> reactions =
        system.reactions().calc_joints(c.state, vdot, system.lambda());
    const double size = 1 + flat(reactions).lpNorm<Eigen::Infinity>();
    for (const Reaction& reaction : reactions) {
      const model::Joint& joint = c.mechanism->model->joints[static_cast<size_t>(reaction.joint)];
      const model::Point& to = c.mechanism->model->points[static_cast<size_t>(joint.to)];
      const Vec3 axis =
          bodies.motion(bodies.body_of(joint.to)).X_WB.R * to.X_BP.R * joint.R_axes.col(2);
      const int slot = c.mechanism->joint_slot[static_cast<size_t>(reaction.joint)];
      const bool driven = slot >= 0 && info(joint.type).nv > 0;
      const double motor = driven ? c.tau[c.mechanism->joints[static_cast<size_t>(slot)].iv] : 0;
      if (joint.type == JointType::revolute) {
        EXPECT_NEAR(reaction.torque.dot(axis), motor, 1e-9 * size) << c.name << ", " << joint.name;
      }
      if (joint.type == JointType::prismatic) {
        EXPECT_NEAR(reaction.force.dot(axis), motor, 1e-9 * size) << c.name << ", " << joint.name;
      }
    }
  }
}

/// Directions in which a cut joint carries (torque about its point; force), world axes: an
/// orthonormal basis.
MatX carried(const model::Joint& joint, const Mat3& R_WM) {
  MatX B = MatX::Zero(6, 6);
  B.topLeftCorner<3, 3>() = B.bottomRightCorner<3, 3>() = R_WM;
  if (joint.type == JointType::weld) return B;
  if (joint.type == JointType::spherical) return B.rightCols(3);
  MatX out(6, 5);
  out << B.leftCols(2), B.rightCols(3);
  return out;
}

// Forces that the motion does not determine are those of the null space of Jᵀ, J of the points of
// the bodies. What is reported has no part in it: it is the smallest. Where the null space is
// empty, it is the only one.
TEST(LoopForces, ReactionsOfRedundantJointsAreTheSmallestPossible) {
  int redundant = 0, unique = 0;
  for (const Case& c : make_cases(24, 120)) {
    System system(c.mechanism);
    const VecX vdot = calc_vdot(system, c);
    const Bodies bodies(c, vdot);
    const std::vector<Reaction> reactions =
        system.reactions().calc_joints(c.state, vdot, system.lambda());
    std::vector<MatX> rows;
    std::vector<VecX> forces;
    Eigen::Index count = 0;
    for (const Reaction& reaction : reactions) {
      if (c.mechanism->joint_slot[static_cast<size_t>(reaction.joint)] >= 0) continue;
      const model::Joint& joint = c.mechanism->model->joints[static_cast<size_t>(reaction.joint)];
      const size_t a = bodies.body_of(joint.from), b = bodies.body_of(joint.to);
      const Vec3 p = bodies.place(joint.to);
      const auto jacobian = [&](size_t body) {
        return calc_jacobian(*c.mechanism, bodies.kinematics(), static_cast<int>(body),
                             bodies.motion(body).X_WB.inverse() * p);
      };
      const Mat3 R_WM = bodies.motion(b).X_WB.R *
                        c.mechanism->model->points[static_cast<size_t>(joint.to)].X_BP.R *
                        joint.R_axes;
      const MatX B = carried(joint, R_WM);
      Vec6 F;
      F << reaction.torque, reaction.force;
      EXPECT_LT((F - B * (B.transpose() * F)).norm(), 1e-9 * (1 + F.norm()))
          << c.name << ", " << joint.name;
      rows.push_back(B.transpose() * (jacobian(b) - jacobian(a)));
      forces.push_back(B.transpose() * F);
      count += B.cols();
    }
    MatX J(count, c.mechanism->nv);
    VecX x(count);
    for (size_t k = 0, at = 0; k < rows.size(); at += static_cast<size_t>(rows[k++].rows())) {
      J.middleRows(static_cast<Eigen::Index>(at), rows[k].rows()) = rows[k];
      x.segment(static_cast<Eigen::Index>(at), rows[k].rows()) = forces[k];
    }
    const Eigen::JacobiSVD<MatX> svd(J, Eigen::ComputeFullU);
    Eigen::Index rank = 0;
    while (rank < svd.singularValues().size() &&
           svd.singularValues()[rank] > 1e-9 * svd.singularValues()[0])
      ++rank;
    ++(rank < count ? redundant : unique);
    EXPECT_LT((svd.matrixU().rightCols(count - rank).transpose() * x).norm(), 1e-9 * (1 + x.norm()))
        << c.name;
    EXPECT_EQ(rank, system.constraints()->size()) << c.name;
  }
  EXPECT_GT(redundant, 40);
  EXPECT_GT(unique, 20);
}

// Ṫ, from accelerations, is the power of weight, springs, applied forces and motors: constraints
// that do not move take and give none.
TEST(LoopForces, ConstraintsDoNoWork) {
  for (const Case& c : make_cases(25, 120)) {
    System system(c.mechanism);
    const VecX vdot = calc_vdot(system, c);
    const Bodies bodies(c, vdot);
    const std::vector<Wrench> applied = bodies.applied();
    double rate = 0, power = c.tau.dot(c.state.v), size = 1 + std::abs(power);
    for (size_t b = 1; b < bodies.count(); ++b) {
      const Vec3 w = bodies.motion(b).w, v0 = bodies.motion(b).velocity_at(Vec3::Zero());
      const Wrench change = bodies.momentum_rate(b);
      rate += w.dot(change.moment) + v0.dot(change.force);
      power += w.dot(applied[b].moment) + v0.dot(applied[b].force);
      size = std::max({size, std::abs(w.dot(change.moment)), std::abs(v0.dot(change.force))});
    }
    EXPECT_NEAR(rate, power, 1e-10 * size) << c.name;
  }
}

// A mechanism that floats with closed loops: motors change no momentum.
TEST(LoopForces, MomentumOfAFloatingMechanismIsConserved) {
  RandomLoops loops(26);
  for (int n = 0; n < 40; ++n) {
    const JointType types[] = {JointType::revolute, JointType::spherical, JointType::weld};
    Case c = make_case("floating " + std::to_string(n),
                       std::make_shared<const Mechanism>(loops.floating(1 + n % 2, types[n % 3])),
                       loops.random());
    c.tau.head<6>().setZero();  // of the free joint
    for (const char* formalism : {"schur", "augmented", "partitioned"}) {
      System system(c.mechanism, formalism);
      const Bodies bodies(c, calc_vdot(system, c));
      Wrench sum;
      double size = 1;
      for (size_t b = 1; b < bodies.count(); ++b) {
        const Wrench rate = bodies.momentum_rate(b);
        sum.moment += rate.moment, sum.force += rate.force;
        size = std::max({size, rate.moment.norm(), rate.force.norm()});
      }
      EXPECT_LT(std::max(sum.moment.norm(), sum.force.norm()), 1e-10 * size)
          << c.name << ", " << formalism;
    }
  }
}

}  // namespace
}  // namespace couplet::verification
