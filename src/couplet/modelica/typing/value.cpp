#include "couplet/modelica/typing/value.hpp"

#include <fmt/format.h>

#include "couplet/modelica/instantiate/context.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {

Value Value::scalar(Kind kind, double number) {
  Value v;
  v.kind = kind;
  v.number = number;
  return v;
}

Value Value::string(std::string text) {
  Value v;
  v.kind = Kind::string;
  v.text = std::move(text);
  return v;
}

Value Value::array(std::vector<Value> items) {
  Value v;
  v.kind = Kind::array;
  v.items = std::move(items);
  return v;
}

std::vector<int> Value::dims() const {
  std::vector<int> dims;
  for (const Value* v = this; v->is_array(); v = &v->items[0]) {
    dims.push_back(static_cast<int>(v->items.size()));
    if (v->items.empty()) {
      for (size_t i = 1; i < v->type.dims.size(); ++i) dims.push_back(v->type.dims[i]);
      break;
    }
  }
  return dims;
}

// `type` says what empty arrays and enumerations are of.
const Exp* to_exp(Context& context, const Value& v, const Type& type) {
  switch (v.kind) {
    case Value::Kind::real:
      return make_real(context, v.number);
    case Value::Kind::integer:
      return type.base == Primitive::real ? make_real(context, v.number)
                                          : make_integer(context, v.number);
    case Value::Kind::boolean:
      return make_boolean(context, v.truth());
    case Value::Kind::string:
      return make_string(context, v.text);
    case Value::Kind::enumeration: {
      Exp e{.kind = ExpKind::enum_literal};
      e.type.base = Primitive::enumeration;
      e.type.enumeration = v.type.enumeration;
      e.number = v.number;
      const auto& literals = v.type.enumeration->def->literals;
      if (v.number >= 1 && v.number <= literals.size())
        e.name = literals[static_cast<size_t>(v.number) - 1].name;
      return make_exp(context, e);
    }
    case Value::Kind::array: {
      std::vector<const Exp*> items;
      std::vector<int> dims;
      if (!type.dims.empty()) dims.assign(type.dims.begin() + 1, type.dims.end());
      const Type element = with_dims(context, type, dims);
      for (const Value& i : v.items) items.push_back(to_exp(context, i, element));
      Type t = items.empty() ? element : items[0]->type;
      if (type.base == Primitive::real && t.base == Primitive::integer) t.base = Primitive::real;
      return make_array(context, items, t);
    }
    case Value::Kind::record: {
      Exp e{.kind = ExpKind::record};
      e.type.record = v.type.record;
      std::vector<const Exp*> args;
      for (size_t i = 0; i < v.items.size(); ++i)
        args.push_back(to_exp(context, v.items[i], v.type.record->fields[i].type));
      e.args = context.arena.copy(args);
      return make_exp(context, e);
    }
    case Value::Kind::function:
      return v.function;
    case Value::Kind::object:  // stays a variable: see reference.cpp
    case Value::Kind::none:
      break;
  }
  return make_exp(context, {.kind = ExpKind::array});
}

std::string to_string(const Value& v) {
  switch (v.kind) {
    case Value::Kind::real:
      return print_real(v.number);
    case Value::Kind::integer:
      return fmt::format("{:.0f}", v.number);
    case Value::Kind::boolean:
      return v.truth() ? "true" : "false";
    case Value::Kind::string:
      return v.text;
    case Value::Kind::enumeration:
      return fmt::format("{}", v.number);
    case Value::Kind::array:
    case Value::Kind::record: {
      std::string text = "{";
      for (const Value& i : v.items) text += (text.size() > 1 ? ", " : "") + to_string(i);
      return text + "}";
    }
    default:
      return "?";
  }
}

}  // namespace couplet::modelica
