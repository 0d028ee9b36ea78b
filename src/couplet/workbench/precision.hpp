// What precision costs on a model: work and error of every integrator that applies.
#pragma once

#include "couplet/integrate/work_precision.hpp"
#include "couplet/workbench/load.hpp"

namespace couplet::workbench {

struct PrecisionOptions {
  std::string formalism;                 // empty: the usual one
  std::vector<std::string> integrators;  // empty: all that apply
  double until = 1;                      // s
  double budget = 2;                     // s of the processor for a run
  std::function<bool()> go_on;           // asked after every step; false ends the measurement
  std::function<void(const std::string& what)> begin;  // what is measured next
};

/// What was measured of one integrator, coarse to fine.
struct PrecisionLine {
  std::string integrator;
  integrate::StepControl control;
  std::vector<integrate::WorkPoint> points;
};

struct PrecisionReport {
  std::string model, formalism;
  int freedoms = 0;
  double until = 0;  // s
  integrate::Reference reference;
  std::vector<PrecisionLine> lines;
  std::vector<std::string> does_not_apply;  // "verlet: …"

  /// Work and precision in logarithmic axes, as SVG.
  std::string picture() const;
  std::string csv() const;  // all points, with the reasons of those that do not count
};

/// Throws UserError for integrators that do not exist and times that are not possible.
void check_precision_options(const PrecisionOptions& options);
/// ComputationError when no two integrators agree on a reference.
PrecisionReport measure_precision(const LoadedModel& model, const PrecisionOptions& options = {});

/// "h 1.000e-03", "tol 1e-06"
std::string describe(const integrate::RunSetting& setting);

}  // namespace couplet::workbench
