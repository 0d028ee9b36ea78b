// Stream connectors: inStream(h) and actualStream(h) become expressions, and stream variables of
// outside connectors get their equations. [Modelica 3.6, chapter 15 and appendix D]
//
// In a set with inside connectors m_j (of components) and outside connectors c_k (of the class):
//   inStream(m_i.h) = Σ a_j·m_j.h / Σ a_j over j ≠ i, and Σ b_k·inStream(c_k.h), b_k likewise
//   c_q.h           = the same, over all j and k ≠ q
//   a_j = positiveMax(-m_j.m_flow, s), b_k = positiveMax(c_k.m_flow, s)
// Connectors whose flow has a minimum or maximum that keeps them from giving anything do not count;
// with one giver its value is taken as it is; without any the connector has its own value.
#include "couplet/modelica/flatten/streams.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

constexpr const char* positive_max = "'stream.positiveMax'";  // among the predefined types

Component* find_flow(Context& context, const Component* stream) {
  Component* found = nullptr;
  if (!stream->parent) return nullptr;
  for (Component* c : children(context, stream->parent))
    if (c->flow == ast::Flow::flow && c->type->primitive == Primitive::real && c->dims.empty())
      found = c;
  return found;
}

class Mixer {
 public:
  Mixer(Context& context, const StreamSets& sets) : context_(context), sets_(sets) {}

  // What a component would get that draws from the connector of this variable.
  const Exp* in_stream(Component* c, int element) {
    const auto known = known_.find({c, element});
    if (known != known_.end()) return known->second;
    const Deeper deeper(context_, c->scope, {}, "stream connectors");
    const auto set = sets_.inside.find({c, element});
    const Exp* own = value(c, element);
    const Exp* e = own;
    if (set != sets_.inside.end()) e = mixed(sets_.sets[set->second], {c, element, false}, own);
    return known_[{c, element}] = e;
  }

  // The stream variable of an outside connector: what flows out of the class through it.
  const Exp* outside(const StreamSet& set, const StreamNode& node) {
    return mixed(set, node, value(node.variable, node.element));
  }

  const Exp* value(Component* c, int element) {
    const Exp* e = make_variable(context_, c);
    if (element < 0) return e;
    std::vector<const Exp*> subscripts(c->dims.size());
    for (size_t d = subscripts.size(); d-- > 0;) {
      subscripts[d] = make_integer(context_, element % c->dims[d] + 1);
      element /= c->dims[d];
    }
    return make_subscript(context_, e, subscripts);
  }

  const Exp* flow(Component* c) {
    Component* m = find_flow(context_, c);
    if (!m)
      context_.fail(c->scope, c->element ? c->element->component->range : Range{},
                    fmt::format("{} is a stream variable, and its connector has no scalar flow",
                                base::quoted(c->path())),
                    "a stream connector has exactly one flow variable");
    return make_variable(context_, m);
  }

 private:
  // Whether something can come out of the connector, by the limits of its flow variable.
  bool gives(const StreamNode& n) {
    Component* m = find_flow(context_, n.variable);
    if (!m || !m->type->primitive_class) return true;
    const Mod* limit = find_mod(m->type->primitive_class->mods, Symbol(n.outside ? "max" : "min"));
    if (!limit || !limit->value) return true;
    const Exp* e = type_mod(context_, *limit);
    if (!is_fixed(context_, e)) return true;
    const auto v = try_evaluate(context_, e);
    return !v || (n.outside ? v->number > 0 : v->number < 0);
  }

  const Exp* negative(const Exp* e) {
    Exp minus{.kind = ExpKind::unary};
    minus.op = ast::Op::minus;
    minus.type = e->type;
    minus.args = context_.arena.copy<const Exp*>({e});
    return make_exp(context_, minus);
  }

