// Classes in their environment: what they inherit, what is redeclared, what they come down to.
// [Modelica 3.6, sections 5.6.1, 7.1 to 7.3]
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/modelica/instantiate/context.hpp"

namespace couplet::modelica {

using ast::Body;
using ast::ElementKind;

namespace {

Symbol name_of(const ast::Element& e) {
  return e.kind == ElementKind::class_ ? e.class_def->name : e.component->name;
}

ClassInst* make_class(Context& context, const ast::ClassDef* def, ClassInst* parent, Mods mods) {
  ClassInst& c = context.classes.emplace_back();
  c.def = def;
  c.parent = parent;
  c.mods = mods;
  return &c;
}

void add_element(ClassInst* c, Entry* entry) {
  if (c->index.emplace(entry->name, entry).second) c->elements.push_back(entry);
}

// What two bases share exists once: the text of the second then speaks of the first one's.
void share(ClassInst* base, const Entry* twice, Entry* kept) {
  const auto found = base->index.find(kept->name);
  if (found == base->index.end() || found->second != twice) return;
  found->second = kept;
  for (ClassInst* b : base->bases) share(b, twice, kept);
}

// Takes over what `base` declares, but not x of extends A(break x): connections of x go with it.
void inherit(Context& context, ClassInst* c, ClassInst* base) {
  c->bases.push_back(base);
  for (Entry* e : base->elements) {
    const Mod* mod = find_mod(base->mods, e->name);
    if (mod && mod->break_out) {
      if (e->is_class()) continue;
      Component& gone = context.components.emplace_back();
      gone.name = e->name;
      gone.removed = true;
      e->component = &gone;
      continue;
    }
    add_element(c, e);
    Entry* kept = c->index[e->name];
    if (kept != e) share(base, e, kept);
  }
}

// What is left out of a base is not what modifications from outside speak of.
ClassInst* make_base(Context& context, ClassInst* c, ClassInst* found, Mods mods) {
  std::vector<const Mod*> outer;
  for (const Mod* m : c->mods) {
    const Mod* own = find_mod(mods, m->name);
    if (!own || !own->break_out) outer.push_back(m);
  }
  const bool all = outer.size() == c->mods.size();
  ClassInst* base =
      use_class(context, found, merge(context, all ? c->mods : context.arena.copy(outer), mods));
  base->derived = c;
  return base;
}

// `redeclare` elements in the text of c modify what its bases declare.
Mods redeclarations(Context& context, ClassInst* c) {
  std::vector<const Mod*> mods;
  for (const ast::Element* e : c->def->elements) {
    const bool is_declaration = e->kind == ElementKind::class_ || e->kind == ElementKind::component;
    if (!is_declaration || !e->prefixes.redeclare) continue;
    const Mod* mod = make_redeclaration(context, *e, c, e->range);
    for (const Mod* m : mods)
      if (m->name == mod->name)
        context.error(c, e->range,
                      fmt::format("{} is redeclared twice", base::quoted(mod->name.text())),
                      "keep one of the two");
    mods.push_back(mod);
  }
  return context.arena.copy(mods);
}

// Where the text around c is looked up. Around a class at the top is its file: it declares nothing,
// but messages have a place.
ClassInst* outside_of(Context& context, ClassInst* c) {
  if (!c->parent || c->parent->def) return c->parent;
  ClassInst*& file = context.files[c->def->source];
  if (file) return file;
  auto* text = context.arena.make<ast::ClassDef>();
  text->source = c->def->source;
  file = &context.classes.emplace_back();
  file->def = text;
  file->parent = c->parent;
  file->state = ClassInst::State::done;
  return file;
}

// The class that an extends clause names, which must not be inherited itself.
ClassInst* lookup_base(Context& context, ClassInst* c, const ast::Name& name) {
  const Symbol first = name.parts[0].name;
  ClassInst* scope = c;
  const bool own = find_own(context, c, first) || is_stored(context, c, first);
  if (!name.global && !own) {
    // Imports of c are seen, its other bases are not: continue outside unless imported.
    bool imported = false;
    for (const ast::Element* e : c->def->elements)
      if (e->kind == ElementKind::import_) imported = true;
    if (!imported && c->parent) scope = outside_of(context, c);
  }
  ClassInst* base = lookup_class(context, scope, name);
  for (const ClassInst* d = c; d; d = d->derived)
    if (d->def == base->def && d->parent == base->parent)
      context.fail(c, name.range,
                   fmt::format("{} extends itself", base::quoted(d->def->name.text())),
                   "break the circle of 'extends'");
  return base;
}

/// What was found before of the declarations of c.
Entry* find_kept(ClassInst* c, Symbol name) {
  const auto found = c->index.find(name);
  if (found != c->index.end() && found->second->owner == c) return found->second;
  const auto kept = c->own.find(name);
  return kept == c->own.end() ? nullptr : kept->second;
}

Entry* keep(Context& context, ClassInst* c, const ast::Element* e) {
  Entry entry;
  entry.name = name_of(*e);
  entry.element = e;
  entry.owner = c;
  context.entries.push_back(entry);
  return c->own[entry.name] = &context.entries.back();
}

void declared_twice(Context& context, ClassInst* c, const ast::Element& e) {
  const Range range = e.kind == ElementKind::class_ ? e.class_def->name_range : e.component->range;
  context.error(c, range,
                fmt::format("{} is declared twice in {}", base::quoted(name_of(e).text()),
                            base::quoted(c->path())),
                "rename one of the two");
}

// What an element of c redeclares is inherited, may be replaced, and stays as visible as it was.
// [Modelica 3.6, sections 7.3, 7.3.1]
void check_inherited(Context& context, ClassInst* c, const Mod& m) {
  const auto found = c->index.find(m.name);
  const std::string name = base::quoted(m.name.text());
  if (found == c->index.end() || found->second->owner == c) {
    context.error(c, m.range, fmt::format("there is no inherited {} to redeclare", name),
                  "drop 'redeclare', or extend the class that declares it");
    return;
  }
  const Entry& entry = *found->second;
  if (entry.is_class() && m.redeclare->kind == ElementKind::class_)
    check_replaceable(context, &entry, &m);
  if (entry.element->prefixes.is_protected != m.redeclare->prefixes.is_protected)
    context.error(c, m.range,
                  fmt::format("{} is {} and is redeclared as {}", name,
                              entry.element->prefixes.is_protected ? "protected" : "public",
                              m.redeclare->prefixes.is_protected ? "protected" : "public"),
                  "redeclare it in a section of the same kind");
}

// What an extends clause modifies must be in the base.
void check_extended(Context& context, const ClassInst* base, Mods own) {
  if (base->primitive != Primitive::none) return;
  for (const Mod* m : own) {
    const auto found = base->index.find(m->name);
    if (found != base->index.end() && found->second->is_class() && m->redeclare &&
        m->redeclare->kind == ElementKind::class_)
      check_replaceable(context, found->second, m);
    if (m->break_out || found != base->index.end()) continue;
    std::vector<std::string> names;
    for (const Entry* e : base->elements) names.push_back(e->name.text());
    context.error(m->scope, m->range,
                  fmt::format("{} has no element {} to modify", base::quoted(base->path()),
                              base::quoted(m->name.text())),
                  base::suggest(m->name.text(), names));
  }
}

void expand_composition(Context& context, ClassInst* c) {
  const Mods redeclared = redeclarations(context, c);
  if (c->original) {
    const Mods mods = merge(context, redeclared, make_mods(context, c->def->modification, c));
    ClassInst* base = make_base(context, c, c->original, mods);
    expand(context, base);
    inherit(context, c, base);
  }
  for (const ast::Element* e : c->def->elements) {
    if (e->kind == ElementKind::extends) {
      ClassInst* found = lookup_base(context, c, e->base);
      const Mods own = make_mods(context, e->modification, c);
      ClassInst* base = make_base(context, c, found, merge(context, redeclared, own));
      base->extended_with = e->modification;
      base->hides = e->prefixes.is_protected;
      expand(context, base);
      check_extended(context, base, own);
      inherit(context, c, base);
      if (base->primitive != Primitive::none) {
        c->primitive = base->primitive;
        const bool is_object = base->primitive == Primitive::external_object;
        c->primitive_class = is_object ? c : base->primitive_class;
      }
    } else if (e->kind != ElementKind::import_ && !e->prefixes.redeclare) {
      Entry* own = find_kept(c, name_of(*e));  // in order: nobody before e has its name
      if (!own) own = keep(context, c, e);
      if (own->element != e) declared_twice(context, c, *e);
      add_element(c, own);
    }
  }
  for (const Mod* m : redeclared) check_inherited(context, c, *m);
}

// type A3 = A[3](x = {1, 2, 3}): an element of such an array gets its part.
Mods of_element(Context& context, ClassInst* c, ClassInst* found, Mods mods) {
  const Component* self = c->most_derived()->self;
  if (c->def->dims.empty() || mods.empty() || !self || self->index.empty()) return mods;
  expand(context, found);
  size_t rank = c->def->dims.size();
  for (const ClassInst* s = found; s; s = definition_of(s)) rank += s->def->dims.size();
  const size_t skipped = self->index.size() - std::min(rank, self->index.size());
  const std::vector<int> index(self->index.begin() + static_cast<long>(skipped), self->index.end());
  return split_mods(context, mods, context.arena.copy(index));
}

void expand_shorthand(Context& context, ClassInst* c) {
  ClassInst* outside = outside_of(context, c);
  ClassInst* found = lookup_class(context, outside, c->def->base);
  if (found == c) context.fail(c, c->def->base.range, "this class is defined by itself");
  const Mods own = of_element(context, c, found, make_mods(context, c->def->modification, outside));
  ClassInst* base = make_base(context, c, found, own);
  expand(context, base);
  inherit(context, c, base);
  c->primitive = base->primitive;
  c->primitive_class = base->primitive_class;
}

Primitive predefined(const ClassInst* c) {
  if (!c->parent || c->parent->def || *c->def->source->path != "predefined types")
    return Primitive::none;
  const std::string& name = c->def->name.text();
  if (name == "Real") return Primitive::real;
  if (name == "Integer") return Primitive::integer;
  if (name == "Boolean") return Primitive::boolean;
  if (name == "String") return Primitive::string;
  if (name == "ExternalObject") return Primitive::external_object;
  if (name == "Clock") return Primitive::clock;
  return Primitive::none;
}

bool is_attribute(const Symbol name) {
  constexpr std::string_view names[] = {"quantity",    "unit",      "displayUnit", "min",
                                        "max",         "start",     "fixed",       "nominal",
                                        "stateSelect", "unbounded", "value",       "uncertain"};
  return std::find(std::begin(names), std::end(names), name.text()) != std::end(names);
}

// An attribute has a value, and nothing inside.
void check_attribute(Context& context, const Mod& m) {
  if (!is_attribute(m.name)) return;
  if (m.redeclare || (!m.nested.empty() && m.name.text() != "value"))
    context.error(m.redeclare ? m.redeclare_scope : m.scope, m.range,
                  fmt::format("attribute {} {}", base::quoted(m.name.text()),
                              m.redeclare ? "cannot be redeclared" : "has no elements to modify"),
                  fmt::format("write {} = value", m.name.text()));
}

// Whether a class that c is a base of declares `name`: connector C replaceable type T = Real;
// extends T; end C;
bool is_around(Context& context, const ClassInst* c, Symbol name) {
  for (ClassInst* d = c->derived; d; d = d->derived)
    if (find_own(context, d, name)) return true;
  return false;
}

// A class gets no value: what replaces it is redeclared.
void check_class_mod(Context& context, const Entry& entry, const Mod& m) {
  if (!entry.is_class()) return;
  if (m.value && !m.redeclare)
    context.error(m.scope, m.range,
                  fmt::format("{} is a class and gets no value", base::quoted(m.name.text())),
                  "write 'redeclare' with the kind of class in front of it");
  if (m.redeclare && m.redeclare->kind == ElementKind::class_)
    check_replaceable(context, &entry, &m);
}

// Outer modifications that meet nothing are mistakes of whoever wrote them.
void check_mods(Context& context, ClassInst* c) {
  const bool is_object = c->primitive == Primitive::external_object;
  const bool has_attributes =
      c->primitive != Primitive::none && c->primitive_class == c && !is_object;
  if (has_attributes) {
    for (const Mod* m : c->mods) check_attribute(context, *m);
    for (const Mod* m : c->mods)
      if (!is_attribute(m->name) && !is_around(context, c, m->name))
        context.error(
            m->scope, m->range,
            fmt::format("{} has no attribute {}", base::quoted(c->path()),
                        base::quoted(m->name.text())),
            base::suggest(m->name.text(), {"start", "fixed", "min", "max", "unit", "displayUnit",
                                           "quantity", "nominal", "stateSelect"}));
    return;
  }
  if (c->derived || c->primitive != Primitive::none) return;
  for (const Mod* m : c->mods) {
    if (m->break_out) continue;
    if (const auto found = c->index.find(m->name); found != c->index.end()) {
      check_class_mod(context, *found->second, *m);
      continue;
    }
    std::vector<std::string> names;
    for (const Entry* e : c->elements) names.push_back(e->name.text());
    context.error(m->scope, m->range,
                  fmt::format("{} has no element {} to modify", base::quoted(c->path()),
                              base::quoted(m->name.text())),
                  base::suggest(m->name.text(), names));
  }
}

}  // namespace

Entry* find_own(Context& context, ClassInst* c, Symbol name) {
  if (!c->def) return nullptr;
  if (Entry* kept = find_kept(c, name)) return kept;
  for (const ast::Element* e : c->def->elements) {
    const bool declares = e->kind == ElementKind::class_ || e->kind == ElementKind::component;
    if (declares && !e->prefixes.redeclare && name_of(*e) == name) return keep(context, c, e);
  }
  return nullptr;
}

ClassInst* use_class(Context& context, ClassInst* c, Mods outer) {
  ClassInst* use = make_class(context, c->def, c->parent, merge(context, outer, c->mods));
  use->original = c->original;
  return use;
}

void expand(Context& context, ClassInst* c) {
  if (c->state == ClassInst::State::done) return;
  const Deeper deeper(context, c, c->def ? c->def->name_range : Range{}, "classes");
  if (c->state == ClassInst::State::expanding)
    context.fail(c, c->def->name_range,
                 fmt::format("{} extends itself", base::quoted(c->def->name.text())),
                 "break the circle of 'extends'");
  c->state = ClassInst::State::expanding;
  if (c->def) {
    c->primitive = predefined(c);
    c->primitive_class = c;
    if (c->def->body == Body::derivative)
      context.fail(c, c->def->name_range, "functions defined by der(...) are not supported yet",
                   "write the derivative as a function of its own");
    if (c->def->body == Body::shorthand) {
      expand_shorthand(context, c);
    } else if (c->def->body == Body::enumeration) {
      c->primitive = Primitive::enumeration;
    } else {
      expand_composition(context, c);
    }
    check_mods(context, c);
  }
  c->state = ClassInst::State::done;
}

void check_replaceable(Context& context, const Entry* entry, const Mod* mod) {
  const ast::Prefixes& prefixes = entry->element->prefixes;
  if (prefixes.replaceable && prefixes.final)
    return context.error(
        mod->redeclare_scope, mod->range,
        fmt::format("{} is final and cannot be redeclared", base::quoted(entry->name.text())),
        "leave the redeclaration out");
  if (prefixes.replaceable) return;
  context.error(mod->redeclare_scope, mod->range,
                fmt::format("{} is not replaceable in {}", base::quoted(entry->name.text()),
                            base::quoted(entry->owner->path())),
                "declare it 'replaceable' there, or leave the redeclaration out");
}

namespace {

// Applies the redeclaration `mod` of `entry` to what it was declared or redeclared as before.
ClassInst* redeclared(Context& context, const Entry* entry, const Mod* mod, ClassInst* original) {
  if (!mod || !mod->redeclare) return original;
  const Deeper deeper(context, mod->redeclare_scope, mod->range, "redeclarations");
  if (mod->redeclare->kind != ElementKind::class_)
    context.fail(mod->redeclare_scope, mod->range,
                 fmt::format("{} is a class and cannot be redeclared as a component",
                             base::quoted(entry->name.text())));
  check_replaceable(context, entry, mod);
  const Mods mods =
      merge(context, mod->nested, constraining_mods(context, *entry->element, entry->owner));
  ClassInst* replacement =
      make_class(context, mod->redeclare->class_def, mod->redeclare_scope, mods);
  if (replacement->def->body == Body::extending) {
    original->mods = {};
    replacement->original = redeclared(context, entry, mod->over, original);
  }
  context.redeclarations.push_back({entry, replacement, mod});
  return replacement;
}

// The class that `outer model M` stands for: the M of the nearest component around that declares it
// inner. [Modelica 3.6, section 5.4]
ClassInst* find_inner_class(Context& context, const Entry& entry) {
  for (Component* c = entry.owner->most_derived()->self; c && c->parent; c = c->parent) {
    ClassInst* around = c->parent->type;
    Entry* found = around ? find_element(context, around, entry.name) : nullptr;
    if (!found || found == &entry || !found->element->prefixes.inner) continue;
    if (!found->is_class())
      context.fail(
          entry.owner, entry.element->class_def->name_range,
          fmt::format("the inner {} is a component, not a class", base::quoted(entry.name.text())));
    return class_of(context, found);
  }
  return nullptr;
}

}  // namespace

// The class that an entry stands for once redeclarations from outside are applied.
ClassInst* class_of(Context& context, Entry* entry) {
  if (entry->class_inst) return entry->class_inst;
  ClassInst* owner = entry->owner;
  if (entry->element->prefixes.outer)
    if (ClassInst* inner = find_inner_class(context, *entry)) return entry->class_inst = inner;
  const Mod* mod = owner->def ? find_mod(owner->mods, entry->name) : nullptr;
  Mods mods = mod ? mod->nested : Mods{};
  if (entry->element->constraint && !(mod && mod->redeclare)) {
    const ast::ClassDef& own = *entry->element->class_def;
    const bool is_short = own.body == Body::shorthand;
    const Mods below = is_short ? make_mods(context, own.modification, owner) : Mods{};
    mods = merge(context, mods,
                 merge(context, below, constraining_mods(context, *entry->element, owner)));
  }
  ClassInst* original = make_class(context, entry->element->class_def, owner, mods);
  return entry->class_inst = redeclared(context, entry, mod, original);
}

ast::ClassKind kind_of(const ClassInst* c) {
  const bool vague = c->def->kind == ast::ClassKind::class_ || c->def->kind == ast::ClassKind::type;
  if (vague && !c->bases.empty() && c->primitive == Primitive::none) return kind_of(c->bases[0]);
  return c->def->kind;
}

ClassInst* definition_of(const ClassInst* c) {
  const bool renames =
      c->def && (c->def->body == Body::shorthand || c->primitive != Primitive::none);
  return renames && !c->bases.empty() ? c->bases[0] : nullptr;
}

std::string ClassInst::path() const {
  if (!def) return "";
  const std::string outside = parent ? parent->path() : "";
  return outside.empty() ? def->name.text() : outside + "." + def->name.text();
}

}  // namespace couplet::modelica
