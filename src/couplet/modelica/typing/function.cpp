#include "couplet/modelica/typing/function.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  ClassInst* plain;  // without what the declaration modifies
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
  d.plain = found;
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
  Scope scope{d.scope, &f};
  scope.types_count = true;
  add(d.element->component->dims, scope);
  add(d.element->component->type_dims, scope);
  for (ClassInst* s = d.type; s; s = definition_of(s)) {
    Scope around{s->parent};
    around.types_count = true;
    add(s->def->dims, around);
  }
  d.local->sizes = context.arena.copy(sizes);
  d.local->type = with_dims(context, d.local->type, dims);
}

// R r(a = u): the value that a record variable begins with, by its fields: what modifications say,
// else what the record declares. Null where neither says anything.
class RecordStart {
 public:
  RecordStart(Context& context, Function& f, const RecordType& record, Mods mods)
      : context_(context),
        f_(f),
        record_(record),
        mods_(mods),
        args_(record.fields.size()),
        open_(args_.size()) {}

  const Exp* make(ClassInst* plain) {
    make_ = function_of(context_, plain);
    for (size_t i = 0; i < args_.size(); ++i) fill(i);
    if (!said_) return nullptr;
    Exp e{.kind = ExpKind::record};
    e.type.record = &record_;
    e.args = context_.arena.copy(args_);
    return make_exp(context_, e);
  }

 private:
  void fill(size_t i) {
    if (args_[i]) return;
    const Field& field = record_.fields[i];
    if (open_[i])
      context_.fail(f_.class_inst, f_.class_inst->def->name_range,
                    fmt::format("the value of {} in {} depends on itself",
                                base::quoted(field.name.text()), base::quoted(record_.name)));
    open_[i] = true;
    const Mod* m = find_mod(mods_, field.name);
    const Exp* declared = i < make_->inputs.size() ? make_->inputs[i]->binding : nullptr;
    if (m && m->value) {
      args_[i] = type_expression(context_, {m->scope, &f_}, *m->value);
      said_ = true;
    } else if (declared) {
      find_needed(declared);
      args_[i] = substitute(context_, declared, *make_, args_);
      said_ = true;
    } else if (field.type.record && field.type.is_scalar()) {
      args_[i] = RecordStart(context_, f_, *field.type.record, m ? m->nested : Mods{})
                     .make(field.type.record->class_inst);
      said_ = said_ || args_[i];
    }
    if (args_[i]) return;
    const std::vector<int> dims(field.type.dims.begin(), field.type.dims.end());
    args_[i] = to_exp(context_, default_value(context_, field.type, dims), field.type);
  }

  void find_needed(const Exp* e) {
    if (!e) return;
    context_.check_stack();
    for (size_t i = 0; e->kind == ExpKind::local && i < args_.size(); ++i)
      if (make_->inputs[i] == e->local) fill(i);
    for (const Exp* a : e->args) find_needed(a);
  }

  Context& context_;
  Function& f_;
  const RecordType& record_;
  Mods mods_;
  std::vector<const Exp*> args_;
  std::vector<bool> open_;
  Function* make_ = nullptr;
  bool said_ = false;
};

const Exp* record_start(Context& context, Function& f, const Declared& d) {
  const RecordType* record = d.local->type.record;
  if (!record || d.local->direction == ast::Direction::input) return nullptr;
  const Exp* one = RecordStart(context, f, *record, d.type->mods).make(d.plain);
  if (!one || d.local->type.is_scalar()) return one;
  std::vector<const Exp*> args = {one};
  for (const Exp* size : d.local->sizes) {
    if (!size) return nullptr;
    args.push_back(size);
  }
  return make_builtin(context, Builtin::fill, args, d.local->type);
}

void set_binding(Context& context, Function& f, Declared& d) {
  if (d.outer && d.outer->value) {
    d.local->binding = type_mod(context, *d.outer);
  } else if (const ast::Modification* m = d.element->component->modification; m && m->value) {
    d.local->binding = type_expression(context, {d.scope, &f}, *m->value);
  } else {
    if (!f.constructs) d.local->binding = record_start(context, f, d);
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

// Outputs and protected variables in the order in which they get the values that they begin with:
// each after those that its value and its sizes need. [Modelica 3.6, section 12.4.4]
class StartOrder {
 public:
  StartOrder(Context& context, Function& f) : context_(context), f_(f) {}

  void find() {
    for (const std::vector<Local*>* list : {&f_.protecteds, &f_.outputs})
      for (const Local* l : *list) visit(l);
  }

 private:
  void visit(const Local* l) {
    State& state = states_[l];
    if (state == State::done) return;
    if (state == State::open)
      context_.fail(f_.class_inst, f_.class_inst->def->name_range,
                    fmt::format("the value that {} of {} begins with depends on itself",
                                base::quoted(l->name.text()), base::quoted(f_.name)),
                    "assign it in the algorithm");
    state = State::open;
    look(l->binding);
    for (const Exp* size : l->sizes) look(size);
    states_[l] = State::done;
    f_.start_order.push_back(l);
  }

  void look(const Exp* e) {
    if (!e) return;
    context_.check_stack();
    const bool own = e->kind == ExpKind::local && e->local;
    if (own && (has(f_.protecteds, e->local) || has(f_.outputs, e->local))) visit(e->local);
    for (const Exp* a : e->args) look(a);
  }

  static bool has(const std::vector<Local*>& list, const Local* l) {
    return std::find(list.begin(), list.end(), l) != list.end();
  }

  enum class State : uint8_t { fresh, open, done };
  Context& context_;
  Function& f_;
  std::unordered_map<const Local*, State> states_;
};

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
  if (f.constructs) return &f;
  StartOrder(context, f).find();
  read_annotations(context, f, c);
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
