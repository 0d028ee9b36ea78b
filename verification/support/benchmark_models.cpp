#include "support/benchmark_models.hpp"

#include <string>

namespace couplet::verification {

using math::MassProperties;
using math::Pose;
using math::Vec3;
using model::JointType;

model::Model make_four_bars(int n) {
  model::Model model;
  model.name = std::to_string(n) + " four-bars";
  model.gravity = model::UniformGravity{{0, -9.81, 0}};
  const auto rod = [](const Vec3& to) {  // thin, 1 kg, from the origin
    return MassProperties{1, to / 2,
                          (to.squaredNorm() * math::Mat3::Identity() - to * to.transpose()) / 12};
  };
  const auto at = [](const Vec3& p) { return Pose{math::Mat3::Identity(), p}; };
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

}  // namespace couplet::verification
