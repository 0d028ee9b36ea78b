#include "couplet/modelica/typing/function.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/typing/evaluate.hpp"

namespace couplet::modelica {
namespace {

struct Declared {  // a variable of the function, and where its text is looked up
  Local* local;
  Entry* entry;
  const ast::Element* element;
  ClassInst* scope;
  const Mod* outer;
  ClassInst* type;
};

Declared declare(Context& context, Function& f, Entry* entry) {
  Declared d;
  d.entry = entry;
  d.element = entry->element;
  d.scope = entry->owner;
  d.outer = find_mod(entry->owner->mods, entry->name);
  if (d.outer && d.outer->redeclare && d.outer->redeclare->kind == ast::ElementKind::component) {
    d.element = d.outer->redeclare;
    d.scope = d.outer->redeclare_scope;
  }
  const ast::Component& c = *d.element->component;
  ClassInst* found = lookup_class(context, d.scope, c.type);
  const Mods own = make_mods(context, c.modification, d.scope);
  d.type = use_class(context, found, merge(context, d.outer ? d.outer->nested : Mods{}, own));
  expand(context, d.type);
  d.local = context.arena.make<Local>();
  d.local->name = entry->name;
  d.local->direction =
      c.direction != ast::Direction::none ? c.direction : entry->element->component->direction;
  d.local->slot = f.slots++;
  f.by_entry[entry] = d.local;
  return d;
}

void set_type(Context& context, Declared& d) {
  Type t;
  d.local->declared = d.type;
  t.base = d.type->primitive;
  if (t.base == Primitive::enumeration || t.base == Primitive::external_object)
    t.enumeration = d.type->primitive_class;
  if (t.base == Primitive::none && is_function(d.type))
    d.local->function_type = function_of(context, d.type);
  else if (t.base == Primitive::none)
    t.record = record_type(context, d.type);
  const ast::Component& c = *d.element->component;
  size_t rank = c.dims.size() + c.type_dims.size();
  for (ClassInst* s = d.type; s; s = definition_of(s)) rank += s->def->dims.size();
  d.local->type = with_dims(context, t, std::vector<int>(rank, unknown_size));
}

void set_sizes(Context& context, Function& f, Declared& d) {
  std::vector<const Exp*> sizes;
  std::vector<int> dims;
  const auto add = [&](Slice<const ast::Expr*> list, const Scope& scope) {
    for (const ast::Expr* e : list) {
      const Exp* size =
          e->kind == ast::ExprKind::colon ? nullptr : type_expression(context, scope, *e);
      int known = unknown_size;
      if (size && size->kind == ExpKind::integer)
        known = to_size(size->number);
      else if (size && size->kind == ExpKind::array)
        known = static_cast<int>(size->args.size());  // Real x[E]
      else if (size && size->variability <= ast::Variability::parameter)
        if (const auto value = try_evaluate(context, size)) known = to_size(value->number);
      if (known != unknown_size) size = make_integer(context, known);
      sizes.push_back(size);
      dims.push_back(known);
    }
  };
  const Scope scope{d.scope, &f};
  add(d.element->component->dims, scope);
  add(d.element->component->type_dims, scope);
  for (ClassInst* s = d.type; s; s = definition_of(s)) add(s->def->dims, {s->parent});
  d.local->sizes = context.arena.copy(sizes);
  d.local->type = with_dims(context, d.local->type, dims);
}

// output R r(a = u): the value of a record by its fields; null when none is given.
const Exp* field_values(Context& context, Function& f, const Declared& d) {
  const RecordType* record = d.local->type.record;
  if (!record || !d.local->type.is_scalar()) return nullptr;
  Exp e{.kind = ExpKind::record};
  e.type = d.local->type;
  std::vector<const Exp*> args;
  bool given = false;
  for (const Field& field : record->fields) {
    const Mod* m = find_mod(d.type->mods, field.name);
    given = given || (m && m->value);
    const std::vector<int> dims(field.type.dims.begin(), field.type.dims.end());
    args.push_back(m && m->value
                       ? type_expression(context, {m->scope, &f}, *m->value)
                       : to_exp(context, default_value(context, field.type, dims), field.type));
  }
  e.args = context.arena.copy(args);
  return given ? make_exp(context, e) : nullptr;
}

void set_binding(Context& context, Function& f, Declared& d) {
  if (d.outer && d.outer->value) {
    d.local->binding = type_mod(context, *d.outer);
  } else if (const ast::Modification* m = d.element->component->modification; m && m->value) {
    d.local->binding = type_expression(context, {d.scope, &f}, *m->value);
  } else {
    if (!f.constructs) d.local->binding = field_values(context, f, d);
    return;
  }
  if (d.local->function_type || f.constructs) return;
  d.local->binding =
      coerce(context, {d.scope, &f}, d.local->binding, d.local->type, d.element->component->range,
             fmt::format("the value of {}", base::quoted(d.local->name.text())));
}

// Final fields, and constants with a value, are what they are. [Modelica 3.6, section 12.6]
bool is_closed(const Declared& d) {
  if (d.element->prefixes.final || (d.outer && d.outer->final)) return true;
  const ast::Component& c = *d.element->component;
  return c.variability == ast::Variability::constant && c.modification && c.modification->value;
}

void sort_local(Function& f, const Declared& d) {
  if (f.constructs) d.local->closed = is_closed(d);
  if (f.constructs || d.local->direction == ast::Direction::input)
    f.inputs.push_back(d.local);
  else if (d.local->direction == ast::Direction::output)
    f.outputs.push_back(d.local);
  else
    f.protecteds.push_back(d.local);
}

}  // namespace

namespace {

// What the function or, for function f = g and extends, what it is made of says.
Purity purity_of(const ClassInst* c) {
  if (c->def->impure) return Purity::impure;
  if (c->def->pure) return Purity::pure;
  for (const ClassInst* base : c->bases)
    if (const Purity said = purity_of(base); said != Purity::unsaid) return said;
  return Purity::unsaid;
}

}  // namespace

bool is_function(const ClassInst* c) {
  const ast::ClassKind kind = kind_of(c);
  return kind == ast::ClassKind::function || kind == ast::ClassKind::operator_function;
}

Function* function_of(Context& context, ClassInst* c) {
  if (c->function) return c->function;
  const Deeper deeper(context, c, c->def->name_range, "functions");
  expand(context, c);
  Function& f = context.functions.emplace_back();
  c->function = &f;
  f.class_inst = c;
  f.name = c->path();
  f.purity = purity_of(c);
  if (!is_function(c)) f.constructs = record_type(context, c);
  std::vector<Declared> declared;
  for (Entry* e : c->elements)
    if (!e->is_class()) declared.push_back(declare(context, f, e));
  for (Declared& d : declared) {
    set_type(context, d);
    sort_local(f, d);
  }
  for (Declared& d : declared) set_sizes(context, f, d);
  for (Declared& d : declared) set_binding(context, f, d);
  if (!f.constructs) read_annotations(context, f, c);
  return &f;
}

namespace {

// The class with the text of the body: the function itself or a base.
ClassInst* find_body(ClassInst* c) {
  if (!c->def->sections.empty() || c->def->external) return c;
  for (ClassInst* base : c->bases)
    if (ClassInst* found = find_body(base)) return found;
  return nullptr;
}

const Exp* make_local(Context& context, const Local* l) {
  Exp e{.kind = ExpKind::local};
  e.local = l;
  e.type = l->type;
  return make_exp(context, e);
}

// `external;` alone calls what has the name of the function with all inputs and outputs as they are
// declared, each array with its sizes; a single scalar output is the result.
// [Modelica 3.6, section 12.9.1]
void default_external(Context& context, Function& f, const ClassInst* c) {
  f.external_name = c->def->name;
  const bool returns = f.outputs.size() == 1 && f.outputs[0]->type.is_scalar();
  if (returns) f.external_result = make_local(context, f.outputs[0]);
  std::vector<const Exp*> args;
  for (const Entry* e : f.class_inst->elements) {
    const auto found = f.by_entry.find(e);
    if (found == f.by_entry.end() || found->second->direction == ast::Direction::none) continue;
    const Local* l = found->second;
    if (returns && l == f.outputs[0]) continue;
    args.push_back(make_local(context, l));
    for (uint32_t d = 1; d <= l->type.rank(); ++d)
      args.push_back(make_builtin(context, Builtin::size,
                                  {args[args.size() - d], make_integer(context, d)},
                                  Type{.base = Primitive::integer}));
  }
  f.external_arguments = context.arena.copy(args);
}

void type_external(Context& context, Function& f, ClassInst* c) {
  f.external = c->def->external;
  f.external_source = c->def->source;
  if (!f.external->has_call) return default_external(context, f, c);
  f.external_name = f.external->function;
  const Scope scope{c, &f};
  std::vector<const Exp*> args;
  for (const ast::Expr* e : f.external->arguments)
    args.push_back(type_expression(context, scope, *e));
  f.external_arguments = context.arena.copy(args);
  const Builtin id = find_builtin(f.external->function.text());
  if (f.external->language == "\"builtin\"" &&
      id != Builtin::none) {  // the same rules as for a call
    ast::Expr call{.kind = ast::ExprKind::call};
    std::vector<ast::Argument> given(args.size());
    for (uint32_t i = 0; i < given.size(); ++i) given[i].value = f.external->arguments[i];
    call.arguments = context.arena.copy(given);
    call.range = c->def->name_range;
    if (id >= Builtin::cardinality && id <= Builtin::branch)
      context.fail(c, call.range,
                   fmt::format("{} takes components, and a function has none", builtin_name(id)));
    type_builtin(context, scope, call, id);
  }
  if (f.external->result) f.external_result = type_expression(context, scope, *f.external->result);
  if (f.external_result && f.external_result->type.rank() > 0)
    context.fail(c, f.external->result->range, "an external function does not return an array",
                 "pass the array as an argument, which the function fills");
}

}  // namespace

void type_body(Context& context, Function& f) {
  if (f.body_done || f.constructs) return;
  f.body_done = true;
  ClassInst* c = find_body(f.class_inst);
  if (!c) return;
  if (c->def->external) {
    type_external(context, f, c);
  } else {
    std::vector<const Statement*> all;
    for (const ast::Section& s : c->def->sections) {
      if (!s.algorithm)
        context.fail(c, c->def->name_range,
                     fmt::format("function {} has equations", base::quoted(f.name)),
                     "a function has one algorithm section");
      f.has_algorithm = true;
      for (const Statement* one : type_statements(context, {c, &f}, s.body)) all.push_back(one);
    }
    f.body = context.arena.copy(all);
  }
  type_annotations(context, f, f.class_inst);
}

}  // namespace couplet::modelica
