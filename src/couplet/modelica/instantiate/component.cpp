// Component instances: type, size, prefixes, arrays, conditions, inner and outer.
// [Modelica 3.6, sections 4.4, 5.4, 5.6]
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/instantiate/context.hpp"
#include "couplet/modelica/typing/evaluate.hpp"

namespace couplet::modelica {
namespace {

// Modification of the declaration itself, below what comes from outside.
const Mod* declared_mod(Context& context, const ast::Element& e, ClassInst* scope) {
  const ast::Modification* m = e.component->modification;
  if (!m && !e.prefixes.final && !e.constraint) return nullptr;
  Mod mod;
  mod.name = e.component->name;
  mod.scope = scope;
  mod.final = e.prefixes.final;
  if (m) {
    mod.value = m->value;
    mod.removes = m->removes;
    mod.typed = context.arena.make<const Exp*>(nullptr);
    mod.range = m->range;
    mod.nested = make_mods(context, m, scope);
  }
  if (e.constraint) mod.nested = merge(context, mod.nested, constraining_mods(context, e, scope));
  return context.arena.make(mod);
}

// What is not replaceable may be redeclared with the class that it has: other sizes, a value.
bool keeps_type(Context& context, const Mod& outer, const Entry& entry) {
  const ast::Component& now = *outer.redeclare->component;
  const ast::Component& first = *entry.element->component;
  return lookup_class(context, outer.redeclare_scope, now.type)->def ==
         lookup_class(context, entry.owner, first.type)->def;
}

// What a redeclaration cannot change. [Modelica 3.6, section 7.3]
void check_prefixes(Context& context, const Mod& outer, const ast::Component& first) {
  const ast::Component& now = *outer.redeclare->component;
  const auto refuse = [&](const std::string& why) {
    context.error(outer.redeclare_scope, outer.range,
                  fmt::format("{} cannot be redeclared: {}", base::quoted(first.name.text()), why),
                  "keep what the original declaration says");
  };
  if (first.variability == ast::Variability::constant) refuse("it is constant");
  if (now.condition) refuse("a redeclaration has no condition");
  if (first.flow != ast::Flow::none && now.flow != ast::Flow::none && first.flow != now.flow)
    refuse("flow and stream variables stay what they are");
}

// A replacement keeps what the original declaration, or its constraining clause, modifies.
void apply_redeclaration(Context& context, Component& c, const Mod* outer, const Entry* entry) {
  if (outer->redeclare->kind != ast::ElementKind::component)
    context.fail(outer->redeclare_scope, outer->range,
                 fmt::format("{} is a component and cannot be redeclared as a class",
                             base::quoted(c.name.text())));
  const ast::Element& original = *entry->element;
  if (!original.prefixes.replaceable && !keeps_type(context, *outer, *entry))
    check_replaceable(context, entry, outer);
  check_prefixes(context, *outer, *original.component);
  c.element = outer->redeclare;
  c.scope = outer->redeclare_scope;
  const Mod* kept = nullptr;
  if (original.constraint) {
    Mod mod;
    mod.name = c.name;
    mod.scope = entry->owner;
    mod.nested = constraining_mods(context, original, entry->owner);
    kept = context.arena.make(mod);
  } else {
    kept = declared_mod(context, original, entry->owner);
  }
  Mod rest = *outer;  // what the replacement itself says is part of it: see make_redeclaration
  rest.redeclare = nullptr;
  rest.final = rest.final || c.element->prefixes.final;
  c.mod = merge(context, context.arena.make(rest), kept);
}

bool has_annotation(Context& context, const Component& c, std::string_view name) {
  const ast::Annotation* a = c.element->component->comment.annotation;
  if (!a || c.scope->def->source->slice(a->range).find(name) == std::string_view::npos)
    return false;
  const ast::Modification* m =
      find_argument(context.library.content(a, *c.scope->def->source), name);
  return m && m->value && m->value->kind == ast::ExprKind::boolean && m->value->truth;
}

void set_prefixes(Context& context, Component& c, const Entry* entry) {
  const ast::Component& now = *c.element->component;
  const ast::Component& first = *entry->element->component;
  c.variability = std::min(now.variability, first.variability);
  c.direction = now.direction != ast::Direction::none ? now.direction : first.direction;
  c.flow = now.flow != ast::Flow::none ? now.flow : first.flow;
  c.is_protected = entry->is_protected();
  c.is_final = c.element->prefixes.final || (c.mod && c.mod->final);
  c.is_inner = entry->element->prefixes.inner || c.element->prefixes.inner;
  c.is_outer = entry->element->prefixes.outer || c.element->prefixes.outer;
  c.evaluate = has_annotation(context, c, "Evaluate");
  if (!c.parent) return;
  c.is_protected = c.is_protected || c.parent->is_protected;
  c.variability = std::min(c.variability, c.parent->variability);
  if (c.direction == ast::Direction::none) c.direction = c.parent->direction;
  if (c.flow == ast::Flow::none) c.flow = c.parent->flow;
}

// `connector RealInput = input Real[2]`: prefixes and sizes of short classes.
void add_class_prefixes(Context& context, const ClassInst* type, Component& c) {
  ast::Direction said = c.element ? c.element->component->direction : ast::Direction::none;
  for (const ClassInst* t = type; t; t = definition_of(t)) {
    if (t->def->kind == ast::ClassKind::connector) c.is_connector = true;
    if (t->def->kind == ast::ClassKind::expandable_connector)
      c.is_connector = c.is_expandable = true;
    if (said != ast::Direction::none && t->def->direction != ast::Direction::none &&
        said != t->def->direction)
      context.error(c.scope, c.element->component->range,
                    fmt::format("{} is input and output: {} says the other",
                                base::quoted(c.name.text()), base::quoted(t->path())),
                    "drop one of the two");
    if (said == ast::Direction::none) said = t->def->direction;
    if (c.direction == ast::Direction::none) c.direction = t->def->direction;
    if (c.flow == ast::Flow::none) c.flow = t->def->flow;
    c.variability = std::min(c.variability, t->def->variability);
  }
}

// A field of a record class that is no part of an instance: other fields may decide its size, and
// they differ from value to value.
bool is_open_field(const Context& context, const Component& c) {
  const Component* root = &c;
  while (root->parent) root = root->parent;
  if (root == context.model || !root->scope || !root->scope->def) return false;
  const ast::ClassKind kind = root->scope->def->kind;  // or redeclared in a function, for a value
  return kind == ast::ClassKind::record || kind == ast::ClassKind::operator_record ||
         kind == ast::ClassKind::function || kind == ast::ClassKind::operator_function;
}

void add_sizes(Context& context, Component& c, Slice<const ast::Expr*> sizes, ClassInst* scope) {
  for (const ast::Expr* size : sizes) {
    if (size->kind == ast::ExprKind::colon)
      c.dims.push_back(size_from_binding(context, c, c.dims.size(), size->range));
    else if (is_open_field(context, c))
      c.dims.push_back(constant_size(context, scope, size));
    else
      c.dims.push_back(evaluate_size(context, scope, size));
  }
}

// A replacement without sizes has those of the original. [Modelica 3.6, section 7.3]
void set_sizes(Context& context, Component& c, const Entry& entry) {
  const ast::Component& now = *c.element->component;
  const ast::Component& first = *entry.element->component;
  const bool keeps = &now != &first && now.dims.empty() && now.type_dims.empty();
  add_sizes(context, c, keeps ? first.dims : now.dims, keeps ? entry.owner : c.scope);
  add_sizes(context, c, keeps ? first.type_dims : now.type_dims, keeps ? entry.owner : c.scope);
  for (ClassInst* t = c.type; t; t = definition_of(t))
    add_sizes(context, c, t->def->dims, t->parent);
  double count = 1;
  for (const int d : c.dims) count *= d;
  if (count > static_cast<double>(max_array))
    context.fail(c.scope, c.element->component->range,
                 fmt::format("{} has {} elements, at most {} are possible",
                             base::quoted(c.name.text()), count, max_array));
}

Component* find_inner(Context& context, const Component& c) {
  for (Component* p = c.parent; p; p = p->parent) {
    if (!p->parent) break;
    Component* around = p->parent;
    Entry* e = around->type ? find_element(context, around->type, c.name) : nullptr;
    if (!e || !e->element->prefixes.inner) continue;
    if (e->is_class())
      context.fail(
          c.scope, c.element->component->range,
          fmt::format("the inner {} is a class, not a component", base::quoted(c.name.text())));
    Component* found = component_of(context, e);
    return found->own_inner ? found->own_inner : found;
  }
  const auto made = context.missing_inner.find(c.name.text());
  return made == context.missing_inner.end() ? nullptr : made->second;
}

// Nobody declares it: put one at the top, and say so.
Component* make_missing_inner(Context& context, const Component& c) {
  ClassInst* found = lookup_class(context, c.scope, c.element->component->type);
  const std::string name = base::quoted(c.name.text());
  expand(context, found);
  if (find_element(context, context.model->type, c.name))
    context.fail(c.scope, c.element->component->range,
                 fmt::format("the {} of the model is not inner", name),
                 fmt::format("declare it inner {}", c.name.text()));
  if (found->def->partial)
    context.fail(c.scope, c.element->component->range,
                 fmt::format("no enclosing component declares 'inner {}'", c.name.text()),
                 fmt::format("declare an inner {} at the top of the model", name));
  context.diagnostics.warning(
      c.scope->def->source->locate(c.element->component->range.begin),
      fmt::format("no enclosing component declares 'inner {0} {1}': one "
                  "with default settings is added",
                  found->path(), c.name.text()),
      fmt::format("declare 'inner {} {};' at the top of the model", found->path(), c.name.text()));
  Component& made = context.components.emplace_back();
  made.name = c.name;
  made.parent = context.model;
  made.element = c.element;
  made.scope = c.scope;
  made.is_inner = made.sized = true;
  made.type = use_class(context, found, {});
  made.type->self = &made;
  expand(context, made.type);
  add_class_prefixes(context, made.type, made);
  context.missing_inner[c.name.text()] = &made;
  return &made;
}

// Fails before a model is larger than memory: elements of arrays count, too.
void count_components(Context& context, const Component& c, size_t count) {
  context.component_count += count;
  if (context.component_count <= max_components) return;
  context.error(c.scope, c.element->component->range,
                fmt::format("with {} this model has {} components, at most {} are possible",
                            base::quoted(c.name.text()), context.component_count, max_components),
                "use smaller arrays, or arrays of Real instead of arrays of components");
  throw TooDeep();
}

// What `each` says to an array holds for one of its elements as it is.
const Mod* spread(Context& context, const Mod* mod) {
  std::vector<const Mod*> nested;
  bool any = false;
  for (const Mod* m : mod->nested) {
    nested.push_back(m);
    if (!m->each || m->spread) continue;
    Mod used = *m;
    used.spread = any = true;
    nested.back() = context.arena.make(used);
  }
  if (!any) return mod;
  Mod all = *mod;
  all.nested = context.arena.copy(nested);
  return context.arena.make(all);
}

void make_elements(Context& context, Component& c, ClassInst* found) {
  size_t count = 1;
  for (const int d : c.dims) count *= static_cast<size_t>(std::max(0, d));
  count_components(context, c, count);
  std::vector<int> index(c.dims.size(), 1);
  size_t rank = 0;  // of the class itself
  for (const ClassInst* t = c.type; t; t = definition_of(t)) rank += t->def->dims.size();
  Component scalar = c;  // before c has elements: copies of those would make this quadratic
  scalar.dims = {};
  for (size_t i = 0; i < count; ++i) {
    Component& e = context.components.emplace_back(scalar);
    e.index = index;
    if (c.mod) {
      const Mods one =
          split_mods(context, context.arena.copy<const Mod*>({c.mod}), context.arena.copy(index));
      e.mod = spread(context, one[0]);
    }
    e.type = use_class(context, found, e.mod ? e.mod->nested : Mods{});
    if (rank > 0 && !found->mods.empty()) {  // a(T(x = {1, 2, 3})), T an array of three
      const std::vector<int> last(index.end() - static_cast<long>(rank), index.end());
      e.type->mods = merge(context, e.mod ? e.mod->nested : Mods{},
                           split_mods(context, found->mods, context.arena.copy(last)));
    }
    e.type->self = &e;
    expand(context, e.type);
    c.elements.push_back(&e);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] <= c.dims[d]) break;
      index[d] = 1;
    }
  }
}

