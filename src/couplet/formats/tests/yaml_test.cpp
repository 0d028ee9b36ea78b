// What is written is what is read: bodies, placements, joints, forces, subsystems, units.
#include "couplet/formats/yaml.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

namespace couplet::formats {
namespace {

using math::Mat3;
using math::Vec3;
using model::Model;
using symbolic::Expr;

constexpr double pi = std::numbers::pi;

Model read(const std::string& text) {
  base::Diagnostics warnings;
  Model model = read_yaml_text("couplet: 1\n" + text, "model.yaml", {}, warnings);
  for (const base::Diagnostic& d : warnings.list()) ADD_FAILURE() << d.str();
  return model;
}

const model::Body& body(const Model& model, const char* name) {
  return model.bodies.at(static_cast<size_t>(model.find_body(name).value()));
}
const model::Point& point(const Model& model, const char* name) {
  return model.points.at(static_cast<size_t>(model.find_point(name).value()));
}
const model::Joint& joint(const Model& model, const char* name) {
  return model.joints.at(static_cast<size_t>(model.find_joint(name).value()));
}

void expect_near(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-14) << a << "\n\n" << b;
}

TEST(Yaml, InertiaIsKeptAboutTheCentreOfMass) {
  const Model model = read(R"(
bodies:
  a: {mass: 2, com: [1, 0, 0], inertia: {xx: 1, yy: 5, zz: 6, xy: 0.1, about: origin}}
  b: {mass: 2, com: [1, 0, 0], inertia: {xx: 1, yy: 2, zz: 3, axes: {axis: z, angle: 90 deg}}}
  c: {mass: 2, com: [1, 0, 0], inertia: {matrix: [[1, 0, 0], [0, 5, 0], [0, 0, 6]], about: [2, 0, 0]}}
  d: {mass: 12, shape: {box: [1, 2, 3]}}
  e: {mass: 10, shape: {sphere: 2}}
  f: {mass: 12, shape: {cylinder: {radius: 1, length: 3, axis: x}}}
  g: {mass: 12, shape: {rod: {length: 2}, axes: {rpy: [90 deg, 0, 0]}}}
)");
  expect_near(body(model, "a").mass.inertia, (Mat3() << 1, 0.1, 0, 0.1, 3, 0, 0, 0, 4).finished());
  expect_near(body(model, "b").mass.inertia, Vec3(2, 1, 3).asDiagonal().toDenseMatrix());
  expect_near(body(model, "c").mass.inertia, Vec3(1, 3, 4).asDiagonal().toDenseMatrix());
  expect_near(body(model, "d").mass.inertia, Vec3(13, 10, 5).asDiagonal().toDenseMatrix());
  expect_near(body(model, "e").mass.inertia, 16 * Mat3::Identity());
  expect_near(body(model, "f").mass.inertia, Vec3(6, 12, 12).asDiagonal().toDenseMatrix());
  expect_near(body(model, "g").mass.inertia, Vec3(4, 0, 4).asDiagonal().toDenseMatrix());
}

TEST(Yaml, OrientationsInAllFormsAgree) {
  const Model model = read(R"(
points:
  a: {orientation: {rpy: [0, 0, 90 deg]}}
  b: {orientation: {quaternion: [0.7071, 0, 0, 0.7071]}}
  c: {orientation: {axis: [0, 0, 7], angle: 0.25 rev}}
  d: {orientation: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}
  e: {position: [1, 2, 3 mm], orientation: {rpy: [0.1, 0.2, 0.3]}}
)");
  const Mat3 R = math::rotation(Vec3::UnitZ(), pi / 2);
  for (const char* name : {"world.a", "world.b", "world.c", "world.d"})
    expect_near(point(model, name).X_BP.R, R);
  expect_near(point(model, "world.e").X_BP.R, math::rotation(Vec3::UnitZ(), 0.3) *
                                                  math::rotation(Vec3::UnitY(), 0.2) *
                                                  math::rotation(Vec3::UnitX(), 0.1));
  expect_near(point(model, "world.e").X_BP.p, Vec3(1, 2, 0.003));
}

TEST(Yaml, ValuesAreNumbersUnitsOrExpressions) {
  const Model model = read(R"(
parameters: {size: 20 cm, n: 3, angle: 30 deg, k: 2 N/mm, far: n*size, m: 5}
points:
  a: [size, 2*size + 3 mm, -size/n]
  b: [1e-3, +2, .5]
  c: [1/2 mm, 3 m/s*2 s, far]
  d: [sin(angle), 1 + 9 mm^2/mm, "if n > 2 then 1 else 0"]
)");
  expect_near(point(model, "world.a").X_BP.p, Vec3(0.2, 0.403, -0.2 / 3));
  expect_near(point(model, "world.b").X_BP.p, Vec3(1e-3, 2, 0.5));
  expect_near(point(model, "world.c").X_BP.p, Vec3(1 / (2 * 1e-3), 6, 0.6));
  expect_near(point(model, "world.d").X_BP.p, Vec3(0.5, 1.009, 1));
  EXPECT_EQ(model.parameters[3].value, 2000);
}

TEST(Yaml, JointsConnectPointsAlongAxes) {
  const Model model = read(R"(
bodies:
  a: {mass: 1, particle: true, points: {p: [0, 0, 1]}}
  b: {mass: 0}
joints:
  slide: {type: prismatic, from: world, to: a, axis: -y, q: 3 mm, v: 2, limits: {upper: 1}}
  cross: {type: universal, from: a.p, to: {body: b, position: [1, 0, 0]}, axes: [z, x], q: [1, 90 deg]}
)");
  const model::Joint& slide = joint(model, "slide");
  expect_near(slide.R_axes.col(2), -Vec3::UnitY());
  EXPECT_EQ(slide.q0, std::vector<double>{0.003});
  EXPECT_EQ(slide.v0, std::vector<double>{2});
  EXPECT_EQ(slide.limits.at(0).upper, 1);
  EXPECT_TRUE(std::isinf(slide.limits.at(0).lower));
  const model::Joint& cross = joint(model, "cross");
  expect_near(cross.R_axes.col(0), Vec3::UnitZ());
  expect_near(cross.R_axes.col(1), Vec3::UnitX());
  EXPECT_EQ(cross.q0, (std::vector<double>{1, pi / 2}));
  EXPECT_EQ(model.points[static_cast<size_t>(cross.to)].name, "cross.to");
  EXPECT_EQ(model.points[static_cast<size_t>(cross.from)].name, "a.p");
}

TEST(Yaml, QuaternionJointsTakeNumbersOrWords) {
  const Model model = read(R"(
bodies: {a: {mass: 0}, b: {mass: 0}, c: {mass: 0}}
joints:
  a: {type: free, from: world, to: a, q: [1, 0, 0, 0, 4, 5, 6]}
  b: {type: free, from: world, to: b, q: {position: [1, 2, 3], orientation: {axis: x, angle: 180 deg}}}
  c: {type: spherical, from: world, to: c, q: {axis: y, angle: 60 deg}}
)");
  EXPECT_EQ(joint(model, "a").q0, (std::vector<double>{1, 0, 0, 0, 4, 5, 6}));
  EXPECT_NEAR(joint(model, "b").q0.at(1), 1, 1e-15);
  EXPECT_EQ(joint(model, "b").q0.at(6), 3);
  EXPECT_NEAR(joint(model, "c").q0.at(0), std::cos(pi / 6), 1e-15);
}

TEST(Yaml, ForcesKeepTheirSymbols) {
  const Model model = read(R"(
parameters: {k: 3, length: 2}
bodies: {a: {mass: 0}, b: {mass: 0}}
joints:
  pin: {type: revolute, from: world, to: a, torque: k*(sin(t) - q) - 0.1*'my slide'.v}
  'my slide': {type: prismatic, from: a, to: b, stiffness: k, rest: 1 cm, damping: 2}
  drive: {type: revolute, from: world, to: b, motion: k*t}
forces:
  wire: {spring: {from: a, to: b, stiffness: k, length: length, force: 5*rate}}
  wind: {applied: {point: a, force: [t, 0, 2 kN], axes: body}}
  motor: {joint: {joint: pin, torque: 4 N*m}}
)");
  const auto symbol = [](const char* name) { return Expr::symbol(name); };
  const model::Element& torque = model.forces.at(0);
  EXPECT_EQ(torque.name, "pin");
  EXPECT_EQ(torque.expression("torque"),
            symbol("k") * (sin(symbol("t")) - symbol("pin.q")) - Expr(0.1) * symbol("my slide.v"));
  const model::Element& spring = model.forces.at(1);
  EXPECT_EQ(spring.expression("stiffness"), symbol("k"));
  EXPECT_EQ(spring.expression("rest"), Expr(0.01));
  EXPECT_EQ(joint(model, "drive").motion.at(0), symbol("k") * symbol("t"));
  const model::Element& wire = model.forces.at(2);
  EXPECT_EQ(wire.expression("length"), symbol("length"));
  EXPECT_EQ(wire.expression("force"), Expr(5) * symbol("wire.rate"));
  const model::Element& wind = model.forces.at(3);
  EXPECT_EQ(wind.expressions("force")[0], symbol("t"));
  EXPECT_EQ(wind.expressions("force")[2], Expr(2000));
  EXPECT_EQ(wind.choice("axes"), "body");
  EXPECT_EQ(model.forces.at(4).expression("torque"), Expr(4));
}

TEST(Yaml, SubsystemsHaveNamesParametersAndAMount) {
  const Model model = read(R"(
parameters: {size: 2}
bodies: {base: {mass: 0, frames: {left: {position: [0, 1, 0], orientation: {rpy: [0, 0, 90 deg]}}}}}
subsystems:
  arm: &arm
    parameters: {length: 2*size}
    mount: base.left
    model:
      parameters: {length: 1, k: 5}
      points: {peg: [1, 0, 0]}
      bodies: {rod: {mass: 0, points: {tip: [length, 0, 0]}}}
      joints: {pin: {type: revolute, from: world.peg, to: rod, torque: -k*q}}
  free: {model: {bodies: {ball: {mass: 0}}, joints: {pin: {type: spherical, from: world, to: ball}}}}
joints:
  root: {type: revolute, from: world, to: base, torque: arm.k*arm.pin.q}
forces:
  band: {spring: {from: arm.rod.tip, to: arm.world.peg, stiffness: 1, length: 0}}
)");
  EXPECT_EQ(model.parameters[static_cast<size_t>(model.find_parameter("arm.length").value())].value,
            4);
  expect_near(point(model, "arm.rod.tip").X_BP.p, Vec3(4, 0, 0));
  const model::Point& peg =
      point(model, "arm.world.peg");  // on the base, in the frame of its mount
  EXPECT_EQ(peg.body, model.find_body("base").value());
  expect_near(peg.X_BP.p, Vec3(0, 2, 0));
  EXPECT_EQ(model.points[static_cast<size_t>(joint(model, "arm.pin").from)].name, "arm.world.peg");
  EXPECT_EQ(joint(model, "free.pin").from, 0);
  EXPECT_EQ(model.forces.at(0).expression("torque"),
            -Expr::symbol("arm.k") * Expr::symbol("arm.pin.q"));
  EXPECT_EQ(model.forces.at(1).expression("torque"),
            Expr::symbol("arm.k") * Expr::symbol("arm.pin.q"));
  EXPECT_EQ(model.subsystems.size(), 2u);
}

TEST(Yaml, GravityIsUniformOrTowardsAPointOrNone) {
  const auto g = [](const char* text) {
    return std::get<model::UniformGravity>(read(text).gravity).g;
  };
  EXPECT_EQ(g("name: x"), Vec3(0, 0, -9.81));
  EXPECT_EQ(g("gravity: none"), Vec3(0, 0, 0));
  EXPECT_EQ(g("gravity: [0, -10, 0]"), Vec3(0, -10, 0));
  const Model model = read("gravity: {centre: [1 km, 0, 0], mu: 3}");
  EXPECT_EQ(std::get<model::PointGravity>(model.gravity).centre.x(), 1000);
}

TEST(Yaml, WarnsOfWhatItMends) {
  base::Diagnostics warnings;
  read_yaml_text(
      "couplet: 1\nparameters: {q: 1}\nbodies: {a: {mass: 0}, b: {mass: 0}}\njoints:\n"
      "  s: {type: spherical, from: world, to: a, q: [2, 0, 0, 0]}\n"
      "  r: {type: revolute, from: world, to: b, torque: -q}\n",
      "m.yaml", {}, warnings);
  ASSERT_EQ(warnings.list().size(), 2u);
  EXPECT_EQ(warnings.list()[0].str(),
            "m.yaml:5:47: warning: the quaternion has length 2; it was normalised\n"
            "  fix: give a unit quaternion, in the order w, x, y, z");
  EXPECT_EQ(warnings.list()[1].str(),
            "m.yaml:6:51: warning: 'q' means r.q here, not the parameter of that name\n"
            "  fix: rename the parameter");
}

TEST(Yaml, ReportsAllMistakesTogether) {
  base::Diagnostics warnings;
  try {
    read_yaml_text(
        "couplet: 1\nbodies:\n  a: {mass: -1, particle: true}\n  b: {mas: 1}\n"
        "joints:\n  j: {type: revolt, from: world, to: c}\n",
        "m.yaml", {}, warnings);
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.diagnostics().size(), 4u) << error.what();
  }
}

