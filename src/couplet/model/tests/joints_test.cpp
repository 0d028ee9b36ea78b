// Conformance of every joint type: joining the table is joining these tests.
#include "couplet/model/joints.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "couplet/model/mechanism.hpp"

namespace couplet::model {
namespace {

using math::Cols6;
using math::Pose;
using math::Vec3;
using math::Vec6;

constexpr double pitch = 0.37;

struct Sample {
  double q[7], v[6], qdot[7];
};

Sample random_sample(const JointInfo& joint, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Sample s{};
  for (double& x : s.q) x = uniform(random);
  for (double& x : s.v) x = uniform(random);
  if (joint.on_quaternion()) {
    const double norm = Eigen::Map<Eigen::Vector4d>(s.q).norm();
    for (int i = 0; i < 4; ++i) s.q[i] /= norm;
  }
  joint.qdot(s.q, s.v, s.qdot);
  return s;
}

Sample moved(const JointInfo& joint, const Sample& s, double h) {
  Sample out = s;
  for (int i = 0; i < joint.nq; ++i) out.q[i] += h * s.qdot[i];
  return out;
}

class EveryJoint : public testing::TestWithParam<const JointInfo*> {};

TEST_P(EveryJoint, MotionIsTheDerivativeOfThePose) {
  const JointInfo& joint = *GetParam();
  std::mt19937_64 random(5);
  for (int n = 0; n < 50; ++n) {
    const Sample s = random_sample(joint, random);
    const double h = 1e-6;
    const Pose X = joint.pose(s.q, pitch);
    const Pose before = joint.pose(moved(joint, s, -h).q, pitch),
               after = joint.pose(moved(joint, s, h).q, pitch);
    const math::Mat3 W = X.R.transpose() * (after.R - before.R) / (2 * h);  // ω× in M axes
    Vec6 expected;
    expected << W(2, 1), W(0, 2), W(1, 0), X.R.transpose() * (after.p - before.p) / (2 * h);
    const Cols6 S = joint.motion_subspace(s.q, pitch);
    Vec6 V = Vec6::Zero();
    for (int k = 0; k < joint.nv; ++k) V += s.v[k] * S.col(k);
    EXPECT_LT((V - expected).norm(), 1e-9) << joint.name;  // central differences: h² and ε/h
  }
}

TEST_P(EveryJoint, BiasIsTheDerivativeOfTheMotionSubspace) {
  const JointInfo& joint = *GetParam();
  std::mt19937_64 random(6);
  for (int n = 0; n < 50; ++n) {
    const Sample s = random_sample(joint, random);
    const double h = 1e-6;
    const Cols6 dS = (joint.motion_subspace(moved(joint, s, h).q, pitch) -
                      joint.motion_subspace(moved(joint, s, -h).q, pitch)) /
                     (2 * h);
    Vec6 expected = Vec6::Zero();
    for (int k = 0; k < joint.nv; ++k) expected += s.v[k] * dS.col(k);
    EXPECT_LT((joint.bias(s.q, s.v) - expected).norm(), 1e-9) << joint.name;
  }
}

TEST_P(EveryJoint, ZeroPositionIsTheIdentity) {
  const std::vector<double> q = zero_position(*GetParam());
  const Pose X = GetParam()->pose(q.data(), pitch);
  EXPECT_LT((X.R - math::Mat3::Identity()).norm() + X.p.norm(), 1e-15);
}

TEST_P(EveryJoint, ElementaryMotionsMultiplyToThePose) {
  const JointInfo& joint = *GetParam();
  if (joint.primitives.empty()) return;
  std::mt19937_64 random(7);
  const Sample s = random_sample(joint, random);
  Pose X;
  for (size_t k = 0; k < joint.primitives.size(); ++k) {
    const Vec3 axis = Vec3::Unit(static_cast<int>(joint.primitives[k].axis));
    const bool turns = joint.primitives[k].kind != Primitive::Kind::prismatic;
    const double slide = joint.primitives[k].kind == Primitive::Kind::revolute ? 0
                         : turns                                               ? pitch * s.q[k]
                                                                               : s.q[k];
    X = X * Pose{turns ? math::rotation(axis, s.q[k]) : math::Mat3::Identity(), slide * axis};
  }
  const Pose expected = joint.pose(s.q, pitch);
  EXPECT_LT((X.R - expected.R).norm() + (X.p - expected.p).norm(), 1e-15) << joint.name;
}

TEST_P(EveryJoint, IsFoundByItsName) {
  ASSERT_TRUE(find_joint_type(GetParam()->name));
  EXPECT_EQ(&info(*find_joint_type(GetParam()->name)), GetParam());
}

TEST_P(EveryJoint, BackwardsIsForwardsWithTheOppositeSigns) {
  const JointInfo& joint = *GetParam();
  std::mt19937_64 random(9);
  bool reversible = !joint.on_quaternion();
  for (int n = 0; n < 10; ++n) {
    Sample s = random_sample(joint, random);
    const Pose X = joint.pose(s.q, pitch);
    for (double& x : s.q) x = -x;
    const Pose product = X * joint.pose(s.q, pitch);
    reversible &= (product.R - math::Mat3::Identity()).norm() + product.p.norm() < 1e-15;
  }
  EXPECT_EQ(joint.reversible, reversible) << joint.name;
}

// What a joint forbids stays zero wherever it goes, and it forbids no more and no less than 6 - nv.
TEST_P(EveryJoint, ClosesWhatItDoesNotAllow) {
  const JointInfo& joint = *GetParam();
  if (joint.has_pitch) return;  // closed by a weld beside it (split.hpp)
  ASSERT_EQ(joint.closure.size(), static_cast<size_t>(6 - joint.nv));
  std::mt19937_64 random(10);
  for (int n = 0; n < 10; ++n) {
    const Pose X = joint.pose(random_sample(joint, random).q, pitch);
    for (const Closure& equation : joint.closure)
      EXPECT_LT(
          std::abs(equation.kind == Closure::Kind::along ? X.p[equation.axis]
                                                         : X.R(equation.axis, equation.other)),
          1e-15)
          << joint.name;
  }
}

TEST_P(EveryJoint, HasARowInTheManual) {
  std::ifstream manual(COUPLET_SOURCE_DIR "/docs/model-format.md");
  const std::string text((std::istreambuf_iterator<char>(manual)), {});
  EXPECT_NE(text.find(std::string("| `") + GetParam()->name + "` | "), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Joints, EveryJoint,
                         testing::ValuesIn(joint_types().begin(), joint_types().end()),
                         [](const auto& each) { return std::string(each.param->name); });

// Chains of joints through random frames: each body's place agrees with the product of poses, so
// the canonical frames are where they should be. Axes are drawn parallel, nearly parallel and
// crossing. A move is motion at constant speeds: its halves make the whole, and a screw by a
// quarter turn is on a circle.
TEST(Mechanism, FreeBodiesMoveAlongScrews) {
  Model model;
  const int body = model.add_body("body", {1, Vec3::Zero(), Vec3(1, 1, 1).asDiagonal()});
  model.add_joint("flight", JointType::free, 0, model.bodies[static_cast<size_t>(body)].origin);
  const Mechanism mechanism = compile(std::move(model));
  const math::VecX start = mechanism.default_state().q;
  math::VecX quarter = start, halves = start, dq(6);
  const double turn = M_PI / 2;
  dq << 0, 0, turn, turn, 0, 1;  // radius 1, pitch 4
  mechanism.move(dq, quarter);
  EXPECT_LT((quarter.tail<3>() - Vec3(1, 1, 1)).norm(), 1e-15);
  for (const double size :
       {1.0, 1e-2, 1e-4, 1e-9}) {  // its terms are series where the angle is small
    dq << 0.3, -0.2, 0.8, 1, 2, -1;
    dq.head<3>() *= size;
    math::VecX whole = halves = start;
    mechanism.move(dq, whole);
    for (int i = 0; i < 2; ++i) mechanism.move(0.5 * dq, halves);
    EXPECT_LT((whole - halves).norm(), 1e-14) << size;
  }
}

TEST(Compile, CanonicalFramesReproduceThePoses) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int n = 0; n < 200; ++n) {
    Model model;
    int from = 0;
    for (int k = 0; k < 6; ++k) {
      const int body =
          model.add_body("b" + std::to_string(k), {1, Vec3::Zero(), math::Mat3::Identity()});
      const double tilt = n % 3 == 0 ? 0 : n % 3 == 1 ? 1e-7 * uniform(random) : uniform(random);
      model.add_joint("j" + std::to_string(k), JointType::revolute, from, model.bodies[body].origin,
                      Vec3(tilt, 0.5 * tilt, 1));
      from = model.add_point("p" + std::to_string(k), body,
                             {math::rotation(Vec3::UnitX(), n % 3 == 2 ? uniform(random) : 0.0),
                              Vec3(uniform(random), uniform(random), uniform(random))});
    }
    const Mechanism mechanism = compile(std::move(model));
    Pose X_WL, X_WB;  // by canonical numbers, by the user's frames
    for (int k = 0; k < 6; ++k) {
      const LinkNumbers<double>& x = mechanism.links[k].x;
      const auto turn = [](int axis, double c, double s) {
        return Pose{math::rotation(Vec3::Unit(axis), std::atan2(s, c)), Vec3::Zero()};
      };
      const auto shift = [](double a, double b, double c) {
        return Pose{math::Mat3::Identity(), Vec3(a, b, c)};
      };
      X_WL = X_WL * shift(0, 0, x.b) * turn(2, x.cos_beta, x.sin_beta) * shift(x.a, x.e, 0) *
             turn(0, x.cos_alpha, x.sin_alpha) * shift(0, 0, x.d) *
             turn(2, std::cos(x.theta0), std::sin(x.theta0));
      const TreeJoint& slot = mechanism.joints[k];
      X_WB = X_WB * slot.X_PF * slot.X_MB;
      const Pose X = X_WL * mechanism.bodies[k + 1].X_LB;
      EXPECT_LT((X.R - X_WB.R).norm() + (X.p - X_WB.p).norm(), 1e-13);
      EXPECT_LT((Vec3(x.px, x.py, x.pz)).norm(), 30);  // no origin runs away to infinity
    }
  }
}

}  // namespace
}  // namespace couplet::model
