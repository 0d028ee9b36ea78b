// A robot with seven axes: the torques that hold it, and a second opinion on them.
//
//   M(q) v̇ + h(q, v) = τ          inverse dynamics: τ from v̇; forward dynamics: v̇ from τ
//
// Inverse dynamics is Newton and Euler's recursion, forward dynamics articulated bodies, Kane's
// method or generated code: they have little in common, so one checks the other. usage: robot
// [ROBOT.urdf]
#include <couplet/couplet.hpp>
#include <cstdio>

#ifndef COUPLET_MODELS
#define COUPLET_MODELS "models"
#endif

int main(int argc, char** argv) {
  const couplet::LoadedModel robot =
      couplet::load(argc > 1 ? argv[1] : COUPLET_MODELS "/arm7.urdf");
  const couplet::model::Mechanism& mechanism = *robot.mechanism;

  // Somewhere inside its limits, moving, with an acceleration that somebody wants.
  couplet::StateInput wanted = couplet::make_input(robot.start(), mechanism);
  for (int i = 0; i < mechanism.nv; ++i) {
    wanted.state.q[i] += 0.1 * (i + 1);
    wanted.state.v[i] = 0.3 - 0.1 * i;
    wanted.vdot[i] = 1.0 / (i + 1);
  }
  wanted.inverse = true;
  couplet::EvaluateOptions options;
  options.state = wanted;
  const couplet::EvaluationReport inverse = couplet::evaluate(robot, options);

  double worst = 0;
  for (const char* formalism : {"recursive", "composite", "kane"}) {
    couplet::StateInput given = wanted;
    given.inverse = false;
    given.tau = inverse.tau;
    options.state = given;
    options.formalism = formalism;
    const couplet::EvaluationReport forward = couplet::evaluate(robot, options);
    const double difference = (forward.vdot - wanted.vdot).lpNorm<Eigen::Infinity>();
    std::printf("%-10s gives the accelerations back to %.1e\n", formalism, difference);
    worst = std::max(worst, difference);
  }
  for (size_t i = 0; i < inverse.dofs.size(); ++i)
    std::printf("%-8s %10.4f N m\n", inverse.dofs[i].c_str(), inverse.tau[static_cast<int>(i)]);

  couplet::GenerateOptions inverse_dynamics;
  inverse_dynamics.what = "inverse";
  const couplet::GeneratedCode code = couplet::generate_code(robot, inverse_dynamics);
  for (const couplet::GeneratedFunction& f : code.functions)
    std::printf("%s as C: %ld multiplications, %ld additions\n", f.name.c_str(),
                static_cast<long>(f.counts.multiplications), static_cast<long>(f.counts.additions));
  return worst < 1e-9 ? 0 : 1;  // rounding, through a mass matrix with a condition of about 1e3
}
