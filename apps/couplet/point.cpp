#include "point.hpp"

#include <fmt/format.h>

namespace couplet::app {

void add_point_options(Arguments& arguments, PointVerbOptions& options) {
  arguments
      .add("--state", "FILE", options.state,
           "of a mechanism, where to begin: JSON as for evaluate, or a row of a result, as in "
           "swing.csv@2.5")
      .of_files();
  arguments
      .add("--record", "NAME", options.record,
           "of a Modelica class, what is printed: names, globs or expressions (its states)")
      .split_at(',');
}

workbench::PointOptions read_point_options(const workbench::LoadedModel& model,
                                           const PointVerbOptions& options) {
  workbench::PointOptions out;
  out.record = options.record;
  if (options.state.empty()) return out;
  if (model.modelica)
    throw base::UserError({}, "a Modelica model has no option `state`",
                          "leave it out; it begins where the class says");
  out.state = workbench::read_state(options.state, *model.mechanism);
  return out;
}

void print_notes(const ModelOptions& options, const workbench::PointReport& report) {
  for (const std::string& note : report.notes) print_note(options, note);
}

void print_point(const workbench::PointReport& report) {
  for (size_t i = 0; i < report.values.size(); ++i)
    fmt::print("{} = {:.9g}{}{}\n", report.signals[i].name, report.values[i] + 0.0,
               report.signals[i].unit.empty() ? "" : " ", report.signals[i].unit);
}

void write_point(const workbench::PointReport& report, workbench::JsonWriter& json) {
  json.key("t").value(report.t);
  json.key("values").begin_object();
  for (size_t i = 0; i < report.values.size(); ++i)
    json.key(report.signals[i].name).value(report.values[i]);
  json.end_object();
  json.key("rate").value(report.rate);
  json.key("moving").value(report.moving);
  json.key("notes").value(report.notes);
}

}  // namespace couplet::app
