#include "benchmark_models.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace couplet::bench {
namespace {

/// splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014). The order of the draws below is part of
/// the definition of the models: changing it changes every figure.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }
  Vec3 vector(double low, double high) {
    Vec3 v;
    for (double& x : v) x = uniform(low, high);
    return v;
  }
  Quaternion quaternion() {  // uniform: a point of the 4-ball, away from its centre, normalised
    while (true) {
      Quaternion q;
      for (double& x : q) x = uniform(-1, 1);
      const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      if (norm <= 0.1 || norm >= 1) continue;
      for (double& x : q) x /= norm;
      return q;
    }
  }

 private:
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// A body with the mass properties of a solid box of random sides, which are always physical.
Body make_body(Random& random, int parent, int axis) {
  Body body;
  body.parent = parent;
  body.axis = axis;
  body.p_PF_P[0] = random.uniform(-0.05, 0.05);
  body.p_PF_P[1] = random.uniform(-0.05, 0.05);
  body.p_PF_P[2] = random.uniform(0.1, 0.3);
  body.quat_PF = random.quaternion();
  body.R_PF = rotation(body.quat_PF);
  body.mass = random.uniform(0.5, 2.0);
  body.p_BC_B = random.vector(-0.1, 0.1);
  const auto [a, b, c] = random.vector(0.05, 0.3);
  const double m = body.mass / 12;
  body.principal = {m * (b * b + c * c), m * (a * a + c * c), m * (a * a + b * b)};
  body.quat_BI = random.quaternion();

  const Mat3 R_BI = rotation(body.quat_BI);
  const Mat3 D{body.principal[0], 0, 0, 0, body.principal[1], 0, 0, 0, body.principal[2]};
  body.inertia_BC_B = R_BI * D * transpose(R_BI);
  return body;
}

}  // namespace

Model make_chain(int joints) {
  Model model{"chain" + std::to_string(joints), false, {}};
  Random random(1000 + joints);
  for (int i = 0; i < joints; ++i) model.bodies.push_back(make_body(random, i - 1, i % 3));
  return model;
}

Model make_humanoid() {
  Model model{"humanoid36", true, {}};
  Random random(36);
  model.bodies.push_back(make_body(random, -1, 2));
  for (const int length : {6, 6, 7, 7, 4}) {
    int parent = 0;
    for (int i = 0; i < length; ++i) {
      model.bodies.push_back(make_body(random, parent, i % 3));
      parent = static_cast<int>(model.bodies.size()) - 1;
    }
  }
  return model;
}

std::vector<Model> make_models() {
  return {make_chain(6),   make_chain(7),   make_chain(20),
          make_humanoid(), make_chain(100), make_chain(1000)};
}

std::vector<Sample> make_samples(const Model& model, int count) {
  Random random(777 + model.freedoms());
  std::vector<Sample> samples(count);
  for (Sample& s : samples) {
    s.p_WB_W = random.vector(-1, 1);
    s.quat_WB = random.quaternion();
    for (Vec3* part : {&s.v_WB_B, &s.w_WB_B, &s.a_WB_B, &s.alpha_WB_B})
      *part = random.vector(-1, 1);

    const auto fill = [&](std::vector<double>& x, double limit) {
      x.resize(model.joint_count());
      for (double& xi : x) xi = random.uniform(-limit, limit);
    };
    fill(s.q, std::numbers::pi);
    fill(s.v, 1);
    fill(s.tau, 10);
    fill(s.vdot, 1);
  }
  return samples;
}

}  // namespace couplet::bench
