#include "couplet/modelica/flatten/flat.hpp"

#include <algorithm>

namespace couplet::modelica {

namespace {

// The scalars of a side. A record class may leave the sizes of fields open; its values know them.
long count_side(const Exp* e) {
  // An object is made once and known under several names: no equation finds it.
  if (e->type.base == Primitive::external_object) return 0;
  const bool of_records = e->kind == ExpKind::array && e->type.record;
  if (e->kind != ExpKind::record && !of_records) return std::max(count_scalars(e->type), 0L);
  long sum = 0;
  for (const Exp* a : e->args) sum += count_side(a);
  return sum;
}

}  // namespace

bool FlatVariable::is_unknown() const {
  return variability > ast::Variability::parameter && direction != ast::Direction::input &&
         type.base != Primitive::external_object;
}

long FlatEquation::count() const {
  switch (kind) {
    case Kind::call:
      return 0;
    case Kind::equality: {
      if (left->kind != ExpKind::tuple) return count_side(left);
      long sum = 0;
      for (const Exp* a : left->args)
        if (a) sum += count_side(a);
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
