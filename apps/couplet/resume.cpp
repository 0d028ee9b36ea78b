// couplet resume: goes on with a run that was interrupted or killed.
#include <memory>

#include "couplet/workbench/run.hpp"
#include "run.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

struct ResumeOptions {
  ModelOptions output;  // how to print
  std::string result;
};

std::function<int()> declare(Arguments& arguments) {
  const auto options = std::make_shared<ResumeOptions>();
  arguments.add_word("result", options->result, "of the run; its checkpoint is beside it")
      .of_files();
  arguments.add_switch("--json", options->output.json, "the answer, errors and warnings as JSON");
  arguments.add_switch("--quiet", options->output.quiet, "errors only").with_letter('q');
  arguments.add_switch("--trust", options->output.trust, trust_doc);
  return [options] {
    workbench::RunRequest request = workbench::read_request(options->result);
    request.load.trust = options->output.trust;
    const workbench::LoadedModel model =
        with_warnings(workbench::load(workbench::resolve(request, request.model), request.load),
                      options->output.quiet);
    workbench::RunControl control;
    control.resume = true;
    return run_request(model, request, options->output, control);
  };
}

}  // namespace

extern const Verb resume_verb;
const Verb resume_verb{
    "resume",
    "goes on with a run that was interrupted or killed",
    "",
    {"couplet run models/double_pendulum.yaml --until 1000 --checkpoint 10 --out long.h5",
     "couplet resume long.h5"},
    declare};

}  // namespace couplet::app
