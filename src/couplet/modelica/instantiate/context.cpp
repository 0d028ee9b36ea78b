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
)";

}  // namespace

Context::Context(Library& l, base::Diagnostics& d) : library(l), diagnostics(d) {
  top = &classes.emplace_back();
  top->state = ClassInst::State::done;
  if (!library.find_top(Symbol("Real"))) library.add_text("predefined types", predefined_types);
  for (const char* name : {"Real", "Integer", "Boolean", "String", "Clock", "ExternalObject",
                           "StateSelect", "AssertionLevel"})
    find_element(*this, top, Symbol(name));
}

Context::~Context() = default;

void Context::error(const ClassInst* scope, Range range, std::string what, std::string fix) {
  if (scope && scope->def)
    return report(diagnostics, *scope->def->source, range, std::move(what), std::move(fix));
  diagnostics.error({}, std::move(what), std::move(fix));
}

void Context::fail(const ClassInst* scope, Range range, std::string what, std::string fix) {
  error(scope, range, std::move(what), std::move(fix));
  throw Fault();
}

Deeper::Deeper(Context& c, const ClassInst* scope, Range range, const char* what) : context(c) {
  if (++c.depth <= max_depth) return;
  --c.depth;
  c.error(scope, range, fmt::format("{} are nested without end, or too deeply", what),
          "does a class contain itself, or a value depend on itself?");
  throw TooDeep();
}

}  // namespace couplet::modelica