// Modifications of a component cannot reach what its class protects.
void check_hidden(Context& context, const Component& c) {
  if (!c.mod || c.type->primitive != Primitive::none) return;
  for (const Mod* m : c.mod->nested) {
    const auto found = c.type->index.find(m->name);
    const bool changes = m->value || m->redeclare || !m->nested.empty();
    if (!changes || found == c.type->index.end()) continue;
    if (found->second->is_protected() && m->scope && m->scope->def)
      context.error(m->scope, m->range,
                    fmt::format("{} is protected in {} and cannot be modified from outside",
                                base::quoted(m->name.text()), base::quoted(c.type->path())),
                    "extend the class, or make it public");
  }
}

void instantiate(Context& context, Component& c, const Entry& entry);

void stand_for(Component& c, Component* inner) {
  c.inner = inner;
  c.type = inner->type;
  c.dims = inner->dims;
  c.sized = true;
}

// `inner outer x` declares two: its name means the x around (outer), and components inside see a
// new x (inner), to which the modifications of the declaration belong. [Modelica 3.6, section 5.4]
void join_inner(Context& context, Component& c, const Entry& entry) {
  const Component declared = c;
  Component* around = find_inner(context, c);
  const bool alone = c.is_inner && !around && c.parent == context.model;
  if (!around && !alone) around = make_missing_inner(context, c);
  if (around) stand_for(c, around);
  if (!c.is_inner) return;
  Component& own = context.components.emplace_back(declared);
  own.is_outer = false;
  instantiate(context, own, entry);
  c.own_inner = &own;
  if (alone) stand_for(c, &own);  // nothing can be around the model itself: both are one
}

