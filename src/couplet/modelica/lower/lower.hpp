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
};

/// Parameters with other values than the class gives, by name.
using Changes = std::vector<std::pair<std::string, std::string>>;

/// Throws UserError with everything that is wrong or not covered.
Translated translate(Library& library, const std::string& class_name, const Changes& changes = {});

}  // namespace couplet::modelica::lower
