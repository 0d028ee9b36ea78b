#include "couplet/modelica/flatten/count.hpp"

#include <map>

namespace couplet::modelica {
namespace {

// Every scalar of a variable, an array or a record.
void add_all(const Component* c, std::set<std::pair<const Component*, long>>& into) {
  if (c->is_array_of_classes()) {
    for (const Component* e : c->elements) add_all(e, into);
    return;
  }
  if (c->type->primitive == Primitive::none) {
    for (const Entry* e : c->type->elements)
      if (!e->is_class() && e->component && !e->component->removed) add_all(e->component, into);
    return;
  }
  long count = 1;
  for (const int d : c->dims) count *= d;
  for (long i = 0; i < count; ++i) into.insert({c, i});
}

// Variables and elements that statements assign.
void find_assigned(const Exp* target, std::set<std::pair<const Component*, long>>& into) {
  if (!target) return;
  if (target->kind == ExpKind::tuple || target->kind == ExpKind::array ||
      target->kind == ExpKind::record) {
    for (const Exp* a : target->args) find_assigned(a, into);
    return;
  }
  const Exp* whole = target;
  while (whole->kind == ExpKind::subscript || whole->kind == ExpKind::field) whole = whole->args[0];
  if (whole->kind != ExpKind::variable) return;
  bool known = target->kind == ExpKind::subscript && target->type.is_scalar();
  long offset = 0;
  for (uint32_t i = 1; known && i < target->args.size(); ++i) {
    if (target->args[i]->kind != ExpKind::integer)
      known = false;
    else
      offset = offset * whole->type.dims[i - 1] + static_cast<long>(target->args[i]->number) - 1;
  }
  if (known) {
    into.insert({whole->variable, offset});
    return;
  }
  add_all(whole->variable, into);
}

void find_assigned(Slice<const Statement*> body,
                   std::set<std::pair<const Component*, long>>& into) {
  for (const Statement* s : body) {
    if (s->kind == Statement::Kind::assign) find_assigned(s->left, into);
    for (const auto& b : s->branches) find_assigned(b.body, into);
  }
}

// The component whose class is responsible for a variable: the next one out that is no connector or
// record.
Component* owner_of(Component* c) {
  c = c->parent;
  while (c && c->parent) {
    const ast::ClassKind kind = c->type ? kind_of(c->type) : ast::ClassKind::model;
    if (!c->is_connector && kind != ast::ClassKind::record &&
        kind != ast::ClassKind::operator_record)
      break;
    c = c->parent;
  }
  return c;
}

bool is_connected(const Component* c, const Component* owner) {
  for (; c && c != owner; c = c->parent)
    if (c->connections > 0) return true;
  return false;
}

bool in_connector(const Component* c, const Component* owner) {
  for (; c && c != owner; c = c->parent)
    if (c->is_connector) return true;
  return false;
}

}  // namespace

long count_assigned(Slice<const Statement*> body) {
  std::set<std::pair<const Component*, long>> assigned;
  find_assigned(body, assigned);
  return static_cast<long>(assigned.size());
}

Counts count(const FlatModel& model) {
  Counts c;
  for (const FlatVariable& v : model.variables) {
    const long n = count_scalars(v.type);
    if (v.variability == ast::Variability::parameter) {
      c.parameters += n;
      if (v.structural) c.structural += n;
    }
    if (!v.is_unknown()) continue;
    c.unknowns += n;
    if (v.binding) c.equations += n;
  }
  for (const FlatEquation& e : model.equations) c.equations += e.count();
  for (const FlatAlgorithm& a : model.algorithms)
    if (!a.initial) c.equations += count_assigned(a.body);
  return c;
}

std::vector<Blame> find_blame(Context& context, const FlatModel& model) {
  std::map<Component*, Blame> by_owner;
  std::vector<Component*> order;
  const auto at = [&](Component* c) -> Blame& {
    const auto [place, added] = by_owner.emplace(c, Blame{});
    if (added) order.push_back(c);
    return place->second;
  };
  at(context.model);
  for (const FlatVariable& v : model.variables) {
    if (v.variability <= ast::Variability::parameter || v.type.base == Primitive::external_object)
      continue;
    const long n = count_scalars(v.type);
    Component* owner = owner_of(v.component);
    if (!owner) continue;
    Blame& own = at(owner);
    if (v.direction != ast::Direction::input) own.unknowns += n;
    if (v.binding) own.equations += n;
    const bool flow = v.component->flow == ast::Flow::flow && in_connector(v.component, owner);
    const bool input = v.component->direction == ast::Direction::input && !v.binding;
    if ((flow || input) && owner->parent) {
      own.equations += n;  // given from outside: the surroundings owe it
      if (input && !is_connected(v.component, owner))
        at(v.component).unknowns += n;
      else
        at(owner_of(owner)).unknowns += n;
    }
  }
  const auto add = [&](Component* origin, long n) {
    while (origin && origin->parent && (origin->is_connector || owner_of(origin) == nullptr))
      origin = origin->parent;
    at(origin ? origin : context.model).equations += n;
  };
  for (const FlatEquation& e : model.equations) add(e.origin, e.count());
  for (const FlatAlgorithm& a : model.algorithms)
    if (!a.initial) add(a.origin, count_assigned(a.body));
  std::vector<Blame> blame;
  for (Component* c : order) {
    Blame b = by_owner[c];
    if (b.unknowns == b.equations) continue;
    b.component = c->path();
    b.class_name = c->type->path();
    blame.push_back(b);
  }
  return blame;
}

}  // namespace couplet::modelica
