// couplet inverse: what inputs a motion takes.
#include "run.hpp"
#include "verb.hpp"

namespace couplet::app {
namespace {

std::function<int()> declare(Arguments& arguments) { return declare_run(arguments, true); }

}  // namespace

extern const Verb inverse_verb;
const Verb inverse_verb{
    "inverse",
    "finds the inputs of a Modelica class from motions that are given",
    "The same equations, solved for something else: each variable that is prescribed is a function "
    "of t, and an input or a parameter is found for it. Start values that do not fit give way, and "
    "are named.",
    {"couplet inverse models/modelica/Circuit.mo:Circuit.Main --prescribe 'capacitor.v=sin(t)' "
     "--solve-for source.V --until 1"},
    declare};

}  // namespace couplet::app
