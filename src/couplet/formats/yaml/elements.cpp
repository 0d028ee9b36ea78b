#include "couplet/formats/yaml/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "couplet/base/text.hpp"
#include "couplet/forces/plugin.hpp"
#include "couplet/formats/yaml/geometry.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::formats::yaml {
namespace {

using model::Coordinate;
using model::Expr;
using model::JointInfo;
using model::Key;
using model::Moves;
using model::Value;
using model::ValueType;

class ElementReader {
 public:
  /// The element is the last of the list, and has the values of keys that were read already.
  ElementReader(const std::string& name, const Section& section, ElementList list, Part& part)
      : name_(name),
        section_(section),
        list_(list),
        element_((part.reading.model.*list).back()),
        part_(part) {}

  /// Sets the value behind a key; false, and a report, when it is not one.
  bool read(const Key& key, const Node& node) const {
    if (is_numbers(key)) return read_numbers(key, node);
    Value value = read_value(key, node);
    if (value.index() == 0) return false;
    element_.set(key.name, std::move(value), node.where);
    return true;
  }

  /// Complains where a key is not given, and may not be left out of this element.
  bool may_miss(const Key& key) const {
    if (key.type != ValueType::freedom || !find_joint()) return true;
    const JointInfo& info = model::info(find_joint()->type);
    if (info.nv == 1) return true;
    const std::vector<std::string> names = freedom_names(info);
    error(section_.where(),
          fmt::format("{}: a {} joint has {} freedoms; which one?", section_.title(), info.name,
                      info.nv),
          fmt::format("add {}: {}", key.name, names.empty() ? "…" : names[0]));
    return false;
  }

  /// Keys of which exactly one has to be given, and those that have a meaning with one of them
  /// only.
  void check_groups(const model::ElementType& type) const {
    for (const Key& key : type.keys) {
      if (key.group > 0 && is_first_of_group(type, key))
        section_.require_one_of(names_of_group(type, key.group));
      if (!*key.only_with || !section_.has(key.name) || section_.has(key.only_with)) continue;
      for (const std::string& other : names_of_group(type, type.find_key(key.only_with)->group))
        if (section_.has(other))
          error(section_.where(key.name),
                fmt::format("{}: a {} has no {}", section_.title(), other, key.name),
                fmt::format("remove it, or write {} instead of {}", key.only_with, other));
    }
  }

