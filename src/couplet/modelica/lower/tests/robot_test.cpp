// The two multibody libraries against each other, from text to motion.
#include <gtest/gtest.h>

#include <cmath>

#include "couplet/equations/observables.hpp"
#include "couplet/modelica/lower/lower.hpp"
#include "couplet/modelica/translate.hpp"
#include "couplet/simulate/simulation.hpp"

namespace couplet::modelica::lower {
namespace {

std::shared_ptr<const equations::Model> translate_own(const std::string& name,
                                                      const std::string& text = {}) {
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_path(COUPLET_SOURCE_DIR "/library");
  if (!text.empty()) library.add_text("test", text);
  diagnostics.check();
  return translate(library, name).model;
}

std::vector<double> run_to(const std::string& name, double until, std::vector<std::string> record) {
  auto problem = std::make_unique<equations::EquationProblem>(translate_own(name));
  auto observables = std::make_unique<equations::EquationObservables>(*problem);
  simulate::RunOptions options;
  options.integrator = "dopri5";
  options.t_end = until;
  options.tolerance = {1e-10, 1e-10};
  options.record = std::move(record);
  simulate::Simulation simulation({std::move(problem), std::move(observables)}, options);
  const results::Recording r = simulate::record(simulation);
  std::vector<double> last;
  for (size_t c = 1; c <= options.record.size(); ++c) last.push_back(r.at(r.rows() - 1, c));
  return last;
}

const std::string robot = "Couplet.Examples.ManutecR3.";

TEST(ManutecR3, MechanicsAreTornToSixAccelerationsOrNeedNoSystem) {
  const equations::EquationProblem acausal(translate_own(robot + "Falling")),
      recursive(translate_own(robot + "FallingRecursive"));
  ASSERT_EQ(acausal.program().systems().size(), 1u);
  EXPECT_EQ(acausal.program().systems()[0].torn, 6);
  EXPECT_TRUE(recursive.program().systems().empty());
}

TEST(ManutecR3, InverseDynamicsNeedNoSystem) {
  const auto model = translate_own(robot + "InverseDynamics");
  for (const equations::Block& b : model->blocks) EXPECT_EQ(b.equations.size(), 1u);
}

// Two translations with nothing in common but the robot: errors of steps of 1e-10 add up.
TEST(ManutecR3, BothLibrariesGiveTheSameMotion) {
  std::vector<std::string> record;
  for (int k = 1; k <= 6; ++k) record.push_back("r3.mechanics.r" + std::to_string(k) + ".q[1]");
  const auto a = run_to(robot + "PointToPoint", 0.2, record),
             b = run_to(robot + "PointToPointRecursive", 0.2, record);
  for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(a[k], b[k], 1e-8) << k + 1;
}

TEST(Chain, RecursiveLibraryCostsInProportionToItsLength) {
  const auto cost = [](int n) {
    const equations::EquationProblem problem(translate_own(
        "Ch", "model Ch = Couplet.Examples.ChainRecursive(n = " + std::to_string(n) + ");"));
    return static_cast<double>(problem.program().instructions());
  };
  const double few = cost(10), many = cost(40);
  EXPECT_LT(std::log(many / few) / std::log(4.0), 1.1);
}

}  // namespace
}  // namespace couplet::modelica::lower
