// Calls of functions: their bodies are run on expressions, so that nothing of them is left. Loops
// are unrolled; an 'if' that is decided during the simulation runs both branches and chooses.
// Functions with a derivative annotation get variables for their results, whose equations know
// that derivative.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/lower/lowering.hpp"
#include "couplet/modelica/lower/natives.hpp"
#include "couplet/modelica/typing/typer.hpp"

namespace couplet::modelica::lower {
namespace {

constexpr int deepest = 60;            // calls in each other
constexpr long most_rounds = 200'000;  // of a loop
constexpr long most_open_rounds = 30;  // of one whose end depends on the simulation

}  // namespace

std::vector<Val> Lowering::call(const Exp& e, Locals* locals) {
  const Function* f = e.function;
  Val passed;
  if (e.local) {  // a function that was passed in
    if (!locals) throw Refused{"a function that is not known", {}};
    passed = locals->slots[static_cast<size_t>(e.local->slot)];
    if (!passed.function) throw Refused{"a function that is not known", {}};
    f = passed.function->function;
  }
  std::vector<Val> args;
  size_t next = 0;
  for (size_t i = 0; i < f->inputs.size(); ++i) {
    if (i < passed.items.size() && passed.items[i].kind != Val::Kind::none) {
      args.push_back(passed.items[i]);
      continue;
    }
    const Exp* a = next < e.args.size() ? e.args[next++] : nullptr;
    if (a)
      args.push_back(value(a, locals));
    else if (f->inputs[i]->binding)
      args.push_back(value(f->inputs[i]->binding, nullptr));
    else
      throw Refused{fmt::format("input {} of {} is not given", f->inputs[i]->name.text(), f->name),
                    {}};
  }
  return call(*f, std::move(args));
}

std::vector<Val> Lowering::call(const Function& f, std::vector<Val> arguments) {
  if (f.constructs) {
    Val v;
    v.kind = Val::Kind::record;
    v.items = std::move(arguments);
    return {v};
  }
  bool constant = true;
  for (const Val& a : arguments)
    constant = constant && a.kind != Val::Kind::function && is_constant(a);
  if (constant && f.purity != Purity::impure) {
    std::vector<Value> values;
    for (size_t i = 0; i < arguments.size(); ++i)
      values.push_back(to_value(arguments[i], f.inputs[i]->type));
    try {
      std::vector<Val> results;
      for (const Value& v : call_function(context_, f, std::move(values)))
        results.push_back(from_value(v));
      return results;
    } catch (const CannotEvaluate&) {  // functions may use parameters of their instance
    }
  }
  if (!f.derivatives.empty()) return with_derivative(f, arguments);
  return inlined(f, std::move(arguments));
}

namespace {

std::string key_of(const Function& f, const std::vector<Val>& arguments) {
  std::string key = fmt::format("{}", static_cast<const void*>(&f));
  std::vector<Expr> all;
  for (const Val& a : arguments) {
    flatten(a, all);
    key += fmt::format("|{}", static_cast<const void*>(a.object.get()));
  }
  for (const Expr& x : all) key += fmt::format(",{}", static_cast<const void*>(x.node()));
  return key;
}

}  // namespace

// y = f(u) becomes variables y with an equation each, whose derivative is what f_der gives.
std::vector<Val> Lowering::with_derivative(const Function& f, const std::vector<Val>& arguments) {
  const Derivative* d = nullptr;
  for (const Derivative& one : f.derivatives)
    if (one.order == 1 && !d) d = &one;
  bool moves = false;
  for (const Val& a : arguments) {
    std::vector<Expr> all;
    flatten(a, all);
    for (const Expr& x : all) moves = moves || dae_.is_continuous(x);
  }
  if (!d || !moves) return inlined(f, arguments);
  const std::string key = key_of(f, arguments);
  if (const auto found = memo_.find(key); found != memo_.end()) return found->second;

  const std::vector<Val> results = inlined(f, arguments);
  std::vector<Expr> scalars;
  for (const Val& r : results) flatten(r, scalars);
  struct Rule {  // shared by the results
    std::vector<Expr> derivatives;
    bool done = false;
  };
  const auto rule = std::make_shared<Rule>();
  const auto derive = [this, &f, d, arguments, rule](size_t k) -> Expr {
    if (!rule->done) {
      std::vector<Val> args;
      for (const Val& a : arguments) {
        if (a.kind != Val::Kind::scalar && a.kind != Val::Kind::array &&
            a.kind != Val::Kind::record) {
          args.push_back(a);
          continue;
        }
        args.push_back(each(a, [&](const Expr& x) { return dae_.resolve(x); }));
      }
      const size_t n = args.size();
      for (size_t i = 0; i < n; ++i) {
        const Local& input = *f.inputs[i];
        bool varies = input.type.base == Primitive::real || input.type.record != nullptr;
        for (const Symbol s : d->no_derivative) varies = varies && !(s == input.name);
        for (const Symbol s : d->zero_derivative) varies = varies && !(s == input.name);
        if (varies) args.push_back(derivative(args[i]));
      }
      for (const Val& r : call(*d->function, args)) flatten(r, rule->derivatives);
      rule->done = true;
    }
    return rule->derivatives.at(k);
  };
  std::vector<Expr> symbols;
  for (size_t k = 0; k < scalars.size(); ++k) {
    if (!dae_.is_continuous(scalars[k]) || scalars[k].is_symbol()) {
      symbols.push_back(scalars[k]);
      continue;
    }
    equations::Variable v;
    v.name = fmt::format("$call{}.{}", ++hidden_, f.name);
    v.hidden = true;
    v.where = where_;
    v.select = equations::Select::never;
    const Expr symbol = dae_.variables[static_cast<size_t>(dae_.add(std::move(v)))].symbol;
    equations::Equation e{symbol - scalars[k], where_};
    e.derivative_rule = [this, symbol, k, derive, where = where_] {
      where_ = where;
      return dae_.time_derivative(dae_.resolve(symbol)) - derive(k);
    };
    dae_.equations.push_back(std::move(e));
    symbols.push_back(symbol);
  }
  std::vector<Val> out;
  size_t next = 0;
  for (const Val& r : results) out.push_back(rebuild(r, symbols, next));
  memo_.emplace(key, out);
  return out;
}

std::vector<Val> Lowering::inlined(const Function& f, std::vector<Val> arguments) {
  struct Depth {
    int& d;
    explicit Depth(int& x) : d(++x) {}
    ~Depth() { --d; }
  } const depth(depth_);
  if (depth_ > deepest)
    throw Refused{fmt::format("function {} that calls itself too often", base::quoted(f.name)), {}};
  try {
    type_body(context_, const_cast<Function&>(f));
  } catch (const Fault&) {
    throw Refused{fmt::format("function {} has errors", base::quoted(f.name)), {}};
  }
  if (!f.has_algorithm && !f.external)
    throw Refused{fmt::format("function {} has no algorithm", base::quoted(f.name)), {}};
  Locals locals;
  locals.function = &f;
  locals.slots.resize(static_cast<size_t>(f.slots));
  for (size_t i = 0; i < f.inputs.size() && i < arguments.size(); ++i)
    locals.slots[static_cast<size_t>(f.inputs[i]->slot)] = std::move(arguments[i]);
  const bool events = no_event_;
  const Expr guard = guard_;
  no_event_ = true;  // functions make no events
  try {
    const auto start = [&](const Local* l) {
      Val& slot = locals.slots[static_cast<size_t>(l->slot)];
      if (l->binding) {
        slot = value(l->binding, &locals);
        return;
      }
      std::vector<int> dims;
      for (size_t i = 0; i < l->type.rank(); ++i) {
        const Exp* size = i < l->sizes.size() ? l->sizes[i] : nullptr;
        if (!size) {
          dims.push_back(l->type.dims[i] == unknown_size ? 0 : l->type.dims[i]);
          continue;
        }
        const Expr n = scalar(size, &locals);
        if (!n.is_constant())
          throw Refused{"an array whose size changes during the simulation", {}};
        dims.push_back(to_size(n.value()));
      }
      slot = initial_value(l->type, dims);
    };
    for (const Local* l : f.start_order) start(l);
    std::vector<Val> results;
    if (f.external)
      results.push_back(external(f, locals));
    else {
      statements(f.body, locals);
      for (const Local* l : f.outputs)
        results.push_back(std::move(locals.slots[static_cast<size_t>(l->slot)]));
    }
    no_event_ = events;
    return results;
  } catch (...) {
    no_event_ = events;
    guard_ = guard;
    throw;
  }
}

Val Lowering::initial_value(const Type& type, const std::vector<int>& dims) {
  return from_value(default_value(context_, type, dims));
}

Val Lowering::external(const Function& f, Locals& locals) {
  const std::string_view language = f.external->language;
  const Builtin id = find_builtin(f.external_name.text());
  if (language == "\"builtin\"" && id != Builtin::none && !f.outputs.empty()) {
    Exp call{.kind = ExpKind::builtin};
    call.builtin = id;
    call.args = f.external_arguments;
    call.type = f.outputs[0]->type;
    return builtin(call, &locals);
  }
  std::vector<Val> args;
  for (const Exp* a : f.external_arguments) args.push_back(value(a, &locals));
  if (const auto native = call_table(f.external_name.text(), args)) return *native;
  throw Refused{fmt::format("the external function {}", base::quoted(f.name)), {}};
}

// ---- Statements

void Lowering::statements(Slice<const Statement*> body, Locals& locals) {
  for (const Statement* s : body) {
    if (locals.live.is_constant(0)) return;
    const Guard guard(guard_);
    if (!locals.live.is_constant()) guard_ = logical_and(guard_, locals.live);
    statement(*s, locals);
  }
}

void Lowering::statement(const Statement& s, Locals& locals) {
  if (++work_ > 200'000'000) throw Refused{"an algorithm as long as this", {}};
  switch (s.kind) {
    case Statement::Kind::assign:
      return assign(s, locals);
    case Statement::Kind::call:
      return effect(s.right, locals.live, &locals);
    case Statement::Kind::if_:
      return branch(s, 0, locals);
    case Statement::Kind::for_:
    case Statement::Kind::while_:
      return loop(s, locals);
    case Statement::Kind::break_:
    case Statement::Kind::return_:
      locals.live = 0;
      if (s.kind == Statement::Kind::return_) locals.entered = 0;
      return;
    case Statement::Kind::when:
      return branch(s, 0, locals);
  }
}

Component* component_in(const Exp* target) {
  while (target->kind == ExpKind::subscript || target->kind == ExpKind::field)
    target = target->args[0];
  return target->kind == ExpKind::variable ? target->variable->resolve() : nullptr;
}

void Lowering::assign(const Statement& s, Locals& locals) {
  if (s.left->kind != ExpKind::tuple) return store(s.left, value(s.right, &locals), locals);
  const std::vector<Val> results = call(*s.right, &locals);
  for (uint32_t i = 0; i < s.left->args.size() && i < results.size(); ++i)
    if (s.left->args[i]) store(s.left->args[i], results[i], locals);
}

Val Lowering::stored(const Val& old, const std::vector<Val>& subscripts, size_t i, const Val& v) {
  if (i == subscripts.size()) return v;
  const Val& s = subscripts[i];
  Val r = old;
  const auto put = [&](double k, const Val& x) {
    if (!(k >= 1 && k <= static_cast<double>(r.items.size())))
      throw Refused{fmt::format("subscript {} outside of 1:{}", k, r.items.size()), {}};
    Val& at = r.items[static_cast<size_t>(k) - 1];
    at = stored(at, subscripts, i + 1, x);
  };
  if (s.is_scalar() && s.e.is_constant()) {
    put(s.e.value(), v);
  } else if (s.is_scalar()) {
    check_bounds(s.e, r.items.size());
    for (size_t k = 0; k < r.items.size(); ++k)
      r.items[k] = choose(equal(s.e, static_cast<double>(k + 1)),
                          stored(r.items[k], subscripts, i + 1, v), r.items[k]);
  } else {
    const size_t count = s.kind == Val::Kind::none ? r.items.size() : s.items.size();
    if (v.items.size() != count) throw Refused{"an assignment of an array of another size", {}};
    for (size_t k = 0; k < count; ++k)
      put(s.kind == Val::Kind::none ? static_cast<double>(k + 1) : s.items[k].e.value(),
          v.items[k]);
  }
  return r;
}

void Lowering::store(const Exp* target, const Val& v, Locals& locals) {
  if (target->kind == ExpKind::array || target->kind == ExpKind::record) {
    for (uint32_t i = 0; i < target->args.size() && i < v.items.size(); ++i)
      store(target->args[i], v.items[i], locals);
    return;
  }
  // From the outside in: a[i].b[j] := v changes a.
  const auto place = [&](auto&& self, const Exp* at, const Val& x) -> void {
    if (at->kind == ExpKind::local) {
      Val& slot = locals.slots[static_cast<size_t>(at->local->slot)];
      slot = choose(locals.live, x, slot);
      return;
    }
    if (at->kind == ExpKind::variable) {
      Component* c = at->variable->resolve();
      if (c->type->primitive == Primitive::none) {  // a record: its fields
        const RecordType* type = type_of(context_, c).record;
        for (size_t i = 0; i < type->fields.size() && i < x.items.size(); ++i) {
          Component* f =
              component_of(context_, find_element(context_, c->type, type->fields[i].name));
          overridden_[f] = choose(locals.live, x.items[i], variable_of(f));
        }
        return;
      }
      overridden_[c] = choose(locals.live, x, variable_of(c));
      return;
    }
    Val whole = value(at->args[0], &locals);
    if (at->kind == ExpKind::field) {
      whole.items.at(static_cast<size_t>(at->number)) = x;
    } else if (at->kind == ExpKind::subscript) {
      std::vector<Val> subscripts;
      for (uint32_t i = 1; i < at->args.size(); ++i)
        subscripts.push_back(at->args[i]->kind == ExpKind::colon ? Val{}
                                                                 : value(at->args[i], &locals));
      whole = stored(whole, subscripts, 0, x);
    } else {
      throw Refused{"an assignment to what is no variable", {}};
    }
    self(self, at->args[0], whole);
  };
  place(place, target, v);
}

void Lowering::branch(const Statement& s, size_t i, Locals& locals) {
  if (i == s.branches.size()) return;
  const auto& b = s.branches[i];
  if (!b.condition) return statements(b.body, locals);
  const Expr c = s.kind == Statement::Kind::when ? trigger(b.condition, &locals)
                                                 : scalar(b.condition, &locals);
  if (c.is_constant(0)) return branch(s, i + 1, locals);
  if (c.is_constant()) return statements(b.body, locals);
  // Both ways from here, then what each made of the variables.
  Locals other = locals;
  const auto outside = overridden_;
  const Expr guard = guard_;
  guard_ = logical_and(guard, c);
  statements(b.body, locals);
  auto inside = std::move(overridden_);
  overridden_ = outside;
  guard_ = logical_and(guard, logical_not(c));
  branch(s, i + 1, other);
  guard_ = guard;
  for (size_t k = 0; k < locals.slots.size(); ++k)
    locals.slots[k] = choose(c, locals.slots[k], other.slots[k]);
  locals.live = select(c, locals.live, other.live);
  locals.entered = select(c, locals.entered, other.entered);
  for (auto& [component, v] : inside) {
    const auto found = overridden_.find(component);
    v = choose(c, v,
               found != overridden_.end() ? found->second
                                          : variable_of(const_cast<Component*>(component)));
  }
  for (auto& [component, v] : overridden_)
    if (!inside.contains(component)) {
      const auto base = values_.find(component);
      inside.emplace(component, choose(c, base != values_.end() ? base->second : v, v));
    }
  overridden_ = std::move(inside);
}

void Lowering::loop(const Statement& s, Locals& locals) {
  const auto body = [&] {
    statements(s.branches[0].body, locals);
    return !locals.live.is_constant(0);
  };
  if (s.kind == Statement::Kind::for_) {
    const Val range = value(s.right, &locals);
    const auto slot = static_cast<size_t>(s.local->slot);
    if (locals.slots.size() <= slot) locals.slots.resize(slot + 1);  // an algorithm of a model
    for (const Val& v : range.items) {
      locals.slots[slot] = v;
      if (!body()) break;
    }
  } else {
    // Rounds that the simulation decides happen while the loop has not ended.
    for (long round = 0, open = 0;; ++round) {
      const Expr c = scalar(s.branches[0].condition, &locals);
      if (c.is_constant(0)) break;
      if (!c.is_constant()) {
        locals.live = logical_and(locals.live, c);
        if (++open > most_open_rounds) {
          dae_.assertions.push_back(
              {logical_not(logical_and(guard_, locals.live)),
               fmt::format("a while loop of {} takes more than {} rounds",
                           locals.function ? locals.function->name : "an algorithm",
                           most_open_rounds),
               false, where_});
          break;
        }
      }
      if (!body()) break;
      if (round > most_rounds) throw Refused{"a while loop without an end", {}};
    }
  }
  locals.live = locals.entered;  // a break ends here, a return does not
}

}  // namespace couplet::modelica::lower
