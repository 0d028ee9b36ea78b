// Bindings of components: what a modification or declaration says, and its value.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

Value to_type(Value v, Primitive base) {
  if (v.is_array()) {
    for (Value& i : v.items) i = to_type(std::move(i), base);
    return v;
  }
  if (base == Primitive::real && v.kind == Value::Kind::integer) v.kind = Value::Kind::real;
  return v;
}

// R r = R(n = 2, x = y) where the size of y is r.n: the argument n, while the others are typed.
const Exp* open_argument(Context& context, const Component& record, Symbol field) {
  const Mod* mod = record.mod;
  if (!record.binding_busy || !mod || !mod->value || !mod->typed || *mod->typed ||
      !mod->split.empty() || mod->value->kind != ast::ExprKind::call)
    return nullptr;
  const ast::Expr& call = *mod->value;
  const ClassInst* made =
      lookup_class(context, mod->scope, {call.global, call.parts, call.range}, true);
  if (is_function(made)) return nullptr;
  for (const ast::Argument& a : call.arguments)
    if (a.name == field) return type_expression(context, {mod->scope}, *a.value);
  return nullptr;
}

// A field of a record that is bound as a whole: R = f(x) binds R.T to f(x).T. Connectors may be
// records, too: connector C = output R.
const Exp* inherited_binding(Context& context, Component* c) {
  Component* parent = c->parent;
  if (!parent || !parent->type || parent == context.model) return nullptr;
  const ast::ClassKind kind = kind_of(parent->type);
  if (kind != ast::ClassKind::record && kind != ast::ClassKind::operator_record &&
      kind != ast::ClassKind::connector)
    return nullptr;
  if (const Exp* argument = open_argument(context, *parent, c->name)) return argument;
  const Exp* whole = binding_of(context, parent);
  if (!whole || !whole->type.record) return nullptr;
  if (parent->is_array_of_classes()) {  // not one of its elements: the first stands for them
    for (size_t i = 0; i < parent->dims.size(); ++i)
      if (parent->dims[i] == 0 || whole->type.rank() != parent->dims.size()) return nullptr;
    const std::vector<const Exp*> first(parent->dims.size(), make_integer(context, 1));
    whole = make_subscript(context, whole, first);
  }
  const Exp* field = make_field(context, whole, c->name);
  if (!field || c->index.empty() || field->type.rank() < c->index.size()) return field;
  std::vector<const Exp*> subscripts;  // an element of an array of records in a record
  for (const int i : c->index) subscripts.push_back(make_integer(context, i));
  return make_subscript(context, field, subscripts);
}

// Whether `e` is what the modification says, as far as messages are concerned.
bool type_mod_is(const Mod& mod, const Exp* e) {
  return mod.value && mod.typed && (*mod.typed == e || !mod.split.empty());
}

// Whether `mod` itself gives what is at `path` below it a value.
bool is_said(const Mod& mod, const std::vector<Symbol>& path) {
  const Mod* said = &mod;
  for (size_t i = path.size(); said && i-- > 0;) said = find_mod(said->nested, path[i]);
  return said && said->value && !said->overruled;
}

// Whether a modification of this very field, and not the text of its class, gives its value, and
// nobody further outside gave one for the whole. [Modelica 3.6, section 7.2.4]
bool is_own(const Component& c) {
  if (!c.mod || !c.mod->value) return false;
  // A constant that has a value is not modified any more.
  const ast::Component& text = *c.element->component;
  if (text.variability == ast::Variability::constant) return true;
  if (!c.parent || !c.parent->mod) return false;
  std::vector<Symbol> path = {c.name};  // from the component that is looked at, innermost first
  if (!is_said(*c.parent->mod, path)) return false;
  for (const Component* p = c.parent; p->parent && p->parent->type; p = p->parent) {
    path.push_back(p->name);
    const Mod* whole = p->parent->mod;
    if (whole && whole->value && !is_said(*whole, path)) return false;
  }
  return true;
}

// A record as a whole: every field of it gets a value. Their types are looked at one by one, when
// each is asked for: sizes of fields may depend on values of others.
void check_record(Context& context, Component* c, const Exp* value, const ClassInst* scope,
                  Range range) {
  const RecordType* have = value->type.record;
  bool good = have != nullptr && c->dims.size() == value->type.rank();
  for (size_t i = 0; good && i < c->dims.size(); ++i)
    good = value->type.dims[i] == unknown_size || value->type.dims[i] == c->dims[i];
  size_t count = 0;
  for (const Entry* e : c->type->elements) {
    if (!good) break;
    if (e->is_class() || (e->component && e->component->removed)) continue;
    ++count;
    bool found = false;
    for (const Field& f : have->fields) found = found || f.name == e->name;
    good = found;
  }
  if (good && count == have->fields.size()) return;
  std::string wanted = c->type->path();
  for (size_t i = 0; i < c->dims.size(); ++i)
    wanted += fmt::format("{}{}{}", i ? "," : "[", c->dims[i], i + 1 == c->dims.size() ? "]" : "");
  context.fail(scope, range,
               fmt::format("the value of {} is {}, and {} is needed", base::quoted(c->path()),
                           to_string(value->type), wanted));
}

}  // namespace

const Exp* find_binding(Context& context, Component* c) {
  if (!is_own(*c))
    if (const Exp* inherited = inherited_binding(context, c)) return inherited;
  return c->mod && c->mod->value ? type_mod(context, *c->mod) : nullptr;
}

