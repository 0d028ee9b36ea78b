// Collecting connect equations from all components.
#include "couplet/modelica/flatten/connect.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

bool is_graph_call(const ast::Equation& e) {
  return e.kind == ast::EqKind::call && e.left->parts.size() == 2 &&
         e.left->parts[0].name.text() == "Connections";
}

bool has_connections(Slice<const ast::Equation*> body) {
  for (const ast::Equation* e : body) {
    if (e->kind == ast::EqKind::connect || is_graph_call(*e)) return true;
    for (const ast::Branch& b : e->branches)
      if (has_connections(b.body)) return true;
  }
  return false;
}

// The ends that one side of a connect equation names, in the order of the array.
class EndFinder {
 public:
  EndFinder(Context& context, const Scope& scope, const ast::Expr& e)
      : context_(context), scope_(scope), e_(e) {}

  struct Result {
    std::vector<End> ends;
    bool removed = false;      // by a condition: the connection goes, too
    Component* bus = nullptr;  // an expandable connector that has no such member yet
    Symbol member;
    size_t buses = 0;  // of an array of them
    bool is_array = false;
  };

  Result find() {
    if (e_.kind != ast::ExprKind::ref)
      context_.fail(scope_.class_inst, e_.range, "expected the name of a connector");
    Entry* entry = find_name(context_, scope_.class_inst, e_.parts[0].name);
    if (!entry || entry->is_class())
      fail_unknown(context_, scope_.class_inst, nullptr, e_.parts[0].name, e_.parts[0].range);
    Component* first = component_of(context_, entry);
    walk(first, 0, first->resolve()->is_connector);  // an outer one is seen where its inner is
    if (result_.ends.size() != 1) result_.is_array = true;
    return std::move(result_);
  }

 private:
  void walk(Component* c, uint32_t i, bool outside) {
    c = c->resolve();
    if (c->removed || !c->type) {
      result_.removed = true;
      return;
    }
    const bool last = i + 1 == e_.parts.size();
    if (c->dims.empty()) {
      if (!e_.parts[i].subscripts.empty())
        context_.fail(scope_.class_inst, e_.parts[i].range,
                      fmt::format("{} is not an array", base::quoted(c->path())));
      return last ? add(c, -1, outside) : inside(c, i + 1, outside);
    }
    result_.is_array = result_.is_array || e_.parts[i].subscripts.empty();
    for (const size_t offset : select_elements(context_, scope_, c, e_.parts[i])) {
      if (c->is_array_of_classes()) {
        Component* one = c->elements[offset];
        if (last)
          add(one, -1, outside);
        else
          inside(one, i + 1, outside);
      } else {
        add(c, static_cast<int>(offset), outside);
      }
    }
  }

  void inside(Component* c, uint32_t i, bool outside) {
    Entry* next = find_element(context_, c->type, e_.parts[i].name);
    check_public(context_, scope_.class_inst, c, next, e_.parts[i].range);
    if (next && !next->is_class()) return walk(component_of(context_, next), i, outside);
    if (!c->is_expandable || i + 1 != e_.parts.size())
      fail_unknown(context_, scope_.class_inst, c->type, e_.parts[i].name, e_.parts[i].range);
    result_.bus = c;
    ++result_.buses;
    result_.member = e_.parts[i].name;
  }

  void add(Component* c, int element, bool outside) {
    if (!c->is_connector && !c->is_expandable && !inside_expandable(c))
      context_.fail(scope_.class_inst, e_.range,
                    fmt::format("{} is not a connector: its class is {}", base::quoted(c->path()),
                                base::quoted(c->type->path())),
                    "connect equations join connectors");
    if (++context_.connected > max_connected) {
      context_.error(scope_.class_inst, e_.range,
                     fmt::format("this model connects more than {} connectors, elements of arrays "
                                 "counted: more are not possible",
                                 max_connected),
                     "use smaller arrays");
      throw TooDeep();
    }
    result_.ends.push_back({c, element, outside});
  }

  static bool inside_expandable(const Component* c) {
    for (; c; c = c->parent)
      if (c->is_expandable || c->is_connector) return true;
    return false;
  }

  Context& context_;
  const Scope& scope_;
  const ast::Expr& e_;
  Result result_;
};

class Collector {
 public:
  explicit Collector(Context& context, Connections& into) : context_(context), into_(into) {}

  void component(Component* c) {
    if (c->type->primitive != Primitive::none || c->is_array_of_classes() || c->inner) return;
    origin_ = c;
    in_class(c->type);
  }

 private:
  void in_class(ClassInst* c) {
    for (ClassInst* base : c->bases) in_class(base);
    for (const ast::Section& s : c->def->sections)
      if (!s.algorithm && !s.initial && has_connections(s.body)) body({c}, s.body);
  }

  void body(const Scope& scope, Slice<const ast::Equation*> equations) {
    for (const ast::Equation* e : equations) {
      try {
        equation(scope, *e);
      } catch (const Fault&) {
        if (context_.diagnostics.full()) throw;
      }
    }
  }

  void equation(const Scope& scope, const ast::Equation& e) {
    if (e.kind == ast::EqKind::connect) return connect(scope, e);
    if (is_graph_call(e)) return graph_call(scope, e);
    if (e.branches.empty() || !has_any(e)) return;
    if (e.kind == ast::EqKind::for_) return loop(scope, e, 0);
    if (e.kind != ast::EqKind::if_)
      context_.fail(scope.class_inst, e.range, "connections cannot depend on events");
    for (const ast::Branch& b : e.branches)
      if (!b.condition || condition(scope, *b.condition)) return body(scope, b.body);
  }

  static bool has_any(const ast::Equation& e) {
    for (const ast::Branch& b : e.branches)
      if (has_connections(b.body)) return true;
    return false;
  }

