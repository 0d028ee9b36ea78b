// Elements of a model that are described by data: which keys a type of element has, what their
// values may be, in which unit, and what they mean.
//
// A room that owns elements (constraints, forces) lists its types as entries that add what the
// element does. Whatever reads, writes, lists or documents elements works from the keys and knows
// no type: a new type is one entry, and no reader changes.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/math/spatial.hpp"
#include "couplet/model/quantity.hpp"
#include "couplet/symbolic/expr.hpp"

namespace couplet::model {

class Model;

/// One coordinate of a joint.
struct Coordinate {
  int joint = 0;  // index in Model::joints
  int index = 0;  // of the joint's q

  bool operator==(const Coordinate&) const = default;
};
struct Term {
  Coordinate coordinate;
  double factor = 0;
};

/// Numbers by names that only the element knows.
using Options = std::vector<std::pair<std::string, double>>;

/// What stands behind a key. Nothing: the key was not given.
using Value = std::variant<std::monostate, bool, int, double, std::string, math::Vec3,
                           symbolic::Expr, std::array<symbolic::Expr, 3>, std::vector<Coordinate>,
                           std::vector<Term>, Options>;

enum class ValueType {
  flag,         // bool
  choice,       // std::string, one of a few words
  number,       // double; parameters count with their values
  axis,         // Vec3, a unit vector
  expression,   // Expr
  expressions,  // three of them
  point,        // int, index in Model::points
  joint,        // int, index in Model::joints
  freedom,      // int, which one of the element's joint; may be left out where it has one
  coordinates,  // as many as Key::count
  terms,        // {coordinate: factor}, one or more
  path,         // std::string, of a file, relative to that of the model
  options,      // {name: number}, numbers as in parameters
};

/// What an expression may depend on beside parameters.
enum class Uses {
  variable,   // one variable only: the time, or one that has a meaning here alone
  positions,  // the time and coordinates
  states,     // speeds, too
};

/// A quantity of the element's freedom: its unit depends on whether that turns or slides.
enum class OfFreedom { none, position, force, stiffness, damping };

/// Whether a coordinate has to turn or to slide.
enum class Moves { any, turns, slides };

/// A key of an element. Made by the functions in `keys` below.
struct Key {
  const char* name;
  ValueType type;
  const char* doc;  // one clause, for help and tables
  Kind kind = kinds::any;
  Value otherwise{};           // the value where the key is not given; nothing: see `optional`
  bool optional = false;       // it may be absent
  int group = 0;               // > 0: exactly one key of this group is given
  const char* only_with = "";  // a key of another's group, without which it has no meaning
  Uses uses = Uses::variable;  // expressions
  const char* variable = "t";  // expressions: what they are functions of
  const char* user = "";       // expressions: what must not depend on more, "the length of a rod"
  std::vector<const char*> own{};          // expressions: names that mean something of this element
  Moves moves = Moves::any;                // coordinates
  int count = 1;                           // coordinates
  std::vector<const char*> choices{};      // words
  const char* form = "";                   // how to write it, where that is not plain
  OfFreedom of_freedom = OfFreedom::none;  // expressions; they may use the joint's q and v, too

  bool required() const { return !optional && group == 0; }