  const Exp* mixed(const StreamSet& set, const StreamNode& asks, const Exp* own) {
    std::vector<const StreamNode*> givers;
    for (const StreamNode& n : set) {
      const bool same =
          n.variable == asks.variable && n.element == asks.element && n.outside == asks.outside;
      if (!same && gives(n)) givers.push_back(&n);
    }
    if (givers.empty()) return own;
    const auto brought = [&](const StreamNode& n) {
      return n.outside ? in_stream(n.variable, n.element) : value(n.variable, n.element);
    };
    if (givers.size() == 1) return brought(*givers[0]);
    const Scope scope{context_.model->type};
    const auto binary = [&](ast::Op op, const Exp* a, const Exp* b) {
      return make_binary(context_, scope, op, a, b, {});
    };
    std::vector<const Exp*> flows;
    const Exp* total = nullptr;  // s of appendix D
    for (const StreamNode* n : givers) {
      const Exp* m = flow(n->variable);
      flows.push_back(n->outside ? m : negative(m));
      const Exp* positive =
          make_builtin(context_, Builtin::max, {flows.back(), make_real(context_, 0)}, m->type);
      total = total ? binary(ast::Op::add, total, positive) : positive;
    }
    Function* f = function_of(
        context_, class_of(context_, find_element(context_, context_.top, Symbol(positive_max))));
    const Exp *sum = nullptr, *weights = nullptr;
    for (size_t i = 0; i < givers.size(); ++i) {
      const Exp* weight = make_call(context_, scope, f, {flows[i], total}, {});
      const Exp* part = binary(ast::Op::mul, weight, brought(*givers[i]));
      sum = sum ? binary(ast::Op::add, sum, part) : part;
      weights = weights ? binary(ast::Op::add, weights, weight) : weight;
    }
    return binary(ast::Op::div, sum, weights);
  }

  Context& context_;
  const StreamSets& sets_;
  std::map<std::pair<Component*, int>, const Exp*> known_;
};

// Replaces the two operators in everything that the flat model holds.
class Rewriter {
 public:
  Rewriter(Context& context, const StreamSets& sets)
      : context_(context), sets_(sets), mixer_(context, sets) {}

  void equation(FlatEquation& e) {
    try {
      e.left = rewritten(e.left);
      e.right = rewritten(e.right);
      for (auto& b : e.branches) {
        b.condition = rewritten(b.condition);
        for (FlatEquation& inside : b.body) equation(inside);
      }
    } catch (const NoStream& fault) {
      refuse(fault, e.source, e.range);
    }
  }

  void algorithm(FlatAlgorithm& a) {
    try {
      a.body = statements(a.body);
    } catch (const NoStream& fault) {
      refuse(fault, a.source, a.range);
    }
  }

  void variable(FlatVariable& v) {
    try {
      v.binding = rewritten(v.binding);
    } catch (const NoStream& fault) {
      const Component& c = *v.component;
      refuse(fault, c.scope->def ? c.scope->def->source : nullptr,
             c.element ? c.element->component->range : Range{});
    }
  }

  Mixer& mixer() { return mixer_; }

 private:
  struct NoStream {
    const Exp* of;
  };

  void refuse(const NoStream& fault, const Source* source, Range range) {
    const std::string what =
        fmt::format("inStream and actualStream take stream variables of connectors, not {}",
                    fault.of->kind == ExpKind::variable ? base::quoted(fault.of->variable->path())
                                                        : to_string(fault.of->type));
    if (source)
      report(context_.diagnostics, *source, range, what, "declare it 'stream' in its connector");
    else
      context_.diagnostics.error({}, what);
  }

  const Exp* rewritten(const Exp* e) {
    if (!e || e->args.empty()) return e;
    const auto known = known_.find(e);
    if (known != known_.end()) return known->second;
    context_.check_stack();
    const Exp* made = e;
    if (e->kind == ExpKind::builtin &&
        (e->builtin == Builtin::in_stream || e->builtin == Builtin::actual_stream)) {
      made = stream(e->args[0], e->builtin == Builtin::actual_stream);
    } else {
      std::vector<const Exp*> args;
      bool changed = false;
      for (const Exp* a : e->args) {
        args.push_back(rewritten(a));
        changed = changed || args.back() != a;
      }
      if (changed) {
        Exp copy = *e;
        copy.args = context_.arena.copy(args);
        made = e->kind == ExpKind::subscript
                   ? make_subscript(context_, args[0], {args.begin() + 1, args.end()})
                   : make_exp(context_, copy);
      }
    }
    known_[e] = made;
    return made;
  }

