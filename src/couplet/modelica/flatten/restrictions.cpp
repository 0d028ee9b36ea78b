// What the text of a class may hold: a connector no protected variables, a package only constants,
// a function one algorithm. Every class that the model uses is looked at once.
// [Modelica 3.6, sections 4.7, 4.8, 7.1.4, 11.2, 12.2 and 12.9]
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "couplet/base/text.hpp"
#include "couplet/modelica/flatten/kinds.hpp"
#include "couplet/modelica/flatten/passes.hpp"
#include "couplet/modelica/flatten/prefixes.hpp"
#include "couplet/modelica/syntax/printer.hpp"
#include "couplet/modelica/typing/function.hpp"

namespace couplet::modelica {
namespace {

using ast::ClassKind;
using ast::ElementKind;
using ast::EqKind;

class Restrictions {
 public:
  Restrictions(Context& context, ClassInst* c) : context_(context), c_(c), def_(*c->def) {}

  void check() {
    for (const ast::Element* e : def_.elements) element(*e);
    for (const ast::Section& s : def_.sections) section(s);
    literals();
    if (is_function()) return function();
    if (def_.external)
      error(def_.name_range, fmt::format("a {} cannot be external", to_string(def_.kind)),
            "only functions are");
    type();
    if (c_->primitive == Primitive::external_object) object();
  }

 private:
  void error(Range range, std::string what, std::string fix) {
    context_.error(c_, range, std::move(what), std::move(fix));
  }

  bool is_function() const {
    return def_.kind == ClassKind::function || def_.kind == ClassKind::operator_function;
  }

  void element(const ast::Element& e) {
    if (e.kind == ElementKind::extends) return base(e);
    if (e.kind != ElementKind::component) return;
    const ast::Component& c = *e.component;
    const std::string name = base::quoted(c.name.text());
    const std::string kind(to_string(def_.kind));
    const bool holds = def_.kind == ClassKind::connector || def_.kind == ClassKind::type ||
                       def_.kind == ClassKind::expandable_connector;
    if (holds && e.prefixes.is_protected)
      error(c.range, fmt::format("{} is protected: a {} has no protected variables", name, kind),
            "make it public");
    if (def_.kind == ClassKind::package && c.variability != ast::Variability::constant)
      error(c.range, fmt::format("{} is no constant: a package holds classes and constants", name),
            "write 'constant', or use a model");
    if (def_.kind == ClassKind::expandable_connector && c.flow == ast::Flow::flow)
      error(c.range, fmt::format("{} is a flow variable of an expandable connector", name),
            "put it into a connector inside");
    if (e.prefixes.redeclare && c.condition)
      error(c.range, fmt::format("{} is redeclared with a condition", name),
            "the condition stands at the original declaration");
    if (e.prefixes.outer && !e.prefixes.inner && c.modification &&
        (c.modification->value || !c.modification->modifiers.empty()))
      error(c.range, fmt::format("{} is outer and cannot be modified", name),
            "modify the inner component");
    if (c.name.text() == "time")
      error(c.range, "'time' is the name of the independent variable", "choose another name");
    if (is_function()) parameter(e, name);
  }

  // A variable of a function.
  void parameter(const ast::Element& e, const std::string& name) {
    const ast::Component& c = *e.component;
    const bool passes = c.direction != ast::Direction::none;
    if (passes && e.prefixes.is_protected)
      error(c.range, fmt::format("{} is an input or output and protected", name),
            "make it public, or drop the prefix");
    if (!passes && !e.prefixes.is_protected && !e.prefixes.redeclare)
      error(c.range, fmt::format("{} is public and neither input nor output", name),
            "put it behind 'protected'");
    if (e.prefixes.inner || e.prefixes.outer)
      error(c.range, fmt::format("{} is inner or outer in a function", name), "make it an input");
    ClassInst* type = lookup_class(context_, c_, c.type);
    expand(context_, type);
    const ClassKind kind = kind_of(type);
    const bool lives = kind == ClassKind::model || kind == ClassKind::block ||
                       kind == ClassKind::connector || kind == ClassKind::package;
    if (lives && type->primitive == Primitive::none)
      error(c.range, fmt::format("{} is a {}: a function has values", name, to_string(kind)),
            "use a record");
  }

