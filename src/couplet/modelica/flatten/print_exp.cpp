#include <fmt/format.h>

#include "couplet/modelica/flatten/printer.hpp"
#include "couplet/modelica/syntax/lexer.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/typing/typer.hpp"

namespace couplet::modelica {
namespace {

enum Strength { any, simple, or_s, and_s, not_s, relation, sum, product, power, atom };

int strength(const Exp& e) {
  switch (e.kind) {
    case ExpKind::real:
    case ExpKind::integer:
      return e.number < 0 ? sum : atom;
    case ExpKind::if_:
      return any;
    case ExpKind::range:
      return simple;
    case ExpKind::unary:
      return e.op == ast::Op::not_ ? not_s : sum;
    case ExpKind::binary:
      break;
    default:
      return atom;
  }
  switch (e.op) {
    case ast::Op::or_:
      return or_s;
    case ast::Op::and_:
      return and_s;
    case ast::Op::add:
    case ast::Op::sub:
    case ast::Op::el_add:
    case ast::Op::el_sub:
      return sum;
    case ast::Op::mul:
    case ast::Op::div:
    case ast::Op::el_mul:
    case ast::Op::el_div:
      return product;
    case ast::Op::pow:
    case ast::Op::el_pow:
      return power;
    default:
      return relation;
  }
}

// Stands for the type of an array without elements.
const char* empty_element(Primitive base) {
  switch (base) {
    case Primitive::integer:
      return "0";
    case Primitive::boolean:
      return "false";
    case Primitive::string:
      return "\"\"";
    default:
      return "0.0";
  }
}

}  // namespace

std::string identifier(const std::string& name) {
  bool plain = !name.empty() && !(name[0] >= '0' && name[0] <= '9') && !is_keyword(name);
  for (const char c : name)
    if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '_')) plain = false;
  if (plain) return name;
  if (name.size() > 1 && name[0] == '\'' && name.find('\'', 1) == name.size() - 1) return name;
  std::string quoted = "'";
  for (const char c : name) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string FlatPrinter::operand(const Exp& e, int least) {
  context_.check_stack();
  std::string text;
  switch (e.kind) {
    case ExpKind::real:
      text = print_real(e.number);
      break;
    case ExpKind::integer:
      text = fmt::format("{}", static_cast<long long>(e.number));
      break;
    case ExpKind::boolean:
      text = e.number != 0 ? "true" : "false";
      break;
    case ExpKind::string:
      text = fmt::format("\"{}\"", e.text);
      break;
    case ExpKind::enum_literal:
      text = class_name(e.type.enumeration) + "." + e.name.text();
      break;
    case ExpKind::variable:
      text = variable(e.variable->resolve(), e.type);
      break;
    case ExpKind::local:
      text = identifier(e.local->name.text());
      break;
    case ExpKind::array:
      if (e.args.empty()) {
        text = "fill(" + std::string(empty_element(e.type.base));
        for (const int d : e.type.dims) text += fmt::format(", {}", d);
        text += ")";
      } else {
        text = "{" + arguments(e.args) + "}";
      }
      break;
    case ExpKind::range:
      text = operand(*e.args[0], or_s) + ":" + (e.args[1] ? operand(*e.args[1], or_s) + ":" : "") +
             operand(*e.args[2], or_s);
      break;
    case ExpKind::unary:
      text = e.op == ast::Op::not_ ? "not " + operand(*e.args[0], relation)
                                   : "-" + operand(*e.args[0], product);
      break;
    case ExpKind::binary: {
      const int own = strength(e);
      const bool chains = own != relation && own != power;
      text = operand(*e.args[0], chains ? own : own + 1) + fmt::format(" {} ", to_string(e.op)) +
             operand(*e.args[1], own + 1);
      break;
    }
    case ExpKind::if_:
      for (uint32_t i = 0; i + 1 < e.args.size(); i += 2)
        text += (i ? " elseif " : "if ") + expression(*e.args[i]) + " then " +
                expression(*e.args[i + 1]);
      text += " else " + expression(*e.args.back());
      break;
    case ExpKind::call:
      text = call(e);
      break;
    case ExpKind::builtin:
      text = builtin(e);
      break;
    case ExpKind::record:
      text = record_value(e);
      break;
    case ExpKind::subscript:
      text = subscripts(e);
      break;
    case ExpKind::field:
      text = field(e);
      break;
    case ExpKind::comprehension:
      text = comprehension(e);
      break;
    case ExpKind::function:
      text = function_value(e);
      break;
    case ExpKind::tuple:
      text = "(" + arguments(e.args) + ")";
      break;
    case ExpKind::colon:
      text = ":";
      break;
  }
  return strength(e) < least ? "(" + text + ")" : text;
}

std::string FlatPrinter::arguments(Slice<const Exp*> args) {
  std::string text;
  for (uint32_t i = 0; i < args.size(); ++i) {
    if (i) text += ", ";
    if (args[i]) text += expression(*args[i]);
  }
  return text;
}

// Most records do not exist in the flat model: a record variable is written as its constructor.
std::string FlatPrinter::variable(Component* c, const Type& t) {
  if (t.base != Primitive::none || !t.record || find_kept(c)) return name_of(c);
  std::string text = record_name(t.record) + "(";
  bool first = true;
  for (const Field& f : t.record->fields) {
    Component* member = component_of(context_, find_element(context_, c->type, f.name))->resolve();
    if (!first) text += ", ";
    first = false;
    if (member->is_array_of_classes()) {
      text += "{";
      for (size_t i = 0; i < member->elements.size(); ++i)
        text += (i ? ", " : "") + variable(member->elements[i], with_dims(context_, f.type, {}));
      text += "}";
    } else {
      text += variable(member, f.type);
    }
  }
  return text + ")";
}

