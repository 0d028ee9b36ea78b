// Names, joints and mimics that do not fit together: the message for each, word by word.
#include "urdf_bad_input.hpp"

namespace couplet::formats {
namespace {

const BadInput cases[] = {
    {"NoLinks",
     R"(<robot name="r">
</robot>
)",
     "r.urdf:1:1: error: the robot has no <link>\n"
     "  fix: write at least one <link name=\"...\"/>"},
    {"LinkWithoutName",
     R"(<robot name="r">
<link/>
<link name="a"/>
</robot>
)",
     "r.urdf:2:1: error: link without a name: <link> has no attribute 'name'\n"
     "  fix: write <link name=\"...\">"},
    {"EmptyName",
     R"(<robot name="r">
<link name=""/>
<link name="a"/>
</robot>
)",
     "r.urdf:2:7: error: link '': name of <link> is empty\n"
     "  fix: give a name"},
    {"TwoLinksOfOneName",
     R"(<robot name="r">
<link name="a"/>
<link name="a"/>
</robot>
)",
     "r.urdf:3:1: error: there are two links named 'a', the first in line 2\n"
     "  fix: give each link its own name"},
    {"TwoJointsOfOneName",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="j" type="continuous"><parent link="b"/><child link="c"/></joint>
</robot>
)",
     "r.urdf:6:1: error: there are two joints named 'j', the first in line 5\n"
     "  fix: give each joint its own name"},
    {"JointWithoutName",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint type="fixed"><parent link="a"/><child link="b"/></joint>
</robot>
)",
     "r.urdf:4:1: error: joint without a name: <joint> has no attribute 'name'\n"
     "  fix: write <joint name=\"...\">"},
    {"JointWithoutType",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j"><parent link="a"/><child link="b"/><limit lower="0" upper="1"/></joint>
</robot>
)",
     "r.urdf:4:1: error: joint 'j': <joint> has no attribute 'type'\n"
     "  fix: write <joint type=\"...\">"},
    {"MisspeltType",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="revolut"><parent link="a"/><child link="b"/><limit lower="0" upper="1"/></joint>
</robot>
)",
     "r.urdf:4:17: error: joint 'j': unknown joint type 'revolut'\n"
     "  fix: did you mean 'revolute'?"},
    {"UnknownType",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="ball"><parent link="a"/><child link="b"/><limit lower="0" upper="1"/></joint>
</robot>
)",
     "r.urdf:4:17: error: joint 'j': unknown joint type 'ball'\n"
     "  fix: choose one of revolute, continuous, prismatic, fixed, floating, planar"},
    {"JointWithoutParent",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><child link="b"/></joint>
</robot>
)",
     "r.urdf:4:1: error: joint 'j': there is no <parent>\n"
     "  fix: write <parent link=\"...\"/>"},
    {"JointWithoutChild",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/></joint>
</robot>
)",
     "r.urdf:4:1: error: joint 'j': there is no <child>\n"
     "  fix: write <child link=\"...\"/>"},
    {"ParentWithoutLink",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent/><child link="b"/></joint>
</robot>
)",
     "r.urdf:4:35: error: joint 'j': <parent> has no attribute 'link'\n"
     "  fix: write <parent link=\"...\">"},
    {"UnknownParent",
     R"(<robot name="r">
<link name="upper_arm"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="uper_arm"/><child link="b"/></joint>
</robot>
)",
     "r.urdf:4:43: error: joint 'j': there is no link 'uper_arm'\n"
     "  fix: did you mean 'upper_arm'?"},
    {"UnknownChild",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/>
<child link="zebra"/></joint>
</robot>
)",
     "r.urdf:5:8: error: joint 'j': there is no link 'zebra'\n"
     "  fix: choose one of a, b"},
    {"TwoParents",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint>
<joint name="l" type="fixed"><parent link="c"/><child link="b"/></joint>
</robot>
)",
     "r.urdf:7:55: error: link 'b' has two parents, through joint 'j' (line 5) and joint 'l'\n"
     "  fix: a URDF is a tree: remove one of the joints (models in YAML may have loops)"},
    {"Itself",
     R"(<robot name="r">
<link name="a"/>
<joint name="j" type="continuous"><parent link="a"/><child link="a"/></joint>
</robot>
)",
     "r.urdf:3:1: error: joint 'j' connects link 'a' with itself\n"
     "  fix: parent and child must be two links"},
    {"CycleOfTwo",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>
</robot>
)",
     "r.urdf:5:1: error: links form a cycle: 'a' → 'b' → 'a'\n"
     "  fix: a URDF is a tree: remove one of the joints (models in YAML may have loops)"},
    {"CycleBesideTheTree",
     R"(<robot name="r">
<link name="r"/>
<link name="a"/>
<link name="b"/>
<link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>
<joint name="l" type="fixed"><parent link="c"/><child link="a"/></joint>
</robot>
)",
     "r.urdf:8:1: error: links form a cycle: 'a' → 'b' → 'c' → 'a'\n"
     "  fix: a URDF is a tree: remove one of the joints (models in YAML may have loops)"},
    {"SeveralRoots",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
</robot>
)",
     "r.urdf:4:1: error: 2 links have no parent: 'a' (line 2), 'c' (line 4)\n"
     "  fix: a robot has one root: connect the others by joints, type=\"fixed\" if need be"},
    {"WorldInTheMiddle",
     R"(<robot name="r">
<link name="a"/>
<link name="world"/>
<joint name="j" type="continuous"><parent link="a"/><child link="world"/></joint>
</robot>
)",
     "r.urdf:3:1: error: link 'world' is not the root, but its name is the inertial frame's\n"
     "  fix: give the link another name"},
    {"MimicOfAMissingJoint",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <mimic joint="i"/></joint>
</robot>
)",
     "r.urdf:5:10: error: joint 'j' mimics 'i', but there is no such joint\n"
     "  fix: did you mean 'j'?"},
    {"MimicWithoutJoint",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <mimic multiplier="2"/></joint>
</robot>
)",
     "r.urdf:5:3: error: joint 'j': <mimic> has no attribute 'joint'\n"
     "  fix: write <mimic joint=\"...\">"},
    {"MimicOfAFixedJoint",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <mimic joint="k"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>
</robot>
)",
     "r.urdf:6:10: error: joint 'j' mimics 'k', which has 0 freedoms\n"
     "  fix: mimic a revolute, continuous or prismatic joint"},
    {"MimicOfAFloatingJoint",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <mimic joint="k"/></joint>
<joint name="k" type="floating"><parent link="b"/><child link="c"/></joint>
</robot>
)",
     "r.urdf:6:10: error: joint 'j' mimics 'k', which has 6 freedoms\n"
     "  fix: mimic a revolute, continuous or prismatic joint"},
    {"MimicInAPlanarJoint",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="planar"><parent link="b"/><child link="c"/>
  <mimic joint="j"/></joint>
</robot>
)",
     "r.urdf:7:3: error: joint 'k': a joint with several freedoms cannot mimic\n"
     "  fix: use <mimic> in revolute, continuous and prismatic joints"},
    {"MimicOfItself",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <mimic joint="j"/></joint>
</robot>
)",
     "r.urdf:5:10: error: joints mimic each other in a circle: 'j' → 'j'\n"
     "  fix: one of them must move by itself"},
    {"MimicCircle",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <mimic joint="k"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/>
  <mimic joint="j"/></joint>
</robot>
)",
     "r.urdf:6:10: error: joints mimic each other in a circle: 'j' → 'k' → 'j'\n"
     "  fix: one of them must move by itself"},
    {"MimicMultiplierNotANumber",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/>
  <mimic joint="j" multiplier="1/2"/></joint>
</robot>
)",
     "r.urdf:7:20: error: joint 'k': multiplier of <mimic>: '1/2' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
};

class UrdfBadTrees : public testing::TestWithParam<BadInput> {};

TEST_P(UrdfBadTrees, SaysWhatWhereAndFix) {
  EXPECT_EQ(read(GetParam().text).error, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Cases, UrdfBadTrees, testing::ValuesIn(cases), name_of_case);

}  // namespace
}  // namespace couplet::formats
