// Where the rocker of a four-bar stands, and what its bearings carry.
//
//            b       C
//      B o-----------o            A crank a turns about A, a coupler b hangs on it, a rocker c
//      about D, A and D are d apart.
//     a /           / c           Freudenstein's equation for the rocker's angle ψ at the crank's
//     angle φ:
//    A o           /                K1 cos ψ - K2 cos φ + K3 = cos(φ - ψ),
//      =========o D                 K1 = d/a, K2 = d/c, K3 = (a² - b² + c² + d²) / (2 a c).
//
// The joints form a loop. Couplet cuts it, assembles it from a rough guess, and finds the
// reactions.
#include <cmath>
#include <couplet/couplet.hpp>
#include <cstdio>

int main() {
  constexpr double a = 0.10, b = 0.30, c = 0.25, d = 0.32;  // m
  const couplet::LoadedModel model = couplet::load_text(R"(
couplet: 1
name: four-bar
gravity: [0, 0, -9.81]
points: {D: [0.32, 0, 0]}
bodies:                                            # along x from their first joint
  crank:   {mass: 0.2, com: [0.05, 0, 0],  shape: {box: [0.1, 0.01, 0.02]},  points: {B: [0.10, 0, 0]}}
  coupler: {mass: 0.5, com: [0.15, 0, 0],  shape: {box: [0.3, 0.01, 0.02]},  points: {C: [0.30, 0, 0]}}
  rocker:  {mass: 0.4, com: [0.125, 0, 0], shape: {box: [0.25, 0.01, 0.02]}, points: {C: [0.25, 0, 0]}}
joints:                                            # a rough guess: Couplet closes the loop
  A: {type: revolute, from: world, to: crank, axis: [0, -1, 0], q: 60 deg}
  B: {type: revolute, from: crank.B, to: coupler, axis: [0, -1, 0], q: -50 deg}
  D: {type: revolute, from: world.D, to: rocker, axis: [0, -1, 0], q: 110 deg}
  C: {type: revolute, from: coupler.C, to: rocker.C, axis: [0, -1, 0], cut: true}
)",
                                                        "four-bar", couplet::Format::yaml);

  const couplet::CheckReport about = couplet::check(model);
  std::printf("%d bodies, %d joints, a loop cut at %s, %d degree of freedom\n", about.bodies,
              about.joints, about.loops.front().cut.c_str(), about.analysis.freedoms);

  couplet::AssembleOptions willing;
  willing.lock = {"A"};  // the crank stays where it is
  const couplet::AssembleReport assembled = couplet::assemble(model, willing);
  const double phi = assembled.state.q[0], psi = assembled.state.q[2];
  const double residual = d / a * std::cos(psi) - d / c * std::cos(phi) +
                          (a * a - b * b + c * c + d * d) / (2 * a * c) - std::cos(phi - psi);
  std::printf("crank at %.6f rad, rocker at %.9f rad; Freudenstein's equation is open by %.1e\n",
              phi, psi, residual);

  couplet::EvaluateOptions at_rest;
  at_rest.state = couplet::make_input(assembled.state, *model.mechanism);
  at_rest.reactions = true;
  const couplet::EvaluationReport report = couplet::evaluate(model, at_rest);
  for (const couplet::JointReaction& r : report.reactions)
    std::printf("joint %s: (%.4f, %.4f, %.4f) N on %s\n", r.joint.c_str(), r.force[0], r.force[1],
                r.force[2], r.body.c_str());
  return std::abs(residual) < 1e-12 && about.analysis.freedoms == 1 && assembled.closed() ? 0 : 1;
}
