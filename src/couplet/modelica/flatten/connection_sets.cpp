// Connection sets and their equations. [Modelica 3.6, section 9.2]
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/connect.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

struct Node {  // a variable in a set
  Component* variable;
  int element;  // of an array; -1: all of it
  bool outside;
  int parent;                              // of the union-find; itself at the root
  const Connection* connection = nullptr;  // the first that names it
};

class Sets {
 public:
  Sets(Context& context, FlatModel& model) : context_(context), model_(model) {}

  void add(const Connection& c) {
    connection_ = &c;
    join(c.a, c.b);
  }

  StreamSets write() {
    split_elements();
    std::map<int, std::vector<int>> sets;  // by root; roots in the order of the text
    for (size_t i = 0; i < nodes_.size(); ++i)
      sets[find(static_cast<int>(i))].push_back(static_cast<int>(i));
    for (const auto& [root, members] : sets) write_set(members);
    visit_components(context_, context_.model, [&](Component* c) {
      if (c->flow == ast::Flow::flow && c->type->primitive != Primitive::none && !c->inner)
        unconnected(c);
    });
    return std::move(streams_);
  }

 private:
  struct Pair {
    Node a, b;
    const Connection* connection;
  };

  void join(const End& a, const End& b) {
    if (a.component == b.component && a.element == b.element) return;
    walk(a, b);
  }

  // Down to the variables of two connectors; they are matched by name.
  void walk(const End& a, const End& b) {
    const Deeper deeper(context_, connection_->scope, connection_->range, "connectors");
    Component *x = a.component->resolve(), *y = b.component->resolve();
    if (!x->type || !y->type) return;
    const bool variables = x->type->primitive != Primitive::none;
    if (variables != (y->type->primitive != Primitive::none)) mismatch(x, y);
    if (variables && is_broken(x) && a.element < 0 && b.element < 0) {
      Entry* equal = find_element(context_, x->type, Symbol("equalityConstraint"));
      if (equal && equal->is_class()) return constrain(x, y, equal);
    }
    if (variables) return leaf(a, b);
    if (x->is_array_of_classes() != y->is_array_of_classes() ||
        x->elements.size() != y->elements.size())
      mismatch(x, y);
    if (x->is_array_of_classes()) {
      for (size_t i = 0; i < x->elements.size(); ++i)
        walk({x->elements[i], -1, a.outside}, {y->elements[i], -1, b.outside});
      return;
    }
    Entry* constraint = find_element(context_, x->type, Symbol("equalityConstraint"));
    if (is_broken(x) && constraint && constraint->is_class()) return constrain(x, y, constraint);
    const bool grows = x->is_expandable || y->is_expandable;
    if (x->is_expandable != y->is_expandable)
      context_.fail(connection_->scope, connection_->range,
                    fmt::format("{} is expandable and {} is not: they cannot be connected",
                                base::quoted((x->is_expandable ? x : y)->path()),
                                base::quoted((x->is_expandable ? y : x)->path())),
                    "connect it to a member of the expandable connector");
    if (!grows && count_declared(x) != count_declared(y)) mismatch(x, y);
    for (Component* child : children(context_, x)) {
      Entry* other = find_element(context_, y->type, child->name);
      if (!other || other->is_class()) {
        if (grows) continue;
        mismatch(x, y);
      }
      Component* partner = component_of(context_, other);
      if (!partner->removed) walk({child, -1, a.outside}, {partner, -1, b.outside});
    }
  }

  bool is_broken(const Component* part) const {
    const auto& all = connection_->broken;
    return std::find(all.begin(), all.end(), part) != all.end();
  }

  // Variables of a connector, also those whose conditions are false.
  static size_t count_declared(const Component* c) {
    size_t count = 0;
    for (const Entry* e : c->type->elements) count += e->is_class() ? 0 : 1;
    return count;
  }

  [[noreturn]] void mismatch(const Component* x, const Component* y) {
    context_.fail(connection_->scope, connection_->range,
                  fmt::format("{} and {} cannot be connected: their classes {} and {} do not match",
                              base::quoted(x->path()), base::quoted(y->path()),
                              base::quoted(x->type->path()), base::quoted(y->type->path())));
  }

