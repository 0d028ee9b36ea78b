// Every formalism that applies, on the same random states: differences and times.
#pragma once

#include "couplet/workbench/load.hpp"

namespace couplet::workbench {

struct CompareOptions {
  int states = 100;
  int seed = 1;
};

struct FormalismLine {
  std::string name;
  double difference = 0;    // to the first formalism, relative
  double microseconds = 0;  // per evaluation
  std::string note;         // of the formalism, when it is done
};

struct ComparisonReport {
  int states = 0;
  int freedoms = 0;  // degrees of freedom, as `check` counts them
  std::vector<FormalismLine> formalisms;
  double largest_difference = 0;

  /// Rounding through an ill-conditioned mass matrix stays far below this; a wrong term does not.
  static constexpr double tolerance = 1e-6;
  bool agree() const { return largest_difference < tolerance; }
};

ComparisonReport compare(const LoadedModel& model, const CompareOptions& options = {});

}  // namespace couplet::workbench
