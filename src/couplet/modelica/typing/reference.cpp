// References: a.b[2].c. Components of arrays are selected here; what is left are variables.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

using Parts = Slice<ast::RefPart>;

const Exp* find_binding(const Scope& scope, Symbol name) {
  for (const Binding* b = scope.bindings; b; b = b->outer)
    if (b->name == name) return b->value;
  return nullptr;
}

const Exp* make_literal(Context& context, const ClassInst* enumeration, uint32_t index) {
  Exp e{.kind = ExpKind::enum_literal};
  e.type.base = Primitive::enumeration;
  e.type.enumeration = enumeration;
  e.number = index + 1;
  e.name = enumeration->def->literals[index].name;
  return make_exp(context, e);
}

// Indices that subscripts select, one list per dimension; whole dimensions where there are none.
struct Selection {
  std::vector<int> indices;
  bool scalar = false;
};

std::vector<Selection> select(Context& context, const Scope& scope, Component* c,
                              const ast::RefPart& part) {
  std::vector<Selection> all;
  const Exp* whole = nullptr;
  if (!part.subscripts.empty()) {
    Exp array{.kind = ExpKind::array};  // stands for the components: only its dims matter
    array.type = with_dims(context, {}, c->dims);
    whole = make_exp(context, array);
    if (part.subscripts.size() > c->dims.size())
      context.fail(scope.class_inst, part.range,
                   fmt::format("{} has {} dimensions and {} subscripts", base::quoted(c->path()),
                               c->dims.size(), part.subscripts.size()));
  }
  const std::vector<const Exp*> subscripts =
      whole ? type_subscripts(context, scope, whole, part.subscripts) : std::vector<const Exp*>{};
  double count = 1;
  for (size_t d = 0; d < c->dims.size(); ++d) {
    Selection s;
    if (d >= subscripts.size() || subscripts[d]->kind == ExpKind::colon) {
      for (int i = 1; i <= c->dims[d]; ++i) s.indices.push_back(i);
    } else {
      const auto value = try_evaluate(context, subscripts[d]);
      if (!value)
        context.fail(scope.class_inst, part.range, "this subscript is not known at translation",
                     "components are selected by constants and parameters");
      s.scalar = !value->is_array();
      if (s.scalar) s.indices.push_back(to_int(value->number));
      for (const Value& v : value->items) s.indices.push_back(to_int(v.number));
    }
    for (const int i : s.indices)
      if (i < 1 || i > c->dims[d])
        context.fail(scope.class_inst, part.range,
                     fmt::format("subscript {} is outside of 1:{} of {}", i, c->dims[d],
                                 base::quoted(c->path())));
    count *= static_cast<double>(s.indices.size());
    all.push_back(std::move(s));
  }
  if (count > static_cast<double>(max_array))
    context.fail(scope.class_inst, part.range,
                 fmt::format("this has {} elements, at most {} are possible", count, max_array));
  return all;
}

class Walk {
 public:
  Walk(Context& context, const Scope& scope, const ast::Expr& e)
      : context_(context), scope_(scope), parts_(e.parts), range_(e.range) {}

  // The expression for `c`, which parts_[i] names.
  const Exp* from(Component* c, uint32_t i) {
    c = c->resolve();
    if (c->removed)
      context_.fail(
          scope_.class_inst, range_,
          fmt::format("{} does not exist: its condition is false", base::quoted(c->path())),
          "only connect equations may name it");
    if (!c->type || !c->sized)
      context_.fail(
          scope_.class_inst, range_,
          fmt::format("the declaration of {} depends on itself", base::quoted(c->name.text())));
    if (c->is_array_of_classes()) {
      if (!is_known(c, parts_[i])) return is_record(c) ? indexed(c, i) : gathered(c, i);
      return selected(c, i, select(context_, scope_, c, parts_[i]), 0, 0);
    }
    if (c->type->primitive == Primitive::none && !parts_[i].subscripts.empty())
      context_.fail(scope_.class_inst, parts_[i].range,
                    fmt::format("{} is not an array", base::quoted(c->path())));
    if (i + 1 < parts_.size()) return inside(c, i + 1);
    return variable(c, parts_[i]);
  }

