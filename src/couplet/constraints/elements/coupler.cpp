// A linear relation between coordinates: the sum of factor * coordinate is the offset.
#include "couplet/constraints/entry.hpp"

namespace couplet::constraints {

template <>
const Entry& entry<struct Coupler>() {
  using namespace model::keys;
  static const Entry made(
      {"coupler",
       "the sum of factor * coordinate is the offset",
       {terms("joints", "{coordinate: factor}, one or more")
            .written("joints: {left: 1, right: -1}; the sum of factor*joint is the offset"),
        number("offset", model::kinds::any, "the sum").or_else(0)},
       [](const model::Model&, const Element&) -> std::optional<model::Fault> {
         return std::nullopt;
       }},
      "{type: coupler, joints: {pin: 2, rail: 0.5, bore.q1: -1}, offset: 0.3}",
      [](const model::Model& model, const Element& e) {
        Expr sum = -e.number("offset");
        for (const model::Term& term : e.terms("joints"))
          sum += term.factor * symbol_of(model, term.coordinate);
        return sum;
      });
  return made;
}

}  // namespace couplet::constraints
