#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/connect.hpp"
#include "couplet/modelica/flatten/equations.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

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

void add_variables(Context& context, FlatModel& model) {
  visit_components(context, context.model, [&](Component* c) {
    if (c->inner || c->type->primitive == Primitive::none) return;
    add_variable(context, c, model);
  });
}

Connections connect_all(Context& context) {
  Connections all = collect_connections(context);
  for (int round = 0; round < 100 && !context.diagnostics.has_errors(); ++round) {
    if (!grow_expandable(context, all)) break;
    all = collect_connections(context);
  }
  remove_unused_members(context, all);
  return all;
}

// Mistakes in functions are found even where no value is needed at translation.
void check_functions(Context& context) {
  for (size_t i = 0; i < context.functions.size(); ++i) {  // typing one may add others
    try {
      type_body(context, context.functions[i]);
    } catch (const Fault&) {
      if (context.diagnostics.full()) throw;
    }
  }
}

}  // namespace

bool FlatVariable::is_unknown() const {
  return variability > ast::Variability::parameter && direction != ast::Direction::input &&
         type.base != Primitive::external_object;
}

long FlatEquation::count() const {
  switch (kind) {
    case Kind::call:
      return 0;
    case Kind::equality: {
      if (left->kind != ExpKind::tuple) return std::max(count_scalars(left->type), 0L);
      long sum = 0;
      for (const Exp* a : left->args)
        if (a) sum += count_scalars(a->type);
      return sum;
    }
    case Kind::if_:
    case Kind::when: {
      long sum = 0;
      for (const FlatEquation& e : branches[0].body) sum += e.count();
      return sum;
    }
  }
  return 0;
}

FlatModel flatten(Context& context, ClassInst* c) {
  FlatModel model;
  model.name = c->path();
  Component* top = make_model(context, c);
  instantiate_all(context, top);
  if (context.diagnostics.has_errors()) return model;
  Connections all = connect_all(context);
  if (context.diagnostics.has_errors()) return model;
  const ConnectionResults results = solve_graph(context, all);
  context.connections = &results;
  add_equations(context, model);
  add_connection_equations(context, all, model);
  add_variables(context, model);
  for (FlatVariable& v : model.variables) v.structural = v.component->structural;
  context.connections = nullptr;
  check_functions(context);
  return model;
}

}  // namespace couplet::modelica
