// Expressions of a model file in the words of the whole system: units on literals become factors,
// names of the model become global symbols or numbers. The rest is for symbolic/parse.hpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "couplet/formats/units.hpp"
#include "couplet/symbolic/expr.hpp"

namespace couplet::formats::yaml {

/// What stands for a name in an expression.
struct Name {
  std::string text;                    // a global symbol, or a number
  std::optional<Dimension> dimension;  // of a parameter that was given with a unit
};

/// Finds what a name of the model means; names come without quotes: "left.elbow.q".
using Lookup = std::function<std::optional<Name>(const std::string& name)>;

/// The names that could have been meant by one that is not found; asked for only then.
using KnownNames = std::function<std::vector<std::string>()>;

/// Tables of the model: what they are called in it → the function of `symbolic`.
using Functions = std::map<std::string, std::string>;

struct Problem {
  size_t offset = 0;  // byte in the text
  std::string what, fix;
};

/// The value of a text, or what is wrong with it.
struct Expression {
  symbolic::Expr value;
  std::optional<Dimension> dimension;  // known for "12 mm" and for a single name
  std::vector<Problem> problems;
};

Expression parse_expression(std::string_view text, const Lookup& lookup, const KnownNames& known,
                            const Functions& functions = {});

/// The symbol of an element's coordinate or parameter, by its name in the Model, as Expr::symbol
/// spells it: `lower arm.q`, which the user wrote as 'lower arm'.q, is one quoted name.
std::string symbol_name(std::string_view path);

}  // namespace couplet::formats::yaml
