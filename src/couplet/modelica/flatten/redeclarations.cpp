// A replacement must offer what it replaces: every public element of the constraining class, with
// the same predefined type. [Modelica 3.6, sections 6.4 and 7.3.2]
#include <fmt/format.h>

#include <set>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/passes.hpp"

namespace couplet::modelica {
namespace {

// What the replacement must be like: the constraining clause, or the declaration itself.
ClassInst* constraint_of(Context& context, const Entry& entry) {
  const ast::Element& e = *entry.element;
  if (e.constraint) return lookup_class(context, entry.owner, e.constraint->type);
  if (e.kind == ast::ElementKind::component)
    return lookup_class(context, entry.owner, e.component->type);
  ClassInst& original = context.classes.emplace_back();
  original.def = e.class_def;
  original.parent = entry.owner;
  return &original;
}

Primitive primitive_of(Context& context, const Entry& component) {
  ClassInst* type = lookup_class(context, component.owner, component.element->component->type);
  expand(context, type);
  return type->primitive;
}

bool same_kind(Context& context, const Entry& a, const Entry& b) {
  if (a.is_class() != b.is_class()) return false;
  return a.is_class() || primitive_of(context, a) == primitive_of(context, b);
}

void check(Context& context, const Redeclaration& r) {
  ClassInst* wanted = constraint_of(context, *r.entry);
  expand(context, wanted);
  expand(context, r.replacement);
  if (kind_of(wanted) == ast::ClassKind::expandable_connector) return;
  const auto refuse = [&](const std::string& why) {
    context.error(r.mod->redeclare_scope, r.mod->range,
                  fmt::format("{} cannot replace {}: {}", base::quoted(r.replacement->path()),
                              base::quoted(r.entry->name.text()), why),
                  fmt::format("use a class that offers all of {}", base::quoted(wanted->path())));
  };
  if (wanted->primitive != r.replacement->primitive)
    return refuse("they come down to different predefined types");
  if (wanted->primitive != Primitive::none) return;
  for (const Entry* e : wanted->elements) {
    if (e->element->prefixes.is_protected) continue;
    const Entry* other = find_element(context, r.replacement, e->name);
    const std::string name = base::quoted(e->name.text());
    if (!other) return refuse(fmt::format("it has no {}", name));
    if (other->element->prefixes.is_protected)
      return refuse(fmt::format("its {} is protected", name));
    if (!same_kind(context, *e, *other))
      return refuse(fmt::format("its {} is of another kind", name));
  }
}

}  // namespace

void check_redeclarations(Translation& t) {
  Context& context = t.context;
  std::set<std::pair<const ast::Element*, const ast::Element*>> done;  // once per text
  for (size_t i = 0; i < context.redeclarations.size(); ++i) {         // checking may find others
    const Redeclaration r = context.redeclarations[i];
    if (!done.insert({r.entry->element, r.mod->redeclare}).second) continue;
    try {
      check(context, r);
    } catch (const Fault&) {
      if (context.diagnostics.full()) throw;
    }
  }
}

}  // namespace couplet::modelica
