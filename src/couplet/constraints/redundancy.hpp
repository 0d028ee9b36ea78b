// Constraints that others imply: which, and how to say only what is needed.
#pragma once

#include "couplet/constraints/equations.hpp"

namespace couplet::constraints {

using math::MatX;

constexpr int most_rows = 1000;  // beyond, decompositions take minutes

/// A joint or constraint with directions that others close already.
struct Redundancy {
  std::string element;
  int joint = -1;  // index in Model::joints, never of a weld between halves; -1: a constraint
  std::vector<std::string> directions;  // in the joint's axes
  std::string suggestion;               // how to say only what is needed
};

/// What is too much.
struct Surplus {
  std::vector<Redundancy> redundant;
  std::vector<std::vector<std::string>>
      dependent_motions;  // joints whose prescribed motions the others of a list imply
};

/// Given which rows count (sorted; independent), of equations evaluated at an assembled state.
/// Beyond most_rows all others are called redundant.
Surplus find_surplus(const model::Model& model, const Equations& equations,
                     const std::vector<int>& chosen);

MatX make_dense(const SparseRows& rows, int columns);

}  // namespace couplet::constraints
