// From a Modelica class to a translated system of equations.
#pragma once

#include "couplet/equations/model.hpp"
#include "couplet/modelica/library/library.hpp"

namespace couplet::modelica::lower {

/// What a class says about its simulation.
struct Experiment {
  double start = 0;
  std::optional<double> stop, tolerance, interval;
};

struct Translated {
  std::unique_ptr<equations::Model> model;
  Experiment experiment;
  std::vector<std::string> structural;  // of the changes: those that shaped the model anew
};

/// Names with texts: parameters with other values than the class gives, variables with what they
/// are to be.
using Changes = std::vector<std::pair<std::string, std::string>>;

/// The same equations, solved for something else.
struct Formulation {
  Changes set = {};                    // parameters
  Changes prescribed = {};             // variables, as expressions of t
  std::vector<std::string> free = {};  // inputs and parameters that become unknowns, as many
  bool continued = false;  // the beginning is approached from simplified equations, by homotopy()

  bool is_inverse() const { return !prescribed.empty() || !free.empty(); }
};

/// Throws UserError with everything that is wrong or not covered.
Translated translate(Library& library, const std::string& class_name,
                     const Formulation& formulation = {});

}  // namespace couplet::modelica::lower
