// Motions at equal error: Dormand-Prince 5(4) on a chain of 20 joints at a tolerance of 1e-8,
// against Simbody's RungeKuttaMersonIntegrator with the accuracy at which its error is the same.
//
// Errors are measured against a run of the same engine with the tightest tolerance. Simbody runs at
// a series of accuracies; its time at our error is interpolated, log time over log error. Rounds
// alternate between the engines.
#include <cmath>
#include <cstdio>
#include <limits>

#include "couplet/integrate/driver.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"
#include "couplet_models.hpp"
#include "peers/simbody_motion.hpp"
#include "program.hpp"

namespace couplet::bench {
namespace {

using math::VecX;

constexpr double t_end = 0.5;  // s: the chain falls and whirls; soon after it is chaotic

class Silent final : public integrate::Observer {
 public:
  void on_step(integrate::Rule&) override {}
};

/// One engine at one tolerance.
struct Run {
  double tolerance;
  double seconds = std::numeric_limits<double>::infinity();  // lowest of the rounds
  double error = 0;
  long steps = 0, evaluations = 0;
};

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

class CoupletMotion {
 public:
  CoupletMotion(const Model& model, const Sample& start)
      : problem_(std::make_shared<const model::Mechanism>(
            make_mechanism(model, model::JointType::revolute))) {
    const auto n = static_cast<Eigen::Index>(start.q.size());
    start_.resize(2 * n);
    start_ << Eigen::Map<const VecX>(start.q.data(), n), Eigen::Map<const VecX>(start.v.data(), n);
  }

  std::vector<double> run(const char* rule, double tolerance, Run* run = nullptr) {
    integrate::Driver driver(problem_, integrate::check_rule(rule), {tolerance, tolerance}, {});
    driver.start(0, start_);
    Silent silent;
    driver.run(t_end, silent);
    const VecX& y = driver.rule().y();
    if (run)
      run->steps = driver.rule().counts().steps,
      run->evaluations = driver.rule().counts().evaluations;
    return {y.data(), y.data() + y.size()};
  }

 private:
  mechanics::MechanismProblem problem_;
  VecX start_;
};

/// log time at an error, linear between the two runs around it (or from the nearest two).
double time_at(const std::vector<Run>& runs, double error) {
  std::size_t i = 1;
  while (i + 1 < runs.size() && runs[i].error > error) ++i;
  const Run &a = runs[i - 1], &b = runs[i];
  const double s = std::log(error / a.error) / std::log(b.error / a.error);
  return std::exp(std::log(a.seconds) + s * std::log(b.seconds / a.seconds));
}

template <class Call>
void measure(Run& run, const std::vector<double>& reference, Call&& call) {
  const double begin = thread_cpu_seconds();
  const std::vector<double> y = call();
  run.seconds = std::min(run.seconds, thread_cpu_seconds() - begin);
  run.error = difference(y, reference);
}

void print_row(const char* metric, double value, double target, bool ok) {
  std::printf(
      R"({"suite": "simulation", "row": "chain20, dopri5 at 1e-8", "metric": "%s", "value": %.4g, )",
      metric, value);
  if (target > 0)
    std::printf(R"("target": %g, "ok": %s})"
                "\n",
                target, ok ? "true" : "false");
  else
    std::printf(R"("target": null, "ok": true})"
                "\n");
  std::fflush(stdout);
}

void compare(int rounds) {
  const Model model = make_chain(20);
  const Sample start = make_samples(model, 1).front();
  CoupletMotion couplet(model, start);
  const SimbodyMotion simbody(model);
  const std::vector<double> our_reference = couplet.run("dop853", 1e-13);
  const std::vector<double> their_reference = simbody.run(start.q, start.v, 1e-13, t_end).y;

  Run ours{1e-8};
  std::vector<Run> theirs;
  for (const double accuracy : {1e-7, 1e-8, 1e-9, 1e-10}) theirs.push_back({accuracy});
  for (int round = 0; round < rounds; ++round) {
    for (Run& run : theirs) {
      measure(ours, our_reference, [&] { return couplet.run("dopri5", ours.tolerance, &ours); });
      measure(run, their_reference, [&] {
        SimbodyMotion::Result result = simbody.run(start.q, start.v, run.tolerance, t_end);
        run.steps = result.steps, run.evaluations = result.evaluations;
        return result.y;
      });
    }
  }
  std::fprintf(stderr, "couplet dopri5 %g: error %.2e, %.3f ms, %ld steps, %ld evaluations\n",
               ours.tolerance, ours.error, 1e3 * ours.seconds, ours.steps, ours.evaluations);
  for (const Run& run : theirs)
    std::fprintf(stderr, "simbody %g: error %.2e, %.3f ms, %ld steps, %ld evaluations\n",
                 run.tolerance, run.error, 1e3 * run.seconds, run.steps, run.evaluations);
  const double their_time = time_at(theirs, ours.error),
               agreement = difference(our_reference, their_reference);
  print_row("references of both engines differ by", agreement, 1e-9, agreement <= 1e-9);
  print_row("error", ours.error, 0, true);
  print_row("dopri5 ms", 1e3 * ours.seconds, 0, true);
  print_row("Simbody RungeKuttaMerson ms at the same error", 1e3 * their_time, 0, true);
  print_row("times faster than Simbody RungeKuttaMerson", their_time / ours.seconds, 3,
            their_time >= 3 * ours.seconds);
}

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const Program program("couplet", COUPLET_VERSION, argc, argv);
  if (program.timing() && program.wants("chain20", "simulation"))
    compare(program.measure_options().repetitions);
}