  const Exp* in_class(ClassInst* c, uint32_t i) {
    expand(context_, c);
    if (c->primitive == Primitive::enumeration) {
      const auto& literals = c->primitive_class->def->literals;
      for (uint32_t k = 0; k < literals.size(); ++k)
        if (literals[k].name == parts_[i].name) {
          no_subscripts(i);
          return make_literal(context_, c->primitive_class, k);
        }
      std::vector<std::string> names;
      for (const ast::Literal& l : literals) names.push_back(l.name.text());
      context_.fail(scope_.class_inst, parts_[i].range,
                    fmt::format("{} has no literal {}", base::quoted(c->path()),
                                base::quoted(parts_[i].name.text())),
                    base::suggest(parts_[i].name.text(), names));
    }
    Entry* e = find_element(context_, c, parts_[i].name);
    if (!e) fail_unknown(context_, scope_.class_inst, c, parts_[i].name, parts_[i].range);
    if (through_class_) check_constant(e, i, c);
    return entry(e, i);
  }

  const Exp* entry(Entry* e, uint32_t i) {
    if (!e->is_class()) return from(component_of(context_, e), i);
    no_subscripts(i);
    if (i + 1 == parts_.size()) return class_value(class_of(context_, e));
    through_class_ = true;
    return in_class(class_of(context_, e), i + 1);
  }

  // A.x, where A is a class, is a constant: other variables are those of instances. [section 5.3.2]
  void check_constant(const Entry* e, uint32_t i, const ClassInst* c) {
    if (e->is_class()) return;
    through_class_ = false;
    if (e->element->component->variability == ast::Variability::constant) return;
    for (const ClassInst* s = scope_.class_inst; s; s = s->parent)
      if (s->def && s->def == c->def) return;  // from inside of the class
    context_.fail(scope_.class_inst, parts_[i].range,
                  fmt::format("{} is no constant of class {}", base::quoted(parts_[i].name.text()),
                              base::quoted(c->path())),
                  "declare a component of the class and name its variable, or make it a constant");
  }

  const Exp* fields(const Exp* record, uint32_t i) {
    for (; i < parts_.size(); ++i) {
      if (!record->type.record)
        context_.fail(scope_.class_inst, parts_[i].range,
                      fmt::format("{} is no record and has no {}", to_string(record->type),
                                  base::quoted(parts_[i].name.text())));
      const Exp* field = make_field(context_, record, parts_[i].name);
      if (!field)
        fail_unknown(context_, scope_.class_inst, record->type.record->class_inst, parts_[i].name,
                     parts_[i].range);
      record = subscripted(field, parts_[i]);
    }
    return record;
  }

  const Exp* subscripted(const Exp* e, const ast::RefPart& part) {
    if (part.subscripts.empty()) return e;
    return make_subscript(context_, e, type_subscripts(context_, scope_, e, part.subscripts));
  }

 private:
  static bool is_record(const Component* c) {
    const ast::ClassKind kind = kind_of(c->type);
    return kind == ast::ClassKind::record || kind == ast::ClassKind::operator_record;
  }

  void no_subscripts(uint32_t i) {
    if (!parts_[i].subscripts.empty())
      context_.fail(scope_.class_inst, parts_[i].range,
                    fmt::format("{} is no array", base::quoted(parts_[i].name.text())));
  }

  // Only the dims of what the subscripts belong to matter.
  const Exp* stand_in(const std::vector<int>& dims) {
    Exp array{.kind = ExpKind::array};
    array.type = with_dims(context_, {}, dims);
    return make_exp(context_, array);
  }

