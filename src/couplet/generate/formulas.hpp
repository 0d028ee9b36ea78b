// What can be generated from a mechanism, as formulas: the recursions run on expressions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "couplet/generate/symbolic_tree.hpp"
#include "couplet/symbolic/c_code.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::generate {

enum class What { forward, inverse, mass_matrix, bias, kinematics, jacobian, gradients };

struct WhatEntry {
  What what;
  const char* name;
  const char* doc;
};
std::span<const WhatEntry> whats();
const WhatEntry* find_what(std::string_view name);  // null when there is none

struct Request {
  What what = What::forward;
  std::vector<std::string> keep;  // see symbolic_tree.hpp
  bool body_forces = false;       // forward, inverse, bias: forces on links are arguments, too
};

/// Functions of arrays: q, v, tau, vdot and so on, and p for the parameters that are kept.
struct Formulas {
  struct Function {
    symbolic::CFunction code;  // its name is that of the request, without the model's
    std::string form;          // how it is calculated
    symbolic::OpCounts counts;
  };
  std::vector<Function> functions;
  std::vector<Parameter> parameters;
};

/// Of several forms (articulated bodies or composite inertias, inertial numbers as they are or
/// regrouped) the one with the fewest operations. Throws UserError for a mechanism with mimic
/// joints, and for words that cannot be kept.
Formulas make_formulas(const Mechanism& mechanism, const Request& request);

/// Names of the numbers of an array: q0, q1, …
std::vector<std::string> numbered(const char* name, int count);
std::vector<Expr> symbols(const std::vector<std::string>& names);

}  // namespace couplet::generate
