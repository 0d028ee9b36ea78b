// The library: load a model, check, assemble, evaluate, run, compare, generate, plot.
// docs/library.md shows each.
//
//   const couplet::LoadedModel model = couplet::load("robot.urdf");
//   const couplet::EvaluationReport here = couplet::evaluate(model);
//
// Wrong input throws couplet::base::UserError, a computation that fails
// couplet::base::ComputationError.
#pragma once

#include "couplet/base/files.hpp"
#include "couplet/forces/entry.hpp"
#include "couplet/forces/plugin.hpp"
#include "couplet/integrate/rule.hpp"
#include "couplet/model/parametric.hpp"
#include "couplet/results/difference.hpp"
#include "couplet/results/plot/plot.hpp"
#include "couplet/workbench/assemble.hpp"
#include "couplet/workbench/catalogue.hpp"
#include "couplet/workbench/check.hpp"
#include "couplet/workbench/compare.hpp"
#include "couplet/workbench/doctor.hpp"
#include "couplet/workbench/evaluate.hpp"
#include "couplet/workbench/generate.hpp"
#include "couplet/workbench/linearize.hpp"
#include "couplet/workbench/load.hpp"
#include "couplet/workbench/modelica.hpp"
#include "couplet/workbench/modelica_run.hpp"
#include "couplet/workbench/modes.hpp"
#include "couplet/workbench/precision.hpp"
#include "couplet/workbench/run.hpp"
#include "couplet/workbench/state_file.hpp"
#include "couplet/workbench/sweep.hpp"
#include "couplet/workbench/test_library.hpp"

namespace couplet {
using namespace workbench;
}
