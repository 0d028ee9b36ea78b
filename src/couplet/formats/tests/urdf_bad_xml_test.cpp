// Files that are not XML, not a URDF, or not finished: the message for each, word by word.
#include "urdf_bad_input.hpp"

namespace couplet::formats {
namespace {

const BadInput cases[] = {
    {"Empty", "",
     "r.urdf: error: the file is empty\n"
     "  fix: a URDF starts with <robot name=\"...\">"},
    {"OnlyBlanks", " \n\t\n",
     "r.urdf: error: the file is empty\n"
     "  fix: a URDF starts with <robot name=\"...\">"},
    {"NotXml",
     R"(robot:
  name: r
)",
     "r.urdf:1:1: error: expected '<': this is not XML\n"
     "  fix: a URDF starts with <robot name=\"...\">"},
    {"TextBeforeTheRoot", R"(hello <robot name="r"/>)",
     "r.urdf:1:1: error: expected '<': this is not XML\n"
     "  fix: a URDF starts with <robot name=\"...\">"},
    {"OnlyAComment",
     R"(<!-- nothing -->
)",
     "r.urdf:1:1: error: there is no XML element in this file\n"
     "  fix: a URDF starts with <robot name=\"...\">"},
    {"UnclosedElement",
     R"(<robot name="r">
<link name="a">
</robot>
)",
     "r.urdf:3:3: error: malformed XML: start-end tags mismatch\n"
     "  fix: close 'link' of line 2"},
    {"UnclosedRoot",
     R"(<robot name="r">
<link name="a"/>
)",
     "r.urdf:2:17: error: malformed XML: start-end tags mismatch\n"
     "  fix: close 'robot' of line 1"},
    {"UnclosedQuote",
     R"(<robot name="r>
<link/>
</robot>)",
     "r.urdf:1:14: error: malformed XML: error parsing element attribute"},
    {"UnclosedComment",
     R"(<robot name="r">
<!-- oh
</robot>)",
     "r.urdf:3:8: error: malformed XML: error parsing comment"},
    {"BlankBeforeATagName",
     R"(<robot name="r">
< link name="a"/>
</robot>)",
     "r.urdf:2:2: error: malformed XML: could not determine tag type"},
    {"UnclosedTag",
     R"(<robot name="r">
  <link name="a"
</robot>)",
     "r.urdf:3:1: error: malformed XML: error parsing start element tag"},
    {"TwoRoots",
     R"(<robot name="r"><link name="a"/></robot>
<robot name="s"/>)",
     "r.urdf:2:1: error: a second root element <robot>\n"
     "  fix: put everything inside <robot>"},
    {"TwoEqualAttributes",
     R"(<robot name="r">
<link name="a" name="b"/>
</robot>
)",
     "r.urdf:2:16: error: <link> has two attributes 'name'\n"
     "  fix: keep one of them"},
    {"Sdf",
     R"(<?xml version="1.0"?>
<sdf version="1.7"><model name="m"/></sdf>)",
     "r.urdf:2:1: error: this is an SDF file, not a URDF\n"
     "  fix: convert it to URDF"},
    {"Mjcf", R"(<mujoco model="m"><worldbody/></mujoco>)",
     "r.urdf:1:1: error: this is an MJCF file (MuJoCo), not a URDF\n"
     "  fix: convert it to URDF"},
    {"WebPage",
     R"(<!DOCTYPE html>
<html></html>)",
     "r.urdf:2:1: error: this is a web page, not a URDF\n"
     "  fix: download the raw file"},
    {"UnknownRoot", R"(<robots><robot name="r"/></robots>)",
     "r.urdf:1:1: error: the root element is 'robots', expected 'robot'\n"
     "  fix: a URDF starts with <robot name=\"...\">"},
    {"Srdf",
     R"(<robot name="r">
<group name="arm"/>
</robot>
)",
     "r.urdf:1:1: error: the robot has no <link>\n"
     "  fix: this looks like an SRDF: give the URDF that belongs to it\n"
     "r.urdf:2:1: warning: unknown tag 'group' in <robot> is ignored\n"
     "  fix: choose one of link, joint, material, transmission, gazebo, sensor, ros2_control, "
     "mujoco"},
    {"XacroMacro",
     R"(<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="x"/>
  <xacro:arm/>
</robot>)",
     "r.urdf:2:3: error: 'xacro:include' is a macro of xacro (2 in this file)\n"
     "  fix: run xacro first: xacro robot.urdf.xacro > robot.urdf"},
    {"XacroExpression",
     R"(<robot name="r">
<link name="a">
<inertial>
<mass value="${m * 2}"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:4:7: error: '${m * 2}' is a macro of xacro (1 in this file)\n"
     "  fix: run xacro first: xacro robot.urdf.xacro > robot.urdf"},
    {"XacroArgument",
     R"(<robot name="r">
<link name="$(arg prefix)link"/></robot>
)",
     "r.urdf:2:7: error: '$(arg prefix)link' is a macro of xacro (1 in this file)\n"
     "  fix: run xacro first: xacro robot.urdf.xacro > robot.urdf"},
    {"UndefinedEntity",
     R"(<!DOCTYPE robot [<!ENTITY m "2.5">]>
<robot name="r">
<link name="a"><inertial><mass value="&m;"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
</robot>)",
     "r.urdf:2:1: warning: the DTD before this element is not read\n"
     "  fix: write out the entities that it defines: they are not expanded\n"
     "r.urdf:3:32: error: link 'a': value of <mass>: '&m;' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
};

class UrdfBadXml : public testing::TestWithParam<BadInput> {};

TEST_P(UrdfBadXml, SaysWhatWhereAndFix) {
  EXPECT_EQ(read(GetParam().text).error, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Cases, UrdfBadXml, testing::ValuesIn(cases), name_of_case);

}  // namespace
}  // namespace couplet::formats
