// The mechanism that the examples of entries (constraints, forces) are written for, and elements as
// text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "couplet/model/model.hpp"
#include "couplet/symbolic/print.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::verification {

/// Bodies on joints of several kinds, placed anyhow, so that no row has a zero by chance.
inline const std::string example_mechanism = R"(couplet: 1
gravity: [0.3, -1, -9.6]
points: {post: [0.3, 0.2, -0.4]}
bodies:
  wheel: {mass: 1.2, shape: {sphere: 10 cm}, com: [0.05, 0.02, 0.1],
          points: {hub: {position: [0.1, -0.2, 0.3], orientation: {rpy: [0.4, -0.3, 0.7]}}}}
  slide: {mass: 0.8, shape: {sphere: 20 cm}}
  tube: {mass: 0.5, shape: {sphere: 15 cm},
         points: {tip: {position: [0.2, 0.1, 0.5], orientation: {rpy: [-0.2, 0.9, 0.3]}}}}
  stick: {mass: 0.4, shape: {sphere: 10 cm}}
joints:
  pin: {type: revolute, from: world, to: wheel, axis: [1, 2, 2], q: 0.3, v: 0.7}
  rail: {type: prismatic, from: wheel, to: slide, axis: [2, -1, 2], q: 0.2, v: -0.4}
  bore: {type: cylindrical, from: slide, to: tube, axis: [3, 4, 0], q: [0.5, 0.1], v: [0.6, 0.3]}
  ball: {type: spherical, from: tube, to: stick, v: [0.2, -0.3, 0.4]}
)";

/// A value as a model file has it.
inline std::string text_of(const model::Model& model, const model::Value& value,
                           model::ValueType type) {
  const auto name = [&](const model::Coordinate& c) { return symbol_of(model, c).name(); };
  using model::ValueType;
  switch (type) {
    case ValueType::flag:
      return std::get<bool>(value) ? "true" : "false";
    case ValueType::choice:
      return std::get<std::string>(value);
    case ValueType::number:
      return fmt::format("{}", std::get<double>(value));
    case ValueType::axis: {
      const math::Vec3& x = std::get<math::Vec3>(value);
      return fmt::format("[{}, {}, {}]", x[0], x[1], x[2]);
    }
    case ValueType::expression:
      return symbolic::print(std::get<symbolic::Expr>(value));
    case ValueType::expressions: {
      const auto& e = std::get<std::array<symbolic::Expr, 3>>(value);
      return fmt::format("['{}', '{}', '{}']", symbolic::print(e[0]), symbolic::print(e[1]),
                         symbolic::print(e[2]));
    }
    case ValueType::point:
      return model.points[static_cast<size_t>(std::get<int>(value))].name;
    case ValueType::joint:
      return model.joints[static_cast<size_t>(std::get<int>(value))].name;
    case ValueType::freedom:
      return std::to_string(std::get<int>(value));  // see text_of for elements
    case ValueType::path:
      return "'" + std::get<std::string>(value) + "'";
    case ValueType::options: {
      std::string text;
      for (const auto& [option, number] : std::get<model::Options>(value))
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", option, number);
      return "{" + text + "}";
    }
    case ValueType::coordinates: {
      const auto& list = std::get<std::vector<model::Coordinate>>(value);
      std::string text;
      for (const model::Coordinate& c : list) text += (text.empty() ? "" : ", ") + name(c);
      return list.size() == 1 ? text : "[" + text + "]";
    }
    case ValueType::terms: {
      std::string text;
      for (const model::Term& term : std::get<std::vector<model::Term>>(value))
        text +=
            fmt::format("{}{}: {}", text.empty() ? "" : ", ", name(term.coordinate), term.factor);
      return "{" + text + "}";
    }
  }
  return "";
}

/// The value of a key of an element. Freedoms have names, and expressions may use short names of
/// the element itself.
inline std::string text_of(const model::Model& model, const model::Element& element,
                           const model::Key& key) {
  model::Value value = element.value(key.name);
  if (key.type == model::ValueType::freedom) {
    const model::Coordinate freedom = find_attachments(model, element).freedoms.at(0);
    const model::JointInfo& type = info(model.joints[static_cast<size_t>(freedom.joint)].type);
    const auto i = static_cast<size_t>(freedom.index);
    return type.on_quaternion() ? type.v_names[i] : type.q_names[i];
  }
  symbolic::Replacements own;
  for (const char* name : key.own)
    own.emplace(symbolic::Expr::symbol(element.name + "." + name), symbolic::Expr::symbol(name));
  if (auto* e = std::get_if<symbolic::Expr>(&value); e && !own.empty())
    *e = symbolic::substitute(*e, own);
  return text_of(model, value, key.type);
}

/// key: value, …, defaults included.
inline std::string keys_of(const model::Model& model, const model::Element& element) {
  std::string text;
  for (const model::Key& key : element.type->keys)
    if (element.has(key.name) && !(*key.only_with && !element.has(key.only_with)))
      text +=
          fmt::format("{}{}: {}", text.empty() ? "" : ", ", key.name, text_of(model, element, key));
  return text;
}

/// {type: …, key: value, …}
inline std::string text_of(const model::Model& model, const model::Element& element) {
  return fmt::format("{{type: {}, {}}}", element.type->name, keys_of(model, element));
}

/// A bad value of a key is refused where it stands, or within the five columns after.
template <class Read>
void expect_refusal(const Read& read, const char* key, std::ptrdiff_t line, int column) {
  try {
    read();
    ADD_FAILURE() << key << " takes anything";
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.diagnostics()[0].where.line, line) << error.what();
    EXPECT_GE(error.diagnostics()[0].where.column, column) << error.what();
    EXPECT_LE(error.diagnostics()[0].where.column, column + 5) << error.what();
  }
}

}  // namespace couplet::verification
