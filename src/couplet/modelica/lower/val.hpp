// Values of lowering: as at translation, but with expressions for numbers. Arrays are kept as
// trees of scalars.
#pragma once

#include <functional>
#include <vector>

#include "couplet/modelica/typing/value.hpp"
#include "couplet/symbolic/expr.hpp"

namespace couplet::modelica::lower {

using symbolic::Expr;

/// What a String is where the simulation decides: good for messages only.
inline const std::string undecided_text = "…";

struct Val {
  enum class Kind : uint8_t { none, scalar, array, record, text, function, object };
  Kind kind = Kind::none;
  Expr e;
  std::vector<Val> items;  // of an array, fields of a record, bound inputs of a function
  std::string text;
  const Exp* function = nullptr;
  std::shared_ptr<const tables::AnyTable> object;

  Val() = default;
  Val(Expr x) : kind(Kind::scalar), e(std::move(x)) {}
  Val(double x) : Val(Expr(x)) {}

  static Val array(std::vector<Val> items) {
    Val v;
    v.kind = Kind::array;
    v.items = std::move(items);
    return v;
  }
  bool is_array() const { return kind == Kind::array; }
  bool is_scalar() const { return kind == Kind::scalar; }
  std::vector<int> dims() const;
};

Val from_value(const Value& v);
Value to_value(const Val& v, const Type& type);  // of constants
bool is_constant(const Val& v);
void flatten(const Val& v, std::vector<Expr>& into);
Val each(const Val& v, const std::function<Expr(const Expr&)>& f);
/// Element by element; a scalar goes with every element.
Val zip(const Val& a, const Val& b, const std::function<Expr(const Expr&, const Expr&)>& f);
Val choose(const Expr& condition, const Val& a, const Val& b);
Val multiply(const Val& a, const Val& b);
Val transpose(const Val& m);
Val fill(const Val& v, const std::vector<int>& dims, size_t i = 0);
Val identity(size_t n);
/// Same scalars in the same order, other Exprs.
Val rebuild(const Val& shape, const std::vector<Expr>& scalars, size_t& next);

/// Thrown where something cannot be lowered; becomes a UserError with its place.
struct Refused {
  std::string what, fix;
};

}  // namespace couplet::modelica::lower
