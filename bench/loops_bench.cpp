// Closed loops: how the cost of a step grows with their number, what the residual form of the
// equations saves, and what Andrews' squeezing mechanism takes to a given error. All ratios are of
// one run, with turns between what is compared.
#include <cmath>
#include <cstdio>

#include "couplet/constraints/entry.hpp"
#include "couplet/formats/yaml.hpp"
#include "couplet/integrate/driver.hpp"
#include "couplet/mechanics/mechanism_problem.hpp"
#include "program.hpp"
#include "support/benchmark_models.hpp"

namespace couplet::bench {
namespace {

using math::VecX;
using mechanics::MechanismProblem;
using Shared = std::shared_ptr<const model::Mechanism>;

class Silent final : public integrate::Observer {
 public:
  void on_step(integrate::Rule&) override {}
};

model::Model read(const std::string& file) {
  base::Diagnostics warnings;
  return formats::read_yaml(COUPLET_SOURCE_DIR "/models/" + file, {}, warnings);
}
Shared share(model::Model model) {
  return std::make_shared<const model::Mechanism>(model::compile(std::move(model)));
}

/// The robot, with a rod between its turntable and its forearm that makes its upper arm a side of a
/// loop.
model::Model make_robot_with_rod() {
  model::Model model = read("manutec_r3.yaml");
  const auto body_of = [&](int joint) {
    return model.points[static_cast<size_t>(model.joints[static_cast<size_t>(joint)].to)].body;
  };
  const int a = model.add_point("rod.low", body_of(0), {math::Mat3::Identity(), {0.2, 0.1, 0.3}});
  const int b = model.add_point("rod.high", body_of(2), {math::Mat3::Identity(), {0.2, 0.3, 0.1}});
  model::Model open = model;
  const model::Mechanism mechanism = model::compile(std::move(open));
  dynamics::Kinematics kinematics(mechanism);
  calc_kinematics(mechanism, mechanism.default_state(), kinematics);
  const auto place = [&](int point) {
    const model::Point& p = model.points[static_cast<size_t>(point)];
    return math::Vec3(kinematics.bodies[static_cast<size_t>(p.body)].X_WB * p.X_BP.p);
  };
  constraints::add_constraint(model, "rod", "distance",
                              {{"from", a}, {"to", b}, {"length", (place(b) - place(a)).norm()}});
  return model;
}

void print_row(const std::string& row, const std::string& metric, double value, double target = NAN,
               bool ok = true) {
  std::printf(R"({"suite": "loops", "row": "%s", "metric": "%s", "value": %.4g, )", row.c_str(),
              metric.c_str(), value);
  if (std::isnan(target))
    std::printf("\"target\": null, \"ok\": true}\n");
  else
    std::printf("\"target\": %g, \"ok\": %s}\n", target, ok ? "true" : "false");
  std::fflush(stdout);
}

double middle(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

/// Slope of log y over log x by least squares.
double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double lx = std::log(x[i]), ly = std::log(y[i]);
    sx += lx, sy += ly, sxx += lx * lx, sxy += lx * ly;
  }
  const double n = static_cast<double>(x.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// ---- Steps of n four-bars.

constexpr double growth_step = 1e-3;  // s

void measure_growth(int rounds) {
  struct Row {
    int n;
    MechanismProblem problem;
    integrate::Driver driver;
    long steps;
    double t = 0;
    std::vector<double> us;

    explicit Row(int count)
        : n(count),
          problem(share(verification::make_four_bars(count))),
          driver(problem, integrate::check_rule("rk4"), {}, {.step = growth_step}),
          steps(std::max(4, 2000 / count)) {
      driver.start(0, problem.make_y(problem.mechanism().default_state()));
    }
  };
  std::vector<std::unique_ptr<Row>> rows;
  for (const int n : {5, 10, 20, 40, 80, 160, 320}) rows.push_back(std::make_unique<Row>(n));
  Silent silent;
  for (int round = 0; round <= rounds; ++round)
    for (const auto& row : rows) {
      row->t += growth_step * static_cast<double>(row->steps);
      const double begin = thread_cpu_seconds();
      row->driver.run(row->t, silent);
      if (round > 0)
        row->us.push_back(1e6 * (thread_cpu_seconds() - begin) / static_cast<double>(row->steps));
    }
  std::vector<double> n, us;
  for (const auto& row : rows) {
    n.push_back(row->n);
    us.push_back(middle(row->us));
    print_row(std::to_string(row->n) + " four-bars", "us a step of rk4", us.back());
  }
  const double exponent = fitted_exponent(n, us);
  print_row("four-bars 5..320", "exponent of the time of a step", exponent, 1.15, exponent <= 1.15);
}

// ---- Accelerations by each formalism, over the number of bodies.

void measure_formalisms(const std::string& kind, model::Model (*make)(int),
                        const std::vector<int>& sizes, const MeasureOptions& options) {
  for (const char* formalism : {"schur", "augmented"}) {
    std::vector<double> bodies, us;
    for (const int n : sizes) {
      const Shared mechanism = share(make(n));
      dynamics::System system(mechanism, formalism);
      const model::State state = mechanism->default_state();
      VecX tau = VecX::Zero(mechanism->nv), vdot = tau;
      const auto solve = [&](int) {
        system.calc_vdot(state, tau, vdot);
        keep(vdot);
      };
      bodies.push_back(static_cast<double>(mechanism->bodies.size() - 1));
      us.push_back(1e-3 * measure(solve, 1, options).lowest_ns);
      print_row(kind + ", " + std::to_string(mechanism->bodies.size() - 1) + " bodies",
                std::string("us an evaluation, ") + formalism, us.back());
    }
    const double exponent = fitted_exponent(bodies, us);
    print_row(kind, std::string("exponent of the time of an evaluation, ") + formalism, exponent,
              1.2, exponent <= 1.2);
  }
}

// ---- Residual form against explicit form.

/// States along a motion, which are closed.
std::vector<model::State> make_states(MechanismProblem& problem, double duration, int count) {
  integrate::Driver driver(problem, integrate::check_rule("dop853"), {1e-6, 1e-6}, {});
  driver.start(0, problem.make_y(problem.mechanism().default_state()));
  Silent silent;
  std::vector<model::State> states;
  for (int k = 1; k <= count; ++k) {
    driver.run(duration * k / count, silent);
    states.push_back(problem.state(driver.rule().t(), driver.rule().y()));
  }
  return states;
}

void measure_residual_form(const std::string& name, const Shared& mechanism, double duration,
                           const Program& program) {
  constexpr int pool = 100;
  MechanismProblem problem(mechanism);
  const std::vector<model::State> states = make_states(problem, duration, pool);
  dynamics::System system(mechanism);
  const VecX no_tau = VecX::Zero(mechanism->nv);
  VecX tau = no_tau, vdot = tau, residual = tau;
  std::vector<VecX> accelerations, lambdas;
  for (const model::State& state : states) {
    tau.setZero();
    system.calc_vdot(state, tau, vdot);
    accelerations.push_back(vdot);
    lambdas.push_back(system.lambda());
  }
  const auto solve = [&](int k) {
    tau.setZero();
    system.calc_vdot(states[static_cast<size_t>(k)], tau, vdot);
    keep(vdot);
  };
  const auto solve_with_lambda = [&](int k) {
    const auto i = static_cast<size_t>(k);
    system.balance().calc_explicit_residual(states[i], no_tau, accelerations[i], lambdas[i],
                                            residual);
    keep(residual);
  };
  const auto evaluate = [&](int k) {
    const auto i = static_cast<size_t>(k);
    system.balance().calc_residual(states[i], no_tau, accelerations[i], lambdas[i], residual);
    keep(residual);
  };
  std::vector<double> ratios, ratios_with_lambda;
  MeasureOptions short_turn{1, program.measure_options().seconds / 2};
  double explicit_ns = INFINITY, residual_ns = INFINITY;
  for (int round = 0; round < program.measure_options().repetitions; ++round) {
    const double a = measure(solve, pool, short_turn).lowest_ns,
                 b = measure(evaluate, pool, short_turn).lowest_ns,
                 c = measure(solve_with_lambda, pool, short_turn).lowest_ns;
    explicit_ns = std::min(explicit_ns, a), residual_ns = std::min(residual_ns, b);
    ratios.push_back(a / b), ratios_with_lambda.push_back(c / b);
  }
  print_row(name, "explicit form, ns", explicit_ns);
  print_row(name, "residual form, ns", residual_ns);
  print_row(name, "explicit over residual form", middle(ratios), 2, middle(ratios) >= 2);
  print_row(name, "explicit over residual form, multipliers given", middle(ratios_with_lambda));
}

// ---- Andrews' squeezing mechanism: what an error takes.

constexpr double t_andrews = 0.03;
// beta, Theta, gamma, Phi, delta, Omega, epsilon; two formulations and three integrators agree to
// 2e-15
constexpr std::pair<const char*, double> andrews_reference[] = {
    {"beta", 15.810771195153709},   {"Theta", -15.756371058411842}, {"gamma", 0.040822240119645822},
    {"Phi", -0.53473011634207956},  {"delta", 0.52440996587995407}, {"Omega", 0.53473011634207956},
    {"epsilon", 1.0480807410419379}};

struct Work {
  double tolerance, error = INFINITY, ms = INFINITY;
  long evaluations = 0, residuals = 0, jacobians = 0, steps = 0;
};

class Andrews {
 public:
  Andrews() : problem_(share(read("benchmarks/andrews_squeezer.yaml"))) {}

  /// Largest relative error of a coordinate, and what it took; the best of several calls.
  void run(const integrate::RuleEntry& entry, Work& work) {
    integrate::Driver driver(problem_, entry, {work.tolerance, work.tolerance}, {});
    const VecX y0 = problem_.make_y(problem_.mechanism().default_state());
    Silent silent;
    const double begin = thread_cpu_seconds();
    driver.start(0, y0);
    const integrate::Outcome outcome = driver.run(t_andrews, silent);
    work.ms = std::min(work.ms, 1e3 * (thread_cpu_seconds() - begin));
    if (outcome.ending != integrate::Ending::reached) return;
    const integrate::Counts& counts = driver.rule().counts();
    work.evaluations = counts.evaluations, work.residuals = counts.residuals,
    work.jacobians = counts.jacobians;
    work.steps = counts.steps;
    work.error = 0;
    for (const auto& [name, value] : andrews_reference) {
      const model::Mechanism& m = problem_.mechanism();
      const int slot = m.joint_slot[static_cast<size_t>(*m.model->find_joint(name))];
      const double q = driver.rule().y()[m.joints[static_cast<size_t>(slot)].iq];
      work.error = std::max(work.error, std::abs(q / value - 1));
    }
  }

 private:
  MechanismProblem problem_;
};

/// The loosest run from which on all tighter ones reach the error, too: one that hits it by luck
/// does not count.
const Work* find(const std::vector<Work>& series, double error) {
  const Work* found = nullptr;
  for (auto work = series.rbegin(); work != series.rend() && work->error <= error; ++work)
    found = &*work;
  return found;
}

struct Series {
  integrate::RuleEntry entry;
  std::vector<Work> works;
  bool is_explicit() const { return works.front().residuals == 0; }
};

void measure_andrews(int rounds) {
  Andrews andrews;
  std::vector<Series> all;
  for (const integrate::RuleEntry& entry : integrate::rules()) {
    if (entry.control == integrate::StepControl::fixed) continue;
    Series series{entry, {}};
    int good = 0;  // runs that are better than all that is asked for: two such, and tighter ones
                   // say no more
    for (int k = 8; k <= 26 && good < 2; ++k) {
      Work work{std::pow(10.0, -0.5 * k)};
      andrews.run(entry, work);
      good += work.error < 5e-11;
      if (!std::isfinite(work.error) && k > 16) break;  // below what it can see
      if (!series.works.empty() && work.residuals > 0 && k > 18) break;
      series.works.push_back(work);
    }
    all.push_back(series);
  }
  for (int round = 1; round < std::min(rounds, 3); ++round)
    for (Series& series : all)
      for (Work& work : series.works) andrews.run(series.entry, work);
  for (const auto& [error, most] : {std::pair{1e-7, 1200.0}, std::pair{1e-10, 2500.0}}) {
    char label[32];
    std::snprintf(label, sizeof label, "to an error of %.0e", error);
    double fewest = INFINITY;
    for (const Series& series : all) {
      const std::string name = series.entry.name;
      const Work* work = find(series.works, error);
      if (!work) {
        std::fprintf(stderr, "Andrews, %s: an error of %.0e is not reached\n", name.c_str(), error);
        continue;
      }
      std::fprintf(stderr,
                   "Andrews, %s %s: tolerance %.1e, error %.1e, %ld steps, %ld evaluations, %ld "
                   "residuals, %.3f ms\n",
                   name.c_str(), label, work->tolerance, work->error, work->steps,
                   work->evaluations, work->residuals, work->ms);
      print_row("Andrews, " + name, std::string("evaluations ") + label,
                static_cast<double>(work->evaluations + work->residuals));
      print_row("Andrews, " + name, std::string("ms ") + label, work->ms);
      if (series.is_explicit()) fewest = std::min(fewest, static_cast<double>(work->evaluations));
    }
    print_row("Andrews, best explicit rule", std::string("evaluations ") + label, fewest, most,
              fewest <= most);
  }
}

}  // namespace
}  // namespace couplet::bench

int main(int argc, char** argv) {
  using namespace couplet::bench;
  const Program program("couplet", COUPLET_VERSION, argc, argv);
  if (!program.timing()) return 0;
  if (program.wants("four-bars", "loops")) measure_growth(program.measure_options().repetitions);
  if (program.wants("formalisms", "loops")) {
    measure_formalisms("hanging chain", couplet::verification::make_hanging_chain,
                       {125, 250, 500, 1000, 2000}, program.measure_options());
    measure_formalisms("four-bars", couplet::verification::make_four_bars,
                       {62, 125, 250, 500, 1000}, program.measure_options());
  }
  if (program.wants("residual", "loops")) {
    measure_residual_form("Andrews", share(read("benchmarks/andrews_squeezer.yaml")), 0.03,
                          program);
    measure_residual_form("40 four-bars", share(couplet::verification::make_four_bars(40)), 1,
                          program);
    measure_residual_form("robot with a rod", share(make_robot_with_rod()), 0.5, program);
  }
  if (program.wants("andrews", "loops")) measure_andrews(program.measure_options().repetitions);
}
