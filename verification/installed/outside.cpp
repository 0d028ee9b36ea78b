// θ̈ = -(g/l) sin θ of a point on a rod, asked of the installed library.
#include <cmath>
#include <couplet/couplet.hpp>
#include <cstdio>

int main() {
  const couplet::LoadedModel model = couplet::load_text(
      "couplet: 1\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies: {bob: {mass: 2, com: [0, 0, -0.5], particle: true}}\n"
      "joints: {pivot: {type: revolute, from: world, to: bob, axis: y, q: 1}}\n",
      "pendulum", couplet::Format::yaml);
  const double vdot = couplet::evaluate(model).vdot[0], exact = -9.81 / 0.5 * std::sin(1);
  std::printf("%.15g and %.15g\n", vdot, exact);
  return std::abs(vdot - exact) < 1e-13 * std::abs(exact) ? 0 : 1;
}
