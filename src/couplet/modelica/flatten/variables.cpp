// Variables of the flat model: every instance of a predefined type, with its binding and
// attributes.
#include "couplet/modelica/flatten/connect.hpp"
#include "couplet/modelica/flatten/passes.hpp"
#include "couplet/modelica/typing/evaluate.hpp"

namespace couplet::modelica {
namespace {

bool is_top_level(const Component* c, const Component* model) {
  return c->parent == model ||
         (c->parent && c->parent->is_connector && is_top_level(c->parent, model));
}

std::vector<Attribute> attributes_of(Context& context, Component* c) {
  std::vector<Attribute> list;
  for (const Mod* m : c->type->primitive_class->mods) {
    if (!m->value) continue;
    list.push_back({m->name, type_mod(context, *m)});
  }
  return list;
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
