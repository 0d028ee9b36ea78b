// Numbers that depend on parameters: how they were read is kept, and done again with other values.
#include "couplet/formats/yaml/reader.hpp"

namespace couplet::formats::yaml {

void read_derived(model::Derived derived,
                  const std::function<void(const Scope& scope, model::Model& model)>& set,
                  Part& part) {
  part.scope.start_trace();
  set(part.scope, part.reading.model);
  const std::vector<Scope::Traced> numbers = part.scope.stop_trace();
  Reading& reading = part.reading;
  bool changes = derived.base_point >= 0 && reading.moving_points.contains(derived.base_point);
  std::vector<const Node*> nodes;
  for (const Scope::Traced& number : numbers) {
    changes |= !number.value.is_constant();
    derived.inputs.push_back(number.value);
    nodes.push_back(number.node);
  }
  if (!changes) return;
  if (derived.kind == model::Derived::Kind::point) reading.moving_points.insert(derived.element);
  derived.apply = [set, nodes = std::move(nodes), prefix = part.scope.prefix(),
                   keep = reading.open_files.back().tree](std::span<const double> values,
                                                          model::Model& model) {
    base::Diagnostics diagnostics;
    set(Scope(prefix, diagnostics, nodes, values), model);
    diagnostics.check();
  };
  reading.model.derived.push_back(std::move(derived));
}

}  // namespace couplet::formats::yaml