  Key or_else(Value value) const;  // with a default
  Key or_nothing() const;          // may be absent
  Key one_of(int number) const;    // of that group
  Key with(const char* other) const;
  Key of(const char* what_varies, const char* whose) const;  // an expression of that variable
  Key written(const char* how) const;
  Key naming(std::vector<const char*> names) const;  // an expression that may use these of its own
};

namespace keys {
Key flag(const char* name, const char* doc);
Key choice(const char* name, std::vector<const char*> words, const char* doc);
Key number(const char* name, const Kind& kind, const char* doc);
Key axis(const char* name, const char* doc);  // z by default
Key expression(const char* name, const Kind& kind, Uses uses, const char* doc);
Key expressions(const char* name, const Kind& kind, Uses uses, const char* doc);
Key point(const char* name, const char* doc);
Key joint(const char* name, const char* doc);
Key freedom(const char* name, const char* doc);                         // of the key of type joint
Key of_freedom(const char* name, OfFreedom quantity, const char* doc);  // an expression
Key coordinates(const char* name, int count, Moves moves, const char* doc);
Key terms(const char* name, const char* doc);
Key path(const char* name, const char* doc);
Key options(const char* name, const char* doc);
}  // namespace keys

/// What is wrong with an element by itself. Messages put its name in front: "gear 'g' has …".
struct Fault {
  std::string what, fix;
  std::string_view key{};  // whose value is to blame; empty: the element as a whole
  bool at_key = false;     // that it is given at all, not its value
};

struct Element;

/// A type of element as readers and documents see it.
struct ElementType {
  const char* name;
  const char* doc;  // one sentence
  std::vector<Key> keys;
  std::optional<Fault> (*find_fault)(const Model& model, const Element& element);

  const Key* find_key(std::string_view key) const;  // null: none
};

struct Element {
  std::string name;
  const ElementType* type = nullptr;
  std::vector<Value> values{};                 // in the order of the type's keys
  base::SourceLocation where{};                // of its name
  std::vector<base::SourceLocation> places{};  // of the values; empty: not from a file

  bool has(std::string_view key) const { return value(key).index() != 0; }
  const Value& value(std::string_view key) const;  // given, or the default
  base::SourceLocation place(std::string_view key) const;
  void set(std::string_view key, Value value, base::SourceLocation place = {});

  // Values by what they are; asking for another type than the key has is our own mistake.
  bool flag(std::string_view key) const { return std::get<bool>(value(key)); }
  const std::string& choice(std::string_view key) const {
    return std::get<std::string>(value(key));
  }
  double number(std::string_view key) const { return std::get<double>(value(key)); }
  /// A frame whose z axis is the given one.
  math::Mat3 axes(std::string_view key) const {
    return math::rotation_with_z(std::get<math::Vec3>(value(key)));
  }
  const symbolic::Expr& expression(std::string_view key) const {
    return std::get<symbolic::Expr>(value(key));
  }
  const std::array<symbolic::Expr, 3>& expressions(std::string_view key) const {
    return std::get<std::array<symbolic::Expr, 3>>(value(key));
  }
  int point(std::string_view key) const { return std::get<int>(value(key)); }
  int joint(std::string_view key) const { return std::get<int>(value(key)); }
  int freedom(std::string_view key) const { return std::get<int>(value(key)); }
  const std::string& path(std::string_view key) const { return std::get<std::string>(value(key)); }
  const Options& options(std::string_view key) const { return std::get<Options>(value(key)); }
  const std::vector<Coordinate>& coordinates(std::string_view key) const {
    return std::get<std::vector<Coordinate>>(value(key));
  }
  const std::vector<Term>& terms(std::string_view key) const {
    return std::get<std::vector<Term>>(value(key));
  }
};

/// An element with these values; whole numbers count as numbers, numbers as expressions, and axes
/// get length 1. Throws UserError for keys that the type has not, and for those that are missing.
Element make_element(const ElementType& type, std::string name,
                     std::initializer_list<std::pair<std::string_view, Value>> values,
                     base::SourceLocation where = {});

/// The coordinate as expressions name it.
symbolic::Expr symbol_of(const Model& model, const Coordinate& coordinate);
/// Whether it is an angle.
bool is_angle(const Model& model, const Coordinate& coordinate);

/// All expressions of an element, and the coordinates that it names: what it depends on.
std::vector<symbolic::Expr> find_expressions(const Model& model, const Element& element);
/// Those that can be replaced.
std::vector<symbolic::Expr*> find_expressions(Element& element);

/// What an element is attached to: points, and freedoms of joints.
struct Attachments {
  std::vector<int> points;           // indices in Model::points
  std::vector<Coordinate> freedoms;  // `index` is that of a freedom, not of a coordinate
};
Attachments find_attachments(const Model& model, const Element& element);

}  // namespace couplet::model
