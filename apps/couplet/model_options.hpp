// What the verbs that read a model have in common.
#pragma once

#include "arguments.hpp"
#include "couplet/integrate/rule.hpp"
#include "couplet/workbench/json.hpp"
#include "couplet/workbench/load.hpp"

namespace couplet::app {

struct ModelOptions {
  std::string path;
  std::vector<std::string> set;      // name=value
  std::vector<std::string> gravity;  // "x,y,z", or x y z, m/s²
  bool floating_base = false;        // URDF: the root link floats
  bool strict = false;               // warnings about masses are errors
  bool trust = false;                // plug-ins run, files outside the model's folder are read
  bool json = false;
  bool quiet = false;  // no warnings and notes, no summaries
};

/// Of verbs that take Modelica classes, too.
extern const char* const any_model;
/// `what`: the models that the verb takes.
void add_model(Arguments& arguments, ModelOptions& options,
               const char* what = "model.yaml, model.json or robot.urdf");

/// Throws UserError for values that cannot be read.
workbench::LoadOptions make_load_options(const ModelOptions& options);
/// Reads and compiles a mechanism; prints warnings to standard error.
/// Any model: a mechanism or a Modelica class.
workbench::LoadedModel load_any(const ModelOptions& options);
workbench::LoadedModel load_mechanism(const ModelOptions& options);
/// Prints them, unless it is to be quiet.
workbench::LoadedModel with_warnings(workbench::LoadedModel model, bool quiet);
/// A remark on standard error, unless it is to be quiet.
void print_note(const ModelOptions& options, const std::string& note);

/// Keys of an open object: what a run took.
void write_counts(const integrate::Counts& counts, workbench::JsonWriter& json);

/// "1 degree of freedom"
std::string freedoms_text(int count);
/// "1 joint", "2 joints"; `many` where the plural is not made with an s: "bodies".
std::string counted(long count, const std::string& one, const std::string& many = {});

/// What --formalism and --trust say.
std::string formalism_doc();
std::vector<std::string> formalism_names();
extern const char* const trust_doc;

}  // namespace couplet::app
