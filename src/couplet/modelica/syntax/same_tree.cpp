// Structural equality of syntax trees: everything but places in the text.
#include "couplet/modelica/syntax/printer.hpp"

namespace couplet::modelica {
namespace {

using namespace ast;

template <class T>
bool same(const T* a, const T* b);
template <class T>
bool same(Slice<T> a, Slice<T> b);

bool same(Symbol a, Symbol b) { return a == b; }
bool same(const RefPart& a, const RefPart& b);
bool same(const Iterator& a, const Iterator& b);
bool same(const Argument& a, const Argument& b);
bool same(const Expr& a, const Expr& b);
bool same(const Modifier& a, const Modifier& b);
bool same(const Modification& a, const Modification& b);
bool same(const Annotation& a, const Annotation& b) { return same(a.content, b.content); }
bool same(const Comment& a, const Comment& b);
bool same(const Branch& a, const Branch& b);
bool same(const Equation& a, const Equation& b);
bool same(const Section& a, const Section& b);
bool same(const Name& a, const Name& b) { return a.global == b.global && same(a.parts, b.parts); }
bool same(const Constraint& a, const Constraint& b);
bool same(const Component& a, const Component& b);
bool same(const Literal& a, const Literal& b);
bool same(const External& a, const External& b);
bool same(const Element& a, const Element& b);
bool same(const ClassDef& a, const ClassDef& b);

template <class T>
bool same(const T* a, const T* b) {
  return (!a && !b) || (a && b && same(*a, *b));
}

template <class T>
bool same(Slice<T> a, Slice<T> b) {
  if (a.size() != b.size()) return false;
  for (uint32_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

bool same(const RefPart& a, const RefPart& b) {
  return a.name == b.name && same(a.subscripts, b.subscripts);
}
bool same(const Iterator& a, const Iterator& b) {
  return a.name == b.name && same(a.range, b.range);
}
bool same(const Argument& a, const Argument& b) {
  return a.name == b.name && same(a.value, b.value);
}

bool same(const Expr& a, const Expr& b) {
  return a.kind == b.kind && a.op == b.op && a.global == b.global && a.truth == b.truth &&
         a.depth == b.depth && a.number == b.number && a.text == b.text && same(a.parts, b.parts) &&
         same(a.args, b.args) && same(a.arguments, b.arguments) && same(a.iterators, b.iterators);
}

bool same(const Modifier& a, const Modifier& b) {
  return a.each == b.each && a.final == b.final && same(a.path, b.path) && same(a.value, b.value) &&
         same(a.element, b.element) && a.breaks == b.breaks && same(a.broken, b.broken) &&
         a.comment == b.comment;
}
bool same(const Modification& a, const Modification& b) {
  return a.has_parentheses == b.has_parentheses && a.removes == b.removes &&
         same(a.modifiers, b.modifiers) && same(a.value, b.value);
}
bool same(const Comment& a, const Comment& b) {
  return a.text == b.text && same(a.annotation, b.annotation);
}
bool same(const Branch& a, const Branch& b) {
  return same(a.condition, b.condition) && same(a.body, b.body);
}
bool same(const Equation& a, const Equation& b) {
  return a.kind == b.kind && same(a.left, b.left) && same(a.right, b.right) &&
         same(a.branches, b.branches) && same(a.iterators, b.iterators) &&
         same(a.comment, b.comment);
}
bool same(const Section& a, const Section& b) {
  return a.initial == b.initial && a.algorithm == b.algorithm && same(a.body, b.body);
}
bool same(const Constraint& a, const Constraint& b) {
  return same(a.type, b.type) && same(a.modification, b.modification);
}
bool same(const Component& a, const Component& b) {
  return a.name == b.name && same(a.type, b.type) && a.flow == b.flow &&
         a.variability == b.variability && a.direction == b.direction &&
         same(a.type_dims, b.type_dims) && same(a.dims, b.dims) &&
         same(a.modification, b.modification) && same(a.condition, b.condition) &&
         same(a.comment, b.comment);
}
bool same(const Literal& a, const Literal& b) {
  return a.name == b.name && same(a.comment, b.comment);
}
bool same(const External& a, const External& b) {
  return a.language == b.language && same(a.result, b.result) && a.function == b.function &&
         same(a.arguments, b.arguments) && same(a.annotation, b.annotation) &&
         a.has_call == b.has_call;
}
bool same(const Element& a, const Element& b) {
  const Prefixes &p = a.prefixes, &q = b.prefixes;
  return a.kind == b.kind && p.redeclare == q.redeclare && p.final == q.final &&
         p.inner == q.inner && p.outer == q.outer && p.replaceable == q.replaceable &&
         p.is_protected == q.is_protected && same(a.class_def, b.class_def) &&
         same(a.component, b.component) && same(a.constraint, b.constraint) &&
         a.import.alias == b.import.alias && same(a.import.name, b.import.name) &&
         a.import.all == b.import.all && same(a.import.several, b.import.several) &&
         same(a.base, b.base) && same(a.modification, b.modification) && same(a.comment, b.comment);
}
bool same(const ClassDef& a, const ClassDef& b) {
  return a.name == b.name && a.kind == b.kind && a.body == b.body && a.partial == b.partial &&
         a.encapsulated == b.encapsulated && a.pure == b.pure && a.impure == b.impure &&
         a.open_enumeration == b.open_enumeration && a.direction == b.direction &&
         a.flow == b.flow && a.variability == b.variability && a.comment == b.comment &&
         same(a.elements, b.elements) && same(a.sections, b.sections) &&
         same(a.external, b.external) && same(a.annotation, b.annotation) && same(a.base, b.base) &&
         same(a.dims, b.dims) && same(a.modification, b.modification) &&
         same(a.literals, b.literals) && same(a.by, b.by);
}

}  // namespace

bool same_tree(const Expr& a, const Expr& b) { return same(a, b); }

bool same_tree(const StoredDefinition& a, const StoredDefinition& b) {
  if (a.has_within != b.has_within || !same(a.within, b.within)) return false;
  if (a.classes.size() != b.classes.size()) return false;
  for (uint32_t i = 0; i < a.classes.size(); ++i)
    if (a.classes[i].final != b.classes[i].final ||
        !same(a.classes[i].class_def, b.classes[i].class_def))
      return false;
  return true;
}

}  // namespace couplet::modelica
