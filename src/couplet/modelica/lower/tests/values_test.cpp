// Small models in tests/models/values.txt, and what must come out of them at the end of a run of
// one second: from text to numbers, so that no part of the translation can be silently wrong.
//   # rule        starts a case; its class is M
//   > name = 3    the value at the end
//   ! text        a part of the message with which translation or run must end
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "couplet/equations/observables.hpp"
#include "couplet/modelica/lower/lower.hpp"
#include "couplet/simulate/simulation.hpp"

namespace couplet::modelica::lower {
namespace {

struct Case {
  std::string rule, text;
  std::vector<std::pair<std::string, double>> values;
  std::string message;
};

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::ifstream in(COUPLET_SOURCE_DIR "/src/couplet/modelica/lower/tests/models/values.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# ")) {
      cases.push_back({line.substr(2), "", {}, ""});
    } else if (line.starts_with("> ")) {
      const size_t at = line.find(" = ");
      cases.back().values.emplace_back(line.substr(2, at - 2), std::stod(line.substr(at + 3)));
    } else if (line.starts_with("! ")) {
      cases.back().message = line.substr(2);
    } else {
      cases.back().text += line + "\n";
    }
  }
  return cases;
}

simulate::Simulation make_simulation(const Case& c) {
  base::Diagnostics diagnostics;
  Library library(diagnostics);
  library.add_text("case.mo", c.text);
  diagnostics.check();
  const std::shared_ptr<const equations::Model> model = translate(library, "M").model;
  auto problem = std::make_unique<equations::EquationProblem>(model);
  auto observables = std::make_unique<equations::EquationObservables>(*problem);
  simulate::RunOptions options;
  options.integrator = "ida";
  options.t_end = 1;
  options.interval = 0.5;
  options.tolerance = {1e-9, 1e-9};
  for (const auto& [name, value] : c.values) options.record.push_back(name);
  return {{std::move(problem), std::move(observables)}, options};
}

TEST(ModelicaValues, EveryRuleGivesItsNumbers) {
  const std::vector<Case> cases = read_cases();
  EXPECT_GE(cases.size(), 60u);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.rule + "\n" + c.text);
    std::string message;
    try {
      simulate::Simulation simulation = make_simulation(c);
      simulate::Summary summary;
      const results::Recording recording = simulate::record(simulation, &summary);
      if (summary.outcome.ending != integrate::Ending::reached) message = summary.outcome.message;
      for (const auto& [name, value] : c.values) {
        if (!message.empty()) break;
        const auto column = recording.find(name);
        ASSERT_TRUE(column) << name;
        // 1e-9 per step, for some hundred steps
        EXPECT_NEAR(recording.at(recording.rows() - 1, *column), value,
                    1e-6 * std::max(1.0, std::abs(value)))
            << name;
      }
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    if (c.message.empty())
      EXPECT_EQ(message, "");
    else
      EXPECT_NE(message.find(c.message), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace couplet::modelica::lower
