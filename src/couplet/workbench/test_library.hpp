// Examples of a library against reference results, by the rule of csv-compare (results/tube.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "couplet/workbench/modelica_run.hpp"

namespace couplet::workbench {

struct ReferenceTest {
  std::string model;
  enum class Outcome { passed, differs, failed, refused } outcome = Outcome::refused;
  std::string message;  // of what failed
  std::string worst;    // signal
  double error = 0;     // of it, in half heights of the tube
  double at = 0;        // s
  int signals = 0, missing = 0;
  double translation = 0, simulation = 0;  // s
  int states = 0;
  std::vector<equations::SystemSize> systems;
  long evaluations = 0, steps = 0, events = 0;
};

const char* name_of(ReferenceTest::Outcome outcome);

/// All models below `package` that the folder has results of: <folder>/<model>/<leaf>.csv,
/// comparisonSignals.txt and creation.txt. `report` is called after each.
std::vector<ReferenceTest> test_library(const std::string& package, const std::string& folder,
                                        const std::string& integrator,
                                        const std::function<void(const ReferenceTest&)>& report);

}  // namespace couplet::workbench