const Exp* type_mod(Context& context, const Mod& mod) {
  if (!*mod.typed) *mod.typed = type_expression(context, {mod.scope}, *mod.value);
  const Exp* e = *mod.typed;
  if (mod.split.empty()) return e;
  if (e->type.rank() < mod.split.size())
    context.fail(mod.scope, mod.range,
                 fmt::format("{} modifies an array, and its value is {}",
                             base::quoted(mod.name.text()), to_string(e->type)),
                 "write 'each' when all elements get the same value");
  std::vector<const Exp*> subscripts;
  for (size_t i = 0; i < mod.split.size(); ++i) {
    if (mod.split[i] > e->type.dims[i] && e->type.dims[i] != unknown_size)
      context.fail(mod.scope, mod.range,
                   fmt::format("this value is {}, and an element {} is needed", to_string(e->type),
                               mod.split[i]),
                   "write 'each' when all elements get the same value");
    subscripts.push_back(make_integer(context, mod.split[i]));
  }
  return make_subscript(context, e, subscripts);
}

const Exp* binding_of(Context& context, Component* c) {
  c = c->resolve();
  if (c->binding_done) return c->binding;
  const Range range = c->element ? c->element->component->range : Range{};
  // While the value of a record is checked against its fields, these ask for it: it is typed then.
  if (c->binding_busy && c->mod && c->mod->value && c->mod->typed && *c->mod->typed)
    return type_mod(context, *c->mod);
  if (c->binding_busy)
    throw CannotEvaluate{fmt::format("{} depends on itself", base::quoted(c->path()))};
  const Deeper deeper(context, c->scope, range, "values");
  c->binding_busy = true;
  const Exp* binding = nullptr;
  try {
    binding = find_binding(context, c);
    const bool own = c->mod && c->mod->typed && binding && type_mod_is(*c->mod, binding);
    ClassInst* scope = own ? c->mod->scope : c->scope;
    const Range where = own ? c->mod->range : range;
    if (binding && c->type && c->type->primitive == Primitive::none)
      check_record(context, c, binding, scope, where);
    else if (binding && c->type)
      binding = coerce(context, {scope}, binding, type_of(context, c), where,
                       fmt::format("the value of {}", base::quoted(c->path())));
  } catch (...) {
    c->binding_busy = false;
    c->binding_done = true;  // reported; what uses it goes on without
    throw;
  }
  c->binding_busy = false;
  c->binding_done = true;
  return c->binding = binding;
}

namespace {

Value find_value(Context& context, Component* c) {
  if (c->is_array_of_classes()) {
    std::vector<Value> flat;
    for (Component* e : c->elements) flat.push_back(value_of(context, e));
    for (size_t d = c->dims.size(); d-- > 1;) {
      std::vector<Value> rows;
      const auto n = static_cast<size_t>(std::max(1, c->dims[d]));
      for (size_t i = 0; i + n <= flat.size(); i += n)
        rows.push_back(Value::array(
            {flat.begin() + static_cast<long>(i), flat.begin() + static_cast<long>(i + n)}));
      flat = std::move(rows);
    }
    Value v = Value::array(std::move(flat));
    v.type = type_of(context, c);
    return v;
  }
  if (c->type->primitive == Primitive::none) {
    Value v;
    v.kind = Value::Kind::record;
    v.type = with_dims(context, type_of(context, c), {});
    for (const Field& f : v.type.record->fields) {
      Entry* e = find_element(context, c->type, f.name);
      v.items.push_back(value_of(context, component_of(context, e)));
    }
    return v;
  }
  if (c->variability > ast::Variability::parameter)
    throw CannotEvaluate{fmt::format("{} is not a parameter", base::quoted(c->path()))};
  const Exp* binding = binding_of(context, c);
  if (!binding && c->type->primitive_class) {
    const Mod* start = find_mod(c->type->primitive_class->mods, Symbol("start"));
    if (start && start->value) binding = type_mod(context, *start);
    if (binding && binding->type.rank() < c->dims.size()) {  // each start = 0
      Value v = evaluate(context, binding);
      for (size_t d = c->dims.size() - binding->type.rank(); d-- > 0;) v = repeated(v, c->dims[d]);
      return v;
    }
  }
  if (!binding)
    throw CannotEvaluate{fmt::format("parameter {} has no value", base::quoted(c->path()))};
  return evaluate(context, binding);
}

}  // namespace

const Value& value_of(Context& context, Component* c) {
  c = c->resolve();
  if (c->value) return *c->value;
  if (!c->type || c->removed)
    throw CannotEvaluate{fmt::format("{} has no value", base::quoted(c->path()))};
  if (c->value_busy)
    throw CannotEvaluate{fmt::format("{} depends on itself", base::quoted(c->path()))};
  const Deeper deeper(context, c->scope, c->element ? c->element->component->range : Range{},
                      "values");
  c->value_busy = true;
  try {
    Value v = to_type(find_value(context, c), c->type->primitive);
    if (v.is_array() && v.items.empty()) v.type = type_of(context, c);
    context.values.push_back(std::move(v));
  } catch (...) {
    c->value_busy = false;
    throw;
  }
  c->value_busy = false;
  if (c->variability == ast::Variability::parameter) c->structural = true;
  return *(c->value = &context.values.back());
}

}  // namespace couplet::modelica
