// A point around which a model is looked at, for the verbs that do.
#pragma once

#include "couplet/workbench/json.hpp"
#include "couplet/workbench/linearize.hpp"
#include "model_options.hpp"

namespace couplet::app {

struct PointVerbOptions {
  std::string state;
  std::vector<std::string> record;
};

void add_point_options(Arguments& arguments, PointVerbOptions& options);
workbench::PointOptions read_point_options(const workbench::LoadedModel& model,
                                           const PointVerbOptions& options);
void print_notes(const ModelOptions& options, const workbench::PointReport& report);
void print_point(const workbench::PointReport& report);
/// Keys of an object.
void write_point(const workbench::PointReport& report, workbench::JsonWriter& json);

}  // namespace couplet::app