TEST(Yaml, EveryModelInTheProjectLoadsAndIsPossible) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(COUPLET_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".yaml") continue;
    base::Diagnostics warnings;
    const Model model = read_yaml(entry.path().string(), {}, warnings);
    EXPECT_FALSE(model.joints.empty()) << entry.path();
    check(model, model::Strictness::strict, warnings);
    EXPECT_TRUE(warnings.list().empty()) << warnings.list()[0].str();
    ++count;
  }
  EXPECT_GE(count, 13);
}

TEST(Yaml, TheFirstExampleOfTheManualLoads) {
  std::ifstream file(COUPLET_SOURCE_DIR "/docs/model-format.md");
  const std::string manual((std::istreambuf_iterator<char>(file)), {});
  const std::string fence = "```";
  const size_t begin = manual.find(fence + "yaml\n") + 8;
  const std::string example = manual.substr(begin, manual.find(fence, begin) - begin);
  base::Diagnostics warnings;
  const Model model = read_yaml_text(example, "manual", {}, warnings);
  EXPECT_EQ(model.name, "pendulum");
  EXPECT_NEAR(joint(model, "hinge").q0.at(0), pi / 6, 1e-15);
}

// Reference: RobotR3 of the Modelica Standard Library, with the load merged into link 6.
TEST(Yaml, ManutecHandAndLoadAreTheLastLinkOfTheReference) {
  base::Diagnostics warnings;
  const Model model = read_yaml(COUPLET_SOURCE_DIR "/models/manutec_r3.yaml", {}, warnings);
  EXPECT_TRUE(warnings.list().empty());
  const math::MassProperties both = body(model, "link6").mass + body(model, "load").mass;
  EXPECT_DOUBLE_EQ(both.mass, 15.5);
  expect_near(both.com, Vec3(0.0016129032258064516, 0.24354838709677418, 0.0016129032258064516));
  const double xx = 0.02256451612903226, yy = 0.004419354838709676, xy = 0.004838709677419356;
  const double xz = -0.0012096774193548388;
  expect_near(both.inertia, (Mat3() << xx, xy, xz, xy, yy, xy, xz, xy, xx).finished());
}

}  // namespace
}  // namespace couplet::formats
