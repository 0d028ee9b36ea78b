// 0 = value of the time, positions and parameters: whatever a user writes.
#include <fmt/format.h>

#include <unordered_set>

#include "couplet/base/text.hpp"
#include "couplet/constraints/entry.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::constraints {
namespace {

std::optional<model::Fault> find_fault(const model::Model& model, const Element& e) {
  std::unordered_set<std::string> constants{"t"}, speeds;
  for (const model::Parameter& parameter : model.parameters)
    constants.insert(symbolic::canonical_name(parameter.name));
  for (const model::Joint& joint : model.joints) {
    const model::JointInfo& type = info(joint.type);
    for (int i = 0; i < type.nv; ++i)
      speeds.insert(symbolic::canonical_name(joint.name + "." + type.v_names[i]));
  }
  bool moves = false;
  for (const std::string& name : symbolic::find_symbols(e.expression("value"))) {
    moves |= !constants.contains(name);  // a coordinate, or an output or a point made of them
    for (const model::StateVariable& state : model.states)
      if (symbolic::canonical_name(state.name) == name)
        return model::Fault{fmt::format("depends on the state {}", base::quoted(name)),
                            "its derivatives would be needed; let a force follow it", "value"};
    if (speeds.contains(name))
      return model::Fault{fmt::format("depends on the speed {}", base::quoted(name)),
                          "relate positions; of constraints on speeds there is rolling", "value"};
  }
  if (!moves)
    return model::Fault{"relates no coordinates", "name at least one coordinate of a joint",
                        "value"};
  return std::nullopt;
}

}  // namespace

template <>
const Entry& entry<struct Relation>() {
  using namespace model::keys;
  static const Entry made(
      {"relation",
       "an expression of positions and time vanishes",
       {expression("value", model::kinds::any, model::Uses::positions,
                   "of coordinates, t and parameters; twice differentiable")
            .of("t", "a relation")},
       find_fault},
      "{type: relation, value: rail.q - 0.1*sin(pin.q) - 0.01*t*bore.q2}",
      [](const model::Model&, const Element& e) { return e.expression("value"); });
  return made;
}

}  // namespace couplet::constraints