// What is only outer is declared elsewhere: modifications would change nothing.
// [Modelica 3.6, section 5.4]
void check_outer(Context& context, const Component& c, const Entry& entry) {
  const Mod* m = find_mod(entry.owner->mods, entry.name);
  if (!m || m->break_out || (!m->value && !m->redeclare && m->nested.empty())) return;
  context.error(m->redeclare ? m->redeclare_scope : m->scope, m->range,
                fmt::format("{} is outer and cannot be modified", base::quoted(c.name.text())),
                "modify the inner component");
}

void instantiate(Context& context, Component& c, const Entry& entry) {
  const ast::Component& text = *c.element->component;
  const ast::Expr* condition = entry.element->component->condition;  // a replacement has none
  if (condition && !evaluate_condition(context, entry.owner, condition)) {
    c.removed = true;
    return;
  }
  if (c.is_outer) {
    if (!c.is_inner) check_outer(context, c, entry);
    return join_inner(context, c, entry);
  }
  ClassInst* found = lookup_class(context, c.scope, text.type);
  c.type = use_class(context, found, c.mod ? c.mod->nested : Mods{});
  c.type->self = &c;
  expand(context, c.type);
  check_hidden(context, c);
  add_class_prefixes(context, c.type, c);
  set_sizes(context, c, entry);
  c.sized = true;
  if (c.is_array_of_classes()) make_elements(context, c, found);
}

}  // namespace

