#include "support/exact_motions.hpp"

#include <cmath>
#include <numbers>

#include "closed_forms/free_body.hpp"
#include "closed_forms/heavy_top.hpp"
#include "closed_forms/pendulum.hpp"
#include "closed_forms/simple_motions.hpp"
#include "couplet/forces/entry.hpp"

namespace couplet::verification {

using math::Mat3;
using math::Vec3;
using math::VecX;
using model::JointType;

namespace {

constexpr double g = 9.81;

std::shared_ptr<const model::Mechanism> shared(model::Model model) {
  return std::make_shared<const model::Mechanism>(model::compile(std::move(model)));
}

// A uniform rod on a hinge: ω² = 3g/2l.
ExactMotion make_pendulum(std::string name, const Pendulum::Motion& start, double periods) {
  const double length = 0.8, inertia = 2 * length * length / 12;
  model::Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -g)};
  const int rod =
      model.add_body("rod", {2, Vec3(0, 0, -length / 2), Vec3(inertia, inertia, 0).asDiagonal()});
  model.add_joint("hinge", JointType::revolute, 0, model.bodies[rod].origin, Vec3::UnitY());
  const Pendulum pendulum(std::sqrt(1.5 * g / length), start);
  const auto y = [pendulum](double t) -> VecX {
    const auto [theta, rate] = pendulum.at(t);
    return Eigen::Vector2d(theta, rate);
  };
  return {std::move(name), shared(std::move(model)), y, periods * pendulum.period(), {}};
}

// Held at its centre of mass by a spherical joint; no gravity.
ExactMotion make_free_body(std::string name, const Vec3& w) {
  const Vec3 I(1, 2, 2.7);
  model::Model model;
  const int body = model.add_body("body", {1, Vec3::Zero(), I.asDiagonal()});
  model.add_joint("bearing", JointType::spherical, 0, model.bodies[body].origin);
  const FreeBody motion(I, {math::rotation(Vec3(1, 2, -2) / 3, 0.8), w});
  const auto y = [motion](double t) -> VecX {
    const auto [R, rates] = motion.at(t);
    VecX out(7);
    out << math::quaternion(R), rates;
    return out;
  };
  return {std::move(name), shared(std::move(model)), y, motion.period(), {0}};
}

// A gyroscope that nutates once, while it turns about its axis four and a half times.
ExactMotion make_top() {
  const double mass = 0.5, arm = 0.2, transverse = 0.025,
               axial = 0.008;  // about the centre of mass
  model::Model model;
  model.gravity = model::UniformGravity{Vec3(0, 0, -g)};
  const int top = model.add_body(
      "top", {mass, Vec3(0, 0, arm), Vec3(transverse, transverse, axial).asDiagonal()});
  model.add_joint("tip", JointType::spherical, 0, model.bodies[top].origin);
  const HeavyTop motion({transverse + mass * arm * arm, axial, mass * g * arm},
                        {math::rotation(Vec3::UnitX(), 0.6), Vec3(0.3, -0.2, 25)});
  const auto y = [motion](double t) -> VecX {
    const auto [R, rates] = motion.at(t);
    VecX out(7);
    out << math::quaternion(R), rates;
    return out;
  };
  return {"heavy top", shared(std::move(model)), y, motion.period(), {0}};
}

ExactMotion make_projectile() {
  const Projectile shot{
      2,
      0.7,
      {0, 0, -g},
      {{1, 2, 3}, {6, 0, 8}, math::rotation(Vec3(2, -1, 2) / 3, 1.1), {0.5, -0.3, 4}}};
  model::Model model;
  model.gravity = model::UniformGravity{shot.g};
  const int body = model.add_body("shot", {3, Vec3::Zero(), Vec3(2, 2, 0.7).asDiagonal()});
  model.add_joint("flight", JointType::free, 0, model.bodies[body].origin);
  const auto y = [shot](double t) -> VecX {
    const Projectile::Motion m = shot.at(t);
    VecX out(13);
    out << math::quaternion(m.R_WB), m.p, m.w_B, m.R_WB.transpose() * m.v;
    return out;
  };
  return {"projectile", shared(std::move(model)), y, 2, {0}};  // up, and down again
}

// Four masses on rails, line springs between them and to the walls.
ExactMotion make_oscillators() {
  constexpr int n = 4;
  const double stiffness = 18, mass = 2;
  model::Model model;
  int before = 0;
  const auto add_spring = [&](int to) {
    forces::add_force(model, "spring" + std::to_string(model.forces.size()), "spring",
                      {{"from", before}, {"to", to}, {"stiffness", stiffness}, {"length", 1}});
    before = to;
  };
  for (int i = 0; i < n; ++i) {
    const std::string name = "mass" + std::to_string(i);
    const int body = model.add_body(name, {mass, Vec3::Zero(), Vec3(1, 1, 1).asDiagonal()});
    const int place = model.add_point(name + ".place", 0, {Mat3::Identity(), Vec3(i + 1, 0, 0)});
    model.add_joint(name + ".rail", JointType::prismatic, place, model.bodies[body].origin,
                    Vec3::UnitX());
    add_spring(model.bodies[body].origin);
  }
  add_spring(model.add_point("wall", 0, {Mat3::Identity(), Vec3(n + 1, 0, 0)}));
  const Oscillators row{std::sqrt(stiffness / mass), (VecX(n) << 0.3, -0.1, 0, 0.2).finished(),
                        (VecX(n) << 0, 0.4, -0.3, 0.1).finished()};
  const auto y = [row](double t) -> VecX {
    VecX x, v, out(2 * n);
    row.at(t, x, v);
    out << x, v;
    return out;
  };
  const double slowest = 2 * row.omega * std::sin(std::numbers::pi / (2 * (n + 1)));
  return {"oscillators", shared(std::move(model)), y, 2 * 2 * std::numbers::pi / slowest, {}};
}

ExactMotion make_planet() {
  const KeplerOrbit orbit{1, 1, 0.3};
  model::Model model;
  model.gravity = model::PointGravity{orbit.mu, Vec3::Zero()};
  const int planet = model.add_body("planet", {4, Vec3::Zero(), Mat3::Zero()});
  model.bodies[planet].particle = true;
  model.add_joint("space", JointType::xyz, 0, model.bodies[planet].origin);
  const auto y = [orbit](double t) -> VecX {
    const auto [p, v] = orbit.at(t);
    VecX out(6);
    out << p, v;
    return out;
  };
  return {"Kepler orbit", shared(std::move(model)), y, orbit.period(), {}};
}

}  // namespace

VecX ExactMotion::exact(double t, const VecX& near) const {
  VecX out = y(t);
  for (const int i : quaternions)
    if (out.segment<4>(i).dot(near.segment<4>(i)) < 0) out.segment<4>(i) *= -1;
  return out;
}

std::vector<ExactMotion> make_exact_motions() {
  return {make_pendulum("pendulum, swings by 115 degrees", {2, 0}, 2),
          make_pendulum("pendulum, swings by 149 degrees", {2.6, 0}, 2),
          make_pendulum("pendulum, goes round", {0.5, 10}, 3),
          make_free_body("free body about its largest inertia", {0.6, 0.5, 1}),
          make_free_body("free body about its smallest inertia", {1.2, -0.6, 0.5}),
          make_top(),
          make_projectile(),
          make_oscillators(),
          make_planet()};
}

}  // namespace couplet::verification
