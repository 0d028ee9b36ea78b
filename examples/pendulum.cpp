// The period of a pendulum that swings wide.
//
//   ───o───     θ̈ = -(g/l) sin θ                 equation of motion of a point on a rod
//      |╲        T = 4 sqrt(l/g) K(sin(θ0/2))     period of a swing that begins at rest at θ0
//      | ╲ l
//     θ0  ● m    K: complete elliptic integral of the first kind
//
// The model is written in C++; it is run with two integrators, and the period is read off the
// recording.
#include <cmath>
#include <couplet/couplet.hpp>
#include <cstdio>
#include <numbers>

namespace {

constexpr double g = 9.81, l = 0.8, start = 2.0;  // m/s², m, rad: 115 degrees

couplet::LoadedModel make_pendulum() {
  couplet::model::Model model;
  model.name = "pendulum";
  model.gravity = couplet::model::UniformGravity{{0, 0, -g}};
  couplet::math::MassProperties point;
  point.mass = 1.5;         // kg
  point.com = {0, 0, -l};   // in the axes of the rod, whose origin is the pivot
  point.inertia.setZero();  // about its centre of mass
  const int rod = model.add_body("rod", point);
  model.bodies[rod].particle = true;  // it has no inertia of its own
  couplet::model::Joint& pivot =
      model.add_joint("pivot", couplet::model::JointType::revolute, /* world */ 0,
                      model.bodies[rod].origin, {0, 1, 0});
  pivot.q0 = {start};
  return couplet::load(std::move(model));
}

// Twice the time between two passages of the lowest point, by linear interpolation between rows.
double find_period(const couplet::results::Recording& recording) {
  const size_t q = *recording.find("pivot.q");
  double first = -1;
  for (size_t row = 1; row < recording.rows(); ++row) {
    const double before = recording.at(row - 1, q), after = recording.at(row, q);
    if ((before < 0) == (after < 0)) continue;
    const double t0 = recording.at(row - 1, 0), t1 = recording.at(row, 0);
    const double crossing = t0 + (t1 - t0) * before / (before - after);
    if (first >= 0) return 2 * (crossing - first);
    first = crossing;
  }
  return NAN;
}

}  // namespace

int main() {
  const couplet::LoadedModel model = make_pendulum();
  const double exact = 4 * std::sqrt(l / g) * std::comp_ellint_1(std::sin(start / 2));
  std::printf("period by the elliptic integral  %.9f s\n", exact);
  bool good = true;
  for (const char* integrator : {"dopri5", "gbs"}) {
    couplet::RunRequest request;
    request.integrator = integrator;
    request.until = 5;
    request.tolerance = 1e-10;
    request.interval = 1e-4;
    const double period = find_period(couplet::record(model, request));
    std::printf("period by %-22s %.9f s\n", integrator, period);
    // Rows are 0.1 ms apart: where the angle crosses zero it has no curvature, and a line is good
    // to 1e-12 s.
    good = good && std::abs(period - exact) < 1e-8;
  }
  std::puts(good ? "they agree" : "THEY DO NOT AGREE");
  return good ? 0 : 1;
}
