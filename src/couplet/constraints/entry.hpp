// The constraints that a model may have besides joints, one entry each.
//
// An entry says how a constraint is written (name, keys with units, defaults and documentation),
// what is wrong with one by itself, which rows it makes and what of it can be recorded. It is one
// file in elements/ that defines entry<Name>(), and that name in list.cpp. Readers, `couplet
// check`, signals and the conformance tests (verification/constraints_test.cpp) follow from the
// list.
#pragma once

#include <memory>
#include <span>
#include <variant>

#include "couplet/constraints/constraint_force.hpp"
#include "couplet/constraints/pair_element.hpp"
#include "couplet/constraints/small_tape.hpp"
#include "couplet/model/model.hpp"

namespace couplet::constraints {

using model::Element;
using symbolic::Expr;

/// An element of a model that is being made into rows.
struct Binding {
  const model::Model& model;
  const Element& element;
  std::span<const std::string> names;  // of `now`
  TimeAndParameters now;

  const model::Point& point(std::string_view key) const {
    return model.points[static_cast<size_t>(element.point(key))];
  }
  /// The frame of a point, turned so that its z axis is the axis under another key.
  math::Pose frame(std::string_view point_key, std::string_view axis_key) const {
    return point(point_key).X_BP * math::Pose{element.axes(axis_key), Vec3::Zero()};
  }
  /// Expressions of the time and parameters, with their first and second derivatives by the time.
  /// Other symbols: UserError.
  SmallTape over_time(std::span<const Expr> e) const;
  /// The same of a variable s, which is the first input.
  SmallTape over(const Expr& s, std::span<const Expr> e) const;
};

/// Rows between two bodies, or 0 = value(q, t) on freedoms: one of the two.
using MakePair = std::unique_ptr<PairElement> (*)(const Binding& binding);
using MakeRelation = Expr (*)(const model::Model& model, const Element& element);

class Entry : public model::ElementType {
 public:
  /// `example` is the constraint as a model file has it, for documents and tests: it fits the
  /// mechanism in verification/support/example_mechanism.hpp.
  Entry(model::ElementType described, const char* shown, MakePair make,
        std::vector<Exerted> recorded, const char* weaker_type = "")
      : ElementType(std::move(described)),
        example(shown),
        exerts(std::move(recorded)),
        weaker(weaker_type),
        make_(make) {}
  Entry(model::ElementType described, const char* shown, MakeRelation make)
      : ElementType(std::move(described)), example(shown), exerts{on_freedoms}, make_(make) {}

  const char* example;
  std::vector<Exerted> exerts;
  const char* weaker = "";  // the constraint that closes only some of its equations

  bool on_bodies() const { return std::holds_alternative<MakePair>(make_); }
  std::unique_ptr<PairElement> make_pair(const Binding& b) const {
    return std::get<MakePair>(make_)(b);
  }
  Expr make_relation(const model::Model& model, const Element& element) const {
    return std::get<MakeRelation>(make_)(model, element);
  }

 private:
  std::variant<MakePair, MakeRelation> make_;
};

/// The entry of a constraint by the name that list.cpp gives it: entry<struct Distance>().
template <class Name>
const Entry& entry();

/// All of them.
std::span<const Entry* const> entries();
const Entry* find_entry(std::string_view name);  // null: none
std::vector<std::string> entry_names();

/// The entry of an element of Model::constraints.
const Entry& entry_of(const Element& constraint);

/// Adds a constraint to a model: add_constraint(model, "rod", "distance", {{"from", a}, {"to", b},
/// {"length", 0.3}}). Throws UserError for what does not exist and what is missing.
Element& add_constraint(model::Model& model, std::string name, std::string_view type,
                        std::initializer_list<std::pair<std::string_view, model::Value>> values);

}  // namespace couplet::constraints
