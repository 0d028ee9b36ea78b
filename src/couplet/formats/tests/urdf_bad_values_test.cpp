// Numbers and mass properties that cannot be: the message for each, word by word.
#include "urdf_bad_input.hpp"

namespace couplet::formats {
namespace {

const BadInput cases[] = {
    {"TooFewNumbers",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <origin xyz="0 1"/></joint>
</robot>
)",
     "r.urdf:5:11: error: joint 'j': xyz of <origin>: expected 3 numbers, found 2 in '0 1'\n"
     "  fix: write xyz=\"0 0 1\""},
    {"TooManyNumbers",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <origin rpy="0 1 2 3"/></joint>
</robot>
)",
     "r.urdf:5:11: error: joint 'j': rpy of <origin>: expected 3 numbers, found 4 in '0 1 2 3'\n"
     "  fix: write rpy=\"0 0 1\""},
    {"NoNumbers",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <origin xyz=" "/></joint>
</robot>
)",
     "r.urdf:5:11: error: joint 'j': xyz of <origin>: expected 3 numbers, found 0 in ' '\n"
     "  fix: write xyz=\"0 0 1\""},
    {"TrailingText",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <origin xyz="0 1 2m"/></joint>
</robot>
)",
     "r.urdf:5:11: error: joint 'j': xyz of <origin>: '2m' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
    {"CommaDecimals",
     R"(<robot name="r">
<link name="a">
<inertial>
<mass value="0,5"/><inertia ixx="1" iyy="1" izz="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:4:7: error: link 'a': value of <mass>: '0,5' is not a finite number\n"
     "  fix: write a decimal point, and blanks between numbers: \"0.5 0 1\""},
    {"CommaSeparators",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <axis xyz="0, 0, 1"/></joint>
</robot>
)",
     "r.urdf:5:9: error: joint 'j': xyz of <axis>: '0,' is not a finite number\n"
     "  fix: write a decimal point, and blanks between numbers: \"0.5 0 1\""},
    {"NotANumber",
     R"(<robot name="r">
<link name="a">
<inertial>
<mass value="nan"/><inertia ixx="1" iyy="1" izz="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:4:7: error: link 'a': value of <mass>: 'nan' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
    {"InfiniteMass",
     R"(<robot name="r">
<link name="a">
<inertial>
<mass value="inf"/><inertia ixx="1" iyy="1" izz="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:4:7: error: link 'a': value of <mass>: 'inf' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
    {"HugeMass",
     R"(<robot name="r">
<link name="a">
<inertial>
<mass value="1e999"/><inertia ixx="1" iyy="1" izz="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:4:7: error: link 'a': value of <mass>: '1e999' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
    {"NegativeMass",
     R"(<robot name="r">
<link name="a">
<inertial>
  <mass value="-1.2"/><inertia ixx="1" iyy="1" izz="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:4:9: error: link 'a': the mass is -1.2 kg\n"
     "  fix: give a mass > 0, or leave <inertial> out of a massless link"},
    {"WordAsMass",
     R"(<robot name="r">
<link name="a">
<inertial>
<mass value="heavy"/><inertia ixx="1" iyy="1" izz="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:4:7: error: link 'a': value of <mass>: 'heavy' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
    {"HexMass",
     R"(<robot name="r">
<link name="a">
<inertial>
<mass value="0x10"/><inertia ixx="1" iyy="1" izz="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:4:7: error: link 'a': value of <mass>: '0x10' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
    {"MissingMassValue",
     R"(<robot name="r">
<link name="a">
<inertial>
<mass/><inertia ixx="1" iyy="1" izz="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:4:1: error: link 'a': <mass> has no attribute 'value'\n"
     "  fix: write <mass value=\"...\">"},
    {"MassAsText",
     R"(<robot name="r">
<link name="a">
<inertial>
<mass>1.5</mass><inertia ixx="1" iyy="1" izz="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:4:1: warning: text inside <mass> is ignored\n"
     "  fix: values are attributes: <mass value=\"...\"/>\n"
     "r.urdf:4:1: error: link 'a': <mass> has no attribute 'value'\n"
     "  fix: write <mass value=\"...\">"},
    {"MissingMass",
     R"(<robot name="r">
<link name="a">
<inertial>
<inertia ixx="1" iyy="1" izz="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:3:1: error: link 'a': <inertial> has no <mass>\n"
     "  fix: write <mass value=\"...\"/>, in kg"},
    {"MissingInertiaTerm",
     R"(<robot name="r">
<link name="a">
<inertial>
<mass value="1"/>
<inertia ixx="1" iyy="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:5:1: error: link 'a': <inertia> has no attribute 'izz'\n"
     "  fix: write <inertia izz=\"...\">"},
    {"InfiniteInertia",
     R"(<robot name="r">
<link name="a">
<inertial>
<mass value="1"/>
<inertia ixx="1" iyy="Infinity" izz="1"/>
</inertial>
</link>
</robot>
)",
     "r.urdf:5:18: error: link 'a': iyy of <inertia>: 'Infinity' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
    {"ZeroAxis",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <axis xyz="0 0 0"/></joint>
</robot>
)",
     "r.urdf:5:9: error: joint 'j': the axis is zero\n"
     "  fix: give a direction such as xyz=\"0 0 1\""},
    {"BadDamping",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <dynamics damping="low"/></joint>
</robot>
)",
     "r.urdf:5:13: error: joint 'j': damping of <dynamics>: 'low' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
    {"NanLimit",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/>
  <limit lower="nan" upper="1"/></joint>
</robot>
)",
     "r.urdf:5:10: error: joint 'j': lower of <limit>: 'nan' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
    {"ZeroQuaternion",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <origin quat_xyzw="0 0 0 0"/></joint>
</robot>
)",
     "r.urdf:5:11: error: joint 'j': quat_xyzw of <origin> is zero\n"
     "  fix: no rotation is \"0 0 0 1\""},
    {"TwoRotations",
     R"(<robot name="r">
<link name="a"/>
<link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
  <origin rpy="0 0 1" quat_xyzw="0 0 0 1"/></joint>
</robot>
)",
     "r.urdf:5:23: error: joint 'j': <origin> has both rpy and quat_xyzw\n"
     "  fix: keep one of them"},
    {"ValueOnALaterLine",
     "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"/>\n<joint name=\"j\" "
     "type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>\n  <origin rpy=\"0 0 0\"\n       "
     "   xyz=\"0\n\t0\"/></joint>\n</robot>\n",
     "r.urdf:6:11: error: joint 'j': xyz of <origin>: expected 3 numbers, found 2 in '0  0'\n"
     "  fix: write xyz=\"0 0 1\""},
    {"ColumnsCountCharacters",
     R"(<robot name="r">
<link name="é→a"/><link name="b"><inertial><mass value="x"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="é→a"/><child link="b"/></joint>
</robot>
)",
     "r.urdf:2:50: error: link 'b': value of <mass>: 'x' is not a finite number\n"
     "  fix: write a finite number such as 0.5 or 1e-3"},
};

class UrdfBadValues : public testing::TestWithParam<BadInput> {};

TEST_P(UrdfBadValues, SaysWhatWhereAndFix) {
  EXPECT_EQ(read(GetParam().text).error, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Cases, UrdfBadValues, testing::ValuesIn(cases), name_of_case);

}  // namespace
}  // namespace couplet::formats
