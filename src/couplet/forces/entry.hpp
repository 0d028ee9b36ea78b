// The force elements that a model may have, one entry each.
//
// An entry says how an element is written (name, keys with units, defaults and documentation), what
// is wrong with one by itself, what it exerts and what of it can be recorded. It is one file in
// elements/ that defines entry<Name>(), and that name in list.cpp. Readers, `couplet check`,
// signals and the conformance tests (verification/forces_test.cpp) follow from the list.
#pragma once

#include <memory>
#include <span>

#include "couplet/forces/batch.hpp"

namespace couplet::forces {

/// How an element is written under its name.
enum class Form {
  nested,  // {spring: {from: a, to: b, …}}
  flat,    // {plugin: path, options: …}: the first key has the name of the type
};

/// The element as a model file has it, for documents and tests, on the mechanism in
/// verification/support/example_mechanism.hpp.
struct Examples {
  const char* usual;            // with expressions
  const char* conserving = "";  // without loss; empty: it has no potential energy
};

/// What elements of a class do.
struct Behaviour {
  std::unique_ptr<Batch> (*make)();
  bool reads_bodies;
  size_t coefficients;
  std::span<const char* const> own;
  std::vector<Signal> (*list_signals)(const model::Model& model, const Element& element);
};
template <ForceElement E>
Behaviour behaviour() {
  return {[]() -> std::unique_ptr<Batch> { return std::make_unique<BatchOf<E>>(); },
          E::reads_bodies, E::coefficients, E::own, E::list_signals};
}

struct Entry : model::ElementType {
  /// `called`: what messages call an element, "spring".
  Entry(model::ElementType described, const char* called, Form written, Examples shown,
        Behaviour behaves)
      : ElementType(std::move(described)),
        title(called),
        form(written),
        examples(shown),
        does(behaves) {}

  const char* title;
  Form form;
  Examples examples;
  Behaviour does;
};

/// The entry of an element by the name that list.cpp gives it: entry<struct Spring>().
template <class Name>
const Entry& entry();

/// All of them.
std::span<const Entry* const> entries();
const Entry* find_entry(std::string_view name);  // null: none
std::vector<std::string> entry_names();

/// What the keys stiffness, rest, damping, force and torque of a joint exert on one of its
/// freedoms: the same as the element `joint`, but it is not written as a force. Not in the list.
const Entry& entry_of_joint_keys();

/// The entry of an element of Model::forces.
inline const Entry& entry_of(const Element& force) {
  return static_cast<const Entry&>(*force.type);
}

/// Adds an element to a model: add_force(model, "wire", "spring", {{"from", a}, {"to", b},
/// {"stiffness", 30}, {"length", 0.4}}). Throws UserError for what does not exist and what is
/// missing.
Element& add_force(model::Model& model, std::string name, std::string_view type,
                   std::initializer_list<std::pair<std::string_view, model::Value>> values,
                   base::SourceLocation where = {});

}  // namespace couplet::forces
