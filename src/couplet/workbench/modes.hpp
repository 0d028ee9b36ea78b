// Small motions around a state of rest: natural frequencies, damping, shapes.
#pragma once

#include <complex>

#include "couplet/workbench/load.hpp"
#include "couplet/workbench/state_file.hpp"

namespace couplet::workbench {

struct ModesOptions {
  std::optional<StateInput> state;  // absent: the model's initial state
  bool equilibrium = false;         // look for a state of rest nearby first
};

/// How much a freedom, or a state of the model, takes part; the largest one has 1.
struct Participation {
  std::string name;
  double share = 0;
};

struct Mode {
  std::complex<double> eigenvalue;   // 1/s; of a conjugate pair the one with Im > 0
  std::vector<Participation> shape;  // largest first

  double frequency() const;  // Hz, 0 where it does not oscillate
  double damping() const;    // -Re/|λ|: 1 does not oscillate, below 0 it grows
};

struct ModesReport {
  std::vector<Mode> modes;  // slow ones first
  model::State state;       // around which, of a mechanism
  double acceleration = 0;  // the largest there, rad/s² or m/s², of Modelica in nominal values of
                            // the state a second: how far from rest it is
  std::string accelerating;  // whose
  math::MatX A;              // d/dt (z, ż, x) = A (z, ż, x); of Modelica the states
  math::MatX directions;     // of a mechanism: all speeds by ż
  std::vector<std::string> notes;
};

/// The time stands still at that of the state, speeds are zero; closed loops stay closed to first
/// order. Throws UserError for dry friction that sticks, which has no derivative, and for a
/// mechanism without freedom; ComputationError when no equilibrium is found. Of a Modelica class
/// `state` is not for it: it begins where the class says.
ModesReport find_modes(const LoadedModel& model, const ModesOptions& options = {});

}  // namespace couplet::workbench
