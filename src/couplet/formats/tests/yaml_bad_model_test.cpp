// Mistakes in model files, each with its place, what is said and how to mend it.
#include <gtest/gtest.h>

#include "couplet/formats/tests/bad_yaml.hpp"

namespace couplet::formats::bad_yaml {
namespace {

const std::vector<BadYaml> bodies_cases = {
    {"MissingMass", body("{com: [0, 0, 0]}"), "3:8: error: body 'arm' has no 'mass'",
     "add the key mass"},
    {"NegativeMass", body("{mass: -1.2, particle: true}"),
     "3:15: error: body 'arm' has mass -1.2 kg", "give a mass > 0, or 0 for a body without mass"},
    {"MassNaN", body("{mass: .nan, particle: true}"), "3:15: error: '.nan' is not a finite number",
     "give a finite number"},
    {"MassInfinite", body("{mass: inf, particle: true}"),
     "3:15: error: 'inf' is not a finite number", "give a finite number"},
    {"MassHuge", body("{mass: 1e999, particle: true}"),
     "3:15: error: '1e999' is not a number that fits", "write a number such as 1.5 or 2e-3"},
    {"MassOutOfRange", body("{mass: 1e200 kg, particle: true}"),
     "3:15: error: the value '1e200 kg' is out of range", "give a value below 1e+60"},
    {"MassIsText", body("{mass: heavy, particle: true}"), "3:15: error: unknown name 'heavy'",
     "write a number, with a unit if you like: 12 mm"},
    {"MassIsList", body("{mass: [1], particle: true}"),
     "3:15: error: expected a mass (kg), got a list",
     "write a number, or an expression of parameters"},
    {"WrongDimension", body("{mass: 3 mm, particle: true}"),
     "3:15: error: expected a mass (kg), got '3 mm' (m)",
     "give it in kg, or a bare number in SI units"},
    {"UnknownUnit", body("{mass: 3 kgs, particle: true}"), "3:17: error: unknown unit 'kgs'",
     "did you mean 'kg'?"},
    {"UnknownUnitInExpression", body("{mass: 1 + 3 kgg, particle: true}"),
     "3:21: error: unknown unit 'kgg'", "did you mean 'kg'?"},
    {"HexNumber", body("{mass: 0x10, particle: true}"), "3:16: error: unknown name 'x10'",
     "write a number, with a unit if you like: 12 mm"},
    {"DecimalComma", body("{mass: \"1,5\", particle: true}"),
     "3:17: error: expected an operator, found ','", "remove it; decimals are written with a dot"},
    {"TwoNumbers", body("{mass: 1 2, particle: true}"),
     "3:17: error: expected an operator, found '2'", "write '*' in front of it to multiply"},
    {"DivisionByZero", body("{mass: 1/0, particle: true}"),
     "3:15: error: the value '1/0' is not a finite number", "check for divisions by zero"},
    {"NoInertia", body("{mass: 1}"), "3:8: error: body 'arm' has mass but no inertia",
     "add an inertia or a shape, or write particle: true"},
    {"InertiaAndShape", body("{mass: 1, shape: {sphere: 1}, inertia: [1, 1, 1]}"),
     "3:18: error: body 'arm' has both an inertia and a shape", "keep one of them"},
    {"ParticleWithInertia", body("{mass: 1, particle: true, inertia: [1, 1, 1]}"),
     "3:34: error: body 'arm' is a particle and has no inertia",
     "remove it, or remove 'particle: true'"},
    {"FlagNotBoolean", body("{mass: 1, particle: yes}"),
     "3:28: error: expected true or false, got 'yes'", ""},
    {"InertiaNotSymmetric", body("{mass: 1, inertia: [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}"),
     "3:27: error: the inertia matrix is not symmetric", "entry xy must equal entry yx, and so on"},
    {"InertiaOfTwo", body("{mass: 1, inertia: [1, 1]}"),
     "3:27: error: expected a list of 3 numbers, got a list of 2", "write [x, y, z] (kg*m^2)"},
    {"InertiaWithoutZz", body("{mass: 1, inertia: {xx: 1, yy: 1}}"),
     "3:27: error: inertia of body 'arm' has no 'zz'", "add the key zz"},
    {"InertiaUnknownKey", body("{mass: 1, inertia: {xx: 1, yy: 1, zz: 1, xyz: 0}}"),
     "3:49: error: inertia of body 'arm' has no key 'xyz'", "did you mean 'xy'?"},
    {"InertiaAboutNowhere", body("{mass: 1, inertia: {xx: 1, yy: 1, zz: 1, about: orign}}"),
     "3:56: error: expected com, origin or [x, y, z], got 'orign'", "did you mean 'origin'?"},
    {"BoxFlat", body("{mass: 1, shape: {box: [1, 0, 1]}}"),
     "3:31: error: a box needs three sides > 0", "write box: [a, b, c]"},
    {"SphereNegative", body("{mass: 1, shape: {sphere: -1}}"),
     "3:34: error: a size of -1 m is not possible", "give a length > 0"},
    {"UnknownShape", body("{mass: 1, shape: {spere: 1}}"),
     "3:26: error: shape of body 'arm' has no key 'spere'", "did you mean 'sphere'?"},
    {"CylinderWithoutRadius", body("{mass: 1, shape: {cylinder: {length: 1}}}"),
     "3:36: error: cylinder has no 'radius'", "add the key radius"},
    {"TwoShapes", body("{mass: 1, shape: {sphere: 1, box: [1, 1, 1]}}"),
     "3:37: error: shape of body 'arm' has both 'sphere' and 'box'", "keep one of them"},
    {"UnknownBodyKey", body("{mas: 1, particle: true}"), "3:9: error: body 'arm' has no key 'mas'",
     "did you mean 'mass'?"},
    {"ShortVector", body("{mass: 1, particle: true, com: [0, 0]}"),
     "3:39: error: expected a list of 3 numbers, got a list of 2", "write [x, y, z] (m)"},
    {"ComWithAngle", body("{mass: 1, particle: true, com: [0, 30 deg, 0]}"),
     "3:43: error: expected a length (m), got '30 deg' (rad)",
     "give it in m, or a bare number in SI units"},
};

TEST(BadYaml, Bodies) { expect_messages(bodies_cases); }

const std::vector<BadYaml> orientations_cases = {
    {"ZeroQuaternion", body("{mass: 0, points: {p: {orientation: {quaternion: [0, 0, 0, 0]}}}}"),
     "3:57: error: the quaternion is zero", "[1, 0, 0, 0] is no rotation; the order is w, x, y, z"},
    {"NoRotation", body("{mass: 0, points: {p: {orientation: [[1, 0, 0], [0, 2, 0], [0, 0, 1]]}}}"),
     "3:44: error: the matrix is no rotation: RᵀR differs from 1 by 3",
     "give orthonormal rows, or use rpy, quaternion or axis and angle"},
    {"Reflection",
     body("{mass: 0, points: {p: {orientation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}}}"),
     "3:44: error: the matrix is a reflection (determinant -1), no rotation",
     "use a right-handed frame"},
    {"AngleWithoutAxis", body("{mass: 0, points: {p: {orientation: {angle: 1}}}}"),
     "3:44: error: an orientation needs rpy, quaternion, axis or matrix", "add one of these keys"},
    {"AxisWithoutAngle", body("{mass: 0, points: {p: {orientation: {axis: x}}}}"),
     "3:44: error: an orientation has no 'angle'", "add the key angle"},
    {"TwoOrientations",
     body("{mass: 0, points: {p: {orientation: {rpy: [0, 0, 0], axis: x, angle: 1}}}}"),
     "3:61: error: an orientation has both 'rpy' and 'axis'", "keep one of them"},
    {"PointTwice", body("{mass: 0, points: {p: [0, 0, 0]}, frames: {p: [0, 0, 1]}}"),
     "3:51: error: there are two points 'arm.p'", "give one of them another name"},
};

TEST(BadYaml, Orientations) { expect_messages(orientations_cases); }

const std::vector<BadYaml> gravity_cases = {
    {"GravityWord", model("gravity: down\n"),
     "2:10: error: gravity: expected [x, y, z] or none, got 'down'",
     "write gravity: [0, 0, -9.81]"},
    {"GravityLength", model("gravity: [0, 0]\n"),
     "2:10: error: expected a list of 3 numbers, got a list of 2", "write [x, y, z] (m/s^2)"},
    {"GravityUnit", model("gravity: [0, 0, -9.81 m/s]\n"),
     "2:17: error: expected an acceleration (m/s^2), got '-9.81 m/s' (m/s)",
     "give it in m/s^2, or a bare number in SI units"},
    {"GravityWithoutMu", model("gravity: {centre: [0, 0, 0]}\n"),
     "2:10: error: gravity has no 'mu'", "add the key mu"},
    {"GravityNegative", model("gravity: {mu: -1}\n"), "2:11: error: gravity: mu is -1 < 0",
     "give mu = G M > 0; for the Earth it is 3.986004418e14 m^3/s^2"},
};

TEST(BadYaml, Gravity) { expect_messages(gravity_cases); }

}  // namespace
}  // namespace couplet::formats::bad_yaml
