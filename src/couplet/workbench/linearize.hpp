// States at which nothing moves, and how a model moves near a point: dx/dt = A x + B u, z = C x +
// D u.
#pragma once

#include "couplet/results/recording.hpp"
#include "couplet/workbench/modes.hpp"

namespace couplet::workbench {

struct PointOptions {
  bool equilibrium = false;          // look for a state of rest nearby first
  std::optional<StateInput> state;   // of a mechanism, where to begin; absent: the model says
  std::vector<std::string> record;   // what is reported of the point; empty: its states
  std::vector<std::string> inputs;   // Modelica: inputs or parameters; empty: the model's inputs
  std::vector<std::string> outputs;  // Modelica: variables; empty: the model's outputs
};

struct PointReport {
  double t = 0;
  std::vector<results::Signal> signals;
  std::vector<double> values;
  std::optional<model::State> state;  // of a mechanism
  double rate = 0;     // the largest there: of Modelica in nominal values of its state a second,
  std::string moving;  // of a mechanism an acceleration in rad/s² or m/s²; and whose
  std::vector<std::string> notes;
};

/// Where rates are zero, the time standing still. Throws ComputationError when none is found.
PointReport find_equilibrium(const LoadedModel& model, const PointOptions& options = {});

struct LinearReport {
  PointReport point;
  std::vector<std::string> states, inputs, outputs;
  math::MatX A, B, C, D;
  math::MatX directions;  // of a mechanism with loops: speeds by those of z; else empty
};

/// Of a mechanism the states are its freedoms, their speeds and those of controllers; where loops
/// are closed, coordinates z of what they allow.
LinearReport linearize(const LoadedModel& model, const PointOptions& options = {});

}  // namespace couplet::workbench