Component* component_of(Context& context, Entry* entry) {
  if (entry->component && !entry->busy) return entry->component;
  ClassInst* owner = entry->owner;
  const Range range = entry->element->component->range;
  const Deeper deeper(context, owner, range, "components");
  if (entry->busy) {
    if (entry->component->type) return entry->component;  // known well enough to be looked into
    context.fail(
        owner, range,
        fmt::format("the declaration of {} depends on itself", base::quoted(entry->name.text())));
  }
  Component& c = context.components.emplace_back();
  entry->component = &c;
  entry->busy = true;
  c.name = entry->name;
  c.parent = owner->most_derived()->self;
  c.element = entry->element;
  c.scope = owner;
  count_components(context, c, 1);
  try {
    const Mod* outer = find_mod(owner->mods, entry->name);
    if (outer && outer->redeclare)
      apply_redeclaration(context, c, outer, entry);
    else
      c.mod = merge(context, outer, declared_mod(context, *entry->element, owner));
    set_prefixes(context, c, entry);
    instantiate(context, c, *entry);
    if (outer && outer->redeclare && c.type && !c.inner)
      context.redeclarations.push_back({entry, c.type, outer});
  } catch (const Fault&) {
    c.removed = true;  // reported once; not again for every use
    entry->busy = false;
    throw;
  }
  entry->busy = false;
  return &c;
}

