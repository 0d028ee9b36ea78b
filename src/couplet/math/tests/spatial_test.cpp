#include "couplet/math/spatial.hpp"

#include <gtest/gtest.h>

namespace couplet::math {
namespace {

Pose random_pose() { return {rotation(Quaternion::Random().normalized().eval()), Vec3::Random()}; }

TEST(Pose, PullAndPushAreDual) {
  for (int i = 0; i < 100; ++i) {
    const Pose X = random_pose();
    const Vec6 V = Vec6::Random(), F = Vec6::Random();
    EXPECT_NEAR(power(X.pull(V), F), power(V, X.push(F)), 1e-14);
  }
}

TEST(Pose, InverseUndoes) {
  const Pose X = random_pose(), I = X * X.inverse();
  EXPECT_LT((I.R - Mat3::Identity()).norm() + I.p.norm(), 1e-14);
}

TEST(Quaternion, MatrixRoundTripAndScaleInvariance) {
  for (int i = 0; i < 100; ++i) {
    const Quaternion q = Quaternion::Random().normalized();
    const Mat3 R = rotation(q);
    EXPECT_LT((R * R.transpose() - Mat3::Identity()).norm(), 1e-14);
    EXPECT_LT((rotation(quaternion(R)) - R).norm(), 1e-14);
    EXPECT_LT((rotation(Quaternion(3 * q)) - R).norm(), 1e-14);
  }
}

TEST(Rotation, ThirdColumnIsTheAxis) {
  for (const Vec3& axis : {Vec3(0, 0, 1), Vec3(0, 0, -1), Vec3(1, 0, 0), Vec3(0.6, 0, -0.8)}) {
    const Mat3 R = rotation_with_z(axis);
    EXPECT_LT((R.col(2) - axis).norm(), 1e-15);
    EXPECT_NEAR(R.determinant(), 1, 1e-14);
  }
}

TEST(MassProperties, TwoHalvesOfARodMakeTheRod) {
  // A rod of mass 2, length 2 along x: I = m L²/12 about its centre.
  const MassProperties half{1, Vec3(0.5, 0, 0), Vec3(0, 1.0 / 12, 1.0 / 12).asDiagonal()};
  const MassProperties rod = half + half.in({rotation(Vec3::UnitZ(), M_PI), Vec3::Zero()});
  EXPECT_NEAR(rod.mass, 2, 1e-15);
  EXPECT_LT(rod.com.norm(), 1e-15);
  EXPECT_LT((rod.inertia - Mat3(Vec3(0, 2.0 / 3, 2.0 / 3).asDiagonal())).norm(), 1e-15);
}

}  // namespace
}  // namespace couplet::math
