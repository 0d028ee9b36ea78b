// Generated code, batches and gradients against our own recursion on doubles, R, side by side.
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>

#include "couplet/dynamics/minimal/batch.hpp"
#include "couplet/dynamics/minimal/gradients.hpp"
#include "couplet/dynamics/minimal/kernels.hpp"
#include "couplet/formats/yaml.hpp"
#include "couplet/generate/batch.hpp"
#include "couplet/generate/program.hpp"
#include "couplet/integrate/jacobian/descriptor_jacobian.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"
#include "couplet_models.hpp"
#include "program.hpp"

namespace couplet::bench {
namespace {

using math::MatX;
using math::VecX;

constexpr int batch_size = 64;  // states of one call of a batch

void print_row(const std::string& row, const char* metric, double value, double target, bool ok) {
  std::printf(R"({"suite": "generate", "row": "%s", "metric": "%s", "value": %.4g, "target": %g, )"
              R"("ok": %s})"
              "\n",
              row.c_str(), metric, value, target, ok ? "true" : "false");
  std::fflush(stdout);
}
void print_speed(const std::string& row, const char* metric, double ratio, double at_least) {
  print_row(row, metric, ratio, at_least, ratio >= at_least);
}

struct Setup {
  std::string name;
  model::Mechanism mechanism;
  std::vector<Input> inputs;
};

Setup benchmark(const Model& model) {
  model::Mechanism mechanism = make_mechanism(model, model::JointType::revolute);
  std::vector<Input> inputs = make_inputs(model, mechanism, pool_size);
  return {model.name, std::move(mechanism), std::move(inputs)};
}

Setup manutec() {
  base::Diagnostics warnings;
  model::Mechanism mechanism = model::compile(
      formats::read_yaml(COUPLET_SOURCE_DIR "/models/manutec_r3.yaml", {}, warnings));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-2, 2);
  std::vector<Input> inputs;
  for (int k = 0; k < pool_size; ++k) {
    Input in{mechanism.default_state(), VecX(6), VecX(6)};
    for (VecX* x : {&in.state.q, &in.state.v, &in.tau, &in.vdot})
      for (double& each : *x) each = uniform(random);
    inputs.push_back(std::move(in));
  }
  return {"r3", std::move(mechanism), std::move(inputs)};
}

/// The lowest of some rounds for each of several calls, in turns, so that a busy moment hits all.
std::vector<double> measure_all(const std::vector<std::function<void(int)>>& calls,
                                const MeasureOptions& options) {
  std::vector<double> ns(calls.size(), 1e30);
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < calls.size(); ++i)
      ns[i] = std::min(ns[i], measure(calls[i], pool_size, options).lowest_ns);
  return ns;
}

struct Batches {
  MatX q, v, tau, vdot, tau_out;
  explicit Batches(const Setup& s)
      : q(s.mechanism.nq, batch_size), v(s.mechanism.nv, batch_size), tau(v), vdot(v), tau_out(v) {
    for (int k = 0; k < batch_size; ++k) {
      q.col(k) = s.inputs[k].state.q, v.col(k) = s.inputs[k].state.v;
      tau.col(k) = s.inputs[k].tau, vdot.col(k) = s.inputs[k].vdot;
    }
  }
};

/// A time per state that tools/bench compares with the other engines' of the same operation.
void print_time(const char* model, int joints, const char* op, const char* variant, double ns,
                double at_most_of_F) {
  std::printf(R"({"suite": "dynamics", "peer": "couplet", "version": "%s", "model": "%s", )"
              R"("joints": %d, "op": "%s", "variant": "%s", "ns_lowest": %.1f, "ns_median": %.1f, )"
              R"("calls": 1, "compare": false, "at_most_of_F": %g})"
              "\n",
              COUPLET_VERSION, model, joints, op, variant, ns, ns, at_most_of_F);
}

/// How many times as fast as R; 0: not measured.
struct Targets {
  double batch = 0, generated_batch = 0, generated = 0;
};

