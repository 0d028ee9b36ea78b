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
  std::vector<std::string> files;  // that it was made from
};

/// File.mo, File.mo:Class or a qualified name; `set`: parameters with other values. Throws
/// UserError.
LoadedModelica load_modelica(const std::string& target, const modelica::lower::Changes& set = {});
LoadedModelica load_modelica(ModelicaClass& found, const std::string& name,
                             const modelica::lower::Changes& set = {});

simulate::Subject make_subject(const LoadedModelica& loaded);

/// What each stage of a translation did, its blocks, torn variables and states.
std::string describe_stages(const LoadedModelica& loaded);

}  // namespace couplet::workbench
