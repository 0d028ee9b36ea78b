// The flat model as text: local classes, variables, equations.
#include <fmt/format.h>

#include "couplet/modelica/flatten/printer.hpp"
#include "couplet/modelica/typing/evaluate.hpp"

namespace couplet::modelica {
namespace {

std::string description(const Component* c) {
  if (!c->element || c->element->component->comment.text.empty()) return "";
  return " " + std::string(c->element->component->comment.text);
}

// Booleans and Integers step anyway; `discrete` would only be noise.
const char* prefix(ast::Variability v, bool is_real) {
  constexpr const char* names[] = {"constant ", "parameter ", "discrete ", ""};
  return is_real || v < ast::Variability::discrete ? names[static_cast<int>(v)] : "";
}

std::string attributes(FlatPrinter& printer, const FlatVariable& v) {
  std::string text;
  for (const Attribute& a : v.attributes) {
    const bool each = a.value->type.rank() < v.type.rank();
    text += fmt::format("{}{}{} = {}", text.empty() ? "" : ", ", each ? "each " : "", a.name.text(),
                        printer.expression(*a.value));
  }
  return text.empty() ? text : "(" + text + ")";
}

void print_variable(FlatPrinter& printer, const FlatVariable& v, std::string& out) {
  out += "  ";
  out += prefix(v.variability, v.type.base == Primitive::real);
  if (v.direction == ast::Direction::input) out += "input ";
  if (v.direction == ast::Direction::output) out += "output ";
  out += printer.type(v.type) + " " + identifier(v.name) + printer.dims(v.type);
  out += attributes(printer, v);
  if (v.binding) out += " = " + printer.expression(*v.binding);
  out += description(v.component);
  if (v.structural) out += " annotation(Evaluate = true)";
  out += ";\n";
}

// R v(x(unit = "m") "length") = f(time): all variables of one record.
void print_record(Context& context, FlatPrinter& printer, const Component* record,
                  const std::vector<const FlatVariable*>& fields, std::string& out) {
  const std::string name = printer.name_of(record);
  std::string modifiers;
  bool structural = false;
  for (const FlatVariable* v : fields) {
    structural = structural || v->structural;
    const std::string own = attributes(printer, *v) + description(v->component);
    if (own.empty()) continue;
    const std::string field = printer.name_of(v->component).substr(name.size() + 1);
    modifiers += fmt::format("{}{}{}", modifiers.empty() ? "" : ", ", field, own);
  }
  Type type;
  type.record = record_type(context, record->type);
  out += fmt::format("  {}{} {}{} = {}{}{};\n", prefix(record->variability, true),
                     printer.type(type), name, modifiers.empty() ? "" : "(" + modifiers + ")",
                     printer.expression(*record->binding), description(record),
                     structural ? " annotation(Evaluate = true)" : "");
}

void print_variables(Context& context, FlatPrinter& printer, const FlatModel& model,
                     std::string& out) {
  printer.keep_records(model);
  std::unordered_map<const Component*, std::vector<const FlatVariable*>> records;
  for (const FlatVariable& v : model.variables)
    if (const Component* record = printer.find_kept(v.component)) records[record].push_back(&v);
  for (const FlatVariable& v : model.variables) {
    const Component* record = printer.find_kept(v.component);
    if (!record)
      print_variable(printer, v, out);
    else if (records[record][0] == &v)
      print_record(context, printer, record, records[record], out);
  }
}

void print_equation(FlatPrinter& printer, const FlatEquation& e, int indent, std::string& out) {
  const std::string space(static_cast<size_t>(indent) * 2, ' ');
  if (e.kind == FlatEquation::Kind::equality) {
    // if a then b else c = d would read as an if equation.
    const bool guard = e.left->kind == ExpKind::if_;
    const std::string left = printer.expression(*e.left);
    out += fmt::format("{}{} = {};\n", space, guard ? "(" + left + ")" : left,
                       printer.expression(*e.right));
    return;
  }
  if (e.kind == FlatEquation::Kind::call) {
    out += space + printer.expression(*e.left) + ";\n";
    return;
  }
  const char* word = e.kind == FlatEquation::Kind::if_ ? "if" : "when";
  bool first = true;
  for (const auto& b : e.branches) {
    out += space;
    if (!first) out += "else";
    out += b.condition ? fmt::format("{} {} then\n", word, printer.expression(*b.condition)) : "\n";
    for (const FlatEquation& one : b.body) print_equation(printer, one, indent + 1, out);
    first = false;
  }
  out += fmt::format("{}end {};\n", space, word);
}

}  // namespace

std::string print(Context& context, const FlatModel& model) {
  FlatPrinter printer(context);
  std::string body;
  print_variables(context, printer, model, body);
  if (!model.initial_equations.empty()) body += "initial equation\n";
  for (const FlatEquation& e : model.initial_equations) print_equation(printer, e, 1, body);
  if (!model.equations.empty()) body += "equation\n";
  for (const FlatEquation& e : model.equations) print_equation(printer, e, 1, body);
  for (const FlatAlgorithm& a : model.algorithms) {
    body += a.initial ? "initial algorithm\n" : "algorithm\n";
    printer.statements(a.body, 1, body);
  }
  const std::string name = identifier(model.name);
  const std::string classes = printer.classes();
  return fmt::format("model {0}\n{1}{2}end {0};\n", name, classes, printer.without_copies(body));
}

}  // namespace couplet::modelica
