// An integration rule of one's own, in twenty lines.
//
// Heun's method:   k1 = f(t, y),   k2 = f(t + h, y + h k1),   y⁺ = y + h/2 (k1 + k2)     order 2
//
// A rule knows nothing of mechanics: it stands at a point of `Problem`, asks for rates and computes
// the next one. One line adds it to the list; it then has a name in run(), can be interrupted and
// resumed, and events are found inside its steps.
#include <cmath>
#include <couplet/couplet.hpp>
#include <cstdio>

using namespace couplet;

class Heun final : public integrate::Rule {
 public:
  Heun(integrate::Problem& problem, const integrate::Tolerance& tolerance)
      : Rule(problem, tolerance), k2_(math::VecX::Zero(problem.layout().size())) {}

  integrate::Trial attempt(double h) override {
    begin_attempt();  // from_ is where we stand, with its derivative
    predicted_ = from_.y + h * from_.ydot;
    evaluate(from_.t + h, predicted_, k2_);
    to_.y = from_.y + h / 2 * (from_.ydot + k2_);
    integrate::Trial trial;
    trial.finite = end_attempt(h);  // back to the manifold: unit quaternions, closed loops
    return trial;
  }

 private:
  math::VecX predicted_, k2_;
};

std::unique_ptr<integrate::Rule> make_heun(integrate::Problem& problem,
                                           const integrate::Tolerance& tolerance) {
  return std::make_unique<Heun>(problem, tolerance);
}

int main() {
  integrate::add_rule({"heun", "Heun's method", /*order*/ 2, /*no error estimate*/ 0,
                       integrate::StepControl::fixed, 0, integrate::Asks::rates, make_heun});

  const LoadedModel model = load_text(R"(
couplet: 1
gravity: [0, 0, -9.81]
bodies: {rod: {mass: 1, com: [0, 0, -0.5], shape: {box: [0.02, 0.02, 1]}}}
joints: {pivot: {type: revolute, from: world, to: rod, axis: y, q: 2, damping: 0.1}}
)",
                                      "pendulum", Format::yaml);
  RunRequest request;
  request.until = 3;
  request.record = {"pivot.q"};
  const auto end_of = [&](const char* integrator, std::optional<double> step) {
    request.integrator = integrator;
    request.step = step;
    request.tolerance = 1e-12;
    const results::Recording recording = record(model, request);
    return recording.at(recording.rows() - 1, 1);
  };
  const double exact = end_of("dop853", std::nullopt);
  std::puts("step, s    error of Heun's method, rad    order");
  double last = 0, order = 0;
  for (double h = 0.02; h > 0.001; h /= 2) {
    const double error = std::abs(end_of("heun", h) - exact);
    order = std::log2(last / error);
    std::printf("%-10g %-30.3e %s\n", h, error, last > 0 ? std::to_string(order).c_str() : "");
    last = error;
  }
  return std::abs(order - 2) < 0.05 ? 0 : 1;
}