  bool condition(const Scope& scope, const ast::Expr& e) {
    try {
      return evaluate(context_, type_expression(context_, scope, e)).truth();
    } catch (const CannotEvaluate& reason) {
      context_.fail(
          scope.class_inst, e.range,
          fmt::format(
              "connections depend on this condition, and it is not known at translation: {}",
              reason.why));
    }
  }

  void loop(const Scope& scope, const ast::Equation& e, uint32_t i) {
    if (i == e.iterators.size()) return body(scope, e.branches[0].body);
    for (const Exp* value : iteration_values(context_, scope, e.iterators[i], e.branches[0].body)) {
      context_.count_step(scope.class_inst, e.range);
      const Binding binding{scope.bindings, e.iterators[i].name, value};
      Scope inside = scope;
      inside.bindings = &binding;
      loop(inside, e, i + 1);
    }
  }

  // extends A(break connect(x, y)), on the way from the text to the component.
  static bool is_left_out(const ClassInst* c, const ast::Equation& e) {
    for (; c; c = c->derived) {
      if (!c->extended_with) continue;
      for (const ast::Modifier& m : c->extended_with->modifiers) {
        if (!m.broken || m.broken->kind != ast::EqKind::connect) continue;
        const ast::Expr &a = *m.broken->left, &b = *m.broken->right;
        if ((same_tree(a, *e.left) && same_tree(b, *e.right)) ||
            (same_tree(a, *e.right) && same_tree(b, *e.left)))
          return true;
      }
    }
    return false;
  }

  bool is_removed(const Scope& scope, const ast::Expr& e) {
    Entry* entry = e.kind == ast::ExprKind::ref
                       ? find_name(context_, scope.class_inst, e.parts[0].name)
                       : nullptr;
    for (uint32_t i = 0; entry && !entry->is_class(); ++i) {
      const Component* c = component_of(context_, entry)->resolve();
      if (c->removed) return true;
      if (!c->type || c->is_array_of_classes() || i + 1 == e.parts.size()) return false;
      entry = find_element(context_, c->type, e.parts[i + 1].name);
    }
    return false;
  }

  void connect(const Scope& scope, const ast::Equation& e) {
    if (is_left_out(scope.class_inst, e)) return;
    // Of a connector that does not exist the other end need not exist, either.
    if (is_removed(scope, *e.left) || is_removed(scope, *e.right)) return;
    const auto a = EndFinder(context_, scope, *e.left).find();
    const auto b = EndFinder(context_, scope, *e.right).find();
    if (a.removed || b.removed) return;
    if (a.bus || b.bus) {
      if (a.bus && b.bus) {  // one of them may get it from another connection
        into_.undeclared.push_back({scope.class_inst, e.range, a.member});
        return;
      }
      const auto& open = a.bus ? a : b;
      const auto& known = a.bus ? b : a;
      if (known.ends.empty()) return;
      const End& first = known.ends[0];
      // Of an array of buses every one gets its share; some may have got it already.
      const size_t given = std::min(open.ends.size(), known.ends.size());
      const size_t each = (known.ends.size() - given) / open.buses;
      const bool alone = open.buses == 1 && given == 0;
      const bool several = known.is_array && first.element < 0 && (each > 1 || alone);
      into_.wanted.push_back({open.bus, open.member, first.component, known.is_array,
                              several ? static_cast<int>(each) : 0, first.element});
      return;
    }
    if (a.ends.size() != b.ends.size())
      context_.fail(scope.class_inst, e.range,
                    fmt::format("{} connectors are connected to {}", a.ends.size(), b.ends.size()),
                    "select elements with subscripts");
    for (size_t i = 0; i < a.ends.size(); ++i) {
      Connection c{a.ends[i], b.ends[i], origin_, scope.class_inst, e.range};
      ++c.a.component->connections;
      ++c.b.component->connections;
      into_.connections.push_back(c);
    }
  }

  void graph_call(const Scope& scope, const ast::Equation& e) {
    const Exp* call = type_expression(context_, scope, *e.left);
    if (call->kind != ExpKind::builtin) return;
    const std::vector<Component*> nodes = components_of(*call->args[0]);
    if (call->builtin == Builtin::root || call->builtin == Builtin::unique_root) {
      into_.roots.insert(into_.roots.end(), nodes.begin(), nodes.end());
    } else if (call->builtin == Builtin::potential_root) {
      const auto priority =
          call->args.size() > 1 ? try_evaluate(context_, call->args[1]) : std::nullopt;
      for (Component* node : nodes)
        into_.potential_roots.push_back({node, priority ? priority->number : 0});
    } else if (call->builtin == Builtin::branch) {
      const std::vector<Component*> others = components_of(*call->args[1]);
      if (nodes.size() != others.size())
        context_.fail(scope.class_inst, e.range,
                      fmt::format("{} nodes are joined to {}", nodes.size(), others.size()));
      for (size_t i = 0; i < nodes.size(); ++i) into_.branches.push_back({nodes[i], others[i]});
    }
  }

  static std::vector<Component*> components_of(const Exp& e) {
    if (e.kind == ExpKind::variable) return {e.variable};
    std::vector<Component*> all;
    for (const Exp* a : e.args) all.push_back(a->variable);
    return all;
  }

  Context& context_;
  Connections& into_;
  Component* origin_ = nullptr;
};

}  // namespace

Connections collect_connections(Context& context) {
  Connections all;
  visit_components(context, context.model, [](Component* c) { c->connections = 0; });
  Collector collector(context, all);
  visit_components(context, context.model, [&](Component* c) { collector.component(c); });
  return all;
}

}  // namespace couplet::modelica
