#include "couplet/modelica/flatten/flat.hpp"

#include <algorithm>

namespace couplet::modelica {

bool FlatVariable::is_unknown() const {
  return variability > ast::Variability::parameter && direction != ast::Direction::input &&
         type.base != Primitive::external_object;
}

long FlatEquation::count() const {
  switch (kind) {
    case Kind::call:
      return 0;
    case Kind::equality: {
      if (left->kind != ExpKind::tuple) return std::max(count_scalars(left->type), 0L);
      long sum = 0;
      for (const Exp* a : left->args)
        if (a) sum += count_scalars(a->type);
      return sum;
    }
    case Kind::if_:
    case Kind::when: {
      long sum = 0;
      for (const FlatEquation& e : branches[0].body) sum += e.count();
      return sum;
    }
  }
  return 0;
}

}  // namespace couplet::modelica
