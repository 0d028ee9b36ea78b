// Making expressions. What can be seen through at once is: {a, b}[2] is b, R(x, y).x is x.
#include "couplet/modelica/typing/exp.hpp"

#include <fmt/format.h>

#include "couplet/modelica/instantiate/context.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {

const Exp* make_exp(Context& context, Exp e) {
  if (context.arena.bytes() > max_memory) {
    context.error(context.place.scope, context.place.range,
                  fmt::format("here the expressions of this model reach {} MB, the most that is "
                              "possible",
                              max_memory >> 20),
                  "use smaller arrays");
    throw TooDeep();
  }
  for (const Exp* a : e.args)
    if (a) e.variability = std::max(e.variability, a->variability);
  return context.arena.make(e);
}

const Exp* make_real(Context& context, double value) {
  Exp e{.kind = ExpKind::real};
  e.type.base = Primitive::real;
  e.number = value;
  return make_exp(context, e);
}

const Exp* make_integer(Context& context, double value) {
  Exp e{.kind = ExpKind::integer};
  e.type.base = Primitive::integer;
  e.number = value;
  return make_exp(context, e);
}

const Exp* make_boolean(Context& context, bool value) {
  Exp e{.kind = ExpKind::boolean};
  e.type.base = Primitive::boolean;
  e.number = value;
  return make_exp(context, e);
}

const Exp* make_string(Context& context, std::string_view value) {
  Exp e{.kind = ExpKind::string};
  e.type.base = Primitive::string;
  const std::vector<char> copy(value.begin(), value.end());
  const Slice<char> kept = context.arena.copy(copy);
  e.text = {kept.data, kept.size()};
  return make_exp(context, e);
}

Type with_dims(Context& context, Type t, const std::vector<int>& dims) {
  t.dims = context.arena.copy(dims);
  return t;
}

const Exp* make_array(Context& context, const std::vector<const Exp*>& elements, Type element) {
  Exp e{.kind = ExpKind::array};
  std::vector<int> dims = {static_cast<int>(elements.size())};
  dims.insert(dims.end(), element.dims.begin(), element.dims.end());
  e.type = with_dims(context, element, dims);
  e.args = context.arena.copy(elements);
  return make_exp(context, e);
}

const Exp* make_builtin(Context& context, Builtin id, const std::vector<const Exp*>& args,
                        Type type) {
  Exp e{.kind = ExpKind::builtin};
  e.builtin = id;
  e.type = type;
  e.args = context.arena.copy(args);
  return make_exp(context, e);
}

const Exp* make_variable(Context& context, Component* c) {
  Exp e{.kind = ExpKind::variable};
  e.variable = c;
  e.type = type_of(context, c);
  const bool steps = e.type.base != Primitive::real && e.type.base != Primitive::none;
  e.variability = steps ? std::min(c->variability, ast::Variability::discrete) : c->variability;
  return context.arena.make(e);
}

bool same_enumeration(const ClassInst* a, const ClassInst* b) {
  if (!a || !b || a->def == b->def) return a == b || (a && b);
  const auto &x = a->def->literals, &y = b->def->literals;
  if (x.size() != y.size()) return false;
  for (uint32_t i = 0; i < x.size(); ++i)
    if (x[i].name != y[i].name) return false;
  return true;
}

bool is_literal(const Exp* e) { return e->kind <= ExpKind::enum_literal; }

namespace {

// x[2, :][3] is x[2, 3]: outer subscripts fill the dimensions that the inner ones left.
const Exp* merge_subscripts(Context& context, const Exp* inner,
                            const std::vector<const Exp*>& outer) {
  std::vector<const Exp*> merged;
  size_t next = 0;
  for (uint32_t i = 1; i < inner->args.size(); ++i) {
    const Exp* s = inner->args[i];
    if (s->type.is_scalar() && s->kind != ExpKind::colon) {
      merged.push_back(s);
    } else if (next < outer.size()) {
      const Exp* o = outer[next++];
      if (s->kind == ExpKind::colon)
        merged.push_back(o);
      else if (o->kind == ExpKind::colon)
        merged.push_back(s);
      else
        merged.push_back(make_subscript(context, s, {o}));
    } else {
      merged.push_back(s);
    }
  }
  for (; next < outer.size(); ++next) merged.push_back(outer[next]);
  return make_subscript(context, inner->args[0], merged);
}

bool all_trivial(const std::vector<const Exp*>& subscripts) {
  for (const Exp* s : subscripts)
    if (s->kind != ExpKind::colon) return false;
  return true;
}

}  // namespace

