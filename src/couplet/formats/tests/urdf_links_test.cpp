// Links of a URDF: mass properties, names, the root, what is skipped and what warns.
#include <gmock/gmock.h>

#include "urdf_reading.hpp"

namespace couplet::formats {
namespace {

using math::Mat3;
using math::Vec3;
using model::JointType;
using testing::HasSubstr;

constexpr double close = 1e-15;  // a few roundings of numbers near 1

std::string one_link(const std::string& inertial) {
  return robot("<link name=\"a\"><inertial>" + inertial + "</inertial></link>\n");
}

Mat3 symmetric(double xx, double xy, double xz, double yy, double yz, double zz) {
  Mat3 I;
  I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return I;
}

// Quarter turns permute the axes, so every inertia below can be checked by hand.
TEST(UrdfLinks, InertiaIsTurnedFromTheInertialFrameIntoTheLink) {
  const std::string quarter = "1.5707963267948966";
  struct Case {
    std::string rpy;
    Mat3 inertia;
  };
  const Case cases[] = {
      {"0 0 0", symmetric(1, 0.1, 0.2, 2, 0.3, 2.5)},
      {"0 0 " + quarter, symmetric(2, -0.1, -0.3, 1, 0.2, 2.5)},         // x → y, y → -x
      {quarter + " 0 0", symmetric(1, -0.2, 0.1, 2.5, -0.3, 2)},         // y → z, z → -y
      {"0 " + quarter + " 0", symmetric(2.5, 0.3, -0.2, 2, -0.1, 1)},    // z → x, x → -z
      {quarter + " 0 " + quarter, symmetric(2.5, 0.2, 0.3, 1, 0.1, 2)},  // x → y, y → z, z → x
  };
  for (const Case& c : cases) {
    const Reading r = read(
        one_link("<origin xyz=\"0.1 0.2 0.3\" rpy=\"" + c.rpy +
                 "\"/><mass value=\"4\"/>"
                 "<inertia ixx=\"1\" ixy=\"0.1\" ixz=\"0.2\" iyy=\"2\" iyz=\"0.3\" izz=\"2.5\"/>"));
    ASSERT_EQ(r.error, "") << c.rpy;
    const math::MassProperties& m = r.body("a").mass;
    EXPECT_EQ(m.mass, 4);
    EXPECT_EQ(m.com, Vec3(0.1, 0.2, 0.3)) << "the turn is about the centre of mass";
    EXPECT_TRUE(m.inertia.isApprox(c.inertia, close)) << c.rpy << "\n" << m.inertia;
  }
}

TEST(UrdfLinks, ProductsOfInertiaMayBeLeftOut) {
  const Reading r = read(one_link("<mass value=\"1\"/><inertia ixx=\"1\" iyy=\"2\" izz=\"3\"/>"));
  EXPECT_EQ(r.warnings(), "");
  EXPECT_EQ(r.body("a").mass.inertia, symmetric(1, 0, 0, 2, 0, 3));
}

TEST(UrdfLinks, WithoutInertialTheyAreMassless) {
  const Reading r = read(robot("<link name=\"a\"/>\n"));
  EXPECT_EQ(r.error + r.warnings(), "");
  EXPECT_EQ(r.body("a").mass.mass, 0);
  EXPECT_TRUE(r.body("a").mass.inertia.isZero(0));
}

TEST(UrdfLinks, ZeroMassKeepsItsInertia) {
  const Reading r = read(one_link("<mass value=\"0\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>"));
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.body("a").mass.inertia, symmetric(1, 0, 0, 1, 0, 1));
}

TEST(UrdfLinks, MassWithoutInertiaIsAPointMass) {
  const Reading r = read(one_link("<origin xyz=\"1 0 0\"/><mass value=\"2\"/>"));
  EXPECT_EQ(r.body("a").mass.com, Vec3(1, 0, 0));
  EXPECT_TRUE(r.body("a").mass.inertia.isZero(0));
  EXPECT_THAT(r.warnings(),
              HasSubstr("r.urdf:2:16: warning: link 'a': <inertial> has no <inertia>"));
}

TEST(UrdfLinks, ComeInAnyOrderAndKeepTheOrderOfTheFile) {
  const Reading r = read(robot(
      "<joint name=\"k\" type=\"continuous\"><child link=\"c\"/><parent link=\"b\"/></joint>\n"
      "<link name=\"c\"/>\n"
      "<joint name=\"j\" type=\"continuous\"><child link=\"b\"/><parent link=\"a\"/></joint>\n"
      "<link name=\"b\"/><link name=\"a\"/>\n"));
  ASSERT_EQ(r.error, "");
  const auto names = [](const auto& elements) {
    std::string all;
    for (const auto& element : elements) all += element.name + " ";
    return all;
  };
  EXPECT_EQ(names(r.model.bodies), "world c b a ");
  EXPECT_EQ(names(r.model.joints), "fixed_base k j ");
  EXPECT_EQ(r.body("a").where.str(), "r.urdf:5:17");
}

TEST(UrdfLinks, NamesMayHaveAnyCharacters) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"left arm", "left arm"},
      {"a/b/c", "a/b/c"},
      {"a.b", "a.b"},
      {"ellbogen_größe→", "ellbogen_größe→"},
      {"机器人", "机器人"},
      {"&lt;x&gt; &amp; y", "<x> & y"},
      {"tab\there", "tab here"},
      {"&quot;q&quot;", "\"q\""},
      {"$5 {x}", "$5 {x}"},
      {"&#x3b1;", "α"},
      {"j.origin", "j.origin"},
      {" padded ", " padded "}};
  for (const auto& [written, name] : names) {
    const Reading r = read(robot("<link name=\"" + written + "\"/><link name=\"b\"/>\n" +
                                 "<joint name=\"j\" type=\"fixed\"><parent link=\"" + written +
                                 "\"/><child link=\"b\"/></joint>\n"));
    ASSERT_EQ(r.error, "") << written;
    EXPECT_EQ(r.model.bodies[1].name, name);
    EXPECT_EQ(r.model.points[static_cast<size_t>(r.joint("j").from)].body, 1);
  }
}

