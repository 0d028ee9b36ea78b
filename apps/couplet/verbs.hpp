// The verbs of the command line, one file each. Each returns the exit status: 0 done, 1 the
// computation failed, 2 the input is wrong (as UserError, which main prints).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "couplet/model/mechanism.hpp"

namespace couplet::app {

/// What every verb that reads a model takes.
struct ModelOptions {
  std::string path;
  std::vector<std::string> set;        // name=value
  std::optional<std::string> gravity;  // "x y z" or "x,y,z", m/s²
  bool floating_base = false;          // URDF: the root link floats
  bool strict = false;                 // warnings about masses are errors
  bool json = false;
};

/// Reads and compiles the model; prints warnings to standard error.
std::shared_ptr<const model::Mechanism> load_mechanism(const ModelOptions& options);

struct EvaluateOptions {
  ModelOptions model;
  std::string state;                // file; empty: the model's initial state
  std::string formalism;            // empty: the usual one
  std::vector<std::string> points;  // names
  bool reactions = false;
  std::string frame;  // axes of the reactions: a point, or "joint"; empty: the world's
};
struct RunVerbOptions {
  ModelOptions model;
  std::string formalism;       // empty: the usual one
  std::string integrator;      // empty: dopri5, or rk4 with a fixed step
  std::string equations;       // of implicit integrators; empty: residual
  double until = 10;           // s
  std::optional<double> step;  // s
  double tolerance = 1e-6;
  std::optional<double> absolute;  // as the relative one
  std::optional<double> interval;  // s; a thousandth of the run
  bool every_step = false;
  std::vector<std::string> record;
  std::string state;  // file; empty: the model's initial state
  std::string out;    // the model's name with .csv
  bool overwrite = false, resume = false, list = false;
  double checkpoint = 0;  // simulated s
  double pace = 0;
  std::vector<std::string> arguments;  // as they were given
  std::string version;
};
struct AssembleOptions {
  ModelOptions model;
  std::string state;                // file with the guess; empty: the model's initial state
  std::vector<std::string> lock;    // joints or freedoms that must not move
  std::vector<std::string> weight;  // name=weight: how unwilling it is to move
  std::string out;                  // state file
};
struct CompareOptions {
  ModelOptions model;
  int states = 100;
  int seed = 1;
};

struct BenchOptions {
  ModelOptions model;
  std::string formalism;                 // empty: the usual one
  std::vector<std::string> integrators;  // empty: all that apply
  double until = 1;                      // s
  double budget = 2;                     // s of the processor for a run
  std::string out;                       // picture; the table is beside it
};

struct GenerateOptions {
  ModelOptions model;
  std::string what = "forward";
  std::vector<std::string> keep;  // mass, com, inertia, length, gravity
  std::string out = ".";          // directory
  std::string name;               // of the files and functions; empty: that of the model's file
  int batch = 1;                  // states at once, 1: no such form
};

int check(const ModelOptions& options);
/// File.mo, File.mo:Package.Class or a qualified name, rather than a mechanism.
bool is_modelica(const std::string& target);
int check_modelica(const std::string& target, bool all, bool json);
struct FlattenOptions {
  std::string target;
  std::vector<std::string> without;  // names of passes
  bool list_passes = false, times = false;
};
int flatten(const FlattenOptions& options);
int evaluate(const EvaluateOptions& options);
int assemble(const AssembleOptions& options);
int compare(const CompareOptions& options);
int run(const RunVerbOptions& options);
/// The arguments that continue the run of a result, in the directory where it was started.
std::vector<std::string> prepare_resume(const std::string& result);
int generate(const GenerateOptions& options);
int bench_integrators(const BenchOptions& options);

/// A state file: q, v and either tau or vdot, by joint; what is missing is zero (or the identity).
struct StateFile {
  model::State state;
  math::VecX tau, vdot;
  bool inverse = false;            // vdot was given
  std::vector<char> has_q, has_v;  // per speed: the file gives its joint's position, its speed
};
StateFile read_state_file(const std::string& path, const model::Mechanism& mechanism);

}  // namespace couplet::app
