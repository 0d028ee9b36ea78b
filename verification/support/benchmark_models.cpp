#include "support/benchmark_models.hpp"

#include <cmath>
#include <string>

namespace couplet::verification {

using math::MassProperties;
using math::Pose;
using math::Vec3;
using model::JointType;

namespace {

// Thin, 1 kg, from the origin.
MassProperties rod(const Vec3& to) {
  return {1, to / 2, (to.squaredNorm() * math::Mat3::Identity() - to * to.transpose()) / 12};
}
Pose at(const Vec3& p) { return {math::Mat3::Identity(), p}; }

}  // namespace

model::Model make_four_bars(int n) {
  model::Model model;
  model.name = std::to_string(n) + " four-bars";
  model.gravity = model::UniformGravity{{0, -9.81, 0}};
  const auto hinge = [&](const std::string& name, int from, int to, std::vector<double> v0) {
    model.add_joint(name, JointType::revolute, from, to).v0 = std::move(v0);
  };
  std::vector<int> tops;
  for (int i = 0; i <= n; ++i) {
    const std::string number = std::to_string(i);
    const int up = model.add_body("up" + number, rod(Vec3::UnitY()));
    tops.push_back(model.add_point("up" + number + ".top", up, at(Vec3::UnitY())));
    hinge("foot" + number,
          model.add_point("world.A" + number, 0, at({static_cast<double>(i), 0, 0})),
          model.bodies[up].origin, {-1});
  }
  for (int i = 0; i < n; ++i) {
    const std::string number = std::to_string(i);
    const int over = model.add_body("over" + number, rod(Vec3::UnitX()));
    hinge("left" + number, tops[i], model.bodies[over].origin, {1});
    hinge("right" + number, model.add_point("over" + number + ".end", over, at(Vec3::UnitX())),
          tops[i + 1], {});
  }
  return model;
}

model::Model make_hanging_chain(int n) {
  model::Model model;
  model.name = "chain of " + std::to_string(n);
  model.gravity = model::UniformGravity{{0, -9.81, 0}};
  Vec3 end = Vec3::Zero();
  double before = 0;
  int last = model.bodies[0].origin;
  for (int i = 0; i < n; ++i) {
    const std::string number = std::to_string(i);
    const int body = model.add_body("rod" + number, rod(Vec3::UnitX()));
    const double angle = M_PI * ((i + 0.5) / n - 0.5);
    model.add_joint("hinge" + number, JointType::revolute, last, model.bodies[body].origin).q0 = {
        angle - before};
    before = angle;
    end += Vec3(std::cos(angle), std::sin(angle), 0);
    last = model.add_point("rod" + number + ".end", body, at(Vec3::UnitX()));
  }
  model.add_joint("end", JointType::revolute, model.add_point("world.end", 0, at(end)), last).cut =
      true;
  return model;
}

}  // namespace couplet::verification