  static bool has_one_of(const model::ElementType& type, int group, const model::Element& element) {
    const std::vector<std::string> names = names_of_group(type, group);
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return element.has(name); });
  }

 private:
  static bool is_numbers(const Key& key) {
    return key.type == ValueType::number || key.type == ValueType::axis ||
           key.type == ValueType::terms || key.type == ValueType::options;
  }

  // Numbers keep how they come from parameters.
  bool read_numbers(const Key& key, const Node& node) const {
    using Derived = model::Derived;
    const bool is_constraint = list_ == &model::Model::constraints;
    const size_t index = (part_.reading.model.*list_).size() - 1;
    std::vector<Coordinate> summands;
    if (key.type == ValueType::terms && (summands = read_summands(key, node)).empty()) return false;
    read_derived(
        {is_constraint ? Derived::Kind::constraint : Derived::Kind::force, static_cast<int>(index),
         -1, node.where},
        [&key, &node, list = list_, index, summands](const Scope& scope, model::Model& model) {
          Value value = make_numbers(key, node, summands, scope);
          if (value.index() != 0) (model.*list)[index].set(key.name, std::move(value), node.where);
        },
        part_);
    return true;  // or there are complaints
  }
  static Value make_numbers(const Key& key, const Node& node,
                            const std::vector<Coordinate>& summands, const Scope& scope) {
    if (key.type == ValueType::number) return value_of(scope.number(node, key.kind));
    if (key.type == ValueType::axis) return value_of(read_axis(node, scope));
    if (key.type == ValueType::options) {
      model::Options options;
      for (const auto& [name, value] : named_entries(node, "option", scope.diagnostics()))
        if (const auto number = scope.any_number(value))
          options.emplace_back(name.name(), number->value);
      return options;
    }
    std::vector<model::Term> terms;
    for (size_t i = 0; i < summands.size(); ++i)
      terms.push_back({summands[i], scope.number(node.entries()[i].value, kinds::any).value_or(0)});
    return terms;
  }

  /// Nothing, and a report, when it is not one.
  Value read_value(const Key& key, const Node& node) const {
    if (needs_joint(key) && !find_joint()) return {};  // that was complained about
    switch (key.type) {
      case ValueType::flag:
        return value_of(read_flag(node, part_.diagnostics()));
      case ValueType::choice:
        return read_choice(key, node);
      case ValueType::expression:
        return read_one(key, node);
      case ValueType::expressions:
        return read_three(key, node);
      case ValueType::point:
        return value_of(read_point(node, section_.title(), name_ + "." + key.name, part_));
      case ValueType::joint:
        return value_of(read_joint_name(node, section_.title(), part_));
      case ValueType::freedom:
        return value_of(read_freedom(node, model::info(find_joint()->type), part_));
      case ValueType::coordinates:
        return read_coordinates(key, node);
      case ValueType::path:
        return value_of(read_path(node));
      case ValueType::number:
      case ValueType::axis:
      case ValueType::terms:
      case ValueType::options:
        break;
    }
    return {};
  }

  template <class T>
  static Value value_of(const std::optional<T>& read) {
    return read ? Value(*read) : Value();
  }
  void error(const base::SourceLocation& where, std::string what, std::string fix) const {
    part_.diagnostics().error(where, std::move(what), std::move(fix));
  }
  static std::vector<std::string> names_of_group(const model::ElementType& type, int group) {
    std::vector<std::string> names;
    for (const Key& key : type.keys)
      if (key.group == group) names.emplace_back(key.name);
    return names;
  }
  static bool is_first_of_group(const model::ElementType& type, const Key& key) {
    return names_of_group(type, key.group).front() == key.name;
  }

  static bool needs_joint(const Key& key) {
    return key.type == ValueType::freedom || key.of_freedom != model::OfFreedom::none;
  }
  /// The joint that the element is on; null: none.
  const model::Joint* find_joint() const {
    for (const Key& key : element_.type->keys)
      if (key.type == ValueType::joint && element_.has(key.name))
        return &part_.reading.model.joints[static_cast<size_t>(element_.joint(key.name))];
    return nullptr;
  }
  int find_freedom() const {
    for (const Key& key : element_.type->keys)
      if (key.type == ValueType::freedom) return element_.freedom(key.name);
    return 0;
  }

  std::optional<std::string> read_path(const Node& node) const {
    const std::optional<std::string> path =
        find_text(node, "the path of a library", part_.diagnostics());
    if (!path) return std::nullopt;
    if (forces::is_function(*path)) return *path;
    return find_file(*path, node.where, part_.reading);
  }
  Value read_choice(const Key& key, const Node& node) const {
    const std::vector<std::string> words(key.choices.begin(), key.choices.end());
    const std::string expected = fmt::format("{}", fmt::join(words, " or "));
    const std::optional<std::string> text = find_text(node, expected, part_.diagnostics());
    if (!text) return {};
    if (std::ranges::find(words, *text) != words.end()) return *text;
    error(node.where, fmt::format("expected {}, got {}", expected, base::quoted(*text)),
          base::suggest(*text, words));
    return {};
  }

  // ---- expressions

  Symbols symbols_of(const Key& key, const Node& node) const {
    Symbols symbols;
    if (key.of_freedom != model::OfFreedom::none)
      symbols = symbols_of_joint(find_joint()->name.substr(part_.scope.prefix().size()),
                                 model::info(find_joint()->type));
    symbols.coordinates = key.uses != model::Uses::variable;
    symbols.speeds = key.uses == model::Uses::states;
    symbols.variable = key.variable;
    if (*key.user) symbols.user = key.user;
    for (const char* own : key.own) symbols.locals.emplace(own, name_ + "." + own);
    const std::string variable = key.variable;
    if (variable != "t" &&
        (part_.scope.find_parameter(variable) || part_.reading.parameters.contains(variable)))
      error(node.where,
            fmt::format("{}: {} runs along the {}, but a parameter has that name too",
                        section_.title(), variable, key.name),
            "rename the parameter");
    return symbols;
  }
  Value read_one(const Key& key, const Node& node) const {
    const Kind kind =
        key.of_freedom == model::OfFreedom::none
            ? key.kind
            : kind_of(key.of_freedom, model::info(find_joint()->type), find_freedom());
    const auto value = read_expression(node, kind, symbols_of(key, node), part_);
    return value_of(value);
  }
  Value read_three(const Key& key, const Node& node) const {
    const size_t complaints = part_.diagnostics().list().size();
    const auto values =
        read_expressions(node, section_.title(), key.name, key.kind, symbols_of(key, node), part_);
    return part_.diagnostics().list().size() == complaints ? Value(values) : Value();
  }

  // ---- coordinates: "elbow" (of a joint with one freedom) or "bore.q2"

  std::optional<Coordinate> read_coordinate(const Node& node, Moves moves) const {
    const std::string name = node.name();
    const size_t dot = name.rfind('.');
    const bool of_joint =
        node.is_scalar() && is_coordinate(name, part_) && !is_coordinate(name, part_, true);
    const Node joint_node = of_joint ? Node(node.where, node.text().substr(0, dot)) : node;
    const std::optional<int> joint = read_joint_name(joint_node, section_.title(), part_);
    if (!joint) return std::nullopt;
    const JointInfo& info =
        model::info(part_.reading.model.joints[static_cast<size_t>(*joint)].type);
    const auto own = [&](int i) { return std::string(info.q_names[static_cast<size_t>(i)]); };
    int which = 0;
    if (of_joint)
      while (own(which) != name.substr(dot + 1)) ++which;
    if (info.on_quaternion() || info.nv == 0 || (!of_joint && info.nv > 1)) {
      error(node.where,
            fmt::format("{}: {} joint {} has {}", section_.title(), info.name,
                        base::quoted(joint_node.text()),
                        info.nv == 0           ? "no coordinate"
                        : info.on_quaternion() ? "no angles"
                                               : "several coordinates"),
            info.nv == 0 || info.on_quaternion()
                ? "choose a joint that turns about or slides along axes"
                : fmt::format("write {}.{}", node.text(), own(0)));
      return std::nullopt;
    }
    const Coordinate found{*joint, which};
    const bool angle = is_angle(part_.reading.model, found);
    if (moves == Moves::any || angle == (moves == Moves::turns)) return found;
    error(node.where,
          fmt::format("{}: joint {} {}", section_.title(), base::quoted(node.text()),
                      angle ? "turns" : "slides"),
          fmt::format("choose one that {}; a coupler relates any coordinates",
                      angle ? "slides" : "turns"));
    return std::nullopt;
  }
  Value read_coordinates(const Key& key, const Node& node) const {
    std::vector<Coordinate> found;
    if (key.count == 1) {
      if (const auto one = read_coordinate(node, key.moves)) found.push_back(*one);
    } else if (!node.is_sequence() || node.items().size() != static_cast<size_t>(key.count)) {
      error(node.where,
            fmt::format("{}: expected {} joints", section_.title(),
                        key.count == 2 ? "two" : std::to_string(key.count)),
            fmt::format("write {}", key.form));
    } else {
      for (const Node& item : node.items())
        if (const auto one = read_coordinate(item, key.moves)) found.push_back(*one);
    }
    return found.size() == static_cast<size_t>(key.count) ? Value(found) : Value();
  }
  /// What `terms` sums; empty, and a report, when it is not one.
  std::vector<Coordinate> read_summands(const Key& key, const Node& node) const {
    std::vector<Coordinate> found;
    if (!node.is_mapping() || node.entries().empty())
      error(node.where, section_.title() + ": expected joints and their factors",
            fmt::format("write {}", key.form));
    for (const Node::Entry& entry : node.entries())
      if (const auto coordinate = read_coordinate(entry.key, Moves::any))
        found.push_back(*coordinate);
    return found.size() == node.entries().size() ? found : std::vector<Coordinate>();
  }

  const std::string& name_;
  const Section& section_;
  ElementList list_;
  model::Element& element_;
  Part& part_;
};

}  // namespace

