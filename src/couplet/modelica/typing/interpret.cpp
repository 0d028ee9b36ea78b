// Running functions at translation time, bounded in steps and depth.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/modelica/typing/evaluate.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

enum class Next : uint8_t { go_on, leave_loop, leave_function };

Value converted(Value v, const Type& t) {
  if (v.is_array())
    for (Value& i : v.items) i = converted(std::move(i), t);
  else if (t.base == Primitive::real && v.kind == Value::Kind::integer)
    v.kind = Value::Kind::real;
  return v;
}

class Interpreter {
 public:
  Interpreter(Context& context, Frame& frame) : context_(context), frame_(frame) {}

  Next run(Slice<const Statement*> body) {
    for (const Statement* s : body) {
      const Next next = run(*s);
      if (next != Next::go_on) return next;
    }
    return Next::go_on;
  }

 private:
  Value value(const Exp* e) { return evaluate(context_, e, &frame_); }

  Next run(const Statement& s) {
    count_work(context_, 1);
    switch (s.kind) {
      case Statement::Kind::assign:
        assign(s);
        return Next::go_on;
      case Statement::Kind::call:
        value(s.right);
        return Next::go_on;
      case Statement::Kind::if_:
        for (const auto& b : s.branches)
          if (!b.condition || value(b.condition).truth()) return run(b.body);
        return Next::go_on;
      case Statement::Kind::for_: {
        const Value range = value(s.right);
        for (const Value& v : range.items) {
          frame_.slots[static_cast<size_t>(s.local->slot)] = v;
          const Next next = run(s.branches[0].body);
          if (next == Next::leave_loop) break;
          if (next == Next::leave_function) return next;
        }
        return Next::go_on;
      }
      case Statement::Kind::while_:
        while (value(s.branches[0].condition).truth()) {
          const Next next = run(s.branches[0].body);
          if (next == Next::leave_loop) break;
          if (next == Next::leave_function) return next;
          count_work(context_, 1);
        }
        return Next::go_on;
      case Statement::Kind::break_:
        return Next::leave_loop;
      case Statement::Kind::return_:
        return Next::leave_function;
      case Statement::Kind::when:
        break;
    }
    throw CannotEvaluate{"a function has no 'when'"};
  }

  void assign(const Statement& s) {
    if (s.left->kind != ExpKind::tuple) return store(s.left, value(s.right));
    if (s.right->kind != ExpKind::call)
      throw CannotEvaluate{"several results need a function call"};
    std::vector<Value> args;
    for (const Exp* a : s.right->args) args.push_back(value(a));
    const std::vector<Value> results = call_function(context_, *s.right->function, std::move(args));
    for (uint32_t i = 0; i < s.left->args.size() && i < results.size(); ++i)
      if (s.left->args[i]) store(s.left->args[i], results[i]);
  }

  void store(const Exp* target, Value v) {
    if (target->kind == ExpKind::subscript) {
      std::vector<Value> subscripts;
      for (uint32_t i = 1; i < target->args.size(); ++i)
        subscripts.push_back(target->args[i]->kind == ExpKind::colon ? Value{}
                                                                     : value(target->args[i]));
      return store_at(*locate(target->args[0]), subscripts, 0,
                      converted(std::move(v), target->type));
    }
    if (target->kind == ExpKind::array) {
      for (uint32_t i = 0; i < target->args.size() && i < v.items.size(); ++i)
        store(target->args[i], v.items[i]);
      return;
    }
    *locate(target) = converted(std::move(v), target->type);
  }

  Value* locate(const Exp* target) {
    if (target->kind == ExpKind::local)
      return &frame_.slots[static_cast<size_t>(target->local->slot)];
    if (target->kind == ExpKind::field) {
      Value* record = locate(target->args[0]);
      const auto i = static_cast<size_t>(target->number);
      if (record->items.size() <= i) throw CannotEvaluate{"a record is not complete"};
      return &record->items[i];
    }
    if (target->kind == ExpKind::subscript) {
      Value* at = locate(target->args[0]);
      for (uint32_t i = 1; i < target->args.size(); ++i) at = element(*at, value(target->args[i]));
      return at;
    }
    throw CannotEvaluate{"only variables can be assigned"};
  }

  Value* element(Value& array, const Value& index) {
    if (!array.is_array() ||
        !(index.number >= 1 && index.number <= static_cast<double>(array.items.size())))
      throw CannotEvaluate{
          fmt::format("subscript {} is outside of 1:{}", index.number, array.items.size())};
    return &array.items[static_cast<size_t>(index.number) - 1];
  }

  void store_at(Value& array, const std::vector<Value>& subscripts, size_t i, const Value& v) {
    if (i == subscripts.size()) {
      array = v;
      return;
    }
    const Value& s = subscripts[i];
    const bool whole = s.kind == Value::Kind::none;
    if (!whole && !s.is_array()) {
      const Value index = s.kind == Value::Kind::boolean ? Value::integer(s.number + 1) : s;
      return store_at(*element(array, index), subscripts, i + 1, v);
    }
    const size_t count = whole ? array.items.size() : s.items.size();
    if (v.items.size() != count) throw CannotEvaluate{"sizes differ in an assignment"};
    for (size_t k = 0; k < count; ++k) {
      const Value index = whole ? Value::integer(static_cast<double>(k) + 1) : s.items[k];
      store_at(*element(array, index), subscripts, i + 1, v.items[k]);
    }
  }

