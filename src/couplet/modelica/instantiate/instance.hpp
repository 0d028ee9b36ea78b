// Classes in their environment, and the tree of component instances made of them. Both are lazy: a
// class is expanded and a component instantiated when somebody first looks.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "couplet/modelica/instantiate/modifier.hpp"

namespace couplet::modelica {

struct Component;
struct Entry;
struct Exp;
struct Function;
struct RecordType;
struct Value;

/// The predefined type that a class comes down to.
enum class Primitive : uint8_t {
  none,
  real,
  integer,
  boolean,
  string,
  enumeration,
  external_object,
  clock,
};

/// A class with the class that encloses it, the modifications it is used with, and, when it is the
/// type of a component, that component. Each component has a ClassInst of its own.
struct ClassInst {
  const ast::ClassDef* def = nullptr;  // null: the top level
  ClassInst* parent = nullptr;         // lexically enclosing
  Mods mods;
  Component* self = nullptr;      // whose type this is; bases: see most_derived()
  ClassInst* derived = nullptr;   // when this is a base of another class
  ClassInst* original = nullptr;  // `redeclare model extends M`: the M that is extended
  const ast::Modification* extended_with = nullptr;  // a base: what its extends clause says
  bool hides = false;                                // a base: extended behind `protected`

  enum class State : uint8_t { fresh, expanding, done } state = State::fresh;
  Primitive primitive = Primitive::none;
  const ClassInst* primitive_class = nullptr;  // Real itself with attributes, or the enumeration
  std::vector<ClassInst*> bases;
  std::vector<Entry*> elements;                // own and inherited, in the order of the text
  std::unordered_map<Symbol, Entry*> index;    // of elements
  std::unordered_map<Symbol, Entry*> own;      // made before they were added to elements
  std::unordered_map<Symbol, Entry*> imports;  // resolved so far; null: nothing there
  Function* function = nullptr;                // made by typing/
  const RecordType* record = nullptr;          // made by typing/

  ClassInst* most_derived() { return derived ? derived->most_derived() : this; }
  std::string path() const;  // A.B.C, for messages and names of functions
};

/// A declared name in a class: a component or a class, before or after it is instantiated.
struct Entry {
  Symbol name;
  const ast::Element* element = nullptr;
  ClassInst* owner = nullptr;  // the class whose text declares it
  ClassInst* class_inst = nullptr;
  Component* component = nullptr;
  bool busy = false;  // being instantiated: meeting it again is a cycle

  bool is_class() const { return element->kind == ast::ElementKind::class_; }
  /// Declared behind `protected`, or inherited there. [Modelica 3.6, section 7.1.2]
  bool is_protected() const {
    if (element->prefixes.is_protected) return true;
    for (const ClassInst* c = owner; c; c = c->derived)
      if (c->hides) return true;
    return false;
  }
};

/// An instance: a model, a connector, a record, a variable; or an array of them.
struct Component {
  Symbol name;
  Component* parent = nullptr;            // null: the model itself, and constants of packages
  const ast::Element* element = nullptr;  // after redeclaration
  ClassInst* scope = nullptr;             // where its text is looked up
  const Mod* mod = nullptr;               // outer and own; its value is the binding
  ClassInst* type = nullptr;              // of one element
  std::vector<int> dims;
  std::vector<Component*> elements;  // an array of classes: row-major; each has `index`
  std::vector<int> index;            // of an element of such an array
  Component* inner = nullptr;        // outer: the instance it stands for
  Component* own_inner = nullptr;    // inner outer: the new instance that components inside see

  ast::Variability variability = ast::Variability::continuous;
  ast::Direction direction = ast::Direction::none;
  ast::Flow flow = ast::Flow::none;
  bool is_protected = false, is_final = false, is_inner = false, is_outer = false;
  bool removed = false;  // its condition is false
  bool sized = false;    // dims are known; until then it must not be used
  bool is_connector = false, is_expandable = false;
  bool structural = false;  // its value was used to build the model: it cannot change later
  bool evaluate = false;    // annotation(Evaluate = true)
  bool grown = false;       // a member that an expandable connector got from a connection

  // Filled by typing/ when first needed.
  bool binding_done = false, binding_busy = false;
  const Exp* binding = nullptr;
  const Value* value = nullptr;
  bool value_busy = false;
  int connections = 0;  // how many connect equations name it: cardinality()
  int flat = -1;        // index of its flat variable

  bool is_array_of_classes() const {
    return !dims.empty() && type && type->primitive == Primitive::none;
  }
  std::string path() const;  // a.b[2].c
  Component* resolve() { return inner ? inner : this; }
};

}  // namespace couplet::modelica