TEST(UrdfLinks, JointsAndLinksMayShareNames) {
  const Reading r = read(
      robot("<link name=\"a\"/><link name=\"b\"/>\n"
            "<joint name=\"b\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n"));
  EXPECT_EQ(r.error, "");
}

TEST(UrdfLinks, TheRootIsWeldedToTheWorld) {
  const Reading r = read(one_joint("continuous"));
  const model::Joint& base = r.joint("fixed_base");
  EXPECT_EQ(base.type, JointType::weld);
  EXPECT_EQ(r.point(base.from).name, "world");
  EXPECT_EQ(r.point(base.to).name, "a");
  EXPECT_EQ(std::get<model::UniformGravity>(r.model.gravity).g, Vec3(0, 0, -9.81));
  EXPECT_EQ(r.model.name, "r");
}

TEST(UrdfLinks, TheRootFloatsOnRequest) {
  const Reading r =
      read(one_joint("continuous"), {.gravity = {0, 0, -1.62}, .floating_base = true});
  EXPECT_EQ(r.model.joints[0].name, "floating_base");
  EXPECT_EQ(r.model.joints[0].type, JointType::free);
  EXPECT_EQ(std::get<model::UniformGravity>(r.model.gravity).g, Vec3(0, 0, -1.62));
}

TEST(UrdfLinks, TheJointOfTheRootAvoidsTheNamesOfTheFile) {
  const std::string text = robot(
      "<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"floating_base\" type=\"fixed\">"
      "<parent link=\"a\"/><child link=\"b\"/></joint>\n");
  const Reading r = read(text, {.floating_base = true});
  EXPECT_EQ(r.model.joints[0].name, "floating_base_");
  EXPECT_EQ(r.model.joints[1].name, "floating_base");
}