  const Exp* stream(const Exp* of, bool actual) {
    if (of->kind == ExpKind::array) {
      std::vector<const Exp*> items;
      for (const Exp* a : of->args) items.push_back(stream(a, actual));
      return make_array(context_, items, items.empty() ? of->type : items[0]->type);
    }
    if (of->kind == ExpKind::subscript && of->args[0]->kind == ExpKind::variable) {
      const std::vector<const Exp*> subscripts(of->args.begin() + 1, of->args.end());
      return make_subscript(context_, stream(of->args[0], actual), subscripts);
    }
    if (of->kind != ExpKind::variable || of->variable->flow != ast::Flow::stream)
      throw NoStream{of};
    Component* c = of->variable;
    const Exp* in = whole(c);
    if (!actual) return in;
    // actualStream(h) = if m_flow > 0 then inStream(h) else h, continuous in m_flow·h
    const Exp* flows_in = make_binary(context_, {context_.model->type}, ast::Op::greater,
                                      mixer_.flow(c), make_real(context_, 0), {});
    Exp choice{.kind = ExpKind::if_};
    choice.type = of->type;
    choice.args = context_.arena.copy<const Exp*>({flows_in, in, of});
    return make_builtin(context_, Builtin::smooth,
                        {make_integer(context_, 0), make_exp(context_, choice)}, of->type);
  }

  // A stream array may be connected as a whole, or by its elements.
  const Exp* whole(Component* c) {
    if (c->dims.empty() || !sets_.split.count(c)) return mixer_.in_stream(c, -1);
    int next = 0;
    return elements(c, 0, next);
  }

  const Exp* elements(Component* c, size_t d, int& next) {
    if (d == c->dims.size()) return mixer_.in_stream(c, next++);
    std::vector<const Exp*> items;
    for (int i = 0; i < c->dims[d]; ++i) items.push_back(elements(c, d + 1, next));
    Type t = with_dims(context_, type_of(context_, c),
                       {c->dims.begin() + static_cast<long>(d) + 1, c->dims.end()});
    return make_array(context_, items, items.empty() ? t : items[0]->type);
  }

  Slice<const Statement*> statements(Slice<const Statement*> body) {
    std::vector<const Statement*> all;
    for (const Statement* s : body) {
      Statement copy = *s;
      copy.right = rewritten(s->right);
      std::vector<Statement::Branch> branches;
      for (const auto& b : s->branches)
        branches.push_back({rewritten(b.condition), statements(b.body)});
      copy.branches = context_.arena.copy(branches);
      all.push_back(context_.arena.make(copy));
    }
    return context_.arena.copy(all);
  }

  Context& context_;
  const StreamSets& sets_;
  Mixer mixer_;
  std::unordered_map<const Exp*, const Exp*> known_;
};

}  // namespace

void join_streams(Translation& t) {
  if (!t.context.uses_streams && t.streams.sets.empty()) return;
  Rewriter rewriter(t.context, t.streams);
  for (FlatEquation& e : t.model.equations) rewriter.equation(e);
  for (FlatEquation& e : t.model.initial_equations) rewriter.equation(e);
  for (FlatAlgorithm& a : t.model.algorithms) rewriter.algorithm(a);
  for (FlatVariable& v : t.model.variables) rewriter.variable(v);
  for (const StreamSet& set : t.streams.sets)
    for (const StreamNode& n : set) {
      if (!n.outside) continue;
      FlatEquation e;
      e.left = rewriter.mixer().value(n.variable, n.element);
      e.right = rewriter.mixer().outside(set, n);
      e.origin = n.connection->origin;
      e.source = n.connection->scope->def->source;
      e.range = n.connection->range;
      t.model.equations.push_back(e);
    }
}

}  // namespace couplet::modelica