std::string FlatPrinter::record_value(const Exp& e) {
  return record_name(e.type.record) + "(" + arguments(e.args) + ")";
}

std::string FlatPrinter::call(const Exp& e) {
  if (e.local) return identifier(e.local->name.text()) + "(" + arguments(e.args) + ")";
  const bool makes_object = !e.function->outputs.empty() &&
                            e.function->outputs[0]->type.base == Primitive::external_object;
  const std::string name = makes_object ? class_name(e.function->outputs[0]->type.enumeration)
                                        : function_name(e.function);
  return name + "(" + arguments(e.args) + ")";
}

std::string FlatPrinter::builtin(const Exp& e) {
  if (e.builtin == Builtin::time) return "time";
  if (e.builtin == Builtin::enum_of)
    return class_name(e.type.enumeration) + "(" + arguments(e.args) + ")";
  if (e.builtin != Builtin::string)
    return std::string(builtin_name(e.builtin)) + "(" + arguments(e.args) + ")";
  constexpr const char* names[] = {"", "significantDigits", "minimumLength", "leftJustified",
                                   "format"};
  std::string text = "String(" + expression(*e.args[0]);
  for (uint32_t i = 1; i < e.args.size() && i < 5; ++i)
    if (e.args[i]) text += fmt::format(", {} = {}", names[i], expression(*e.args[i]));
  return text + ")";
}

std::string FlatPrinter::subscripts(const Exp& e) {
  const Exp& array = *e.args[0];
  const Exp* root = &array;  // a field of what is no variable is printed as a call
  while (root->kind == ExpKind::field || root->kind == ExpKind::subscript) root = root->args[0];
  const bool name = array.kind == ExpKind::variable || array.kind == ExpKind::local ||
                    (array.kind == ExpKind::field && root->kind == ExpKind::local);
  std::string text = name ? operand(array, atom) : "(" + expression(array) + ")";
  return text + "[" + arguments({e.args.data + 1, e.args.size() - 1}) + "]";
}

// f, or with some inputs bound: function f(k = 3).
std::string FlatPrinter::function_value(const Exp& e) {
  std::string bound;
  for (uint32_t i = 0; i < e.args.size(); ++i)
    if (e.args[i])
      bound += fmt::format("{}{} = {}", bound.empty() ? "" : ", ",
                           e.function->inputs[i]->name.text(), expression(*e.args[i]));
  const std::string name = function_name(e.function);
  return bound.empty() ? name : fmt::format("function {}({})", name, bound);
}

// A field of a value that has no name is asked for through a function: 'R.T'(f(x)).
std::string FlatPrinter::field(const Exp& e) {
  const Exp* root = e.args[0];
  while (root->kind == ExpKind::field || root->kind == ExpKind::subscript) root = root->args[0];
  if (root->kind == ExpKind::local) return operand(*e.args[0], atom) + "." + e.name.text();
  const std::string record = record_name(e.args[0]->type.record);
  accessors_.insert({e.args[0]->type.record->name, e.name.text()});
  return identifier(e.args[0]->type.record->name + "." + e.name.text()) + "(" +
         expression(*e.args[0]) + ")";
}

std::string FlatPrinter::comprehension(const Exp& e) {
  std::string text = expression(*e.args[0]) + " for ";
  for (uint32_t i = e.locals.size(); i-- > 0;)
    text += e.locals[i]->name.text() + " in " + expression(*e.args[i + 1]) + (i ? ", " : "");
  return e.builtin == Builtin::array ? "{" + text + "}"
                                     : std::string(builtin_name(e.builtin)) + "(" + text + ")";
}

std::string FlatPrinter::function_name(const Function* f) {
  if (f->constructs) return record_name(f->constructs);
  const auto known = functions_.find(f);
  if (known != functions_.end()) return identifier(known->second);
  const int count = ++used_names_[f->name];
  const std::string name = count == 1 ? f->name : fmt::format("{}#{}", f->name, count);
  functions_[f] = name;
  waiting_.push_back(f);
  return identifier(name);
}

std::string FlatPrinter::record_name(const RecordType* r) {
  if (seen_records_.insert(r).second) add_record(r);
  return identifier(r->name);
}

std::string FlatPrinter::class_name(const ClassInst* c) {
  const std::string name = c->path();
  const bool predefined = *c->def->source->path == "predefined types";
  if (predefined) return name;
  if (c->primitive == Primitive::external_object)
    objects_.emplace(name, c);
  else
    enumerations_.emplace(name, c);
  return identifier(name);
}

std::string FlatPrinter::type(const Type& t) {
  if (t.base == Primitive::none && t.record) return record_name(t.record);
  if (t.base == Primitive::enumeration || t.base == Primitive::external_object)
    return class_name(t.enumeration);
  Type scalar = t;
  scalar.dims = {};
  return to_string(scalar);
}

std::string FlatPrinter::dims(const Type& t, Slice<const Exp*> sizes) {
  std::string text;
  for (uint32_t i = 0; i < t.dims.size(); ++i) {
    text += i ? ", " : "[";
    if (t.dims[i] != unknown_size)
      text += std::to_string(t.dims[i]);
    else
      text += i < sizes.size() && sizes[i] ? expression(*sizes[i]) : ":";
  }
  return text.empty() ? text : text + "]";
}

}  // namespace couplet::modelica