TEST(UrdfLinks, ARootNamedWorldIsTheInertialFrame) {
  const std::string text = robot(
      "<link name=\"world\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"floating\">"
      "<parent link=\"world\"/><child link=\"b\"/></joint>\n");
  const Reading r = read(text);
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.model.bodies.size(), 2u);
  ASSERT_EQ(r.model.joints.size(), 1u);
  EXPECT_EQ(r.point(r.model.joints[0].from).body, 0);
  EXPECT_THAT(read(text, {.floating_base = true}).error,
              HasSubstr("r.urdf:2:1: error: the root link 'world' is the inertial frame"));
}

TEST(UrdfLinks, WhatIsNotDynamicsIsSkippedSilently) {
  const Reading r = read(
      "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- a robot -->\n"
      "<robot name=\"r\" version=\"1.0\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\">\r\n"
      "<material name=\"blue\"><color rgba=\"0 0 1 1\"/></material>\r\n"
      "<link name=\"a\"><visual><geometry><box size=\"1 1 1\"/></geometry></visual>"
      "<collision><odd/></collision></link><link name=\"b\"/>\r\n"
      "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>"
      "<safety_controller k_velocity=\"1\"/><calibration rising=\"0\"/></joint>\r\n"
      "<transmission name=\"t\"><joint name=\"j\"/></transmission><gazebo reference=\"a\"/>\r\n"
      "<sensor name=\"s\"/><?php ?></robot>\r\n");
  EXPECT_EQ(r.error + r.warnings(), "");
}

TEST(UrdfLinks, UnknownTagsAndAttributesWarnAndDoNotFail) {
  const Reading r = read(robot(
      "<link name=\"a\" colour=\"red\">\n  <inertail/>\n  <mass value=\"1\"/>\n  words\n</link>\n"
      "<link name=\"b\" colour=\"blue\"/>\n<plugin/>\n"
      "<joint name=\"j\" type=\"continuous\" tipe=\"x\"><parent link=\"a\"/><child link=\"b\"/>\n"
      "  <limit efort=\"1\"/><dynamics damping=\"1\"/><dynamics damping=\"2\"/></joint>\n"));
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.warnings(),
            "r.urdf:2:1: warning: text inside <link> is ignored\n"
            "  fix: values are attributes: <link name=\"...\"/>\n"
            "r.urdf:2:16: warning: unknown attribute 'colour' of <link> is ignored (2 times)\n"
            "  fix: choose one of name, type\n"
            "r.urdf:3:3: warning: unknown tag 'inertail' in <link> is ignored\n"
            "  fix: did you mean 'inertial'?\n"
            "r.urdf:4:3: warning: unknown tag 'mass' in <link> is ignored\n"
            "  fix: <mass> belongs inside <inertial>\n"
            "r.urdf:8:1: warning: unknown tag 'plugin' in <robot> is ignored\n"
            "  fix: choose one of link, joint, material, transmission, gazebo, sensor, "
            "ros2_control, mujoco\n"
            "r.urdf:9:35: warning: unknown attribute 'tipe' of <joint> is ignored\n"
            "  fix: did you mean 'type'?\n"
            "r.urdf:10:10: warning: unknown attribute 'efort' of <limit> is ignored\n"
            "  fix: did you mean 'effort'?\n"
            "r.urdf:10:44: warning: a second <dynamics> in <joint> is ignored\n");
}

TEST(UrdfLinks, StrictMakesWarningsErrors) {
  const std::string text = robot("<link name=\"a\"/>\n<odd/>\n");
  EXPECT_EQ(read(text).error, "");
  EXPECT_THAT(read(text, {.strict = true}).error,
              HasSubstr("r.urdf:3:1: error: unknown tag 'odd'"));
}

TEST(UrdfLinks, ARobotWithoutANameWarns) {
  EXPECT_EQ(read("<robot><link name=\"a\"/></robot>").warnings(),
            "r.urdf:1:1: warning: the robot has no name\n  fix: write <robot name=\"...\">\n");
}

}  // namespace
}  // namespace couplet::formats
