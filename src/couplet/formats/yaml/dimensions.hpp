// Dimensions of whole expressions, as far as they are certain: only values that were written with a
// unit, and parameters that were, have one. Bare numbers, coordinates and the time may stand for
// anything, since everything is SI; so may whatever they multiply.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "couplet/model/quantity.hpp"
#include "couplet/symbolic/expr.hpp"

namespace couplet::formats::yaml {

struct Judgement {
  std::optional<model::Dimension> dimension;  // absent: not certain, or a number
  std::string fault;                          // "kg and m cannot be added"; empty: none was found
};

/// Symbol "d_3" stands for a value with `dimensions[3]`, each occurrence for itself.
Judgement judge_dimensions(const symbolic::Expr& value,
                           const std::vector<std::optional<model::Dimension>>& dimensions);

}  // namespace couplet::formats::yaml
