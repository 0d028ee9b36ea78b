// Joints of a URDF: types, frames, axes, limits, damping, mimic.
#include <gmock/gmock.h>

#include "urdf_reading.hpp"

namespace couplet::formats {
namespace {

using math::Mat3;
using math::Pose;
using math::Vec3;
using model::JointType;
using testing::HasSubstr;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double close = 1e-15;  // a few roundings of numbers near 1

const char* const limit = "<limit lower=\"-1\" upper=\"2\" effort=\"inf\" velocity=\"?\"/>";

TEST(UrdfJoints, EveryTypeHasItsJoint) {
  const std::vector<std::pair<std::string, JointType>> types = {
      {"fixed", JointType::weld},          {"revolute", JointType::revolute},
      {"continuous", JointType::revolute}, {"prismatic", JointType::prismatic},
      {"floating", JointType::free},       {"planar", JointType::planar}};
  for (const auto& [name, type] : types) {
    const Reading r = read(one_joint(name, limit));
    EXPECT_EQ(r.error, "") << name;
    EXPECT_EQ(r.joint("j").type, type) << name;
    EXPECT_EQ(r.warnings(), "") << name;
    EXPECT_EQ(r.joint("j").limits.size(), name == "revolute" || name == "prismatic" ? 1u : 0u);
  }
}

struct AxisCase {
  std::string text;
  Vec3 direction;
};
const AxisCase axes[] = {
    {"", {1, 0, 0}},
    {"<axis/>", {1, 0, 0}},
    {"<axis xyz=\"0 1 0\"/>", {0, 1, 0}},
    {"<axis xyz=\"0 0 -3\"/>", {0, 0, -1}},
    {"<axis xyz=\"3 0 4\"/>", {0.6, 0, 0.8}},
    {"<axis xyz=\"0 1e200 0\"/>", {0, 1, 0}},
    {"<axis xyz=\"-1e-200 0 0\"/>", {-1, 0, 0}},
    {"<axis xyz=\"\t+1.0E0\n   -0 \r\n .0 \"/>", {1, 0, 0}},
};

TEST(UrdfJoints, TurnAboutTheirNormalisedAxisInTheChildFrame) {
  for (const AxisCase& c : axes) {
    const Reading r =
        read(one_joint("continuous", "<origin xyz=\"1 2 3\" rpy=\"0.1 0.2 0.3\"/>" + c.text));
    ASSERT_EQ(r.error, "") << c.text;
    const Pose X0 = r.child_pose("j", {0}), X = r.child_pose("j", {0.7});
    EXPECT_TRUE(X.R.isApprox(X0.R * math::rotation(c.direction, 0.7), close)) << c.text;
    EXPECT_TRUE(X.p.isApprox(Vec3(1, 2, 3), close)) << c.text;
  }
}

TEST(UrdfJoints, SlideAlongTheirNormalisedAxisInTheChildFrame) {
  for (const AxisCase& c : axes) {
    const Reading r = read(one_joint("prismatic", limit + c.text + "<origin rpy=\"0 0.4 0\"/>"));
    ASSERT_EQ(r.error, "") << c.text;
    const Mat3 R = math::rotation(Vec3::UnitY(), 0.4);
    const Pose X = r.child_pose("j", {0.7});
    EXPECT_TRUE(X.R.isApprox(R, close)) << c.text;
    EXPECT_TRUE(X.p.isApprox(R * c.direction * 0.7, close)) << c.text;
  }
}

TEST(UrdfJoints, PlanarAxisIsTheNormalOfThePlane) {
  const Reading r = read(one_joint("planar", "<axis xyz=\"0 2 0\"/>"));
  const Pose X = r.child_pose("j", {0.3, 0.4, 0.5});
  EXPECT_NEAR(X.p.y(), 0, close);
  EXPECT_NEAR(X.p.norm(), 0.5, close);  // 3-4-5
  EXPECT_TRUE(X.R.isApprox(math::rotation(Vec3::UnitY(), 0.5), close));
}

TEST(UrdfJoints, AFixedOrFloatingJointNeedsNoAxis) {
  for (const char* type : {"fixed", "floating"})
    EXPECT_EQ(read(one_joint(type, "<axis xyz=\"0 0 0\"/>")).error, "") << type;
}

// Roll, pitch, yaw are turns about fixed axes, x first: R = Rz(yaw) Ry(pitch) Rx(roll).
TEST(UrdfJoints, OriginIsThePoseOfTheChildAtZero) {
  const std::string quarter = "1.5707963267948966";
  const Reading r = read(one_joint(
      "fixed", "<origin xyz=\"1 -2.5e-1 +3\" rpy=\"" + quarter + " " + quarter + " 0\"/>"));
  const Pose X = r.child_pose("j", {});
  Mat3 R;  // y → z → x, z → -y → -y, x → x → -z
  R << 0, 1, 0, 0, 0, -1, -1, 0, 0;
  EXPECT_TRUE(X.R.isApprox(R, close)) << X.R;
  EXPECT_EQ(X.p, Vec3(1, -0.25, 3));
  EXPECT_EQ(r.point(r.joint("j").from).name, "j.origin");
}

TEST(UrdfJoints, OriginMayBeAQuaternionOfAnyLength) {
  const Reading r = read(one_joint("fixed", "<origin quat_xyzw=\"0 0 2e200 2e200\"/>"));
  EXPECT_TRUE(r.child_pose("j", {}).R.isApprox(math::rotation(Vec3::UnitZ(), M_PI / 2), close));
}

TEST(UrdfJoints, LimitsAreKeptWhereTheFileGivesThem) {
  struct Case {
    std::string text;
    double lower, upper;
  };
  for (const Case& c :
       {Case{"lower=\"-1.5\" upper=\"2\"", -1.5, 2}, Case{"upper=\"2\"", 0, 2},
        Case{"lower=\"-1\"", -1, 0}, Case{"lower=\"-inf\" upper=\"inf\"", -inf, inf},
        Case{" lower = '-1.' upper\n=\t' 3 '", -1, 3}}) {
    const Reading r = read(one_joint("revolute", "<limit " + c.text + "/>"));
    ASSERT_EQ(r.error, "");
    ASSERT_EQ(r.joint("j").limits.size(), 1u) << c.text;
    EXPECT_EQ(r.joint("j").limits[0].lower, c.lower) << c.text;
    EXPECT_EQ(r.joint("j").limits[0].upper, c.upper) << c.text;
  }
}

TEST(UrdfJoints, WithoutLimitsThereAreNoStopsButAWarning) {
  for (const char* text : {"", "<limit effort=\"3\" velocity=\"1\"/>"}) {
    const Reading r = read(one_joint("revolute", text));
    EXPECT_TRUE(r.joint("j").limits.empty());
    EXPECT_THAT(r.warnings(), HasSubstr("r.urdf:4:1: warning: 1 revolute or prismatic joint "
                                        "without lower and upper limit"));
  }
}

TEST(UrdfJoints, DampingIsAForceOnTheJoint) {
  const Reading r = read(one_joint("continuous", "<dynamics damping=\"0.7\" friction=\"0\"/>"));
  EXPECT_EQ(r.warnings(), "");
  ASSERT_EQ(r.model.forces.size(), 1u);
  const model::Element& damper = r.model.forces[0];
  EXPECT_EQ(damper.name, "j.damping");
  EXPECT_EQ(r.model.joints[static_cast<size_t>(damper.joint("joint"))].name, "j");
  EXPECT_TRUE(damper.expression("damping").is_constant(0.7));
  EXPECT_FALSE(damper.has("stiffness"));
}

TEST(UrdfJoints, FixedJointsHaveNeitherDampingNorFriction) {
  const Reading r = read(one_joint("fixed", "<dynamics damping=\"0.7\" friction=\"1\"/>"));
  EXPECT_TRUE(r.model.forces.empty());
  EXPECT_EQ(r.warnings(), "");
}

TEST(UrdfJoints, FrictionIsATorqueOrAForceThatIsAlwaysThere) {
  const Reading turns = read(one_joint("continuous", "<dynamics friction=\"0.3\"/>"));
  EXPECT_EQ(turns.warnings(), "");
  ASSERT_TRUE(turns.joint("j").friction);
  EXPECT_EQ(turns.joint("j").friction->torque, 0.3);
  EXPECT_EQ(turns.joint("j").friction->coefficient, 0);
  const Reading slides =
      read(one_joint("prismatic", "<limit lower=\"0\" upper=\"1\"/><dynamics friction=\"2\"/>"));
  ASSERT_TRUE(slides.joint("j").friction);
  EXPECT_EQ(slides.joint("j").friction->force, 2);
  EXPECT_THAT(read(one_joint("planar", "<dynamics friction=\"2\"/>")).warnings(),
              HasSubstr("the friction of a joint with several freedoms is ignored"));
}

std::string mimic_chain(const std::string& last) {
  return robot(
      "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/><link name=\"d\"/>\n"
      "<joint name=\"late\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>" +
      last +
      "</joint>\n"
      "<joint name=\"middle\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/>"
      "<mimic joint=\"lead\" multiplier=\"-2\" offset=\"0.5\"/></joint>\n"
      "<joint name=\"lead\" type=\"continuous\"><parent link=\"c\"/><child link=\"d\"/></joint>\n");
}

// middle = -2 lead + 0.5;  late = 3 middle + 1 = -6 lead + 2.5
TEST(UrdfJoints, MimicOfAMimicFollowsTheLeader) {
  const Reading r = read(mimic_chain("<mimic joint=\"middle\" multiplier=\"3\" offset=\"1\"/>"));
  ASSERT_EQ(r.error, "");
  const int lead = r.model.find_joint("lead").value();
  ASSERT_TRUE(r.joint("middle").mimic && r.joint("late").mimic);
  EXPECT_EQ(r.joint("middle").mimic->joint, lead);
  EXPECT_EQ(r.joint("middle").mimic->ratio, -2);
  EXPECT_EQ(r.joint("middle").mimic->offset, 0.5);
  EXPECT_EQ(r.joint("late").mimic->joint, lead);
  EXPECT_EQ(r.joint("late").mimic->ratio, -6);
  EXPECT_EQ(r.joint("late").mimic->offset, 2.5);
  EXPECT_FALSE(r.joint("lead").mimic);
}

TEST(UrdfJoints, MimicDefaultsToTheSameAngle) {
  const Reading r = read(mimic_chain("<mimic joint=\"lead\"/>"));
  EXPECT_EQ(r.joint("late").mimic->ratio, 1);
  EXPECT_EQ(r.joint("late").mimic->offset, 0);
}

TEST(UrdfJoints, AFixedJointMayCarryAMimicThatMeansNothing) {
  const Reading r = read(one_joint("fixed", "<mimic joint=\"j\"/>"));
  EXPECT_EQ(r.error, "");
  EXPECT_THAT(r.warnings(), HasSubstr("the <mimic> of a fixed joint is ignored"));
}

}  // namespace
}  // namespace couplet::formats
