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

void print_variable(FlatPrinter& printer, const FlatVariable& v, std::string& out) {
  constexpr const char* variability[] = {"constant ", "parameter ", "discrete ", ""};
  out += "  ";
  // Booleans and Integers step anyway; `discrete` would only be noise.
  const bool is_real = v.type.base == Primitive::real;
  if (is_real || v.variability < ast::Variability::discrete)
    out += variability[static_cast<int>(v.variability)];
  if (v.direction == ast::Direction::input) out += "input ";
  if (v.direction == ast::Direction::output) out += "output ";
  out += printer.type(v.type) + " " + identifier(v.name) + printer.dims(v.type);
  std::string attributes;
  for (const Attribute& a : v.attributes) {
    const bool each = a.value->type.rank() < v.type.rank();
    attributes += fmt::format("{}{}{} = {}", attributes.empty() ? "" : ", ", each ? "each " : "",
                              a.name.text(), printer.expression(*a.value));
  }
  if (!attributes.empty()) out += "(" + attributes + ")";
  if (v.binding) out += " = " + printer.expression(*v.binding);
  out += description(v.component);
  if (v.structural) out += " annotation(Evaluate = true)";
  out += ";\n";
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
  for (const FlatVariable& v : model.variables) print_variable(printer, v, body);
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
