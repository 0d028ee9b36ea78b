// Overconstrained connectors: a spanning tree of the virtual connection graph. [Modelica 3.6, 9.4]
#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/connect.hpp"
#include "couplet/modelica/typing/evaluate.hpp"

namespace couplet::modelica {
namespace {

// Sets of nodes that are in one tree.
class Trees {
 public:
  Component* find(Component* c) {
    Component* root = c;
    while (parent_.count(root) && parent_[root] != root) root = parent_[root];
    while (parent_.count(c) && parent_[c] != root) {
      Component* next = parent_[c];
      parent_[c] = root;
      c = next;
    }
    return root;
  }
  bool join(Component* a, Component* b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    parent_[a] = b;
    return true;
  }

 private:
  std::unordered_map<Component*, Component*> parent_;
};

// Records and types with equalityConstraint inside a connector, in pairs of two connectors of one
// class.
void find_nodes(Context& context, Component* a, Component* b, std::vector<Edge>& into) {
  if (!b->type) return;
  Entry* constraint = find_element(context, a->type, Symbol("equalityConstraint"));
  if (constraint && constraint->is_class()) {
    into.push_back({a, b});
    return;
  }
  if (a->type->primitive != Primitive::none) return;
  for (Component* child : children(context, a)) {
    Entry* other = find_element(context, b->type, child->name);
    if (!other || other->is_class()) continue;
    Component* partner = component_of(context, other);
    if (partner->removed) continue;
    if (!child->is_array_of_classes()) {
      find_nodes(context, child, partner, into);
    } else if (child->elements.size() == partner->elements.size()) {
      for (size_t i = 0; i < child->elements.size(); ++i)
        find_nodes(context, child->elements[i], partner->elements[i], into);
    }
  }
}

}  // namespace

ConnectionResults solve_graph(Context& context, Connections& all) {
  ConnectionResults results;
  Trees trees;
  Trees joined;      // by connections alone: a loop of these says nothing new
  Component ground;  // stands for "has a root": all definite roots hang on it
  std::unordered_map<Component*, std::vector<Component*>> neighbours;
  std::vector<Component*> nodes;
  const auto link = [&](Component* a, Component* b) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  };
  const auto note = [&](Component* c) {
    if (neighbours.emplace(c, std::vector<Component*>{}).second) nodes.push_back(c);
  };
  for (Component* r : all.roots) {
    note(r);
    trees.join(r, &ground);
  }
  for (const Root& r : all.potential_roots) note(r.node);
  for (const Edge& e : all.branches) {
    note(e.a);
    note(e.b);
    results.branch[e.a] = e.b;
    results.branch[e.b] = e.a;
    trees.join(e.a, e.b);
    link(e.a, e.b);
  }
  for (Connection& c : all.connections) {
    std::vector<Edge> edges;
    if (c.a.element < 0 && c.b.element < 0)
      find_nodes(context, c.a.component, c.b.component, edges);
    for (const Edge& e : edges) {
      note(e.a);
      note(e.b);
      if (trees.join(e.a, e.b)) {
        link(e.a, e.b);
        joined.join(e.a, e.b);
      } else if (joined.find(e.a) != joined.find(e.b)) {
        c.broken.push_back(e.a);
      }
    }
  }
  // Trees without a definite root take the potential root of the least priority.
  std::vector<Component*> roots = all.roots;
  std::stable_sort(all.potential_roots.begin(), all.potential_roots.end(),
                   [](const Root& a, const Root& b) { return a.priority < b.priority; });
  for (const Root& r : all.potential_roots)
    if (trees.join(r.node, &ground)) roots.push_back(r.node);
  for (Component* n : nodes)
    if (trees.join(n, &ground)) {
      roots.push_back(n);
      context.diagnostics.warning(
          {}, fmt::format("nothing fixes the reference of {}: it is taken as root",
                          base::quoted(n->path())));
    }
  // Distances from the roots.
  std::vector<Component*> front = roots;
  for (Component* r : roots) results.depth[r] = 0;
  for (size_t i = 0; i < front.size(); ++i) {
    const int next = results.depth[front[i]] + 1;
    for (Component* n : neighbours[front[i]])
      if (results.depth.emplace(n, next).second) front.push_back(n);
  }
  return results;
}

Value evaluate_structure(Context& context, const Exp& e) {
  Component* c = e.args[0]->variable->resolve();
  if (!context.connections) throw CannotEvaluate{"the connections are not known yet"};
  if (e.builtin == Builtin::cardinality) return Value::integer(c->connections);
  const auto& depth = context.connections->depth;
  const auto own = depth.find(c);
  if (e.builtin == Builtin::is_root) return Value::boolean(own != depth.end() && own->second == 0);
  const auto partner = context.connections->branch.find(c);
  if (partner == context.connections->branch.end() || own == depth.end())
    return Value::boolean(true);
  const auto other = depth.find(partner->second);
  return Value::boolean(other == depth.end() || own->second < other->second);
}

}  // namespace couplet::modelica
