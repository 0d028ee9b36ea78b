// Modelica classes that run: translated, then a simulation like any other.
#pragma once

#include "couplet/equations/runtime.hpp"
#include "couplet/modelica/lower/lower.hpp"
#include "couplet/simulate/simulation.hpp"
#include "couplet/workbench/modelica.hpp"

namespace couplet::workbench {

struct LoadedModelica {
  std::string name;
  std::shared_ptr<const equations::Model> model;
  modelica::lower::Experiment experiment;
  std::vector<std::string> files;       // that it was made from
  std::vector<std::string> structural;  // parameters that were changed and shaped the model anew
  std::vector<std::pair<int, double>> values = {};  // of parameters, other than translated
};

/// File.mo, File.mo:Class or a qualified name. Throws UserError.
LoadedModelica load_modelica(const std::string& target,
                             const modelica::lower::Formulation& formulation = {});
LoadedModelica load_modelica(ModelicaClass& found, const std::string& name,
                             const modelica::lower::Formulation& formulation = {});

/// The same with other values of parameters, by name, where that needs no new translation.
std::shared_ptr<const LoadedModelica> try_change(
    const LoadedModelica& loaded, const std::vector<std::pair<std::string, std::string>>& values);

simulate::Subject make_subject(const LoadedModelica& loaded);

/// What each stage of a translation did, its blocks, torn variables and states.
std::string describe_stages(const LoadedModelica& loaded);

}  // namespace couplet::workbench