namespace {

// a[2] of an array of records is a component of its own; null when the subscripts are not numbers.
const Exp* find_component(Context& context, const Exp* array,
                          const std::vector<const Exp*>& subscripts) {
  if (array->kind != ExpKind::variable || !array->variable->is_array_of_classes()) return nullptr;
  const Component& c = *array->variable;
  if (subscripts.size() != c.dims.size()) return nullptr;
  size_t offset = 0;
  for (size_t d = 0; d < subscripts.size(); ++d) {
    const Exp* s = subscripts[d];
    if (s->kind != ExpKind::integer || s->number < 1 || s->number > c.dims[d]) return nullptr;
    offset = offset * static_cast<size_t>(c.dims[d]) + static_cast<size_t>(s->number) - 1;
  }
  return offset < c.elements.size() ? make_variable(context, c.elements[offset]) : nullptr;
}

}  // namespace

const Exp* make_subscript(Context& context, const Exp* array,
                          const std::vector<const Exp*>& subscripts) {
  if (all_trivial(subscripts)) return array;
  if (const Exp* component = find_component(context, array, subscripts)) return component;
  if (array->kind == ExpKind::subscript) return merge_subscripts(context, array, subscripts);
  const Exp* first = subscripts[0];
  const std::vector<const Exp*> rest(subscripts.begin() + 1, subscripts.end());
  const auto pick = [&](const Exp* element) {
    return rest.empty() ? element : make_subscript(context, element, rest);
  };
  const bool index = first->kind == ExpKind::integer || first->kind == ExpKind::enum_literal;
  if (array->kind == ExpKind::array && index && first->number >= 1 &&
      first->number <= array->args.size())
    return pick(array->args[static_cast<size_t>(first->number) - 1]);
  if (array->kind == ExpKind::array && first->kind == ExpKind::array) {
    std::vector<const Exp*> picked;
    for (const Exp* i : first->args) {
      std::vector<const Exp*> one = {i};
      one.insert(one.end(), rest.begin(), rest.end());
      picked.push_back(make_subscript(context, array, one));
    }
    if (!picked.empty()) return make_array(context, picked, picked[0]->type);
  }
  Exp e{.kind = ExpKind::subscript};
  std::vector<const Exp*> args = {array};
  args.insert(args.end(), subscripts.begin(), subscripts.end());
  e.args = context.arena.copy(args);
  std::vector<int> dims;
  for (size_t i = 0; i < array->type.dims.size(); ++i) {
    const Exp* s = i < subscripts.size() ? subscripts[i] : nullptr;
    if (!s || s->kind == ExpKind::colon)
      dims.push_back(array->type.dims[i]);
    else if (!s->type.is_scalar())
      dims.push_back(s->type.dims[0]);
  }
  e.type = with_dims(context, array->type, dims);
  return make_exp(context, e);
}

const Exp* make_field(Context& context, const Exp* record, Symbol name) {
  const RecordType& type = *record->type.record;
  uint32_t index = 0;
  while (index < type.fields.size() && type.fields[index].name != name) ++index;
  if (index == type.fields.size()) return nullptr;
  if (record->kind == ExpKind::record) return record->args[index];
  if (record->kind == ExpKind::variable && record->type.is_scalar()) {
    Entry* e = find_element(context, record->variable->type, name);
    return make_variable(context, component_of(context, e));
  }
  if (record->kind == ExpKind::array && !record->args.empty()) {
    std::vector<const Exp*> each;
    for (const Exp* a : record->args) each.push_back(make_field(context, a, name));
    return make_array(context, each, each[0]->type);
  }
  Exp e{.kind = ExpKind::field};
  e.name = name;
  e.number = index;
  e.args = context.arena.copy<const Exp*>({record});
  std::vector<int> dims(record->type.dims.begin(), record->type.dims.end());
  const Type& field = type.fields[index].type;
  dims.insert(dims.end(), field.dims.begin(), field.dims.end());
  e.type = with_dims(context, field, dims);
  return make_exp(context, e);
}