Component* make_model(Context& context, ClassInst* c) {
  Component& model = context.components.emplace_back();
  context.model = &model;
  model.sized = true;
  model.type = use_class(context, c, {});
  model.type->self = &model;
  model.scope = c->parent;
  expand(context, model.type);
  return &model;
}

std::vector<Component*> children(Context& context, Component* component) {
  if (component->removed || component->inner || !component->type) return {};
  if (component->is_array_of_classes()) return component->elements;
  std::vector<Component*> found;
  if (component->type->primitive != Primitive::none) return found;
  for (Entry* e : component->type->elements) {
    if (e->is_class()) continue;
    Component* child = component_of(context, e);
    if (!child->removed) found.push_back(child);
    if (child->own_inner && !child->own_inner->removed) found.push_back(child->own_inner);
  }
  if (component == context.model)
    for (const auto& [name, made] : context.missing_inner) found.push_back(made);
  return found;
}

void instantiate_all(Context& context, Component* component) {
  const Deeper deeper(context, component->scope, {}, "components");
  if (component->type && component->type->def && component->type->def->partial &&
      component->type->primitive == Primitive::none && component->element && !component->inner)
    context.error(
        component->scope, component->element->component->range,
        fmt::format("{} is partial: it cannot be the class of {}",
                    base::quoted(component->type->path()), base::quoted(component->path())),
        "redeclare it, or use a complete class");
  if (component->inner || component->removed || !component->type) return;
  if (component->is_array_of_classes()) {
    for (Component* e : component->elements) instantiate_all(context, e);
    return;
  }
  if (component->type->primitive != Primitive::none) return;
  for (Entry* e : component->type->elements) {
    if (e->is_class()) continue;
    try {
      Component* child = component_of(context, e);
      instantiate_all(context, child);
      if (child->own_inner) instantiate_all(context, child->own_inner);
    } catch (const Fault&) {
      if (context.diagnostics.full()) throw;
    }
  }
}

std::string Component::path() const {
  std::string text = parent ? parent->path() : std::string();
  if (!text.empty()) text += '.';
  text += name.text();
  if (!index.empty()) {
    text += '[';
    for (size_t i = 0; i < index.size(); ++i) text += (i ? "," : "") + std::to_string(index[i]);
    text += ']';
  }
  return text;
}

}  // namespace couplet::modelica