  void leaf(const End& a, const End& b) {
    Component *x = a.component->resolve(), *y = b.component->resolve();
    const bool fixed = x->variability <= ast::Variability::parameter;
    if (fixed != (y->variability <= ast::Variability::parameter))
      context_.fail(
          connection_->scope, connection_->range,
          fmt::format("{} is a parameter and {} is not: they cannot be connected",
                      base::quoted((fixed ? x : y)->path()), base::quoted((fixed ? y : x)->path())),
          "drop 'parameter', or bind the parameter where it is declared");
    if (fixed) return;  // must be equal, are not unknown
    if (x->flow != y->flow)
      context_.fail(connection_->scope, connection_->range,
                    fmt::format("{} is a flow variable and {} is not", base::quoted(x->path()),
                                base::quoted(y->path())));
    // [section 9.3]
    const bool causal = x->direction != ast::Direction::none;
    if (causal != (y->direction != ast::Direction::none) && !in_bus(x) && !in_bus(y))
      context_.fail(connection_->scope, connection_->range,
                    fmt::format("{} is input or output and {} is not: they cannot be connected",
                                base::quoted((causal ? x : y)->path()),
                                base::quoted((causal ? y : x)->path())),
                    "give both a direction, or none");
    if (x->type->primitive != y->type->primitive) mismatch(x, y);
    if (a.element < 0 && b.element < 0 && x->dims != y->dims)
      context_.fail(connection_->scope, connection_->range,
                    fmt::format("{} is {} and {} is {}", base::quoted(x->path()),
                                to_string(type_of(context_, x)), base::quoted(y->path()),
                                to_string(type_of(context_, y))));
    pairs_.push_back({{x, a.element, a.outside, 0}, {y, b.element, b.outside, 0}, connection_});
  }

  void constrain(Component* x, Component* y, Entry* constraint) {
    Function* f = function_of(context_, class_of(context_, constraint));
    const Exp* call = make_call(context_, {x->type}, f,
                                {make_variable(context_, x), make_variable(context_, y)}, {});
    if (count_scalars(call->type) == 0) return;
    FlatEquation e;
    e.right = call;
    Type zero = call->type;
    std::vector<const Exp*> sizes;
    for (const int d : zero.dims) sizes.push_back(make_integer(context_, d));
    zero.base = Primitive::integer;
    e.left = make_builtin(context_, Builtin::zeros, sizes, zero);
    place(e, *connection_);
    model_.equations.push_back(e);
  }

  static void place(FlatEquation& e, const Connection& c) {
    e.origin = c.origin;
    e.source = c.scope->def->source;
    e.range = c.range;
  }

  // An array that is connected as a whole here and by elements there is split everywhere.
  void split_elements() {
    std::set<Component*> split;
    for (const Pair& p : pairs_) {
      if (p.a.element >= 0) split.insert(p.a.variable);
      if (p.b.element >= 0) split.insert(p.b.variable);
    }
    for (bool changed = !split.empty(); changed;) {
      changed = false;
      for (const Pair& p : pairs_) {
        if (p.a.element >= 0 || p.b.element >= 0) continue;
        const bool a = split.count(p.a.variable) > 0, b = split.count(p.b.variable) > 0;
        if (a != b) changed = split.insert(a ? p.b.variable : p.a.variable).second;
      }
    }
    for (const Pair& p : pairs_) {
      if (p.a.element >= 0 || p.b.element >= 0 || !split.count(p.a.variable)) {
        unite(p.a, p.b, p.connection);
        continue;
      }
      int count = 1;
      for (const int d : p.a.variable->dims) count *= d;
      for (int i = 0; i < count; ++i) {
        Node a = p.a, b = p.b;
        a.element = b.element = i;
        unite(a, b, p.connection);
      }
    }
  }

  int node(const Node& n, const Connection* connection) {
    const auto [place, added] =
        index_.emplace(Key{n.variable, n.element, n.outside}, static_cast<int>(nodes_.size()));
    if (added) {
      nodes_.push_back(n);
      nodes_.back().parent = place->second;
      nodes_.back().connection = connection;
    }
    return place->second;
  }

  int find(int i) {
    while (nodes_[static_cast<size_t>(i)].parent != i) {
      int& up = nodes_[static_cast<size_t>(i)].parent;
      up = nodes_[static_cast<size_t>(up)].parent;
      i = up;
    }
    return i;
  }

  void unite(const Node& a, const Node& b, const Connection* connection) {
    const int x = find(node(a, connection)), y = find(node(b, connection));
    nodes_[static_cast<size_t>(std::max(x, y))].parent = std::min(x, y);
  }

  const Exp* variable(const Node& n) {
    const Exp* e = make_variable(context_, n.variable);
    if (n.element < 0) return e;
    std::vector<const Exp*> subscripts(n.variable->dims.size());
    int rest = n.element;
    for (size_t d = subscripts.size(); d-- > 0;) {
      subscripts[d] = make_integer(context_, rest % n.variable->dims[d] + 1);
      rest /= n.variable->dims[d];
    }
    return make_subscript(context_, e, subscripts);
  }

