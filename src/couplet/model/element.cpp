#include "couplet/model/element.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "couplet/base/text.hpp"
#include "couplet/model/model.hpp"

namespace couplet::model {
namespace {

using base::quoted;

/// The value as its key wants it: 1 is the number 1.0, which is the expression 1.
Value coerced(const Key& key, Value value) {
  if (const int* whole = std::get_if<int>(&value);
      whole && (key.type == ValueType::number || key.type == ValueType::expression))
    value = static_cast<double>(*whole);
  if (const double* number = std::get_if<double>(&value);
      number && key.type == ValueType::expression)
    value = Expr(*number);
  if (math::Vec3* axis = std::get_if<math::Vec3>(&value)) axis->normalize();
  return value;
}

size_t alternative_of(ValueType type) {
  switch (type) {
    case ValueType::flag:
      return Value(false).index();
    case ValueType::choice:
      return Value(std::string()).index();
    case ValueType::number:
      return Value(0.0).index();
    case ValueType::axis:
      return Value(math::Vec3()).index();
    case ValueType::expression:
      return Value(Expr(0)).index();
    case ValueType::expressions:
      return Value(std::array<Expr, 3>{0, 0, 0}).index();
    case ValueType::point:
    case ValueType::joint:
    case ValueType::freedom:
      return Value(0).index();
    case ValueType::path:
      return Value(std::string()).index();
    case ValueType::options:
      return Value(Options()).index();
    case ValueType::coordinates:
      return Value(std::vector<Coordinate>()).index();
    case ValueType::terms:
      return Value(std::vector<Term>()).index();
  }
  return 0;
}

size_t index_of(const ElementType& type, std::string_view key) {
  const Key* found = type.find_key(key);
  base::ensure(found != nullptr, "an element is asked for a key that its type has");
  return static_cast<size_t>(found - type.keys.data());
}

void check_groups(const Element& element) {
  for (const Key& key : element.type->keys) {
    if (key.group == 0) continue;
    const auto given = std::ranges::count_if(element.type->keys, [&](const Key& other) {
      return other.group == key.group && element.has(other.name);
    });
    if (given != 1)
      throw base::UserError(element.where,
                            fmt::format("{} {} has {} of its choices like {}", element.type->name,
                                        quoted(element.name), given, quoted(key.name)),
                            "give one of them");
  }
}

}  // namespace

// ---- keys

Key Key::or_else(Value value) const {
  Key key = *this;
  key.otherwise = coerced(key, std::move(value));
  key.optional = true;
  return key;
}
Key Key::or_nothing() const {
  Key key = *this;
  key.optional = true;
  return key;
}
Key Key::one_of(int number) const {
  Key key = *this;
  key.group = number;
  return key;
}
Key Key::with(const char* other) const {
  Key key = *this;
  key.only_with = other;
  return key;
}
Key Key::of(const char* what_varies, const char* whose) const {
  Key key = *this;
  key.variable = what_varies;
  key.user = whose;
  return key;
}
Key Key::written(const char* how) const {
  Key key = *this;
  key.form = how;
  return key;
}
Key Key::naming(std::vector<const char*> names) const {
  Key key = *this;
  key.own = std::move(names);
  return key;
}

namespace keys {

Key flag(const char* name, const char* doc) { return {name, ValueType::flag, doc}; }
Key choice(const char* name, std::vector<const char*> words, const char* doc) {
  Key key{name, ValueType::choice, doc};
  key.choices = std::move(words);
  return key;
}
Key number(const char* name, const Kind& kind, const char* doc) {
  return {name, ValueType::number, doc, kind};
}
Key axis(const char* name, const char* doc) {
  return Key{name, ValueType::axis, doc, kinds::number}.or_else(Vec3(Vec3::UnitZ()));
}
Key expression(const char* name, const Kind& kind, Uses uses, const char* doc) {
  Key key{name, ValueType::expression, doc, kind};
  key.uses = uses;
  return key;
}
Key expressions(const char* name, const Kind& kind, Uses uses, const char* doc) {
  Key key = expression(name, kind, uses, doc);
  key.type = ValueType::expressions;
  return key;
}
Key point(const char* name, const char* doc) { return {name, ValueType::point, doc}; }
Key joint(const char* name, const char* doc) { return {name, ValueType::joint, doc}; }
Key freedom(const char* name, const char* doc) {
  return Key{name, ValueType::freedom, doc}.or_else(0);
}
Key of_freedom(const char* name, OfFreedom quantity, const char* doc) {
  Key key = expression(name, kinds::any, Uses::states, doc).or_nothing();
  key.of_freedom = quantity;
  return key;
}
Key coordinates(const char* name, int count, Moves moves, const char* doc) {
  Key key{name, ValueType::coordinates, doc};
  key.count = count;
  key.moves = moves;
  return key;
}
Key terms(const char* name, const char* doc) { return {name, ValueType::terms, doc}; }
Key path(const char* name, const char* doc) { return {name, ValueType::path, doc}; }
Key options(const char* name, const char* doc) {
  return Key{name, ValueType::options, doc}.or_else(Options());
}

}  // namespace keys

// ---- elements

const Key* ElementType::find_key(std::string_view key) const {
  const auto found = std::ranges::find_if(keys, [&](const Key& each) { return key == each.name; });
  return found == keys.end() ? nullptr : &*found;
}

const Value& Element::value(std::string_view key) const {
  const size_t i = index_of(*type, key);
  return i < values.size() && values[i].index() != 0 ? values[i] : type->keys[i].otherwise;
}

base::SourceLocation Element::place(std::string_view key) const {
  if (key.empty()) return where;
  const size_t i = index_of(*type, key);
  return i < places.size() && places[i].line > 0 ? places[i] : where;
}

void Element::set(std::string_view key, Value given, base::SourceLocation place) {
  const size_t i = index_of(*type, key);
  const Key& description = type->keys[i];
  given = coerced(description, std::move(given));
  base::ensure(given.index() == alternative_of(description.type),
               "a value is of the type of its key");
  values.resize(type->keys.size());
  places.resize(type->keys.size());
  values[i] = std::move(given);
  places[i] = std::move(place);
}

Element make_element(const ElementType& type, std::string name,
                     std::initializer_list<std::pair<std::string_view, Value>> values,
                     base::SourceLocation where) {
  Element element{std::move(name), &type, {}, std::move(where)};
  element.values.resize(type.keys.size());
  element.places.resize(type.keys.size());
  std::vector<std::string> names;
  for (const Key& key : type.keys) names.emplace_back(key.name);
  for (const auto& [key, value] : values) {
    const Key* found = type.find_key(key);
    if (!found)
      throw base::UserError(
          element.where,
          fmt::format("{} {} has no key {}", type.name, quoted(element.name), quoted(key)),
          base::suggest(key, names));
    if (coerced(*found, value).index() != alternative_of(found->type))
      throw base::UserError(element.where,
                            fmt::format("the value of {} in {} {} is of another type", quoted(key),
                                        type.name, quoted(element.name)),
                            found->doc);
    element.set(key, value);
  }
  for (const Key& key : type.keys)
    if (key.required() && !element.has(key.name))
      throw base::UserError(
          element.where,
          fmt::format("{} {} has no {}", type.name, quoted(element.name), quoted(key.name)),
          fmt::format("add the key {}", key.name));
  check_groups(element);
  return element;
}

symbolic::Expr symbol_of(const Model& model, const Coordinate& coordinate) {
  const Joint& joint = model.joints[static_cast<size_t>(coordinate.joint)];
  return Expr::symbol(joint.name + "." +
                      info(joint.type).q_names[static_cast<size_t>(coordinate.index)]);
}

bool is_angle(const Model& model, const Coordinate& coordinate) {
  const JointInfo& type = info(model.joints[static_cast<size_t>(coordinate.joint)].type);
  return !type.on_quaternion() && (type.angular >> coordinate.index & 1) != 0;
}

std::vector<symbolic::Expr> find_expressions(const Model& model, const Element& element) {
  std::vector<Expr> found;
  for (const Value& value : element.values) {
    if (const Expr* one = std::get_if<Expr>(&value)) found.push_back(*one);
    if (const auto* three = std::get_if<std::array<Expr, 3>>(&value))
      found.insert(found.end(), three->begin(), three->end());
    if (const auto* list = std::get_if<std::vector<Coordinate>>(&value))
      for (const Coordinate& coordinate : *list) found.push_back(symbol_of(model, coordinate));
    if (const auto* list = std::get_if<std::vector<Term>>(&value))
      for (const Term& term : *list) found.push_back(symbol_of(model, term.coordinate));
  }
  return found;
}

std::vector<symbolic::Expr*> find_expressions(Element& element) {
  std::vector<Expr*> found;
  for (Value& value : element.values) {
    if (Expr* one = std::get_if<Expr>(&value)) found.push_back(one);
    if (auto* three = std::get_if<std::array<Expr, 3>>(&value))
      for (Expr& each : *three) found.push_back(&each);
  }
  return found;
}

Attachments find_attachments(const Model& model, const Element& element) {
  Attachments found;
  int joint = -1;
  std::optional<int> freedom;
  for (const Key& key : element.type->keys) {
    if (!element.has(key.name)) continue;
    if (key.type == ValueType::point) found.points.push_back(element.point(key.name));
    if (key.type == ValueType::joint) joint = element.joint(key.name);
    if (key.type == ValueType::freedom) freedom = element.freedom(key.name);
  }
  if (joint < 0) return found;
  const int nv = info(model.joints[static_cast<size_t>(joint)].type).nv;
  for (int i = freedom.value_or(0); i < (freedom ? *freedom + 1 : nv); ++i)
    found.freedoms.push_back({joint, i});
  return found;
}

}  // namespace couplet::model
