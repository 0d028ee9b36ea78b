// Mistakes in constraints, friction and `cut`, each with its place, what is said and how to mend
// it.
#include <gtest/gtest.h>

#include "couplet/formats/tests/bad_yaml.hpp"

namespace couplet::formats::bad_yaml {
namespace {

const std::vector<BadYaml> constraint_cases = {
    {"WithoutType", constraint("{from: world, to: arm}"),
     "5:6: error: constraint 'c' has no 'type'",
     "choose one of distance, on-line, on-plane, on-curve, rolling, gear, rack-and-pinion, "
     "coupler, relation"},
    {"UnknownType", constraint("{type: gaer}"),
     "5:13: error: constraint 'c': there is no constraint type 'gaer'", "did you mean 'gear'?"},
    {"IsText", constraint("gear"), "5:6: error: constraint 'c': expected a mapping, got 'gear'",
     "choose one of distance,"},
    {"IsList", model("constraints: [a]\n"),
     "2:14: error: expected a mapping from names, got a list",
     "write  name of the constraint: …  for each constraint"},
    {"NameWithDot", model("constraints: {a.b: {type: gear}}\n"),
     "2:15: error: the name 'a.b' of a constraint contains a dot", "use letters,"},
    {"UnknownKey", constraint("{type: distance, from: world, to: arm, lenght: 1}"),
     "5:45: error: distance 'c' has no key 'lenght'", "did you mean 'length'?"},
    {"DistanceWithoutLength", constraint("{type: distance, from: world, to: arm}"),
     "5:6: error: distance 'c' has no 'length'", "add the key length"},
    {"DistanceOfCoordinate",
     constraint("{type: distance, from: world, to: arm, length: 1 + pin.q}"),
     "5:53: error: the length of a distance cannot depend on coordinates such as 'pin.q'",
     "write it as a function of the time t and of parameters"},
    {"DistanceInKilograms", constraint("{type: distance, from: world, to: arm, length: 1 kg}"),
     "5:53: error: expected a length (m), got '1 kg' (kg)", "give it in m,"},
    {"PointUnknown", constraint("{type: on-line, point: amr.tip, on: world}"),
     "5:29: error: on-line 'c': there is no body or point 'amr.tip'", "did you mean 'arm.tip'?"},
    {"LineWithNormal", constraint("{type: on-line, point: arm, on: world, normal: x}"),
     "5:45: error: on-line 'c' has no key 'normal'", "choose one of type, point, on, axis"},
    {"PlaneZeroNormal", constraint("{type: on-plane, point: arm, on: world, normal: [0, 0, 0]}"),
     "5:54: error: the axis has length zero", "give a direction such as [0, 0, 1]"},
    {"CurveOfTime", constraint("{type: on-curve, point: arm, on: world, curve: [s, t, 0]}"),
     "5:57: error: the value cannot depend on the time t", "give one that stays (1 t is a tonne)"},
    {"CurveOfCoordinate",
     constraint("{type: on-curve, point: arm, on: world, curve: [s, pin.q, 0]}"),
     "5:57: error: a curve cannot depend on coordinates such as 'pin.q'",
     "write it as a function of s and of parameters"},
    {"CurveOfTwo", constraint("{type: on-curve, point: arm, on: world, curve: [s, 0]}"),
     "5:53: error: on-curve 'c': expected a list of 3 values for curve", "write [x, y, z] (m)"},
    {"CurveAndParameter",
     constraint("{type: on-curve, point: arm, on: world, curve: [s, 0, 0]}") +
         "parameters: {s: 1}\n",
     "5:53: error: on-curve 'c': s runs along the curve, but a parameter has that name too",
     "rename the parameter"},
    {"RollingNothing", constraint("{type: rolling, radius: 1, on: world}"),
     "5:6: error: rolling 'c' needs wheel or ball", "add one of these keys"},
    {"RollingBoth", constraint("{type: rolling, wheel: arm, ball: arm, radius: 1, on: world}"),
     "5:34: error: rolling 'c' has both 'wheel' and 'ball'", "keep one of them"},
    {"BallWithAxis", constraint("{type: rolling, ball: arm, radius: 1, on: world, axis: x}"),
     "5:55: error: rolling 'c': a ball has no axis", "remove it, or write wheel instead of ball"},
    {"GearOfOne", constraint("{type: gear, joints: [pin], ratio: 2}"),
     "5:27: error: gear 'c': expected two joints", "write joints: [first, second]"},
    {"GearWithoutRatio", constraint("{type: gear, joints: [pin, disc.angle]}"),
     "5:6: error: gear 'c' has no 'ratio'", "add the key ratio"},
    {"GearOfTime", constraint("{type: gear, joints: [pin, disc.angle], ratio: t}"),
     "5:53: error: the value cannot depend on the time t",
     "give one that stays (1 t is a tonne); forces, motions, lengths and relations may use t"},
    {"GearUnknownJoint", constraint("{type: gear, joints: [pin, dsc], ratio: 2}"),
     "5:33: error: gear 'c': there is no joint 'dsc'", "did you mean 'disc'?"},
    {"GearSlides", constraint("{type: gear, joints: [pin, rail], ratio: 2}"),
     "5:33: error: gear 'c': joint 'rail' slides",
     "choose one that turns; a coupler relates any coordinates"},
    {"GearSeveral", constraint("{type: gear, joints: [pin, disc], ratio: 2}"),
     "5:33: error: gear 'c': planar joint 'disc' has several coordinates", "write disc.x"},
    {"GearQuaternion", constraint("{type: gear, joints: [pin, ball], ratio: 2}"),
     "5:33: error: gear 'c': spherical joint 'ball' has no angles",
     "choose a joint that turns about"},
    {"GearItself", constraint("{type: gear, joints: [pin, pin], ratio: 2}"),
     "5:27: error: gear 'c' connects a joint with itself", "choose two joints"},
    {"GearRatioZero", constraint("{type: gear, joints: [pin, disc.angle], ratio: 0}"),
     "5:53: error: gear 'c' has a ratio of 0",
     "give the turns of the first joint per turn of the second"},
    {"RackTurns", constraint("{type: rack-and-pinion, pinion: pin, rack: disc.angle, radius: 1}"),
     "5:49: error: rack-and-pinion 'c': joint 'disc.angle' turns", "choose one that slides"},
    {"RackRadius", constraint("{type: rack-and-pinion, pinion: pin, rack: rail, radius: -1 cm}"),
     "5:63: error: rack-and-pinion 'c' has a radius of -0.01 m",
     "give a radius > 0; turn an axis round"},
    {"CouplerList", constraint("{type: coupler, joints: [pin, rail]}"),
     "5:30: error: coupler 'c': expected joints and their factors",
     "write joints: {left: 1, right: -1}"},
    {"CouplerUnknown", constraint("{type: coupler, joints: {pni: 1}}"),
     "5:31: error: coupler 'c': there is no joint 'pni'", "did you mean 'pin'?"},
    {"RelationOfSpeed", constraint("{type: relation, value: pin.q - rail.v}"),
     "5:30: error: a relation cannot depend on speeds such as 'rail.v'",
     "relate positions; of constraints on speeds there is type: rolling"},
    {"RelationUnknown", constraint("{type: relation, value: pin.q - rail.x}"),
     "5:38: error: unknown name 'rail.x'", "did you mean 'rail.q'?"},
};

TEST(BadYaml, Constraints) { expect_messages(constraint_cases); }

TEST(BadYaml, ParametersOfConstraintsCannotBeSwitched) {
  expect_messages({{"Switched",
                    constraint("{type: distance, from: world, to: b, length: rod}") +
                        "parameters: {rod: 1 m}\nwhen: {w: {at: 1, set: {rod: 2}}}\n",
                    "7:25: error: rule 'w': parameter 'rod' cannot change while the model moves: "
                    "bad.yaml:5:51 uses it "
                    "as a number",
                    "switch a parameter that only forces use"}});
}

const std::vector<BadYaml> joint_cases = {
    {"CutMaybe", revolute("cut: maybe"), "5:52: error: expected true or false, got 'maybe'", ""},
    {"FrictionNumber", revolute("friction: 0.1"),
     "5:57: error: the friction of revolute joint 'pin': expected a mapping, got '0.1'",
     "write its keys, one per line: coefficient, static-coefficient, radius, force, torque or "
     "stick-speed"},
    {"FrictionWithoutRadius", revolute("friction: {coefficient: 0.1}"),
     "5:57: error: the friction of revolute joint 'pin' has no 'radius'", "add the key radius"},
    {"FrictionSpeed", revolute("friction: {coefficient: 0.1, radius: 1 cm, stick-speed: 1 m/s}"),
     "5:103: error: expected an angular speed (rad/s), got '1 m/s' (m/s)", "give it in rad/s,"},
    {"FrictionStaticBelowKinetic",
     joint("{type: prismatic, from: world, to: arm, friction: {coefficient: 0.3, "
           "static-coefficient: 0.2}}"),
     "5:77: error: the friction of prismatic joint 'pin': the static coefficient 0.2 is below the "
     "coefficient 0.3",
     "give at least 0.3, or leave it out"},
    {"FrictionStaticAlone",
     joint("{type: prismatic, from: world, to: arm, friction: {static-coefficient: 0.2}}"),
     "5:58: error: the friction of prismatic joint 'pin' has no 'coefficient'",
     "add the key coefficient"},
    {"FrictionOfWeld", joint("{type: weld, from: world, to: arm, friction: {coefficient: 1}}"),
     "5:43: error: weld joint 'pin' has no key 'friction'", "choose one of type, from, to, cut"},
    {"FrictionRadiusOnSlider",
     joint("{type: prismatic, from: world, to: arm, friction: {coefficient: 1, radius: 1 cm}}"),
     "5:75: error: the friction of prismatic joint 'pin' needs no radius: the joint slides",
     "remove it"},
};

TEST(BadYaml, FrictionAndCut) { expect_messages(joint_cases); }

}  // namespace
}  // namespace couplet::formats::bad_yaml
