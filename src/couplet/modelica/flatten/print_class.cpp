// Functions, records, enumerations and external objects that a flat model mentions.
#include <fmt/format.h>

#include <cctype>

#include "couplet/modelica/flatten/printer.hpp"
#include "couplet/modelica/typing/evaluate.hpp"

namespace couplet::modelica {

void FlatPrinter::statements(Slice<const Statement*> body, int indent, std::string& out) {
  const std::string space(static_cast<size_t>(indent) * 2, ' ');
  for (const Statement* s : body) {
    out += space;
    switch (s->kind) {
      case Statement::Kind::assign:
        out += expression(*s->left) + " := " + expression(*s->right);
        break;
      case Statement::Kind::call:
        out += expression(*s->right);
        break;
      case Statement::Kind::break_:
        out += "break";
        break;
      case Statement::Kind::return_:
        out += "return";
        break;
      case Statement::Kind::for_:
        out += fmt::format("for {} in {} loop\n", s->local->name.text(), expression(*s->right));
        statements(s->branches[0].body, indent + 1, out);
        out += space + "end for";
        break;
      case Statement::Kind::while_:
        out += fmt::format("while {} loop\n", expression(*s->branches[0].condition));
        statements(s->branches[0].body, indent + 1, out);
        out += space + "end while";
        break;
      case Statement::Kind::if_:
      case Statement::Kind::when: {
        const char* word = s->kind == Statement::Kind::if_ ? "if" : "when";
        bool first = true;
        for (const auto& b : s->branches) {
          if (!first) out += space + "else";
          out += b.condition ? fmt::format("{} {} then\n", word, expression(*b.condition)) : "\n";
          statements(b.body, indent + 1, out);
          first = false;
        }
        out += fmt::format("{}end {}", space, word);
        break;
      }
    }
    out += ";\n";
  }
}

void FlatPrinter::print_local(const Local& l, std::string& out) {
  const char* direction = l.direction == ast::Direction::input    ? "input "
                          : l.direction == ast::Direction::output ? "output "
                                                                  : "";
  out += fmt::format("    {}{} {}{}", direction,
                     l.function_type ? function_name(l.function_type) : type(l.type),
                     identifier(l.name.text()), dims(l.type, l.sizes));
  if (l.binding && l.binding->variability != ast::Variability::parameter)
    out += " = " + expression(*l.binding);
  out += ";\n";
}

void FlatPrinter::print_function(const Function& f, std::string& out) {
  const std::string name = identifier(functions_.at(&f));
  const bool is_open = f.class_inst && f.class_inst->def && f.class_inst->def->partial;
  const char* partial = is_open && !f.has_algorithm && !f.external ? "partial " : "";
  constexpr const char* purity[] = {"", "pure ", "impure "};
  out += fmt::format("  {}{}function {}\n", partial, purity[static_cast<int>(f.purity)], name);
  for (const Local* l : f.inputs) print_local(*l, out);
  for (const Local* l : f.outputs) print_local(*l, out);
  if (!f.protecteds.empty()) out += "  protected\n";
  for (const Local* l : f.protecteds) print_local(*l, out);
  if (f.external) {
    out += "  external " + std::string(f.external->language) + " ";
    if (f.external_result) out += expression(*f.external_result) + " = ";
    out += f.external_name.text() + "(" + arguments(f.external_arguments) + ")";
    if (f.external->annotation)
      out += " " + std::string(f.external_source->slice(f.external->annotation->range));
    out += ";\n";
  } else if (f.has_algorithm) {
    out += "  algorithm\n";
    statements(f.body, 2, out);
  }
  std::string notes;
  const auto note = [&](const std::string& text) { notes += (notes.empty() ? "" : ", ") + text; };
  if (f.inline_) note("Inline = true");
  if (f.late_inline) note("LateInline = true");
  if (f.inline_after_index_reduction) note("InlineAfterIndexReduction = true");
  if (f.smooth_order >= 0) note(fmt::format("smoothOrder = {}", f.smooth_order));
  for (const Derivative& d : f.derivatives) {
    std::string options;
    if (d.order != 1) options = fmt::format("order = {}", d.order);
    for (const Symbol s : d.no_derivative)
      options += (options.empty() ? "" : ", ") + ("noDerivative = " + s.text());
    for (const Symbol s : d.zero_derivative)
      options += (options.empty() ? "" : ", ") + ("zeroDerivative = " + s.text());
    note(fmt::format("derivative{} = {}", options.empty() ? "" : "(" + options + ")",
                     function_name(d.function)));
  }
  std::string inverses;
  for (const Inverse& i : f.inverses)
    inverses += (inverses.empty() ? "" : ", ") + i.input.text() + " = " + expression(*i.call);
  if (!inverses.empty()) note("inverse(" + inverses + ")");
  if (!notes.empty()) out += "    annotation(" + notes + ");\n";
  out += fmt::format("  end {};\n", name);
}

// Values of one record class may differ in the sizes of their fields: what they do not share stays
// open, as does a size of 0, which says that nothing is known.
void FlatPrinter::add_record(const RecordType* r) {
  for (const Field& f : r->fields) type(f.type);
  const RecordType*& joined = records_[r->name];
  std::vector<Field> fields(r->fields.begin(), r->fields.end());
  for (size_t i = 0; i < fields.size(); ++i) {
    std::vector<int> dims(fields[i].type.dims.begin(), fields[i].type.dims.end());
    const bool known = joined && i < joined->fields.size() &&
                       joined->fields[static_cast<uint32_t>(i)].type.rank() == dims.size();
    for (size_t d = 0; d < dims.size(); ++d) {
      const int before =
          known ? joined->fields[static_cast<uint32_t>(i)].type.dims[static_cast<uint32_t>(d)]
                : dims[d];
      if (dims[d] == 0 || dims[d] != before) dims[d] = unknown_size;
    }
    fields[i].type = with_dims(context_, fields[i].type, dims);
  }
  RecordType* merged = &context_.records.emplace_back(*r);
  merged->fields = context_.arena.copy(fields);
  joined = merged;
}

void FlatPrinter::print_record(const RecordType& r, std::string& out) {
  const std::string name = identifier(r.name);
  out += fmt::format("  record {}\n", name);
  for (const Field& f : r.fields) {
    out += fmt::format("    {} {}{};\n", type(f.type), f.name.text(), dims(f.type));
  }
  out += fmt::format("  end {};\n", name);
}

void FlatPrinter::print_external_object(const ClassInst* c, std::string& out) {
  const std::string name = identifier(c->path());
  out += fmt::format("  class {}\n    extends ExternalObject;\n", name);
  for (const char* part : {"constructor", "destructor"}) {
    Entry* e = find_element(context_, const_cast<ClassInst*>(c), Symbol(part));
    if (!e || !e->is_class()) continue;
    Function* f = function_of(context_, class_of(context_, e));
    type_body(context_, *f);
    functions_[f] = part;
    print_function(*f, out);
  }
  out += fmt::format("  end {};\n", name);
}

// Every instance of a model has functions of its own, since they may use its parameters. Most do
// not: those whose text is the same are one. Functions that call copies may become copies
// themselves.
std::string FlatPrinter::join_functions(std::string& others) {
  for (bool changed = true; changed;) {
    changed = false;
    std::map<std::string, std::string> originals;  // text without its name, identifier
    for (auto& [f, text] : printed_) {
      const std::string name = identifier(functions_.at(f));
      if (copies_.count(name)) continue;
      text = without_copies(text);
      copies_[name] = "?";
      const auto [place, added] = originals.emplace(f->name + without_copies(text), name);
      copies_.erase(name);
      if (added) continue;
      copies_[name] = place->second;
      changed = true;
    }
  }
  std::string all;
  for (const auto& [f, text] : printed_)
    if (!copies_.count(identifier(functions_.at(f)))) all += text;
  others = without_copies(others);
  return all;
}

std::string FlatPrinter::without_copies(const std::string& text) const {
  if (copies_.empty()) return text;
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const char quote = text[i];
    const bool word = std::isalpha(static_cast<unsigned char>(quote)) || quote == '_';
    size_t end = i + 1;
    if (quote == '\'' || quote == '"') {
      while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (word) {
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
    }
    const std::string token = text.substr(i, end - i);
    const std::string* original = &token;  // a copy of a copy, when that was found out later
    for (auto copy = copies_.find(token); (quote == '\'' || word) && copy != copies_.end();
         copy = copies_.find(*original))
      original = &copy->second;
    out += *original;
    i = end;
  }
  return out;
}

std::string FlatPrinter::classes() {
  std::string functions, others;
  std::set<std::string> objects_done;
  for (bool more = true; more;) {  // printing one class may mention others
    more = false;
    while (!waiting_.empty()) {
      Function* f = const_cast<Function*>(waiting_.back());
      waiting_.pop_back();
      try {
        type_body(context_, *f);
        printed_.emplace_back(f, "");
        std::string text;  // printing may add to the list
        const size_t place = printed_.size() - 1;
        print_function(*f, text);
        printed_[place].second = std::move(text);
      } catch (const Fault&) {
        if (context_.diagnostics.full()) throw;
      }
      more = true;
    }
    for (const auto& [name, c] : std::map(objects_))
      if (objects_done.insert(name).second) print_external_object(c, others), more = true;
  }
  for (const auto& [name, r] : std::map(records_)) print_record(*r, others);
  functions = join_functions(others);
  for (const auto& [record, field] : accessors_) {
    const RecordType* r = records_.at(record);
    for (const Field& f : r->fields)
      if (f.name.text() == field)
        functions += fmt::format(
            "  function {0}\n    input {1} r;\n    output {2} y{3};\n  algorithm\n    y := "
            "r.{4};\n  end {0};\n",
            identifier(fmt::format("{}.{}", record, field)), identifier(record), type(f.type),
            dims(f.type), field);
  }
  std::string enumerations;
  for (const auto& [name, c] : enumerations_) {
    std::string literals;
    for (const ast::Literal& l : c->def->literals)
      literals += (literals.empty() ? "" : ", ") + l.name.text();
    enumerations += fmt::format("  type {} = enumeration({});\n", identifier(name), literals);
  }
  return enumerations + others + functions;
}

}  // namespace couplet::modelica
