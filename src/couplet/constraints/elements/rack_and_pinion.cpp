// A joint slides as another turns: rack = radius * pinion + offset, of their coordinates.
#include "couplet/constraints/entry.hpp"
#include "couplet/constraints/faults.hpp"

namespace couplet::constraints {

template <>
const Entry& entry<struct RackAndPinion>() {
  using namespace model::keys;
  static const Entry made(
      {"rack-and-pinion",
       "a joint slides as another one turns: rack = radius * pinion + offset",
       {coordinates("pinion", 1, model::Moves::turns, "angle of a joint"),
        coordinates("rack", 1, model::Moves::slides, "sliding coordinate of a joint"),
        number("radius", model::kinds::length, "of the pinion; > 0"),
        number("offset", model::kinds::length, "where the rack is when the pinion is at 0")
            .or_else(0)},
       [](const model::Model&, const Element& e) {
         return find_not_positive(e, "radius",
                                  "give a radius > 0; turn an axis round to change the direction");
       }},
      "{type: rack-and-pinion, pinion: pin, rack: rail, radius: 20 cm, offset: 1 cm}",
      [](const model::Model& model, const Element& e) {
        return symbol_of(model, e.coordinates("rack")[0]) -
               e.number("radius") * symbol_of(model, e.coordinates("pinion")[0]) -
               e.number("offset");
      });
  return made;
}

}  // namespace couplet::constraints
