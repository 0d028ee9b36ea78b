// What may be wrong with a constraint by itself, for entries to ask.
#pragma once

#include "couplet/model/model.hpp"

namespace couplet::constraints {

/// Both points are on one body.
std::optional<model::Fault> find_one_body(const model::Model& model, int point_a, int point_b);
/// A number that is not positive: "has a radius of -1 m".
std::optional<model::Fault> find_not_positive(const model::Element& element, std::string_view key,
                                              const char* fix);
/// The value at t = 0 with the model's parameters, if that is all that it depends on.
std::optional<double> find_value_at_start(const model::Model& model, const symbolic::Expr& e);

}  // namespace couplet::constraints