  bool is_known(const Component* c, const ast::RefPart& part) {
    if (part.subscripts.empty() || part.subscripts.size() > c->dims.size()) return true;
    for (const Exp* s : type_subscripts(context_, scope_, stand_in(c->dims), part.subscripts))
      if (s->kind != ExpKind::colon && !try_evaluate(context_, s)) return false;
    return true;
  }

  // data[i].x of an array of records, i not known before the simulation: (data.x)[i].
  const Exp* indexed(Component* c, uint32_t i) {
    const std::vector<Selection> all = select(context_, scope_, c, {});
    std::vector<const Exp*> subscripts =
        type_subscripts(context_, scope_, stand_in(c->dims), parts_[i].subscripts);
    const auto fill = [&](size_t rank) {
      while (subscripts.size() < rank)
        subscripts.push_back(make_exp(context_, {.kind = ExpKind::colon}));
    };
    const Exp* e = whole(c, all, 0, 0);
    fill(e->type.rank());
    while (++i < parts_.size()) {
      const size_t before = e->type.rank();
      e = fields_of(e, i);
      const std::vector<int> rest(e->type.dims.begin() + static_cast<long>(before),
                                  e->type.dims.end());
      for (const Exp* s : type_subscripts(context_, scope_, stand_in(rest), parts_[i].subscripts))
        subscripts.push_back(s);
      fill(e->type.rank());
    }
    return make_subscript(context_, e, subscripts);
  }

  // a[i].x of an array of models, i not known before the simulation: {a[1].x, a[2].x}[i].
  const Exp* gathered(Component* c, uint32_t i) {
    if (i + 1 == parts_.size())
      context_.fail(scope_.class_inst, parts_[i].range,
                    "this subscript is not known at translation",
                    "components are selected by constants and parameters");
    const std::vector<const Exp*> subscripts =
        type_subscripts(context_, scope_, stand_in(c->dims), parts_[i].subscripts);
    const Exp* all = selected(c, i, select(context_, scope_, c, {}), 0, 0);
    return make_subscript(context_, all, subscripts);
  }

  const Exp* whole(Component* c, const std::vector<Selection>& all, size_t d, size_t offset) {
    if (d == all.size()) return variable(c->elements[offset], {});
    std::vector<const Exp*> items;
    for (const int k : all[d].indices)
      items.push_back(whole(c, all, d + 1,
                            offset * static_cast<size_t>(c->dims[d]) + static_cast<size_t>(k - 1)));
    return make_array(
        context_, items,
        items.empty() ? with_dims(context_, type_of(context_, c), {}) : items[0]->type);
  }

  const Exp* fields_of(const Exp* record, uint32_t i) {
    const Exp* field = record->type.record ? make_field(context_, record, parts_[i].name) : nullptr;
    if (!field)
      fail_unknown(context_, scope_.class_inst,
                   record->type.record ? record->type.record->class_inst : nullptr, parts_[i].name,
                   parts_[i].range);
    return field;
  }

  const Exp* inside(Component* c, uint32_t i) {
    if (c->type->primitive != Primitive::none)
      context_.fail(scope_.class_inst, parts_[i].range,
                    fmt::format("{} is a variable and has no {}", base::quoted(c->path()),
                                base::quoted(parts_[i].name.text())));
    check_public(context_, scope_.class_inst, c, find_element(context_, c->type, parts_[i].name),
                 parts_[i].range);
    return in_class(c->type, i);
  }

  const Exp* selected(Component* c, uint32_t i, const std::vector<Selection>& chosen, size_t d,
                      size_t offset) {
    if (d == chosen.size()) {
      Component* one = c->elements[offset];
      return i + 1 < parts_.size() ? inside(one, i + 1) : variable(one, {});
    }
    std::vector<const Exp*> items;
    for (const int k : chosen[d].indices)
      items.push_back(
          selected(c, i, chosen, d + 1,
                   offset * static_cast<size_t>(c->dims[d]) + static_cast<size_t>(k - 1)));
    if (chosen[d].scalar) return items[0];
    return make_array(context_, items, items.empty() ? empty_type(c, i) : items[0]->type);
  }