  void function() {
    const size_t bodies = count_bodies(c_);
    for (const ast::Section& s : def_.sections) {
      if (s.initial)
        error(def_.name_range, fmt::format("{} has an initial section", base::quoted(c_->path())),
              "a function has one algorithm");
    }
    if (bodies > 1)
      error(def_.name_range,
            fmt::format("{} has {} algorithms or external parts", base::quoted(c_->path()), bodies),
            "a function has one");
    if (!def_.external) return;
    const std::string_view language = def_.external->language;
    constexpr std::string_view known[] = {
        "",        "\"C\"",     "\"C90\"",     "\"C99\"",        "\"C11\"",  "\"C17\"",
        "\"C++\"", "\"C++98\"", "\"builtin\"", "\"FORTRAN 77\"", "\"C++11\""};
    if (std::find(std::begin(known), std::end(known), language) == std::end(known))
      error(def_.name_range, fmt::format("{} is no language of external functions", language),
            "write \"C\" or \"FORTRAN 77\"");
  }

  static size_t count_bodies(const ClassInst* c) {
    size_t count = c->def->external ? 1 : 0;
    for (const ast::Section& s : c->def->sections) count += s.algorithm ? 1 : 0;
    for (const ClassInst* b : c->bases) count += count_bodies(b);
    return count;
  }

  // A type comes down to a predefined one, and what does has no variables besides.
  void type() {
    const bool composed = def_.body == ast::Body::composition;
    const bool is_overloaded = kind_of(c_) == ClassKind::operator_record;
    if (def_.kind == ClassKind::type && c_->primitive == Primitive::none && !c_->derived &&
        !is_overloaded)
      error(def_.name_range, fmt::format("{} is no predefined type", base::quoted(c_->path())),
            "a type extends Real, Integer, Boolean, String or an enumeration");
    if (c_->primitive == Primitive::none || !composed) return;
    const bool is_object = c_->primitive == Primitive::external_object;
    for (const ast::Element* e : def_.elements)
      if (e->kind == ElementKind::component && !is_object)
        error(e->component->range,
              fmt::format("{} extends a predefined type and cannot have variables",
                          base::quoted(c_->path())),
              "use a record or a connector");
    if (def_.kind == ClassKind::type && !def_.sections.empty())
      error(def_.name_range, fmt::format("type {} has equations", base::quoted(c_->path())),
            "use a model");
  }

  // A constructor and a destructor, nothing else. [section 12.9.7]
  void object() {
    if (def_.name.text() == "ExternalObject" || def_.body != ast::Body::composition) return;
    bool made = false, ended = false, clean = true;
    for (const ast::Element* e : def_.elements) {
      if (e->kind == ElementKind::extends || e->kind == ElementKind::import_) continue;
      const bool is_class = e->kind == ElementKind::class_;
      const std::string name = is_class ? e->class_def->name.text() : "";
      clean = clean && (name == "constructor" || name == "destructor") && !e->prefixes.replaceable;
      made = made || name == "constructor";
      ended = ended || name == "destructor";
      if (is_class && e->class_def->kind != ClassKind::function) clean = false;
    }
    if (!made || !ended || !clean)
      error(def_.name_range,
            fmt::format("external object {} needs a constructor, a destructor and nothing else",
                        base::quoted(c_->path())),
            "put other functions next to it");
  }

  void literals() {
    std::unordered_set<std::string> names;
    for (const ast::Literal& l : def_.literals) {
      const std::string& name = l.name.text();
      if (!names.insert(name).second)
        error(l.range, fmt::format("{} has literal {} twice", base::quoted(c_->path()), name),
              "rename one of the two");
      if (name == "quantity" || name == "min" || name == "max" || name == "start" ||
          name == "fixed")
        error(l.range, fmt::format("literal {} has the name of an attribute", name), "rename it");
    }
  }

  // The class after `extends` cannot be another one in a derived class. [section 7.1.4]
  void base(const ast::Element& e) {
    broken(e);
    if (e.base.global) return;
    ClassInst* scope = c_;
    const Symbol first = e.base.parts[0].name;
    Entry* entry = c_->index.count(first) ? c_->index[first] : nullptr;
    if (entry && entry->owner != c_)
      return error(e.base.range,
                   fmt::format("{} is inherited itself and cannot be the class of 'extends'",
                               base::quoted(first.text())),
                   "name the class where it is declared");
    if (!entry) entry = c_->parent ? find_name(context_, scope, first) : nullptr;
    for (uint32_t i = 0; entry; ++i) {
      if (!entry->is_class())
        return error(e.base.range,
                     fmt::format("{} is a component: 'extends' names a class",
                                 base::quoted(entry->name.text())),
                     "name the class of the component");
      if (i + 1 >= e.base.parts.size()) return;
      entry = find_element(context_, class_of(context_, entry), e.base.parts[i + 1].name);
    }
  }

