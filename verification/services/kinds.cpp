#include "services/kinds.hpp"

#include <cmath>

#include "couplet/formats/yaml.hpp"
#include "couplet/mechanics/simulation.hpp"
#include "couplet/workbench/modelica_run.hpp"

namespace couplet::verification {
namespace {

using math::VecX;

/// ẋ = 1 - x, set back to 0 whenever it reaches ½: nothing but the gate, with a count that has to
/// survive checkpoints.
class Relaxation final : public integrate::Problem {
 public:
  Relaxation() {
    layout_.nx = 1;
    layout_.components = {{"level", "m", 1}};
  }
  const integrate::Layout& layout() const override { return layout_; }
  void calc_qdot(double, const VecX&, VecX&) override {}
  void calc_rates(double, const VecX& y, VecX& ydot) override { ydot[0] = 1 - y[0]; }
  int root_count() const override { return 1; }
  void calc_roots(double, const VecX& y, VecX& roots) override { roots[0] = 0.5 - y[0]; }
  std::string root_name(int) const override { return "full"; }
  integrate::Verdict handle_event(double, VecX& y, std::span<const int>) override {
    y[0] = 0;
    ++emptied;
    return integrate::Verdict::go_on;
  }
  void archive(integrate::Archive& archive) override { archive(emptied); }

  long emptied = 0;

 private:
  integrate::Layout layout_;
};

class RelaxationObservables final : public simulate::Observables {
 public:
  explicit RelaxationObservables(const Relaxation& problem) : problem_(problem) {}
  size_t size() const override { return list_.size(); }
  simulate::Observable at(size_t i) const override { return list_[i]; }
  const std::vector<simulate::Output>& outputs() const override { return outputs_; }
  std::unique_ptr<simulate::Probe> choose(std::span<const size_t> wanted) override {
    struct Count final : simulate::Probe {
      Count(const Relaxation& p, size_t n) : problem(p), size(n) {}
      void calc(double, const VecX&, double* values) override {
        std::fill_n(values, size, static_cast<double>(problem.emptied));
      }
      const Relaxation& problem;
      size_t size;
    };
    return std::make_unique<Count>(problem_, wanted.size());
  }