  // Of a.b where a has no elements: what b would be cannot be asked of an instance.
  Type empty_type(Component* c, uint32_t i) {
    for (++i; i < parts_.size(); ++i) {
      Entry* e = find_element(context_, c->type, parts_[i].name);
      if (!e || e->is_class()) break;
      c = component_of(context_, e)->resolve();
    }
    Type t = type_of(context_, c);
    return i <= parts_.size() && c->is_array_of_classes() ? with_dims(context_, t, {}) : t;
  }

  const Exp* variable(Component* c, const ast::RefPart& part) {
    const bool is_record = c->type->primitive == Primitive::none;
    const bool is_object = c->type->primitive == Primitive::external_object;  // no literal for it
    if (c->variability == ast::Variability::constant && !scope_.keep_constants && !is_object) {
      if (const auto value = try_evaluate(context_, make_variable(context_, c)))
        return subscripted(to_exp(context_, *value, type_of(context_, c)), part);
      if (is_in_package(c) && !is_record) return subscripted(package_constant(c), part);
    }
    const Exp* e = make_variable(context_, c);
    return is_record ? e : subscripted(e, part);
  }

  bool is_in_package(const Component* c) const {
    while (c->parent) c = c->parent;
    return c != context_.model;
  }

  // A constant of a package is no variable of the flat model: its value stands for it.
  const Exp* package_constant(Component* c) {
    const Exp* binding = nullptr;
    try {
      binding = binding_of(context_, c);
    } catch (const CannotEvaluate& reason) {
      context_.fail(scope_.class_inst, range_, reason.why);
    }
    if (binding) return binding;
    const std::string name = c->scope ? c->scope->path() + "." + c->path() : c->path();
    context_.fail(scope_.class_inst, range_,
                  fmt::format("constant {} has no value", base::quoted(name)),
                  "give it one where its package is extended or redeclared");
  }

  // A type as a value: `for i in Boolean`, `Real x[E]`.
  const Exp* class_value(ClassInst* c) {
    expand(context_, c);
    std::vector<const Exp*> all;
    const bool counts =
        c->primitive == Primitive::enumeration || c->primitive == Primitive::boolean;
    if (counts && !scope_.types_count)
      context_.fail(
          scope_.class_inst, range_,
          fmt::format("{} is a type, and a value is needed here", base::quoted(c->path())),
          "types stand for all their values as sizes and as ranges of loops");
    if (c->primitive == Primitive::enumeration)
      for (uint32_t k = 0; k < c->primitive_class->def->literals.size(); ++k)
        all.push_back(make_literal(context_, c->primitive_class, k));
    else if (c->primitive == Primitive::boolean)
      all = {make_boolean(context_, false), make_boolean(context_, true)};
    else if (is_function(c))
      return function_value(c);
    else
      context_.fail(
          scope_.class_inst, range_,
          fmt::format("{} is a class, and a value is needed here", base::quoted(c->path())));
    return make_array(context_, all, all[0]->type);
  }

  const Exp* function_value(ClassInst* c) {
    Exp e{.kind = ExpKind::function};
    e.function = function_of(context_, c);
    return make_exp(context_, e);
  }

  Context& context_;
  const Scope& scope_;
  Parts parts_;
  Range range_;
  bool through_class_ = false;
};

// From a class inside, only constants of the classes around it are seen; a function sees the
// instance that it is called in. [section 5.3.1]
void check_enclosing(Context& context, const Scope& scope, const Entry& entry, Range range) {
  if (scope.function || entry.is_class() || !entry.component) return;
  if (entry.component->variability == ast::Variability::constant) return;
  ClassInst* c = scope.class_inst;
  if (!c->def || c->index.count(entry.name)) return;
  if (is_function(c) || !c->most_derived()->self) return;
  context.fail(scope.class_inst, range,
               fmt::format("{} belongs to a class around this one and is no constant",
                           base::quoted(entry.name.text())),
               "hand it over as a parameter or input, or use inner and outer");
}

