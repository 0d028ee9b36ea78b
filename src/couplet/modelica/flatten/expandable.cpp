// Expandable connectors: members come into being because something connects to them, and declared
// ones that nothing connects to do not exist. [Modelica 3.6, section 9.1.3]
#include "couplet/modelica/flatten/connect.hpp"

namespace couplet::modelica {
namespace {

// A member of `bus` of the same type as `like`.
bool add_member(Context& context, Component* bus, Symbol name, Component* like, bool scalar,
                int count = 0) {
  if (find_element(context, bus->type, name)) return false;
  Entry& entry = context.entries.emplace_back();
  entry.name = name;
  entry.element = like->element;
  entry.owner = bus->type;
  Component& c = context.components.emplace_back();
  entry.component = &c;
  c.name = name;
  c.parent = bus;
  c.element = like->element;
  c.scope = like->scope;
  c.flow = like->flow;
  c.variability = like->variability;
  c.is_connector = c.sized = c.grown = true;
  c.is_expandable = like->is_expandable;
  c.type = use_class(context, like->type, {});
  c.type->self = &c;
  expand(context, c.type);
  if (!scalar && !like->is_array_of_classes()) c.dims = like->dims;
  if (count > 0 && c.type->primitive != Primitive::none) c.dims.insert(c.dims.begin(), count);
  bus->type->index[name] = &entry;
  bus->type->elements.push_back(&entry);
  return true;
}

// Two connected buses have the same members.
bool share(Context& context, Component* a, Component* b) {
  bool changed = false;
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    for (Component* member : children(context, from)) {
      Entry* other = find_element(context, to->type, member->name);
      if (!other)
        changed = add_member(context, to, member->name, member, false) || changed;
      else if (member->is_expandable && !other->is_class() && from == a)
        changed = share(context, member, component_of(context, other)) || changed;
    }
  }
  return changed;
}

bool is_used(Context& context, Component* c) {
  if (c->connections > 0) return true;
  if (c->type->primitive != Primitive::none) return false;
  for (Component* child : children(context, c))
    if (is_used(context, child)) return true;
  return false;
}

// Marks members that are used in one of two joined buses as used in the other, too.
bool share_use(Context& context, Component* a, Component* b) {
  bool changed = false;
  for (Component* member : children(context, a)) {
    Entry* other = find_element(context, b->type, member->name);
    if (!other || other->is_class()) continue;
    Component* partner = component_of(context, other);
    if (partner->removed) continue;
    if (member->is_expandable && partner->is_expandable) {
      changed = share_use(context, member, partner) || changed;
    } else if (is_used(context, member) != is_used(context, partner)) {
      member->connections = partner->connections = 1;
      changed = true;
    }
  }
  return changed;
}

}  // namespace

bool grow_expandable(Context& context, const Connections& all) {
  bool changed = false;
  for (const Wanted& w : all.wanted)
    changed = add_member(context, w.bus, w.member, w.like, !w.whole && w.element >= 0, w.count) ||
              changed;
  for (const Connection& c : all.connections)
    if (c.a.component->is_expandable && c.b.component->is_expandable)
      changed = share(context, c.a.component, c.b.component) || changed;
  return changed;
}

void remove_unused_members(Context& context, const Connections& all) {
  // What is connected through one bus is in use in all buses that are joined to it: iterate.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Connection& c : all.connections)
      if (c.a.component->is_expandable && c.b.component->is_expandable)
        changed = share_use(context, c.a.component, c.b.component) || changed;
  }
  visit_components(context, context.model, [&](Component* c) {
    if (!c->is_expandable || c->inner || c->is_array_of_classes()) return;
    for (Component* member : children(context, c))
      if (!is_used(context, member)) member->removed = true;
  });
}

}  // namespace couplet::modelica