 private:
  const Relaxation& problem_;
  std::vector<simulate::Observable> list_{
      {"level", "m", simulate::Kind::state, simulate::Cost::none, 0},
      {"emptied", "", simulate::Kind::residual, simulate::Cost::none, -1}};
  std::vector<simulate::Output> outputs_{{"left", "m", 0.5 - symbolic::Expr::symbol("level"), {}}};
};

simulate::Subject make_relaxation() {
  auto problem = std::make_unique<Relaxation>();
  auto observables = std::make_unique<RelaxationObservables>(*problem);
  return {std::move(problem), std::move(observables)};
}

simulate::Subject read(const std::string& text) {
  base::Diagnostics warnings;
  return mechanics::make_subject(std::make_shared<const model::Mechanism>(
      model::compile(formats::read_yaml_text("couplet: 1\n" + text, "model.yaml", {}, warnings))));
}

// A spring that softens, and a kick at each passage.
simulate::Subject make_tree() {
  return read(R"(
parameters: {k: 40 N/m}
bodies:
  cart: {mass: 1 kg, shape: {box: [20 cm, 10 cm, 10 cm]}}
  top: {mass: 0.3 kg, com: [0, 0, 0.2], inertia: [0.02, 0.01, 0.015]}
joints:
  rail: {type: prismatic, axis: x, from: world, to: cart, q: -10 cm, stiffness: k, damping: 1 N*s/m}
  ball: {type: spherical, from: cart, to: top, v: [0.5, 1, 3]}
when:
  soften: {at: 0.5 s, set: {k: 10 N/m}}
  kick: {condition: "rail.q > 0", reset: {rail.v: "rail.v + 0.2"}}
outputs: {stretch: {value: 2*rail.q, unit: m}}
)");
}

simulate::Subject make_stops() {
  return read(R"(
bodies: {ball: {mass: 1, particle: true}}
joints: {fall: {type: prismatic, from: world, to: ball, axis: z, q: 1, limits: {lower: 0, restitution: 0.6}}}
outputs: {height: {value: fall.q, unit: m}}
)");
}

simulate::Subject make_loop() {
  return read(R"(
bodies:
  crank: {mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01], points: {end: [0.2, 0, 0]}}
  coupler: {mass: 1, com: [0.2, 0, 0], inertia: [0.02, 0.02, 0.02], points: {end: [0.4, 0, 0]}}
  rocker: {mass: 1, com: [0.15, 0, 0], inertia: [0.01, 0.01, 0.01], points: {end: [0.3, 0, 0]}}
points: {right: [0.45, 0, 0]}
joints:
  a: {type: revolute, axis: y, from: world, to: crank, q: -60 deg, v: 1}
  b: {type: revolute, axis: y, from: crank.end, to: coupler}
  c: {type: revolute, axis: y, from: world.right, to: rocker, q: -80 deg}
  d: {type: revolute, axis: y, from: coupler.end, to: rocker.end}
parameters: {drive: 0}
forces: {motor: {joint: {joint: a, torque: drive}}}
when: {start: {at: 0.2 s, set: {drive: 0.5}}}
outputs: {lean: {value: a.q + 1, unit: rad}}
)");
}

// A PI controller whose integrator is emptied once.
simulate::Subject make_controlled() {
  return read(R"(
parameters: {target: 1 m}
states: {integral: {rate: target - slider.q, start: 0, unit: m s}}
bodies: {mass: {mass: 1, particle: true}}
joints:
  slider: {type: prismatic, from: world, to: mass, axis: x, force: "11*(target - slider.q) + 6*integral - 6*slider.v"}
when: {empty: {condition: slider.q > 0.5, reset: {integral: 0}}}
outputs: {error: {value: target - slider.q, unit: m}}
)");
}

// A square wave that drives a mass against a spring that only pushes.
simulate::Subject make_switched() {
  return read(R"(
bodies: {mass: {mass: 1, particle: true}}
joints:
  s: {type: prismatic, from: world, to: mass, axis: x, v: -1,
      force: "if s.q < 0 then -40*s.q else if mod(t, 0.5) < 0.25 then 1 else -1"}
outputs: {twice: {value: 2*s.q, unit: m}}
)");
}

simulate::Subject make_friction() {
  return read(R"(
bodies: {block: {mass: 2, particle: true}}
joints:
  slide: {type: prismatic, from: world, to: block, axis: x, v: 1, friction: {coefficient: 0.3}}
forces: {push: {joint: {joint: slide, force: 8*sin(3*t)}}}
outputs: {way: {value: slide.q, unit: m}}
)");
}

// Equations with a system that is solved by iteration, whose last solution the next one begins at.
simulate::Subject make_equations() {
  return workbench::make_subject(
      workbench::load_modelica(COUPLET_SOURCE_DIR "/verification/services/Kinds.mo:Kinds.Push"));
}

}  // namespace

const std::vector<ModelKind>& model_kinds() {
  static const std::vector<ModelKind> kinds = {
      {"first-order states", make_relaxation, 3, {"dopri5", "dop853", "cvode-bdf"}},
      {"controller", make_controlled, 2, {"dopri5", "ida", "radau5"}},
      {"tree", make_tree, 1.5, {"dopri5", "gbs", "ida"}},
      {"conditions", make_switched, 1.6, {"dopri5", "dop853", "ida"}},
      {"stops", make_stops, 1.2, {"dopri5", "radau5"}},
      {"friction", make_friction, 1.5, {"dopri5", "generalised-alpha"}},
      {"equations", make_equations, 2, {"dopri5", "ida", "cvode-bdf"}},
      {"closed loop", make_loop, 0.6, {"dopri5", "ida", "hem5"}},
  };
  return kinds;
}

}  // namespace couplet::verification