  // extends A(break x, break connect(a, b)): both must be there. [section 7.4]
  void broken(const ast::Element& e) {
    if (!e.modification) return;
    ClassInst* found = nullptr;
    for (ClassInst* b : c_->bases)
      if (b->extended_with == e.modification) found = b;
    for (const ast::Modifier& m : e.modification->modifiers) {
      if (!m.breaks || !found) continue;
      if (m.broken) {
        if (!connects(found, *m.broken))
          error(m.range, fmt::format("{} has no such connection", base::quoted(found->path())),
                "write it as it is written there");
        continue;
      }
      const Entry* left = find_declared(found, m.path[0].name);
      if (!left || left->is_class())
        error(m.range,
              fmt::format("{} has no component {} to leave out", base::quoted(found->path()),
                          base::quoted(m.path[0].name.text())),
              "is the name right?");
    }
  }

  static const Entry* find_declared(const ClassInst* c, Symbol name) {
    const auto place = c->index.find(name);
    if (place != c->index.end()) return place->second;
    for (const ClassInst* b : c->bases)
      if (const Entry* found = find_declared(b, name)) return found;
    return nullptr;
  }

  static bool connects(const ClassInst* c, const ast::Equation& wanted) {
    for (const ast::Section& s : c->def->sections)
      if (connects(s.body, wanted)) return true;
    for (const ClassInst* b : c->bases)
      if (connects(b, wanted)) return true;
    return false;
  }

  static bool connects(Slice<const ast::Equation*> body, const ast::Equation& wanted) {
    for (const ast::Equation* e : body) {
      if (e->kind == EqKind::connect && same_tree(*e->left, *wanted.left) &&
          same_tree(*e->right, *wanted.right))
        return true;
      if (e->kind == EqKind::connect && same_tree(*e->left, *wanted.right) &&
          same_tree(*e->right, *wanted.left))
        return true;
      for (const ast::Branch& b : e->branches)
        if (connects(b.body, wanted)) return true;
    }
    return false;
  }

  // ---- where statements and equations may stand
  struct Around {
    bool algorithm = false, initial = false, loop = false, nested = false, event = false;
  };

  void section(const ast::Section& s) { body(s.body, {s.algorithm, s.initial}); }

  void body(Slice<const ast::Equation*> all, Around around) {
    for (const ast::Equation* e : all) equation(*e, around);
  }

  void equation(const ast::Equation& e, Around around) {
    const auto refuse = [&](bool wrong, const char* what, const char* fix) {
      if (wrong) error(e.range, what, fix);
    };
    switch (e.kind) {
      case EqKind::when:
        refuse(is_function(), "a function has no when-clause", "use 'if'");
        refuse(around.initial, "an initial section has no when-clause", "use 'if'");
        refuse(around.algorithm && around.nested && !is_function(),
               "a when-statement stands inside of another statement",
               "put it on its own, with 'and' in its condition");
        break;
      case EqKind::connect:
        refuse(around.initial, "a connection stands among initial equations",
               "connections belong to 'equation'");
        break;
      case EqKind::break_:
        refuse(!around.loop, "'break' stands outside of a loop", "use it in for or while");
        break;
      case EqKind::return_:
        refuse(!is_function(), "'return' stands outside of a function", "use 'if'");
        break;
      case EqKind::call:
        refuse(!around.event && !around.algorithm && e.left->parts.size() == 1 &&
                   e.left->parts[0].name.text() == "reinit",
               "reinit stands outside of a when-clause", "say when");
        break;
      default:
        break;
    }
    around.event = around.event || e.kind == EqKind::when;
    around.nested = around.nested || (!e.branches.empty() && e.kind != EqKind::for_);
    around.loop = around.loop || e.kind == EqKind::for_ || e.kind == EqKind::while_;
    for (const ast::Branch& b : e.branches) body(b.body, around);
  }

  Context& context_;
  ClassInst* c_;
  const ast::ClassDef& def_;
};

}  // namespace

void check_restrictions(Translation& t) {
  for (size_t i = 0; i < t.context.components.size(); ++i)
    check_prefixes(t.context, t.context.components[i]);
  std::unordered_set<const ast::ClassDef*> done;
  for (size_t i = 0; i < t.context.classes.size(); ++i) {  // looking at one may add others
    ClassInst* c = &t.context.classes[i];
    if (!c->def || !c->parent || c->state != ClassInst::State::done) continue;
    if (!done.insert(c->def).second) continue;
    try {
      check_kind(t.context, c);
      Restrictions(t.context, c).check();
    } catch (const Fault&) {
      if (t.context.diagnostics.full()) throw;
    }
  }
}

}  // namespace couplet::modelica