void compare_forms(Setup& s, const Targets& targets, const MeasureOptions& options) {
  const model::Mechanism& mechanism = s.mechanism;
  VecX vdot(mechanism.nv);
  dynamics::RecursiveWorkspace<double> workspace(mechanism);
  dynamics::BatchDynamics batch(mechanism);
  Batches b(s);
  std::vector<std::function<void(int)>> calls;
  const auto add = [&](std::function<void(int)> call) { calls.push_back(std::move(call)); };
  add([&](int k) {
    calc_forward_dynamics(mechanism, s.inputs[k].state, s.inputs[k].tau, nullptr, workspace, vdot);
    keep(vdot);
  });
  add([&](int) {
    batch.calc_forward_dynamics(b.q, b.v, b.tau, b.vdot, b.tau_out);
    keep(b.vdot);
  });
  std::unique_ptr<generate::GeneratedBatch> generated_batch;
  if (targets.generated_batch > 0) {
    generated_batch = std::make_unique<generate::GeneratedBatch>(mechanism);
    generated_batch->wait();
    add([&](int) {
      generated_batch->calc_forward_dynamics(b.q, b.v, b.tau, b.vdot);
      keep(b.vdot);
    });
    add([&](int) {
      generated_batch->calc_inverse_dynamics(b.q, b.v, b.vdot, b.tau_out);
      keep(b.tau_out);
    });
  }
  std::unique_ptr<generate::ForwardProgram> program, tape;
  if (targets.generated > 0) {
    program = std::make_unique<generate::ForwardProgram>(mechanism, false);
    tape = std::make_unique<generate::ForwardProgram>(mechanism, false);
    tape->stay_on_tape();
    program->compiler().wait();
    for (generate::ForwardProgram* each : {program.get(), tape.get()})
      add([&, each](int k) {
        Input& in = s.inputs[k];
        each->run(in.state.q.data(), in.state.v.data(), in.tau.data(), nullptr, vdot.data());
        keep(vdot);
      });
  }
  const std::vector<double> ns = measure_all(calls, options);
  if (s.name == "chain7") {
    print_time("chain7", 7, "FD", "batched generated", ns[2] / batch_size, 0.05);
    print_time("chain7", 7, "ID", "batched generated", ns[3] / batch_size, 0.03);
    print_time("chain7", 7, "FD", "generated", ns[4], 0.17);
  }
  print_speed(s.name, "FD speed of batched template over R", ns[0] * batch_size / ns[1],
              targets.batch);
  if (generated_batch)
    print_speed(s.name,
                generated_batch->is_compiled()
                    ? "FD speed of batched generated C over R"
                    : "FD speed of batched generated C over R (no compiler)",
                ns[0] * batch_size / ns[2], targets.generated_batch);
  if (!program) return;
  print_speed(s.name,
              program->is_compiled() ? "FD speed of generated C over R"
                                     : "FD speed of generated C over R (no compiler)",
              ns[0] / ns[4], targets.generated);
  print_row(s.name, "FD tape/R", ns[5] / ns[0], 3, ns[5] <= 3 * ns[0]);
}

/// R has limbs in the lanes of packs, a batch has states there. This row is against R with one link
/// after the other, as it runs where there are no limbs.
void compare_with_links_one_by_one(Setup& s, double target, const MeasureOptions& options) {
  const model::Mechanism& mechanism = s.mechanism;
  const math::Vec3 up = -mechanism.uniform_gravity;
  const dynamics::LimbView no_limbs{};
  dynamics::RecursiveWorkspace<double> workspace(mechanism);
  dynamics::ForwardPointers<double> pointers = workspace.pointers();
  pointers.limbs = &no_limbs;
  VecX vdot(mechanism.nv), tau_out(mechanism.nv);
  dynamics::BatchDynamics batch(mechanism);
  Batches b(s);
  const std::vector<double> ns =
      measure_all({[&](int k) {
                     const Input& in = s.inputs[k];
                     dynamics::kernels().forward_dynamics(dynamics::view(mechanism),
                                                          {in.state.q.data(),
                                                           in.state.v.data(),
                                                           in.tau.data(),
                                                           nullptr,
                                                           {up.x(), up.y(), up.z()},
                                                           vdot.data(),
                                                           tau_out.data()},
                                                          pointers);
                     keep(vdot);
                   },
                   [&](int) {
                     batch.calc_forward_dynamics(b.q, b.v, b.tau, b.vdot, b.tau_out);
                     keep(b.vdot);
                   }},
                  options);
  print_speed(s.name, "FD speed of batched template over R without limbs in lanes",
              ns[0] * batch_size / ns[1], target);
}

