// How long an evaluation would take on many processors, by each way to compute it: from times that
// were measured here on one, and what a message costs.
#pragma once

#include "couplet/workbench/load.hpp"

namespace couplet::workbench {

struct ScalingOptions {
  double latency = 1e-6;    // s, of a message
  double bandwidth = 1e10;  // bytes/s
  double seconds = 0.2;     // for each measurement
  int processors = 10000;   // at most
};

struct ScalingLine {
  int processors;
  std::vector<double> seconds;  // of each of ScalingReport::formalisms
};

struct ScalingReport {
  std::string model;
  int freedoms = 0, parts = 0, levels = 0;
  double undivided = 0;  // s: motions of bodies, forces of elements, which constraints count
  std::vector<std::string> formalisms;  // the serial one first
  std::vector<std::string> about;       // what each is
  std::vector<ScalingLine> lines;

  /// The one that takes least.
  size_t best(const ScalingLine& line) const;
  /// "dca is the fastest from 4 processors on": one sentence for every change.
  std::vector<std::string> verdicts() const;
  std::string picture() const;  // SVG
};

/// Throws UserError for options that make no sense.
ScalingReport predict_scaling(const LoadedModel& model, const ScalingOptions& options = {});

}  // namespace couplet::workbench