std::vector<std::string> key_names(const model::ElementType& type, std::vector<std::string> first) {
  for (const Key& key : type.keys) first.emplace_back(key.name);
  return first;
}

void read_element(const model::ElementType& type, const std::string& name,
                  const base::SourceLocation& where, const Section& section, ElementList list,
                  Part& part) {
  std::vector<model::Element>& elements = part.reading.model.*list;
  elements.push_back({part.full(name), &type, {}, where});
  const model::Element& element = elements.back();
  const auto complaints = [&] { return part.diagnostics().list().size(); };
  const size_t before = complaints();
  const ElementReader reader(name, section, list, part);
  reader.check_groups(type);
  bool whole = true;
  for (const Key& key : type.keys) {
    const Node* node = key.required() ? section.require(key.name) : section.find(key.name);
    whole &= node ? reader.read(key, *node) : !key.required() && reader.may_miss(key);
  }
  for (const Key& key : type.keys)  // a key without a value was complained about already
    whole &= key.group == 0 || ElementReader::has_one_of(type, key.group, element);
  if (!whole || complaints() != before || has_fault(element, section, part)) elements.pop_back();
}

bool has_fault(const model::Element& element, const Section& section, Part& part) {
  const auto fault = element.type->find_fault(part.reading.model, element);
  if (fault)
    part.diagnostics().error(fault->at_key ? section.where(fault->key) : element.place(fault->key),
                             section.title() + " " + fault->what, fault->fix);
  return fault.has_value();
}

}  // namespace couplet::formats::yaml