void compare_gradients(Setup& s, double target, const MeasureOptions& options) {
  VecX vdot(s.mechanism.nv);
  dynamics::RecursiveWorkspace<double> workspace(s.mechanism);
  dynamics::GradientWorkspace gradients(s.mechanism);
  dynamics::ForwardGradients out;
  const std::vector<double> ns =
      measure_all({[&](int k) {
                     calc_forward_dynamics(s.mechanism, s.inputs[k].state, s.inputs[k].tau, nullptr,
                                           workspace, vdot);
                     keep(vdot);
                   },
                   [&](int k) {
                     gradients.calc_forward_gradients(s.inputs[k].state, s.inputs[k].tau, out);
                     keep(out);
                   }},
                  options);
  print_row(s.name, "all gradients of FD / R", ns[1] / ns[0], target, ns[1] <= target * ns[0]);
}

/// The derivatives that an implicit rule takes, by coloured differences: residuals in batches
/// against one after the other.
void compare_jacobians(const Setup& s, double target, const MeasureOptions& options) {
  mechanics::MechanismProblem problem(std::make_shared<const model::Mechanism>(s.mechanism));
  integrate::Counts counts;
  integrate::DescriptorJacobian batched(problem, *problem.descriptor(), {}, counts),
      single(problem, *problem.descriptor(), {.batched = false}, counts);
  std::vector<double> values(static_cast<std::size_t>(batched.entries()));
  std::vector<integrate::DescriptorPoint> points;
  for (const Input& in : s.inputs) {
    integrate::DescriptorPoint& point = points.emplace_back();
    point.y.resize(s.mechanism.nq + s.mechanism.nv);
    point.y << in.state.q, in.state.v;
    point.vdot = in.vdot;
  }
  const std::vector<double> ns =
      measure_all({[&](int k) {
                     single.differentiate(points[static_cast<std::size_t>(k)], values);
                     keep(values);
                   },
                   [&](int k) {
                     batched.differentiate(points[static_cast<std::size_t>(k)], values);
                     keep(values);
                   }},
                  options);
  print_speed(s.name, "speed of a coloured Jacobian in batches over one residual after the other",
              ns[0] / ns[1], target);
  std::fprintf(stderr, "%s: %d groups of columns, %.1f us, in batches %.1f us\n", s.name.c_str(),
               batched.groups(), ns[0] / 1e3, ns[1] / 1e3);
}

void count_operations() {
  const Setup r3 = manutec();
  for (const generate::What what : {generate::What::forward, generate::What::inverse}) {
    const bool forward = what == generate::What::forward;
    const auto counts =
        generate::make_formulas(r3.mechanism, {what, {}, false}).functions[0].counts;
    const double mul = static_cast<double>(counts.multiplications),
                 add = static_cast<double>(counts.additions);
    print_row("r3", forward ? "FD multiplications" : "ID multiplications", mul, forward ? 524 : 269,
              mul <= (forward ? 524 : 269));
    print_row("r3", forward ? "FD additions" : "ID additions", add, forward ? 384 : 190,
              add <= (forward ? 384 : 190));
  }
  const auto start = std::chrono::steady_clock::now();
  generate::make_formulas(make_mechanism(make_humanoid(), model::JointType::revolute),
                          {generate::What::forward, {}, false});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  print_row("humanoid36", "seconds to generate and count FD", time.count(), 2, time.count() <= 2);
}

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const Program program("couplet", COUPLET_VERSION, argc, argv);
  if (!program.timing() || !program.wants("generate")) return 0;
  const MeasureOptions& options = program.measure_options();
  count_operations();
  Setup chain7 = benchmark(make_chain(7)), r3 = manutec(), chain20 = benchmark(make_chain(20)),
        chain100 = benchmark(make_chain(100)), humanoid = benchmark(make_humanoid());
  for (Setup* small : {&chain7, &r3})
    compare_forms(*small, {.batch = 3.2, .generated_batch = 4.3, .generated = 1.2}, options);
  for (Setup* large : {&chain20, &humanoid})
    compare_forms(*large, {.batch = 3, .generated_batch = 3}, options);
  compare_forms(chain100, {.batch = 3}, options);
  compare_with_links_one_by_one(humanoid, 3, options);
  compare_jacobians(chain20, 1.5, options);
  compare_jacobians(humanoid, 1.2, options);
  compare_gradients(chain7, 6, options);
  compare_gradients(humanoid, 25, options);
}
