// Variables of the flat model: every instance of a predefined type, with its binding and
// attributes.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/connect.hpp"
#include "couplet/modelica/flatten/passes.hpp"
#include "couplet/modelica/typing/evaluate.hpp"

namespace couplet::modelica {
namespace {

bool is_top_level(const Component* c, const Component* model) {
  return c->parent == model ||
         (c->parent && c->parent->is_connector && is_top_level(c->parent, model));
}

// The type that an attribute has. [Modelica 3.6, section 4.8]
Type attribute_type(const Component& c, const std::string& name) {
  Type t;
  t.base = c.type->primitive;
  t.enumeration = c.type->primitive == Primitive::enumeration ? c.type->primitive_class : nullptr;
  if (name == "unit" || name == "displayUnit" || name == "quantity") t.base = Primitive::string;
  if (name == "fixed" || name == "unbounded") t.base = Primitive::boolean;
  return t;
}

// What says nothing about values, min = 0, can only hold for all elements: libraries leave 'each'
// out.
void missing_each(Context& context, Component* c, const Mod& m) {
  const std::string& name = m.name.text();
  const std::string what =
      fmt::format("{} has {} elements, and {} one value", base::quoted(c->path()),
                  count_scalars(type_of(context, c)), base::quoted(name));
  const char* fix = "write 'each' when all elements get the same value";
  if (name == "start") context.fail(m.scope, m.range, what, fix);
  if (m.scope && m.scope->def)
    context.diagnostics.warning(m.scope->def->source->locate(m.range.begin), what, fix);
}

// An attribute is alike for all elements (each) or has the sizes of the variable.
const Exp* fitted(Context& context, Component* c, const Mod& m) {
  const Exp* e = type_mod(context, m);
  const std::string& name = m.name.text();
  if (e->variability > ast::Variability::parameter)
    context.fail(m.scope, m.range,
                 fmt::format("{} of {} changes during the simulation", base::quoted(name),
                             base::quoted(c->path())),
                 "attributes are constants or parameters");
  if (name == "stateSelect" || name == "uncertain" || name == "value") return e;
  const bool alike = e->type.is_scalar() && !c->dims.empty();
  // What a type says, type T = Real(min = 0), or what comes with 'each' holds for all elements.
  const bool is_own =
      c->mod && find_mod(c->mod->nested, m.name) && !m.each && !c->mod->each && m.split.empty();
  if (alike && is_own) missing_each(context, c, m);
  const Type t = attribute_type(*c, name);
  // type T = Real[3](start = {1, 2, 3}); T x[2]: the last sizes are those of the type.
  const size_t rank = e->type.rank();
  const bool of_type = !is_own && rank > 0 && rank < c->dims.size();
  if (of_type) {
    coerce(context, {m.scope}, e,
           with_dims(context, t, {c->dims.end() - static_cast<long>(rank), c->dims.end()}), m.range,
           fmt::format("attribute {} of {}", base::quoted(name), base::quoted(c->path())));
    std::vector<const Exp*> args = {e};
    for (size_t d = 0; d + rank < c->dims.size(); ++d)
      args.push_back(make_integer(context, c->dims[d]));
    return make_builtin(context, Builtin::fill, args, with_dims(context, e->type, c->dims));
  }
  coerce(context, {m.scope}, e, alike ? t : with_dims(context, t, c->dims), m.range,
         fmt::format("attribute {} of {}", base::quoted(name), base::quoted(c->path())));
  return e;
}

std::vector<Attribute> attributes_of(Context& context, Component* c) {
  std::vector<Attribute> list;
  for (const Mod* m : c->type->primitive_class->mods) {
    if (!m->value) continue;
    // A member that a bus got from one element of an array: what is said of the array is not of it.
    if (c->grown && type_mod(context, *m)->type.rank() > c->dims.size()) continue;
    list.push_back({m->name, fitted(context, c, *m)});
  }
  return list;
}

// A constant has a value that nothing changes. [Modelica 3.6, section 4.4.4]
void check_constant(Context& context, const FlatVariable& v) {
  const Component& c = *v.component;
  const bool written = c.element && c.scope && c.scope->def &&
                       c.element->component->variability == ast::Variability::constant;
  if (!written || c.variability != ast::Variability::constant) return;
  const Range range = c.element->component->range;
  const bool is_object = v.type.base == Primitive::external_object;
  if (!v.binding && !is_object && c.parent == context.model)
    context.error(c.scope, range, fmt::format("constant {} has no value", base::quoted(c.path())),
                  "give it one, or make it a parameter");
  for (const Attribute& a : v.attributes)
    if (a.name.text() == "fixed" && a.value->kind == ExpKind::boolean && a.value->number == 0)
      context.error(c.scope, range, fmt::format("constant {} is not fixed", base::quoted(c.path())),
                    "drop 'fixed = false', or make it a parameter");
}

void add_variable(Context& context, Component* c, FlatModel& model) {
  FlatVariable v;
  v.name = c->path();
  v.component = c;
  v.type = type_of(context, c);
  v.variability = c->variability;
  if (v.type.base != Primitive::real)
    v.variability = std::min(v.variability, ast::Variability::discrete);
  if (is_top_level(c, context.model) && !c->is_protected) v.direction = c->direction;
  c->flat = static_cast<int>(model.variables.size());
  try {
    v.binding = binding_of(context, c);
    v.attributes = attributes_of(context, c);
  } catch (const Fault&) {
    if (context.diagnostics.full()) throw;
  } catch (const CannotEvaluate& reason) {
    context.error(c->scope, c->element ? c->element->component->range : Range{}, reason.why);
  }
  check_constant(context, v);
  model.variables.push_back(std::move(v));
}

}  // namespace

void add_variables(Translation& t) {
  visit_components(t.context, t.context.model, [&](Component* c) {
    if (c->inner || c->type->primitive == Primitive::none) return;
    add_variable(t.context, c, t.model);
  });
}

void mark_structural(Translation& t) {
  for (FlatVariable& v : t.model.variables) v.structural = v.component->structural;
}

}  // namespace couplet::modelica
