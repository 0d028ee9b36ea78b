// Evaluates formulas on a tape, arrays by their names.
#pragma once

#include <map>

#include "couplet/generate/formulas.hpp"
#include "couplet/math/spatial.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::generate {

using math::VecX;
using Arrays = std::map<std::string, VecX>;

inline Arrays run(const Formulas::Function& function, const Arrays& in) {
  std::vector<std::string> names;
  std::vector<double> numbers;
  for (const auto& array : function.code.inputs) {
    names.insert(names.end(), array.symbols.begin(), array.symbols.end());
    const VecX& x = in.at(array.name);
    numbers.insert(numbers.end(), x.begin(), x.end());
  }
  std::vector<Expr> all;
  for (const auto& array : function.code.outputs)
    all.insert(all.end(), array.values.begin(), array.values.end());
  const std::vector<double> values = symbolic::Tape(all, names).evaluate(numbers);
  Arrays out;
  std::size_t next = 0;
  for (const auto& array : function.code.outputs) {
    const auto size = static_cast<Eigen::Index>(array.values.size());
    out[array.name] = Eigen::Map<const VecX>(values.data() + next, size);
    next += array.values.size();
  }
  return out;
}

/// A matrix that is stored row by row.
inline math::MatX by_rows(const VecX& x, Eigen::Index rows) {
  return Eigen::Map<const math::MatX>(x.data(), x.size() / rows, rows).transpose();
}

}  // namespace couplet::generate
