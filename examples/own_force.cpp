// A force that no file can describe: a C++ function of where bodies are and how they move.
//
//   m v̇ = m g - c v²        a body falls through air, drag grows with the square of its speed
//   v(t) = v∞ tanh(g t / v∞),   v∞ = sqrt(m g / c)
//
// The function is called at every evaluation with the motion of all bodies, and adds to what acts
// on them: (torque about the body's origin; force), in world axes.
#include <cmath>
#include <couplet/couplet.hpp>
#include <cstdio>

using namespace couplet;

int main() {
  constexpr double m = 80, g = 9.81, c = 0.25;  // kg, m/s², kg/m
  model::Model model;
  model.gravity = model::UniformGravity{{0, 0, -g}};
  math::MassProperties mass;
  mass.mass = m;
  mass.inertia = math::Vec3(10, 10, 2).asDiagonal();
  const int jumper = model.add_body("jumper", mass);
  model.add_joint("fall", model::JointType::free, 0, model.bodies[jumper].origin);
  forces::add_function("drag", [=](double, std::span<const model::BodyMotion> bodies,
                                   std::span<math::Vec6> on_bodies) {
    const math::Vec3& v = bodies[jumper].v;
    on_bodies[jumper].tail<3>() -= c * v.norm() * v;
  });
  forces::add_force(model, "drag", "plugin", {{"plugin", std::string("function:drag")}});

  RunRequest request;
  request.until = 8;
  request.tolerance = 1e-9;
  request.record = {"jumper.velocity.z"};
  const results::Recording motion = record(load(std::move(model)), request);

  const double limit = std::sqrt(m * g / c);
  double worst = 0;
  for (size_t row = 0; row < motion.rows(); ++row) {
    const double t = motion.at(row, 0), exact = -limit * std::tanh(g * t / limit);
    worst = std::max(worst, std::abs(motion.at(row, 1) - exact));
  }
  std::printf("after 8 s: %.6f m/s of %.6f m/s; largest difference to the closed form %.1e m/s\n",
              -motion.at(motion.rows() - 1, 1), limit, worst);
  return worst < 1e-7 ? 0 : 1;  // 56 m/s at a relative tolerance of 1e-9
}
