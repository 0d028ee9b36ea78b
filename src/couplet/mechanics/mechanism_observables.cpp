#include "couplet/mechanics/mechanism_observables.hpp"

#include <algorithm>

#include "couplet/constraints/entry.hpp"
#include "couplet/mechanics/mechanism_probe.hpp"
#include "couplet/model/cut_joint.hpp"

namespace couplet::mechanics {

using Quantity = MechanismObservables::Quantity;
using simulate::Cost;
using simulate::Kind;

namespace {

constexpr const char* axes[] = {".x", ".y", ".z"};
constexpr const char* quaternion[] = {".w", ".x", ".y", ".z"};

struct Sort {
  Kind kind;
  Cost cost;
};

Sort sort_of(MechanismObservables::Quantity quantity) {
  using enum MechanismObservables::Quantity;
  switch (quantity) {
    case state:
      return {Kind::state, Cost::none};
    case acceleration:
      return {Kind::rate, Cost::dynamics};
    case state_rate:
      return {Kind::rate, Cost::kinematics};
    case actuator_force:
      return {Kind::force, Cost::dynamics};
    case position:
    case velocity:
    case angular_velocity:
    case orientation:
      return {Kind::motion, Cost::kinematics};
    case point_acceleration:
      return {Kind::motion, Cost::dynamics};
    case force:
    case torque:
    case local_force:
    case local_torque:
    case pull:
    case constraint_force:
    case constraint_torque:
    case freedom_force:
      return {Kind::force, Cost::reactions};
    case force_signal:
      return {Kind::force, Cost::kinematics};
    case position_residual:
    case velocity_residual:
      return {Kind::residual, Cost::kinematics};
    case kinetic_energy:
    case potential_energy:
    case total_energy:
      return {Kind::energy, Cost::kinematics};
    case linear_momentum:
    case angular_momentum:
      return {Kind::momentum, Cost::kinematics};
    case parameter:
      return {Kind::parameter, Cost::none};
  }
  return {};
}

// What is known of every joint and of every point.
struct Pattern {
  const char *suffix, *unit;
  Quantity quantity;
  unsigned parts;
};
constexpr Pattern of_joints[] = {{".force", "N", Quantity::force, 3},
                                 {".torque", "N m", Quantity::torque, 3},
                                 {".local_force", "N", Quantity::local_force, 3},
                                 {".local_torque", "N m", Quantity::local_torque, 3}};
constexpr Pattern of_points[] = {{".position", "m", Quantity::position, 3},
                                 {".velocity", "m/s", Quantity::velocity, 3},
                                 {".angular_velocity", "rad/s", Quantity::angular_velocity, 3},
                                 {".acceleration", "m/s2", Quantity::point_acceleration, 3},
                                 {".orientation", "", Quantity::orientation, 4}};

constexpr size_t count_values(std::span<const Pattern> patterns) {
  size_t count = 0;
  for (const Pattern& pattern : patterns) count += pattern.parts;
  return count;
}

/// The pattern of value k of an element, and which part of it.
std::pair<Pattern, int> find_pattern(std::span<const Pattern> patterns, size_t k) {
  size_t i = 0;
  for (; k >= patterns[i].parts; ++i) k -= patterns[i].parts;
  return {patterns[i], static_cast<int>(k)};
}

}  // namespace

MechanismObservables::MechanismObservables(MechanismProblem& problem) : problem_(problem) {
  add_states();
  add_joints();
  add_constraints();
  add_forces();
  const model::Model& model = *problem.mechanism().model;
  add(Group::point, {Quantity::position}, model.points.size() * count_values(of_points));
  add_totals();
  for (size_t i = 0; i + problem.hidden_parameters() < model.parameters.size(); ++i)
    add(model.parameters[i].name, "", "", {Quantity::parameter, static_cast<int>(i)});
  for (const model::Output& output : model.outputs)
    outputs_.push_back({output.name, output.unit, output.value, output.where});
}

std::unique_ptr<simulate::Probe> MechanismObservables::choose(std::span<const size_t> wanted) {
  std::vector<Source> chosen;
  for (const size_t i : wanted) chosen.push_back(find(i).source);
  return std::make_unique<MechanismProbe>(problem_, std::move(chosen));
}

void MechanismObservables::check_expected(std::string_view name,
                                          const base::SourceLocation& where) const {
  model::check_has_coordinates(problem_.mechanism(), name, where);
}

simulate::Observable MechanismObservables::at(size_t i) const {
  Place place = find(i);
  std::string name = std::move(place.element) + place.suffix;
  if (place.parts == 3) name += axes[place.source.part];
  if (place.parts == 4) name += quaternion[place.source.part];
  const auto [kind, cost] = sort_of(place.source.quantity);
  const int component = place.source.quantity == Quantity::state ? place.source.index : -1;
  return {std::move(name), std::move(place.unit), kind, cost, component};
}

simulate::Kind MechanismObservables::kind(size_t i) const {
  return sort_of(find(i).source.quantity).kind;
}

MechanismObservables::Place MechanismObservables::find(size_t i) const {
  const Group& group = *std::prev(std::ranges::upper_bound(groups_, i, {}, &Group::start));
  const size_t k = i - group.start;
  const Mechanism& m = problem_.mechanism();
  switch (group.elements) {
    case Group::component:
      return find_component(group.first.quantity, k);
    case Group::joint: {
      const auto [pattern, part] = find_pattern(of_joints, k % count_values(of_joints));
      const size_t slot = static_cast<size_t>(group.first.index) + k / count_values(of_joints);
      const int joint = m.joints[slot].joint;
      return {m.model->joints[static_cast<size_t>(joint)].name,
              pattern.suffix,
              pattern.unit,
              {pattern.quantity, joint, part},
              pattern.parts};
    }
    case Group::point: {
      const auto [pattern, part] = find_pattern(of_points, k % count_values(of_points));
      const size_t point = k / count_values(of_points);
      return {m.model->points[point].name,
              pattern.suffix,
              pattern.unit,
              {pattern.quantity, static_cast<int>(point), part},
              pattern.parts};
    }
    case Group::one:
      break;
  }
  Source source = group.first;
  source.part += static_cast<int>(k);
  return {*group.name, group.suffix, group.unit, source, group.parts};
}

MechanismObservables::Place MechanismObservables::find_component(Quantity quantity,
                                                                 size_t k) const {
  const integrate::Layout& layout = problem_.layout();
  const Source source{quantity, static_cast<int>(k)};
  const auto component = [&](int first) { return layout.component(first + static_cast<int>(k)); };
  if (quantity == Quantity::acceleration) {
    const integrate::Component c = component(layout.nq);
    return {c.name, "dot", c.unit + "2", source, 1};
  }
  if (quantity == Quantity::state_rate) {
    const integrate::Component& c = component(layout.nq + layout.nv);
    return {c.name, ".rate", (c.unit.empty() ? "1" : c.unit) + "/s", source, 1};
  }
  integrate::Component c = component(0);
  return {std::move(c.name), "", std::move(c.unit), source, 1};
}

const std::string& MechanismObservables::keep(const std::string& text) {
  return *texts_.insert(text).first;
}

void MechanismObservables::add(Group::Elements elements, const Source& first, size_t values) {
  if (values == 0) return;
  groups_.push_back({elements, first, size_});
  size_ += values;
}

// The element's name stays where it is.
void MechanismObservables::add(const std::string& element, const char* suffix,
                               const std::string& unit, const Source& source, unsigned parts) {
  groups_.push_back({Group::one, source, size_, &element, suffix, keep(unit).c_str(), parts});
  size_ += parts;
}

void MechanismObservables::add_vector(const std::string& element, const char* suffix,
                                      const char* unit, Quantity quantity, int index) {
  add(element, suffix, unit, {quantity, index}, 3);
}

void MechanismObservables::add_states() {
  const integrate::Layout& layout = problem_.layout();
  add(Group::component, {Quantity::state}, static_cast<size_t>(layout.size()));
  add(Group::component, {Quantity::acceleration}, static_cast<size_t>(layout.nv));
  add(Group::component, {Quantity::state_rate}, static_cast<size_t>(layout.nx));
}

// Force and torque of a prescribed freedom stand before what its joint transmits.
void MechanismObservables::add_joints() {
  const Mechanism& m = problem_.mechanism();
  size_t listed = 0;  // joints of the tree
  const auto list_to = [&](size_t end) {
    add(Group::joint, {Quantity::force, static_cast<int>(listed)},
        (end - listed) * count_values(of_joints));
    listed = end;
  };
  for (size_t slot = 0; slot < m.joints.size(); ++slot) {
    const model::Joint& joint = m.model->joints[static_cast<size_t>(m.joints[slot].joint)];
    if (joint.motion.empty()) continue;
    list_to(slot);
    for (int j = m.joints[slot].iv; j < m.joints[slot].iv + info(joint.type).nv; ++j)
      add(keep(m.dof_names[static_cast<size_t>(j)]), ".tau",
          m.turns[static_cast<size_t>(j)] ? "N m" : "N", {Quantity::actuator_force, j});
  }
  list_to(m.joints.size());
  for (const model::CutJoint& cut : m.cuts)
    for (const Pattern& pattern : of_joints)
      add_vector(m.model->joints[static_cast<size_t>(cut.joint)].name, pattern.suffix, pattern.unit,
                 pattern.quantity, cut.joint);
}

void MechanismObservables::add_constraints() {
  const dynamics::ConstraintSolver* constraints = problem_.system().constraints();
  if (!constraints) return;
  const Mechanism& m = problem_.mechanism();
  const dynamics::ConstraintSet& set = constraints->set();
  const std::vector<dynamics::ConstraintForce> forces =
      set.calc_constraint_forces(VecX::Zero(set.rows()));
  for (size_t i = 0; i < forces.size(); ++i) {
    const model::Element& constraint = m.model->constraints[i];
    const int index = static_cast<int>(i);
    for (const constraints::Exerted& exerted : constraints::entry_of(constraint).exerts) {
      const char* suffix = keep(std::string(".") + exerted.name).c_str();
      switch (exerted.kind) {
        case constraints::Exerted::Kind::pull:
          add(constraint.name, suffix, exerted.unit, {Quantity::pull, index});
          break;
        case constraints::Exerted::Kind::force:
          add_vector(constraint.name, suffix, exerted.unit, Quantity::constraint_force, index);
          break;
        case constraints::Exerted::Kind::torque:
          add_vector(constraint.name, suffix, exerted.unit, Quantity::constraint_torque, index);
          break;
        case constraints::Exerted::Kind::on_freedoms:
          for (size_t k = 0; k < forces[i].on_freedoms.size(); ++k) {
            const auto j = static_cast<size_t>(forces[i].on_freedoms[k].freedom);
            add(constraint.name, keep("." + m.dof_names[j] + ".tau").c_str(),
                m.turns[j] ? "N m" : "N", {Quantity::freedom_force, index, static_cast<int>(k)});
          }
          break;
      }
    }
  }
  const std::string& all = keep("constraints");
  add(all, ".position", "", {Quantity::position_residual});
  add(all, ".velocity", "", {Quantity::velocity_residual});
}

void MechanismObservables::add_forces() {
  const std::vector<forces::Signal>& signals = problem_.system().forces().signals();
  for (size_t i = 0; i < signals.size(); ++i)
    add(signals[i].name, "", signals[i].unit, {Quantity::force_signal, static_cast<int>(i)});
}

void MechanismObservables::add_totals() {
  const std::string &energy = keep("energy"), &momentum = keep("momentum");
  add(energy, ".kinetic", "J", {Quantity::kinetic_energy});
  add(energy, ".potential", "J", {Quantity::potential_energy});
  add(energy, ".total", "J", {Quantity::total_energy});
  add_vector(momentum, ".linear", "kg m/s", Quantity::linear_momentum, 0);
  add_vector(momentum, ".angular", "kg m2/s", Quantity::angular_momentum, 0);
}

}  // namespace couplet::mechanics
