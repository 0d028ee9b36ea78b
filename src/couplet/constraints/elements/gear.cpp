// Two joints turn together: first = ratio * second + offset.
#include "couplet/constraints/entry.hpp"

namespace couplet::constraints {
namespace {

std::optional<model::Fault> find_fault(const model::Model&, const Element& e) {
  if (e.coordinates("joints")[0] == e.coordinates("joints")[1])
    return model::Fault{"connects a joint with itself", "choose two joints", "joints"};
  if (e.number("ratio") == 0)
    return model::Fault{
        "has a ratio of 0",
        "give the turns of the first joint per turn of the second; a weld holds a joint", "ratio"};
  return std::nullopt;
}

}  // namespace

template <>
const Entry& entry<struct Gear>() {
  using namespace model::keys;
  static const Entry made(
      {"gear",
       "two joints turn together: first = ratio * second + offset",
       {coordinates("joints", 2, model::Moves::turns, "[first, second]: angles of joints")
            .written("joints: [first, second]; first = ratio*second + offset"),
        number("ratio", model::kinds::number,
               "turns of the first per turn of the second, negative for a pair of outer gears"),
        number("offset", model::kinds::angle, "angle of the first where the second is 0")
            .or_else(0)},
       find_fault},
      "{type: gear, joints: [pin, bore.q1], ratio: -3, offset: 20 deg}",
      [](const model::Model& model, const Element& e) {
        const std::vector<model::Coordinate>& joints = e.coordinates("joints");
        return symbol_of(model, joints[0]) - e.number("ratio") * symbol_of(model, joints[1]) -
               e.number("offset");
      });
  return made;
}

}  // namespace couplet::constraints
