#include "couplet/modelica/syntax/printer.hpp"

#include <fmt/format.h>

#include "couplet/modelica/syntax/printer_impl.hpp"

namespace couplet::modelica {

using ast::Body;
using ast::EqKind;

std::string_view to_string(ast::ClassKind kind) {
  constexpr std::string_view names[] = {"class",
                                        "model",
                                        "block",
                                        "record",
                                        "operator record",
                                        "connector",
                                        "expandable connector",
                                        "type",
                                        "package",
                                        "function",
                                        "operator function",
                                        "operator"};
  return names[static_cast<int>(kind)];
}

std::string ast::to_string(Slice<RefPart> parts) {
  std::string text;
  for (const RefPart& part : parts) text += (text.empty() ? "" : ".") + part.name.text();
  return text;
}

void Printer::line() {
  out += '\n';
  out.append(static_cast<size_t>(indent) * 2, ' ');
}

void Printer::name(const ast::Name& n) {
  if (n.global) out += '.';
  ref(n.parts);
}

void Printer::file(const ast::StoredDefinition& f) {
  if (f.has_within) {
    out += "within ";
    name(f.within);
    out += ";\n";
  }
  for (const auto& entry : f.classes) {
    if (entry.final) out += "final ";
    class_definition(*entry.class_def);
    out += ";\n";
  }
}

// ---- classes
// -------------------------------------------------------------------------------------

void Printer::class_definition(const ast::ClassDef& c) {
  if (c.encapsulated) out += "encapsulated ";
  if (c.partial) out += "partial ";
  if (c.pure) out += "pure ";
  if (c.impure) out += "impure ";
  out += fmt::format("{} {}{}", to_string(c.kind), c.body == Body::extending ? "extends " : "",
                     c.name.text());
  if (c.body == Body::composition || c.body == Body::extending) {
    if (c.body == Body::extending) modification(c.modification);
    composition(c);
  } else {
    out += " = ";
    shorthand(c);
    comment({c.comment, c.annotation});
  }
}

void Printer::shorthand(const ast::ClassDef& c) {
  if (c.body == Body::enumeration) {
    out += "enumeration(";
    if (c.open_enumeration) out += ':';
    for (uint32_t i = 0; i < c.literals.size(); ++i) {
      out += (i ? ", " : "") + c.literals[i].name.text();
      comment(c.literals[i].comment);
    }
    out += ')';
  } else if (c.body == Body::derivative) {
    out += "der(";
    name(c.base);
    for (const Symbol by : c.by) out += ", " + by.text();
    out += ')';
  } else {
    prefixes(c.flow, c.variability, c.direction);
    name(c.base);
    subscripts(c.dims);
    modification(c.modification);
  }
}

void Printer::composition(const ast::ClassDef& c) {
  comment({c.comment, nullptr});
  ++indent;
  bool is_protected = false;
  for (const ast::Element* e : c.elements) {
    if (e->prefixes.is_protected != is_protected) {
      is_protected = !is_protected;
      line();
      out += is_protected ? "protected" : "public";
    }
    line();
    element(*e, false);
    out += ';';
  }
  for (const ast::Section& s : c.sections) section(s);
  if (c.external) external(*c.external);
  if (c.annotation) {
    line();
    annotation(c.annotation);
    out += ';';
  }
  --indent;
  line();
  out += "end " + c.name.text();
}

void Printer::external(const ast::External& e) {
  line();
  out += "external ";
  out += e.language;
  if (e.has_call) {
    out += ' ';
    if (e.result) {
      expression(*e.result);
      out += " = ";
    }
    out += e.function.text() + "(";
    list(e.arguments, ", ");
    out += ')';
  }
  annotation(e.annotation);
  out += ';';
}

// ---- elements
// ------------------------------------------------------------------------------------

void Printer::element(const ast::Element& e, bool single) {
  const ast::Prefixes& p = e.prefixes;
  if (p.redeclare) out += "redeclare ";
  if (p.final && !single) out += "final ";
  if (p.inner) out += "inner ";
  if (p.outer) out += "outer ";
  if (p.replaceable) out += "replaceable ";
  switch (e.kind) {
    case ast::ElementKind::import_:
      out += "import ";
      import(e.import);
      comment(e.comment);
      break;
    case ast::ElementKind::extends:
      out += "extends ";
      name(e.base);
      modification(e.modification);
      annotation(e.comment.annotation);
      break;
    case ast::ElementKind::class_:
      class_definition(*e.class_def);
      constraint(e);
      break;
    case ast::ElementKind::component:
      component(*e.component);
      constraint(e);
      break;
  }
}

void Printer::constraint(const ast::Element& e) {
  if (!e.constraint) return;
  out += " constrainedby ";
  name(e.constraint->type);
  modification(e.constraint->modification);
  comment(e.comment);
}

void Printer::import(const ast::Import& i) {
  if (!i.alias.empty()) out += i.alias.text() + " = ";
  name(i.name);
  if (i.all) out += ".*";
  if (i.several.empty()) return;
  out += ".{";
  for (uint32_t k = 0; k < i.several.size(); ++k) out += (k ? ", " : "") + i.several[k].text();
  out += '}';
}

void Printer::prefixes(ast::Flow flow, ast::Variability variability, ast::Direction direction) {
  constexpr const char* names[] = {"constant ", "parameter ", "discrete ", ""};
  if (flow != ast::Flow::none) out += flow == ast::Flow::flow ? "flow " : "stream ";
  out += names[static_cast<int>(variability)];
  if (direction != ast::Direction::none)
    out += direction == ast::Direction::input ? "input " : "output ";
}

void Printer::component(const ast::Component& c) {
  prefixes(c.flow, c.variability, c.direction);
  name(c.type);
  subscripts(c.type_dims);
  out += ' ' + c.name.text();
  subscripts(c.dims);
  modification(c.modification);
  if (c.condition) {
    out += " if ";
    expression(*c.condition);
  }
  comment(c.comment);
}

void Printer::comment(const ast::Comment& c) {
  if (!c.text.empty()) {
    out += ' ';
    out += c.text;
  }
  annotation(c.annotation);
}

void Printer::annotation(const ast::Annotation* a) {
  if (!a || !a->content) return;
  out += " annotation";
  modification(a->content);
}

void Printer::modification(const ast::Modification* m) {
  if (!m) return;
  if (m->has_parentheses) {
    out += '(';
    for (uint32_t i = 0; i < m->modifiers.size(); ++i) {
      if (i) out += ", ";
      modifier(m->modifiers[i]);
    }
    out += ')';
  }
  if (m->removes) out += " = break";
  if (!m->value) return;
  out += " = ";
  expression(*m->value);
}

void Printer::modifier(const ast::Modifier& m) {
  if (m.breaks) {
    out += "break ";
    if (m.broken)
      equation(*m.broken);
    else
      ref(m.path);
    return;
  }
  if (m.element) {
    const ast::Prefixes& p = m.element->prefixes;
    if (p.redeclare) out += "redeclare ";
    if (m.each) out += "each ";
    if (m.final) out += "final ";
    ast::Element rest = *m.element;
    rest.prefixes.redeclare = false;
    element(rest, true);
    return;
  }
  if (m.each) out += "each ";
  if (m.final) out += "final ";
  ref(m.path);
  modification(m.value);
  comment({m.comment, nullptr});
}

// ---- equations
// -----------------------------------------------------------------------------------

void Printer::section(const ast::Section& s) {
  --indent;
  line();
  ++indent;
  if (s.initial) out += "initial ";
  out += s.algorithm ? "algorithm" : "equation";
  body(s.body);
}

void Printer::body(Slice<const ast::Equation*> equations) {
  for (const ast::Equation* e : equations) {
    line();
    equation(*e);
    out += ';';
  }
}

void Printer::equation(const ast::Equation& e) {
  switch (e.kind) {
    case EqKind::equality:
    case EqKind::assign:
      expression(*e.left);
      out += e.kind == EqKind::assign ? " := " : " = ";
      expression(*e.right);
      break;
    case EqKind::call:
      expression(*e.left);
      break;
    case EqKind::connect:
      out += "connect(";
      expression(*e.left);
      out += ", ";
      expression(*e.right);
      out += ')';
      break;
    case EqKind::if_:
      branches(e, "if ", "elseif ");
      break;
    case EqKind::when:
      branches(e, "when ", "elsewhen ");
      break;
    case EqKind::for_:
    case EqKind::while_: {
      const bool is_for = e.kind == EqKind::for_;
      out += is_for ? "for " : "while ";
      if (is_for)
        iterators(e.iterators);
      else
        expression(*e.branches[0].condition);
      out += " loop";
      ++indent;
      body(e.branches[0].body);
      --indent;
      line();
      out += is_for ? "end for" : "end while";
      break;
    }
    case EqKind::break_:
      out += "break";
      break;
    case EqKind::return_:
      out += "return";
      break;
  }
  comment(e.comment);
}

void Printer::branches(const ast::Equation& e, const char* first, const char* again) {
  bool is_first = true;
  for (const ast::Branch& b : e.branches) {
    if (b.condition) {
      out += is_first ? first : again;
      expression(*b.condition);
      out += " then";
    } else {
      out += "else";
    }
    is_first = false;
    ++indent;
    body(b.body);
    --indent;
    line();
  }
  out += e.kind == EqKind::if_ ? "end if" : "end when";
}

std::string print(const ast::StoredDefinition& file) {
  Printer printer;
  printer.file(file);
  return std::move(printer.out);
}

}  // namespace couplet::modelica
