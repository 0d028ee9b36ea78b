// A mechanism from YAML text and how to run it, for tests.
#pragma once

#include "couplet/formats/yaml.hpp"
#include "couplet/mechanics/simulation.hpp"

namespace couplet::mechanics {

inline std::shared_ptr<const Mechanism> mechanism_of(const std::string& text) {
  base::Diagnostics warnings;
  return std::make_shared<const Mechanism>(
      model::compile(formats::read_yaml_text("couplet: 1\n" + text, "model.yaml", {}, warnings)));
}

inline RunOptions with(const char* rule, double tolerance, double t_end) {
  RunOptions options;
  options.integrator = rule;
  options.tolerance = {tolerance, tolerance};
  options.t_end = t_end;
  return options;
}

inline double last(const results::Recording& recording, const std::string& name) {
  return recording.at(recording.rows() - 1, recording.find(name).value());
}

/// Leaves a problem in what it remembers at t: stops that hold, rows that count.
inline integrate::Ending run_to(double t, MechanismProblem& problem) {
  class : public integrate::Observer {
    void on_step(integrate::Rule&) override {}
  } silent;
  integrate::Driver driver(problem, integrate::check_rule("dop853"), {1e-8, 1e-8}, {});
  driver.start(0, problem.make_y(problem.mechanism().default_state()));
  return driver.run(t, silent).ending;
}

}  // namespace couplet::mechanics