const Exp* substitute(Context& context, const Exp* e, const Function& function,
                      const std::vector<const Exp*>& arguments) {
  if (!e) return nullptr;
  context.check_stack();
  if (e->kind == ExpKind::local) {
    for (size_t i = 0; i < function.inputs.size(); ++i)
      if (function.inputs[i] == e->local)
        return i < arguments.size() && arguments[i] ? arguments[i] : e;
    const Deeper deeper(context, function.class_inst, {}, "default values");
    for (const Local* l : function.protecteds)
      if (l == e->local && l->binding) return substitute(context, l->binding, function, arguments);
    return e;
  }
  if (e->args.empty()) return e;
  std::vector<const Exp*> args;
  bool changed = false;
  for (const Exp* a : e->args) {
    args.push_back(substitute(context, a, function, arguments));
    changed = changed || args.back() != a;
  }
  if (!changed) return e;
  if (e->kind == ExpKind::field) return make_field(context, args[0], e->name);
  if (e->kind == ExpKind::subscript)
    return make_subscript(context, args[0], {args.begin() + 1, args.end()});
  if (e->kind == ExpKind::builtin && e->builtin == Builtin::size && args.size() == 2 &&
      args[1]->kind == ExpKind::integer) {
    const auto d = static_cast<size_t>(args[1]->number) - 1;
    const Type& t = args[0]->type;
    if (d < t.rank() && t.dims[d] != unknown_size) return make_integer(context, t.dims[d]);
  }
  Exp copy = *e;
  copy.variability = ast::Variability::constant;
  copy.args = context.arena.copy(args);
  return make_exp(context, copy);
}

Type type_of(Context& context, Component* c) {
  Type t;
  t.base = c->type->primitive;
  if (t.base == Primitive::enumeration || t.base == Primitive::external_object)
    t.enumeration = c->type->primitive_class;
  if (t.base == Primitive::none) t.record = record_type(context, c->type);
  return with_dims(context, t, c->dims);
}

const RecordType* record_type(Context& context, ClassInst* c) {
  if (c->record) return c->record;
  expand(context, c);
  RecordType* r = &context.records.emplace_back();
  r->name = c->def ? c->path() : "";
  r->class_inst = c;
  c->record = r;  // before the fields: a record may not contain itself, and then this ends
  std::vector<Field> fields;
  for (Entry* e : c->elements) {
    if (e->is_class()) continue;
    Component* field = component_of(context, e);
    if (field->removed) continue;
    fields.push_back({field->name, type_of(context, field->resolve()), field});
  }
  r->fields = context.arena.copy(fields);
  return r;
}

long count_scalars(const Type& t) {
  constexpr long enough = 1'000'000'000'000;  // more would overflow, and nobody can hold it
  long count = 1;
  for (const int d : t.dims) count = std::min(count * std::max(d, 0), enough);
  if (t.base != Primitive::none) return count;
  if (!t.record) return 0;
  long fields = 0;
  for (const Field& f : t.record->fields) fields += count_scalars(f.type);
  return std::min(count, enough / std::max(fields, 1L)) * fields;
}

std::string to_string(const Type& t) {
  std::string text;
  switch (t.base) {
    case Primitive::real:
      text = "Real";
      break;
    case Primitive::integer:
      text = "Integer";
      break;
    case Primitive::boolean:
      text = "Boolean";
      break;
    case Primitive::string:
      text = "String";
      break;
    case Primitive::enumeration:
      text = t.enumeration->path();
      break;
    case Primitive::external_object:
      text = "ExternalObject";
      break;
    case Primitive::clock:
      text = "Clock";
      break;
    case Primitive::none:
      text = t.record ? t.record->name : "no value";
      break;
  }
  for (size_t i = 0; i < t.dims.size(); ++i) {
    text += i ? "," : "[";
    text += t.dims[i] == unknown_size ? ":" : std::to_string(t.dims[i]);
  }
  return t.dims.empty() ? text : text + "]";
}

}  // namespace couplet::modelica
