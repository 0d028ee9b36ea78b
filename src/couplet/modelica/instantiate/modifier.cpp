#include "couplet/modelica/instantiate/modifier.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/instantiate/context.hpp"

namespace couplet::modelica {
namespace {

Symbol redeclared_name(const ast::Element& e) {
  return e.kind == ast::ElementKind::class_ ? e.class_def->name : e.component->name;
}

// (a.b.c = 1) is (a(b(c = 1))).
const Mod* make_mod(Context& context, const ast::Modifier& m, uint32_t depth, ClassInst* scope) {
  Mod mod;
  mod.scope = scope;
  mod.range = m.range;
  mod.each = m.each;
  mod.final = m.final;
  if (m.element) {
    mod = *make_redeclaration(context, *m.element, scope, m.range);
    mod.each = m.each;
    mod.final = m.final;
    return context.arena.make(mod);
  }
  mod.name = m.path[depth].name;
  mod.break_out = m.breaks;
  if (depth + 1 < m.path.size()) {
    mod.final = false;
    mod.nested = context.arena.copy<const Mod*>({make_mod(context, m, depth + 1, scope)});
  } else if (m.value) {
    mod.value = m.value->value;
    mod.removes = m.value->removes;
    mod.typed = context.arena.make<const Exp*>(nullptr);
    mod.nested = make_mods(context, m.value, scope);
  }
  return context.arena.make(mod);
}

// Reports what two modifications of one list both give a value: a(x = 1), a.x = 2.
void check_twice(Context& context, const Mod& a, const Mod& b, const ClassInst* scope,
                 Range range) {
  if ((a.value && b.value) || (a.redeclare && b.redeclare))
    report(context.diagnostics, *scope->def->source, range,
           fmt::format("{} is modified twice here", base::quoted(b.name.text())),
           "keep one of the two");
  for (const Mod* m : b.nested)
    if (const Mod* other = find_mod(a.nested, m->name))
      check_twice(context, *other, *m, scope, range);
}

// Reports a modification of something final, wherever below `outer` it is.
// `scope`: of the modification around it, for values that were typed already and have none.
void check_final(Context& context, const Mod& outer, const ClassInst* scope) {
  if (outer.scope) scope = outer.scope;
  if (outer.value || outer.redeclare) {
    if (!scope) scope = outer.redeclare_scope;
    context.error(
        scope, outer.range,
        fmt::format("{} is final and cannot be modified", base::quoted(outer.name.text())),
        "leave this modification out, or ask the author of the class to drop the 'final'");
    return;
  }
  for (const Mod* m : outer.nested) check_final(context, *m, scope);
}

// Values for parts that were given before the whole got one: `R r(a = 1)` and then `r = s`.
Mods overruled(Context& context, Mods nested) {
  std::vector<const Mod*> all;
  for (const Mod* m : nested) {
    Mod weak = *m;
    weak.overruled = true;
    all.push_back(context.arena.make(weak));
  }
  return context.arena.copy(all);
}

// A redeclaration of what was redeclared before: of the earlier one only the constraining clause is
// left. [Modelica 3.6, section 7.3.2]
const Mod* replace(Context& context, const Mod* outer, const Mod* inner) {
  Mod both = *outer;
  both.final = outer->final || inner->final;
  if (inner->redeclare->constraint)
    both.nested = merge(context, outer->nested,
                        constraining_mods(context, *inner->redeclare, inner->redeclare_scope));
  return context.arena.make(both);
}

}  // namespace

const Mod* make_redeclaration(Context& context, const ast::Element& e, ClassInst* scope,
                              Range range) {
  Mod mod;
  mod.name = redeclared_name(e);
  mod.scope = mod.redeclare_scope = scope;
  mod.range = range;
  mod.redeclare = &e;
  const bool is_short =
      e.kind == ast::ElementKind::class_ && e.class_def->body == ast::Body::shorthand;
  const ast::Modification* m = e.kind == ast::ElementKind::component ? e.component->modification
                               : is_short                            ? e.class_def->modification
                                                                     : nullptr;
  if (m) {
    mod.value = m->value;
    mod.removes = m->removes;
    mod.typed = context.arena.make<const Exp*>(nullptr);
    mod.nested = make_mods(context, m, scope);
  }
  if (e.constraint) mod.nested = merge(context, mod.nested, constraining_mods(context, e, scope));
  return context.arena.make(mod);
}

Mods constraining_mods(Context& context, const ast::Element& e, ClassInst* scope) {
  const bool is_short =
      e.kind == ast::ElementKind::class_ && e.class_def->body == ast::Body::shorthand;
  const Mods own = is_short ? make_mods(context, e.class_def->modification, scope) : Mods{};
  if (!e.constraint) return own;
  return make_mods(context, e.constraint->modification, scope);
}

Mods make_mods(Context& context, const ast::Modification* modification, ClassInst* scope) {
  Mods mods;
  if (!modification) return mods;
  std::vector<const Mod*> list;
  for (const ast::Modifier& m : modification->modifiers) {
    if (m.breaks && m.broken) continue;  // a connection: see expand.cpp
    const Mod* mod = make_mod(context, m, 0, scope);
    bool merged = false;
    for (const Mod*& other : list) {
      if (other->name != mod->name) continue;
      check_twice(context, *other, *mod, scope, m.range);
      other = merge(context, other, mod);
      merged = true;
    }
    if (!merged) list.push_back(mod);
  }
  return context.arena.copy(list);
}

const Mod* find_mod(Mods mods, Symbol name) {
  for (const Mod* m : mods)
    if (m->name == name) return m;
  return nullptr;
}

const Mod* merge(Context& context, const Mod* outer, const Mod* inner) {
  if (!outer || !inner) return outer ? outer : inner;
  if (inner->final && outer->scope != inner->scope) check_final(context, *outer, outer->scope);
  const bool extends_it = outer->redeclare && outer->redeclare->kind == ast::ElementKind::class_ &&
                          outer->redeclare->class_def->body == ast::Body::extending;
  if (outer->redeclare && inner->redeclare && !extends_it) return replace(context, outer, inner);
  Mod both = *outer;
  if (!outer->value && !outer->removes && inner->value) {
    both.value = inner->value;
    both.scope = inner->scope;
    both.range = inner->range;
    both.split = inner->split;
    both.each = inner->each;
    both.typed = inner->typed;
  }
  both.final = outer->final || inner->final;
  if (extends_it && inner->redeclare) both.over = merge(context, outer->over, inner);
  if (!outer->redeclare) {
    both.over = inner->over;
    both.redeclare = inner->redeclare;
    both.redeclare_scope = inner->redeclare_scope;
  }
  both.removes = outer->removes || (!outer->value && inner->removes);
  both.nested = merge(context, outer->nested,
                      outer->value ? overruled(context, inner->nested) : inner->nested);
  return context.arena.make(both);
}

Mods merge(Context& context, Mods outer, Mods inner) {
  if (outer.empty() || inner.empty()) return outer.empty() ? inner : outer;
  std::vector<const Mod*> all;
  all.reserve(outer.size() + inner.size());
  for (const Mod* o : outer) all.push_back(merge(context, o, find_mod(inner, o->name)));
  for (const Mod* i : inner)
    if (!find_mod(outer, i->name)) all.push_back(i);
  return context.arena.copy(all);
}

Mods split_mods(Context& context, Mods mods, Slice<int> index) {
  std::vector<const Mod*> all;
  for (const Mod* m : mods) {
    if (m->each && !m->spread) {
      all.push_back(m);
      continue;
    }
    Mod one = *m;
    if (one.value) {
      std::vector<int> split(one.split.begin(), one.split.end());
      split.insert(split.end(), index.begin(), index.end());
      one.split = context.arena.copy(split);
    }
    one.nested = split_mods(context, one.nested, index);
    all.push_back(context.arena.make(one));
  }
  return context.arena.copy(all);
}

}  // namespace couplet::modelica