// Variables of the function whose body this is.
const Exp* find_local(Context& context, const Scope& scope, const Entry* e) {
  if (!scope.function) return nullptr;
  const auto found = scope.function->by_entry.find(e);
  if (found == scope.function->by_entry.end()) return nullptr;
  const Local* local = found->second;
  Exp result{.kind = ExpKind::local};
  result.local = local;
  result.type = local->type;
  result.function = local->function_type;
  result.variability = ast::Variability::continuous;
  return context.arena.make(result);
}

}  // namespace

const Exp* type_reference(Context& context, const Scope& scope, const ast::Expr& e) {
  Walk walk(context, scope, e);
  const ast::RefPart& first = e.parts[0];
  if (!e.global) {
    if (const Exp* bound = find_binding(scope, first.name))
      return walk.fields(walk.subscripted(bound, first), 1);
    Entry* entry = find_name(context, scope.class_inst, first.name);
    if (entry) {
      if (const Exp* local = find_local(context, scope, entry))
        return walk.fields(walk.subscripted(local, first), 1);
      if (e.parts.size() == 1) check_enclosing(context, scope, *entry, first.range);
      return walk.entry(entry, 0);
    }
    if (e.parts.size() == 1 && first.name.text() == "time") {
      if (scope.function && !scope.function->constructs)
        context.fail(scope.class_inst, e.range, "a function does not know the time",
                     "give it the time as an input");
      if (!first.subscripts.empty())
        context.fail(scope.class_inst, e.range, "time is a scalar and has no subscripts");
      Exp time{.kind = ExpKind::builtin};
      time.builtin = Builtin::time;
      time.type.base = Primitive::real;
      time.variability = ast::Variability::continuous;
      return context.arena.make(time);
    }
    fail_unknown(context, scope.class_inst, nullptr, first.name, first.range);
  }
  return walk.in_class(context.top, 0);
}

std::vector<size_t> select_elements(Context& context, const Scope& scope, Component* c,
                                    const ast::RefPart& part) {
  std::vector<size_t> offsets = {0};
  const std::vector<Selection> chosen = select(context, scope, c, part);
  for (size_t d = 0; d < chosen.size(); ++d) {
    std::vector<size_t> next;
    for (const size_t o : offsets)
      for (const int k : chosen[d].indices)
        next.push_back(o * static_cast<size_t>(c->dims[d]) + static_cast<size_t>(k - 1));
    offsets = std::move(next);
  }
  return offsets;
}

std::vector<Component*> type_components(Context& context, const Scope& scope, const ast::Expr& e) {
  std::vector<Component*> found;
  if (e.kind != ast::ExprKind::ref)
    context.fail(scope.class_inst, e.range, "expected the name of a component");
  Entry* entry = find_name(context, scope.class_inst, e.parts[0].name);
  if (!entry || entry->is_class())
    fail_unknown(context, scope.class_inst, nullptr, e.parts[0].name, e.parts[0].range);
  found.push_back(component_of(context, entry));
  for (uint32_t i = 0;; ++i) {
    std::vector<Component*> elements;
    for (Component* c : found) {
      c = c->resolve();
      if (c->removed || !c->type) continue;
      if (!c->is_array_of_classes()) {
        elements.push_back(c);
        continue;
      }
      for (const size_t o : select_elements(context, scope, c, e.parts[i]))
        elements.push_back(c->elements[o]);
    }
    found = std::move(elements);
    if (i + 1 == e.parts.size()) return found;
    std::vector<Component*> inside;
    for (Component* c : found) {
      Entry* next = find_element(context, c->type, e.parts[i + 1].name);
      if (!next || next->is_class()) {
        if (c->is_expandable) continue;
        fail_unknown(context, scope.class_inst, c->type, e.parts[i + 1].name, e.parts[i + 1].range);
      }
      inside.push_back(component_of(context, next));
    }
    found = std::move(inside);
  }
}

}  // namespace couplet::modelica
