#include "couplet/modelica/instantiate/context.hpp"

#include <fmt/format.h>

#include "couplet/modelica/typing/function.hpp"
#include "couplet/modelica/typing/value.hpp"

namespace couplet::modelica {
namespace {

constexpr const char* predefined_types = R"(
type Real end Real;
type Integer end Integer;
type Boolean end Boolean;
type String end String;
type Clock end Clock;
partial class ExternalObject end ExternalObject;
type StateSelect = enumeration(never, avoid, default, prefer, always);
type AssertionLevel = enumeration(warning, error);
type Uncertainty = enumeration(given, sought, refine, propagate);
function 'stream.positiveMax'
  input Real m_flow;
  input Real total;
  output Real weight;
protected
  constant Real small = 1e-7;
  Real x;
  Real alpha;
algorithm
  x := total/small;
  alpha := if x >= 1 then 1 else if x > 0 then x*x*(3 - 2*x) else 0;
  weight := alpha*max(m_flow, 0) + (1 - alpha)*small;
  annotation(Inline = true);
end 'stream.positiveMax';
)";

}  // namespace

Context::Context(Library& l, base::Diagnostics& d) : library(l), diagnostics(d) {
  stack_base = static_cast<const char*>(__builtin_frame_address(0));
  top = &classes.emplace_back();
  top->state = ClassInst::State::done;
  if (!library.find_top(Symbol("Real"))) library.add_text("predefined types", predefined_types);
  for (const char* name : {"Real", "Integer", "Boolean", "String", "Clock", "ExternalObject",
                           "StateSelect", "AssertionLevel", "'stream.positiveMax'"})
    find_element(*this, top, Symbol(name));
}

Context::~Context() = default;

void Context::error(const ClassInst* scope, Range range, std::string what, std::string fix) {
  if (muted > 0) {
    ++muted_errors;
    return;
  }
  if (scope && scope->def)
    return report(diagnostics, *scope->def->source, range, std::move(what), std::move(fix));
  diagnostics.error({}, std::move(what), std::move(fix));
}

void Context::fail(const ClassInst* scope, Range range, std::string what, std::string fix) {
  error(scope, range, std::move(what), std::move(fix));
  throw Fault();
}

void Context::count_step(const ClassInst* scope, Range range, long count) {
  constexpr long weight = 50;  // typing something costs more than running it
  if ((steps += weight * count) <= max_steps) return;
  error(scope, range,
        fmt::format("this takes too long at translation: more than {} turns of loops",
                    max_steps / weight),
        "is a loop longer than it should be?");
  throw TooDeep();
}

void Context::stack_is_full() {
  diagnostics.error({}, "expressions and calls are nested without end, or too deeply",
                    "split long expressions, or end the recursion earlier");
  throw TooDeep();
}

Deeper::Deeper(Context& c, const ClassInst* scope, Range range, const char* what) : context(c) {
  c.check_stack();
  if (++c.depth <= max_depth) return;
  --c.depth;
  c.error(scope, range, fmt::format("{} are nested without end, or too deeply", what),
          "does a class contain itself, or a value depend on itself?");
  throw TooDeep();
}

}  // namespace couplet::modelica