  void write_set(const std::vector<int>& members) {
    const Node& first = nodes_[static_cast<size_t>(members[0])];
    if (first.variable->flow == ast::Flow::stream) return add_stream(members);
    if (first.variable->flow == ast::Flow::none) {
      check_sources(members);
      for (size_t i = 1; i < members.size(); ++i) {
        const Node& next = nodes_[static_cast<size_t>(members[i])];
        equal(variable(first), variable(next), next.connection);
      }
      return;
    }
    const Exp* sum = nullptr;  // what flows in from components, minus what flows out of the class
    for (const int m : members) {
      const Node& n = nodes_[static_cast<size_t>(m)];
      (n.outside ? outside_flows_ : inside_flows_).insert({n.variable, n.element});
      const Exp* v = variable(n);
      if (!sum && n.outside) {
        Exp minus{.kind = ExpKind::unary};
        minus.op = ast::Op::minus;
        minus.type = v->type;
        minus.args = context_.arena.copy<const Exp*>({v});
        sum = make_exp(context_, minus);
      } else {
        sum = sum ? make_binary(context_, {context_.model->type},
                                n.outside ? ast::Op::sub : ast::Op::add, sum, v, {})
                  : v;
      }
    }
    equal(sum, zero(sum->type), first.connection);
  }

  void add_stream(const std::vector<int>& members) {
    StreamSet set;
    for (const int m : members) {
      const Node& n = nodes_[static_cast<size_t>(m)];
      set.push_back({n.variable, n.element, n.outside, n.connection});
      if (!n.outside) streams_.inside[{n.variable, n.element}] = streams_.sets.size();
      if (n.element >= 0) streams_.split.insert(n.variable);
    }
    streams_.sets.push_back(std::move(set));
  }

  // A signal has one source: an output of a component, or a public input of the class around it.
  // [Modelica 3.6, section 9.3]
  void check_sources(const std::vector<int>& members) {
    const Node* source = nullptr;
    for (const int m : members) {
      const Node& n = nodes_[static_cast<size_t>(m)];
      const ast::Direction gives = n.outside ? ast::Direction::input : ast::Direction::output;
      if (n.variable->direction != gives || in_bus(n.variable)) continue;
      if (n.outside && is_protected(n.variable)) continue;
      if (source)
        context_.error(
            n.connection->scope, n.connection->range,
            fmt::format("two outputs are connected: {} and {}",
                        base::quoted(source->variable->path()), base::quoted(n.variable->path())),
            "a signal has one source");
      source = &n;
    }
  }

  static bool is_protected(const Component* c) {
    while (c->parent && c->parent->is_connector) c = c->parent;
    return c->element && c->element->prefixes.is_protected;
  }

  static bool is_grown(const Component* c) {
    for (; c; c = c->parent)
      if (c->grown) return true;
    return false;
  }

  static bool in_bus(const Component* c) {
    for (; c; c = c->parent)
      if (c->is_expandable) return true;
    return false;
  }

  const Exp* zero(const Type& t) {
    if (t.is_scalar()) return make_real(context_, 0);
    std::vector<const Exp*> sizes;
    for (const int d : t.dims) sizes.push_back(make_integer(context_, d));
    return make_builtin(context_, Builtin::zeros, sizes, t);
  }

  void equal(const Exp* a, const Exp* b, const Connection* connection,
             Component* origin = nullptr) {
    FlatEquation e;
    e.left = a;
    e.right = b;
    e.origin = origin;
    if (connection) place(e, *connection);
    model_.equations.push_back(e);
  }

  void unconnected(Component* c) {
    Component* origin = c->parent;
    while (origin && origin->is_connector) origin = origin->parent;
    if (origin && origin->parent) origin = origin->parent;
    // In a bus a member may come from the other side only: nothing inside takes its flow.
    if (is_grown(c) && !outside_flows_.count({c, -1}) && inside_flows_.count({c, -1}))
      equal(variable({c, -1, false, 0}), zero(type_of(context_, c)), nullptr, origin);
    if (inside_flows_.count({c, -1})) return;
    int count = 1;
    for (const int d : c->dims) count *= d;
    bool any = false;
    for (int i = 0; i < count; ++i) any = any || inside_flows_.count({c, i});
    if (!any)
      return equal(variable({c, -1, false, 0}), zero(type_of(context_, c)), nullptr, origin);
    for (int i = 0; i < count; ++i)
      if (!inside_flows_.count({c, i}))
        equal(variable({c, i, false, 0}), make_real(context_, 0), nullptr, origin);
  }

  struct Key {
    Component* variable;
    int element;
    bool outside;
    auto operator<=>(const Key&) const = default;
  };

  Context& context_;
  FlatModel& model_;
  const Connection* connection_ = nullptr;
  std::vector<Pair> pairs_;
  std::vector<Node> nodes_;
  std::map<Key, int> index_;
  std::set<std::pair<Component*, int>> inside_flows_, outside_flows_;
  StreamSets streams_;
};

}  // namespace

StreamSets add_connection_equations(Context& context, const Connections& all, FlatModel& model) {
  Sets sets(context, model);
  for (const Connection& c : all.connections) {
    try {
      sets.add(c);
    } catch (const Fault&) {
      if (context.diagnostics.full()) throw;
    }
  }
  return sets.write();
}

}  // namespace couplet::modelica