  Context& context_;
  Frame& frame_;
};

void start_local(Context& context, Frame& frame, const Local& l) {
  Value& slot = frame.slots[static_cast<size_t>(l.slot)];
  if (l.binding) {
    slot = converted(evaluate(context, l.binding, &frame), l.type);
    return;
  }
  std::vector<int> dims;
  for (size_t i = 0; i < l.type.rank(); ++i) {
    const Exp* size = i < l.sizes.size() ? l.sizes[i] : nullptr;
    const double n = size ? evaluate(context, size, &frame).number : 0;
    if (!(n >= 0 && n <= static_cast<double>(max_elements)))
      throw CannotEvaluate{fmt::format("{} would have size {}, at most {} is possible",
                                       base::quoted(l.name.text()), n, max_elements)};
    dims.push_back(static_cast<int>(n));
  }
  slot = default_value(context, l.type, dims);
}

// Functions of the language and of C that are known by name.
Value call_external(Context& context, const Function& f, Frame& frame) {
  const std::string_view language = f.external->language;
  const Builtin id = find_builtin(f.external_name.text());
  if (f.outputs.empty())
    throw CannotEvaluate{fmt::format("{} has no result", base::quoted(f.name))};
  if (language == "\"builtin\"" && id != Builtin::none) {
    Exp call{.kind = ExpKind::builtin};
    call.builtin = id;
    call.args = f.external_arguments;
    call.type = f.outputs[0]->type;
    return evaluate_builtin(context, call, &frame);
  }
  const auto native = call_native(context, f, frame);
  if (!native)
    throw CannotEvaluate{fmt::format("{} is an external function", base::quoted(f.name))};
  return *native;
}

}  // namespace

Value default_value(Context& context, const Type& type, const std::vector<int>& dims) {
  Value v;
  switch (type.base) {
    case Primitive::integer:
      v = Value::integer(0);
      break;
    case Primitive::boolean:
      v = Value::boolean(false);
      break;
    case Primitive::string:
      v = Value::string("");
      break;
    case Primitive::enumeration:
      v = Value::scalar(Value::Kind::enumeration, 1);
      v.type = with_dims(context, type, {});
      break;
    case Primitive::none:
      v.kind = Value::Kind::record;
      v.type = with_dims(context, type, {});
      if (type.record)
        for (const Field& f : type.record->fields) {
          try {
            v.items.push_back(value_of(context, f.declared));
          } catch (const CannotEvaluate&) {
            v.items.push_back(
                default_value(context, f.type, {f.type.dims.begin(), f.type.dims.end()}));
          }
        }
      break;
    default:
      v = Value::real(0);
  }
  for (size_t d = dims.size(); d-- > 0;) {
    v = repeated(v, dims[d]);
    if (v.items.empty())
      v.type = with_dims(context, type, {dims.begin() + static_cast<long>(d), dims.end()});
  }
  return v;
}

std::vector<Value> call_function(Context& context, const Function& f,
                                 std::vector<Value> arguments) {
  const Deeper deeper(context, f.class_inst, f.class_inst->def->name_range, "calls of functions");
  if (f.constructs) {
    Value v;
    v.kind = Value::Kind::record;
    v.type.record = f.constructs;
    v.items = std::move(arguments);
    return {v};
  }
  try {
    type_body(context, const_cast<Function&>(f));
  } catch (const Fault&) {
    throw CannotEvaluate{fmt::format("function {} has errors", base::quoted(f.name))};
  }
  bool has_values = !f.outputs.empty();
  for (const Local* l : f.outputs) has_values = has_values && l->binding;
  if (!f.has_algorithm && !f.external && !has_values)
    throw CannotEvaluate{fmt::format("function {} has no algorithm", base::quoted(f.name))};
  Frame frame;
  frame.function = &f;
  frame.slots.resize(static_cast<size_t>(f.slots));
  for (size_t i = 0; i < f.inputs.size(); ++i)
    frame.slots[static_cast<size_t>(f.inputs[i]->slot)] =
        i < arguments.size() ? converted(std::move(arguments[i]), f.inputs[i]->type) : Value{};
  for (const Local* l : f.start_order) start_local(context, frame, *l);
  if (f.external) {
    Value made = call_external(context, f, frame);
    const bool several = f.outputs.size() > 1 && made.kind == Value::Kind::record;
    return several ? made.items : std::vector<Value>{std::move(made)};
  }
  Interpreter(context, frame).run(f.body);
  std::vector<Value> results;
  for (const Local* l : f.outputs)
    results.push_back(std::move(frame.slots[static_cast<size_t>(l->slot)]));
  return results;
}

}  // namespace couplet::modelica
