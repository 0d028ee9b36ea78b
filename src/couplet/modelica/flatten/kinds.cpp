// What each kind of class may extend, hold and be called. [Modelica 3.6, sections 4.7, 4.8, 7.1.3]
#include "couplet/modelica/flatten/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/modelica/syntax/printer.hpp"

namespace couplet::modelica {
namespace {

using ast::ClassKind;
using ast::ElementKind;

bool is_record(ClassKind kind) {
  return kind == ClassKind::record || kind == ClassKind::operator_record;
}

// The table of section 7.1.3. What is only a `class` extends everything: that is old, and common.
bool may_extend(ClassKind derived, ClassKind base) {
  if (derived == base || base == ClassKind::class_ || derived == ClassKind::class_) return true;
  switch (derived) {
    case ClassKind::operator_function:
      return base == ClassKind::function;
    case ClassKind::type:  // another name of an operator record: type Current = Complex
      return base == ClassKind::operator_record;
    case ClassKind::connector:
      return base == ClassKind::type || is_record(base);
    case ClassKind::block:
      return base == ClassKind::record;
    case ClassKind::model:
      return base == ClassKind::record || base == ClassKind::block;
    default:
      return false;
  }
}

// What declares nothing, such as an icon, is a base for all.
bool is_empty(const ClassInst* c) {
  return c->elements.empty() && c->def->sections.empty() && !c->def->external &&
         c->primitive == Primitive::none;
}

void check_bases(Context& context, const ClassInst* c) {
  for (const ClassInst* b : c->bases) {
    if (b == c->original || may_extend(c->def->kind, b->def->kind) || is_empty(b)) continue;
    if (is_record(c->def->kind) && is_record(b->def->kind)) continue;
    context.error(
        c, c->def->name_range,
        fmt::format("{} is a {} and cannot extend {}, which is a {}", base::quoted(c->path()),
                    to_string(c->def->kind), base::quoted(b->path()), to_string(b->def->kind)),
        "make both of one kind, or the base a 'class'");
  }
}

bool is_predefined(const std::string& name) {
  return name == "Real" || name == "Integer" || name == "Boolean" || name == "String";
}

void check_name(Context& context, const ClassInst* c, Symbol name, Range range) {
  if (is_predefined(name.text()))
    context.error(c, range, fmt::format("{} is the name of a predefined type", name.text()),
                  "choose another name");
}

void check_component(Context& context, const ClassInst* c, const ast::Element& e) {
  const ast::Component& text = *e.component;
  const ClassKind kind = c->def->kind;
  const auto refuse = [&](const char* what, const char* fix) {
    context.error(
        c, text.range,
        fmt::format("{} is {} of a {}", base::quoted(text.name.text()), what, to_string(kind)),
        fix);
  };
  check_name(context, c, text.name, text.range);
  const bool around = e.prefixes.inner || e.prefixes.outer;
  const bool joins = kind == ClassKind::connector || kind == ClassKind::expandable_connector;
  if (around && (is_record(kind) || joins))
    refuse("an inner or outer element", "declare it in the model that uses it");
  if (is_record(kind) && text.direction != ast::Direction::none)
    refuse("an input or output", "say so where the record is used");
  if (is_record(kind) && text.flow != ast::Flow::none)
    refuse("a flow or stream variable", "flow and stream variables belong to connectors");
  if (kind == ClassKind::operator_)
    refuse("a variable", "an operator holds functions, nothing else");
}

void check_operator(Context& context, const ClassInst* c, const ast::ClassDef& inside) {
  const bool is_function =
      inside.kind == ClassKind::function || inside.kind == ClassKind::operator_function;
  if (c->def->kind == ClassKind::operator_ && !is_function)
    context.error(c, inside.name_range,
                  fmt::format("{} is a {} in an operator", base::quoted(inside.name.text()),
                              to_string(inside.kind)),
                  "an operator holds functions, nothing else");
  const bool overloads =
      inside.kind == ClassKind::operator_ || inside.kind == ClassKind::operator_function;
  if (c->def->kind == ClassKind::operator_record && overloads && !inside.encapsulated)
    context.diagnostics.warning(c->def->source->locate(inside.name_range.begin),
                                fmt::format("operator {} is not encapsulated", inside.name.text()),
                                "write 'encapsulated' in front of it and import what it needs");
}

}  // namespace

void check_kind(Context& context, const ClassInst* c) {
  check_bases(context, c);
  if (!c->parent->def && *c->def->source->path != "predefined types")
    check_name(context, c, c->def->name, c->def->name_range);
  for (const ast::Element* e : c->def->elements) {
    if (e->kind == ElementKind::component) check_component(context, c, *e);
    if (e->kind != ElementKind::class_) continue;
    check_name(context, c, e->class_def->name, e->class_def->name_range);
    check_operator(context, c, *e->class_def);
  }
}

}  // namespace couplet::modelica
