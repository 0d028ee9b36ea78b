#include "couplet/dynamics/minimal/only_trees.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/model/spanning_tree.hpp"

namespace couplet::dynamics {
namespace {

base::SourceLocation place_of_loop(const model::Mechanism& mechanism) {
  return mechanism.cuts.empty() ? mechanism.model->constraints.front().where
                                : mechanism.model->joints[mechanism.cuts.front().joint].where;
}

}  // namespace

std::string describe_loop(const model::Mechanism& mechanism) {
  const model::Model& model = *mechanism.model;
  if (!mechanism.cuts.empty()) {
    std::vector<std::string> names;
    for (const int k : find_loop(mechanism, mechanism.cuts.front()))
      if (model.joints[static_cast<size_t>(k)].split_for < 0)
        names.push_back(base::quoted(model.joints[static_cast<size_t>(k)].name));
    return fmt::format("the loop {}", fmt::join(names, " – "));
  }
  if (!model.constraints.empty())
    return "constraint " + base::quoted(model.constraints.front().name);
  return {};
}

void check_is_tree(const model::Mechanism& mechanism, std::string_view what) {
  if (mechanism.constrained())
    throw base::UserError(
        place_of_loop(mechanism),
        fmt::format("{} are for trees, and would leave out {}", what, describe_loop(mechanism)),
        "`run` and `evaluate` compute closed loops and constraints");
  if (mechanism.couplings.empty()) return;
  const model::Joint& joint = mechanism.model->joints[mechanism.couplings.front().joint];
  throw base::UserError(
      joint.where,
      fmt::format("{} would leave out the mimic of joint {}", what, base::quoted(joint.name)),
      "remove its `mimic`, or use the recursive formalism");
}

void check_is_free(const model::Mechanism& mechanism, std::string_view what) {
  for (const model::Link& link : mechanism.links)
    if (link.prescribed)
      throw base::UserError(
          {},
          fmt::format("{} would leave out the prescribed motion of {}", what,
                      base::quoted(mechanism.dof_names[static_cast<size_t>(link.iv)])),
          "remove its `motion`");
}

}  // namespace couplet::dynamics
