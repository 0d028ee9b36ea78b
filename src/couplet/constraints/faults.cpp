#include "couplet/constraints/faults.hpp"

#include <fmt/format.h>

#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::constraints {

using model::Fault;
using symbolic::Expr;

std::optional<Fault> find_one_body(const model::Model& model, int point_a, int point_b) {
  const int body = model.points[static_cast<size_t>(point_a)].body;
  if (body != model.points[static_cast<size_t>(point_b)].body) return std::nullopt;
  return Fault{fmt::format("connects body {} with itself",
                           base::quoted(model.bodies[static_cast<size_t>(body)].name)),
               "choose points on two bodies"};
}

std::optional<Fault> find_not_positive(const model::Element& element, std::string_view key,
                                       const char* fix) {
  const double value = element.number(key);
  if (value > 0 && std::isfinite(value)) return std::nullopt;
  return Fault{fmt::format("has a {} of {} {}", key, value, element.type->find_key(key)->kind.unit),
               fix, key};
}

std::optional<double> find_value_at_start(const model::Model& model, const Expr& e) {
  symbolic::Replacements at_start{{Expr::symbol("t"), Expr(0.0)}};
  for (const model::Parameter& parameter : model.parameters)
    at_start.emplace(Expr::symbol(parameter.name), parameter.value);
  const Expr value = symbolic::substitute(e, at_start);
  if (!value.is_constant()) return std::nullopt;
  return value.value();
}

}  // namespace couplet::constraints
