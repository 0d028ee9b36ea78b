// The command line of Couplet. Exit status: 0 done, 1 the computation failed, 2 the input is wrong.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "couplet/base/text.hpp"
#include "couplet/generate/formalisms.hpp"
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

int run(int argc, char** argv) {
  CLI::App app{"Couplet: one model, every formalism, each checked against the others.\n"};
  app.require_subcommand(1);
  app.set_version_flag("--version", version);
  app.footer("Examples:\n  couplet check models/double_pendulum.yaml\n"
             "  couplet compare models/humanoid.yaml\n"
             "  couplet evaluate models/arm7.urdf --state state.json --json\n"
             "Every verb explains itself: couplet VERB --help");

  ModelOptions check_options;
  CLI::App* check_verb = app.add_subcommand("check", "what a model is, and what is odd about it");
  add_model(*check_verb, check_options);
  bool check_all = false;
  check_verb->add_flag("--all", check_all, "every example below a Modelica package, as a table");
  check_verb->footer("A model may also be Modelica: File.mo, File.mo:Package.Class, or a class on "
                     "MODELICAPATH.\nExamples:\n  couplet check models/two_arms.yaml --set left.upper_length=0.4\n"
                     "  couplet check robot.urdf --strict");

  std::string flatten_target;
  CLI::App* flatten_verb = app.add_subcommand("flatten", "flat Modelica of a Modelica class");
  flatten_verb->add_option("class", flatten_target, "File.mo, File.mo:Package.Class or Qualified.Name")
      ->required();
  flatten_verb->footer("Libraries are found in the directories of MODELICAPATH.\nExamples:\n"
                       "  couplet flatten models/modelica/Circuit.mo:Circuit.Main\n"
                       "  couplet flatten Modelica.Mechanics.MultiBody.Examples.Elementary.Pendulum");

  EvaluateOptions evaluate_options;
  CLI::App* evaluate_verb =
      app.add_subcommand("evaluate", "accelerations or torques, mass matrix and energies at one state");
  add_model(*evaluate_verb, evaluate_options.model);
  evaluate_verb->add_option("--state", evaluate_options.state,
                            "JSON: {\"q\": {\"joint\": 0.5}, \"v\": {}, \"tau\": {}}; - reads standard "
                            "input; without it the model's initial state");
  evaluate_verb->add_option("--formalism", evaluate_options.formalism,
                            "recursive (default), composite, kane, particles, generated or fast");
  evaluate_verb->add_option("--points", evaluate_options.points, "names of points to report")
      ->delimiter(',');
  evaluate_verb->add_flag("--reactions", evaluate_options.reactions, "forces through the joints");
  evaluate_verb->footer("Examples:\n  couplet evaluate models/manutec_r3.yaml --json\n"
                        "  echo '{\"vdot\": {\"shoulder\": 1}}' | couplet evaluate "
                        "models/double_pendulum.yaml --state -");

  CompareOptions compare_options;
  CLI::App* compare_verb =
      app.add_subcommand("compare", "every formalism on the same random states: differences and times");
  add_model(*compare_verb, compare_options.model);
  compare_verb->add_option("--states", compare_options.states, "how many random states")
      ->check(CLI::Range(1, 1000000));
  compare_verb->add_option("--seed", compare_options.seed, "of the random states");
  compare_verb->footer("Examples:\n  couplet compare models/every_joint.yaml\n"
                       "  couplet compare models/quadruped.urdf --floating-base --states 1000");

  GenerateOptions generate_options;
  CLI::App* generate_verb =
      app.add_subcommand("generate", "straight-line C of a mechanism, with its operation counts");
  add_model(*generate_verb, generate_options.model);
  generate_verb->add_option("--what", generate_options.what,
                            "forward (default), inverse, mass-matrix, bias, kinematics, jacobian or "
                            "gradients");
  generate_verb->add_option("--keep", generate_options.keep,
                            "numbers that stay arguments: mass, com, inertia, length, gravity")
      ->delimiter(',');
  generate_verb->add_option("--out", generate_options.out, "directory for NAME.c and NAME.h");
  generate_verb->add_option("--name", generate_options.name, "of files and functions");
  generate_verb->add_option("--batch", generate_options.batch, "also a form for 2, 4 or 8 states at once");
  generate_verb->footer("Examples:\n  couplet generate models/manutec_r3.yaml --what inverse\n"
                        "  couplet generate models/arm7.urdf --what gradients --keep mass --out build");

  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  if (argc > 1 && argv[1][0] != '-' &&
      std::find(verbs.begin(), verbs.end(), argv[1]) == verbs.end())
    throw base::UserError({}, "there is no verb " + base::quoted(argv[1]), base::suggest(argv[1], verbs));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (flatten_verb->parsed()) return flatten(flatten_target);
  if (check_verb->parsed() && is_modelica(check_options.path))
    return check_modelica(check_options.path, check_all, check_options.json);
  if (check_verb->parsed()) return check(check_options);
  if (evaluate_verb->parsed()) return evaluate(evaluate_options);
  if (generate_verb->parsed()) return generate(generate_options);
  return compare(compare_options);
}

}  // namespace
}  // namespace couplet::app

int main(int argc, char** argv) {
  try {
    couplet::generate::add_formalisms();
    return couplet::app::run(argc, argv);
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
    std::fprintf(stderr, "error: %s\n  this is a fault of Couplet: please report it with the model\n",
                 error.what());
    return 1;
  }
}
