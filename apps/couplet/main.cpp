// The command line of Couplet. Exit status: 0 done, 1 the computation failed, 2 the input is wrong.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "couplet/base/text.hpp"
#include "couplet/generate/formalisms.hpp"
#include "couplet/integrate/rule.hpp"
#include "result_verbs.hpp"
#include "verbs.hpp"

namespace couplet::app {
namespace {

constexpr const char* version = "couplet 0.1.0";

// CLI11 gives `--gravity -9.81` style values back as options; vectors come as one word or three.
void add_model(CLI::App& verb, ModelOptions& options) {
  verb.add_option("model", options.path, "model.yaml, model.json or robot.urdf")->required();
  verb.add_option("--set", options.set, "name=value: changes a parameter of a YAML model")
      ->take_all()
      ->allow_extra_args(false);
  verb.add_option_function<std::vector<std::string>>(
          "--gravity",
          [&options](const std::vector<std::string>& words) {
            std::string text;
            for (const std::string& word : words) text += word + " ";
            options.gravity = text;
          },
          "x,y,z in m/s² (a URDF has 0,0,-9.81 otherwise)")
      ->expected(1, 3)
      ->type_name("VECTOR");
  verb.add_flag("--floating-base", options.floating_base, "let the root link of a URDF float");
  verb.add_flag("--strict", options.strict, "implausible masses and other warnings are errors");
  verb.add_flag("--json", options.json, "machine-readable output");
}

void add_run(CLI::App& verb, RunVerbOptions& options) {
  add_model(verb, options.model);
  std::string rules = "dopri5 (default), ";
  for (const integrate::RuleEntry& entry : integrate::rules())
    if (std::string_view(entry.name) != "dopri5") rules += std::string(entry.name) + " ";
  verb.add_option("--formalism", options.formalism,
                  "recursive, composite, kane, particles, generated or fast; closed loops: schur, "
                  "augmented or partitioned");
  verb.add_option("--integrator", options.integrator, rules);
  verb.add_option("--equations", options.equations,
                  "that implicit integrators solve: residual (default) or explicit");
  verb.add_option("--state", options.state, "JSON as for evaluate: where the motion begins");
  verb.add_option("--until", options.until, "end time in s (10)");
  verb.add_option("--step", options.step, "fixed step in s; without it steps follow the tolerance");
  verb.add_option("--tolerance", options.tolerance, "relative error of the run (1e-6)");
  verb.add_option("--absolute", options.absolute, "absolute error in SI units (as --tolerance)");
  verb.add_option("--interval", options.interval,
                  "time between rows in s (a thousandth of the run)");
  verb.add_flag("--every-step", options.every_step, "a row for every step instead");
  verb.add_option("--record", options.record,
                  "names, globs or expressions, as in pivot.q,tip.position.*,2*pivot.v")
      ->delimiter(',');
  verb.add_flag("--list", options.list, "names of all that can be recorded");
  verb.add_option("--out", options.out, "result: .csv or .h5 (the model's name with .csv)");
  verb.add_flag("--overwrite", options.overwrite, "replace a result that exists");
  verb.add_option("--checkpoint", options.checkpoint,
                  "save the state every so many simulated seconds");
  verb.add_flag("--resume", options.resume, "go on from the checkpoint of the result");
  verb.add_option("--real-time", options.pace, "simulated seconds per second, as in --real-time 1");
  verb.footer(
      "Examples:\n  couplet run models/double_pendulum.yaml --until 20 --out swing.h5\n"
      "  couplet run models/spinning_top.yaml --integrator dop853 --tolerance 1e-10 --record "
      "'top.position.*'\n"
      "  couplet run models/bouncing_ball.yaml --until 3 --record ball.q,ball.v");
}

void add_bench(CLI::App& verb, BenchOptions& options) {
  verb.require_subcommand(1);
  CLI::App* what = verb.add_subcommand(
      "integrators", "work and precision of every integrator that applies, as table and picture");
  add_model(*what, options.model);
  what->add_option("--until", options.until, "end time in s (1)");
  what->add_option("--formalism", options.formalism, "as for run");
  what->add_option("--integrators", options.integrators, "names, as in dop853,radau5 (all)")
      ->delimiter(',');
  what->add_option("--budget", options.budget, "seconds that a run may take (2)");
  what->add_option(
      "--out", options.out,
      "picture: .svg or .png; the table is beside it as .csv (MODEL_work_precision.svg)");
  verb.footer(
      "Examples:\n  couplet bench integrators models/double_pendulum.yaml --until 3\n"
      "  couplet bench integrators models/benchmarks/andrews_squeezer.yaml --until 0.03 "
      "--integrators hem5,mexx,ida,radau5");
  what->footer(verb.get_footer());
}

int run_command(int argc, char** argv) {
  CLI::App app{"Couplet: one model, every formalism, each checked against the others.\n"};
  app.require_subcommand(1);
  app.set_version_flag("--version", version);
  app.footer(
      "Examples:\n  couplet check models/double_pendulum.yaml\n"
      "  couplet compare models/humanoid.yaml\n"
      "  couplet evaluate models/arm7.urdf --state state.json --json\n"
      "Every verb explains itself: couplet VERB --help");

  ModelOptions check_options;
  CLI::App* check_verb = app.add_subcommand("check", "what a model is, and what is odd about it");
  add_model(*check_verb, check_options);
  bool check_all = false;
  check_verb->add_flag("--all", check_all, "every example below a Modelica package, as a table");
  check_verb->footer(
      "A model may also be Modelica: File.mo, File.mo:Package.Class, or a class on "
      "MODELICAPATH.\nExamples:\n  couplet check models/two_arms.yaml --set left.upper_length=0.4\n"
      "  couplet check robot.urdf --strict");

  FlattenOptions flatten_options;
  CLI::App* flatten_verb = app.add_subcommand("flatten", "flat Modelica of a Modelica class");
  flatten_verb->add_option("class", flatten_options.target,
                           "File.mo, File.mo:Package.Class or Qualified.Name");
  flatten_verb->add_option("--without", flatten_options.without, "a pass to leave out")
      ->allow_extra_args(false);
  flatten_verb->add_flag("--list-passes", flatten_options.list_passes,
                         "what the passes are called and do");
  flatten_verb->add_flag("--times", flatten_options.times,
                         "seconds of each pass, on standard error");
  flatten_verb->footer(
      "Libraries are found in the directories of MODELICAPATH. Results are kept in the user's "
      "cache\n"
      "folder until a file they come from changes; COUPLET_CACHE=off does without.\nExamples:\n"
      "  couplet flatten models/modelica/Circuit.mo:Circuit.Main\n"
      "  couplet flatten Modelica.Mechanics.MultiBody.Examples.Elementary.Pendulum");

  EvaluateOptions evaluate_options;
  CLI::App* evaluate_verb = app.add_subcommand(
      "evaluate", "accelerations or torques, mass matrix and energies at one state");
  add_model(*evaluate_verb, evaluate_options.model);
  evaluate_verb->add_option(
      "--state", evaluate_options.state,
      "JSON: {\"q\": {\"joint\": 0.5}, \"v\": {}, \"tau\": {}}; - reads standard "
      "input; without it the model's initial state");
  evaluate_verb->add_option("--formalism", evaluate_options.formalism,
                            "recursive, composite, kane, particles, generated or fast; closed "
                            "loops: schur, augmented or partitioned");
  evaluate_verb->add_option("--points", evaluate_options.points, "names of points to report")
      ->delimiter(',');
  evaluate_verb->add_flag("--reactions", evaluate_options.reactions,
                          "forces through joints and of constraints");
  evaluate_verb->add_option(
      "--frame", evaluate_options.frame,
      "axes of the reactions: a point, or `joint` for those of each joint (the world's)");
  evaluate_verb->footer(
      "Examples:\n  couplet evaluate models/manutec_r3.yaml --json\n"
      "  echo '{\"vdot\": {\"shoulder\": 1}}' | couplet evaluate "
      "models/double_pendulum.yaml --state -");

  AssembleOptions assemble_options;
  CLI::App* assemble_verb =
      app.add_subcommand("assemble", "closes all loops from a rough guess of the position");
  add_model(*assemble_verb, assemble_options.model);
  assemble_verb->add_option("--state", assemble_options.state,
                            "JSON with the guess; without it the model's initial state");
  assemble_verb->add_option("--lock", assemble_options.lock, "joints that must not move")
      ->delimiter(',');
  assemble_verb
      ->add_option("--weight", assemble_options.weight, "joint=10: how unwilling it is to move (1)")
      ->delimiter(',');
  assemble_verb->add_option("--out", assemble_options.out,
                            "state file, for --state of run and evaluate");
  assemble_verb->footer(
      "Examples:\n  couplet assemble models/four_bar.yaml\n"
      "  couplet assemble models/benchmarks/andrews_squeezer.yaml --out start.json");

  CompareOptions compare_options;
  CLI::App* compare_verb = app.add_subcommand(
      "compare", "every formalism on the same random states: differences and times");
  add_model(*compare_verb, compare_options.model);
  compare_verb->add_option("--states", compare_options.states, "how many random states")
      ->check(CLI::Range(1, 1000000));
  compare_verb->add_option("--seed", compare_options.seed, "of the random states");
  compare_verb->footer(
      "Examples:\n  couplet compare models/every_joint.yaml\n"
      "  couplet compare models/quadruped.urdf --floating-base --states 1000");

  RunVerbOptions run_options;
  run_options.version = version;
  run_options.arguments.assign(argv + 1, argv + argc);
  CLI::App* run_verb = app.add_subcommand("run", "simulates a mechanism and records it");
  add_run(*run_verb, run_options);

  std::string resume_result;
  CLI::App* resume_verb =
      app.add_subcommand("resume", "goes on with a run that was interrupted or killed");
  resume_verb
      ->add_option("result", resume_result, "the result of the run; its checkpoint is beside it")
      ->required();
  resume_verb->footer(
      "Example:\n  couplet run models/double_pendulum.yaml --until 1000 --checkpoint 10 --out "
      "long.h5\n"
      "  couplet resume long.h5");
  std::function<int()> result_verb;
  add_result_verbs(app, result_verb);
  GenerateOptions generate_options;
  CLI::App* generate_verb =
      app.add_subcommand("generate", "straight-line C of a mechanism, with its operation counts");
  add_model(*generate_verb, generate_options.model);
  generate_verb->add_option(
      "--what", generate_options.what,
      "forward (default), inverse, mass-matrix, bias, kinematics, jacobian or "
      "gradients");
  generate_verb
      ->add_option("--keep", generate_options.keep,
                   "numbers that stay arguments: mass, com, inertia, length, gravity")
      ->delimiter(',');
  generate_verb->add_option("--out", generate_options.out, "directory for NAME.c and NAME.h");
  generate_verb->add_option("--name", generate_options.name, "of files and functions");
  generate_verb->add_option("--batch", generate_options.batch,
                            "also a form for 2, 4 or 8 states at once");
  generate_verb->footer(
      "Examples:\n  couplet generate models/manutec_r3.yaml --what inverse\n"
      "  couplet generate models/arm7.urdf --what gradients --keep mass --out build");

  BenchOptions bench_options;
  CLI::App* bench_verb = app.add_subcommand("bench", "what precision costs");
  add_bench(*bench_verb, bench_options);

  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  if (argc > 1 && argv[1][0] != '-' &&
      std::find(verbs.begin(), verbs.end(), argv[1]) == verbs.end())
    throw base::UserError({}, "there is no verb " + base::quoted(argv[1]),
                          base::suggest(argv[1], verbs));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (result_verb) return result_verb();
  if (flatten_verb->parsed()) return flatten(flatten_options);
  if (check_verb->parsed() && is_modelica(check_options.path))
    return check_modelica(check_options.path, check_all, check_options.json);
  if (check_verb->parsed()) return check(check_options);
  if (evaluate_verb->parsed()) return evaluate(evaluate_options);
  if (assemble_verb->parsed()) return assemble(assemble_options);
  if (run_verb->parsed()) return run(run_options);
  if (resume_verb->parsed()) {
    std::vector<std::string> arguments = prepare_resume(resume_result);
    std::vector<char*> pointers{argv[0]};
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    return run_command(static_cast<int>(pointers.size()), pointers.data());
  }
  if (generate_verb->parsed()) return generate(generate_options);
  if (bench_verb->parsed()) return bench_integrators(bench_options);
  return compare(compare_options);
}

}  // namespace
}  // namespace couplet::app

int main(int argc, char** argv) {
  try {
    couplet::generate::add_formalisms();
    return couplet::app::run_command(argc, argv);
  } catch (const couplet::base::UserError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const couplet::base::ComputationError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "error: out of memory\n");
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "error: %s\n  this is a fault of Couplet: please report it with the model\n",
                 error.what());
    return 1;
  }
}
