#include "couplet/mechanics/mechanism_observables.hpp"

#include <algorithm>

#include "couplet/constraints/entry.hpp"
#include "couplet/mechanics/mechanism_probe.hpp"
#include "couplet/model/cut_joint.hpp"

namespace couplet::mechanics {

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

}  // namespace

MechanismObservables::MechanismObservables(MechanismProblem& problem) : problem_(problem) {
  reserve();
  add_states();
  add_joints();
  add_constraints();
  add_forces();
  add_points();
  add_totals();
  const model::Model& model = *problem.mechanism().model;
  for (size_t i = 0; i + problem.hidden_parameters() < model.parameters.size(); ++i)
    add(model.parameters[i].name, "", "", {Quantity::parameter, static_cast<int>(i)});
  for (const model::Output& output : model.outputs)
    outputs_.push_back({output.name, output.unit, output.value, output.where});
}

std::unique_ptr<simulate::Probe> MechanismObservables::choose(std::span<const size_t> wanted) {
  std::vector<Source> chosen;
  for (const size_t i : wanted) chosen.push_back(source_of(i));
  return std::make_unique<MechanismProbe>(problem_, std::move(chosen));
}

void MechanismObservables::check_expected(std::string_view name,
                                          const base::SourceLocation& where) const {
  model::check_has_coordinates(problem_.mechanism(), name, where);
}

simulate::Observable MechanismObservables::at(size_t i) const {
  const Group& group = group_of(i);
  const size_t next = &group == &groups_.back() ? size_ : (&group + 1)->start;
  const size_t parts = next - group.start, part = i - group.start;
  std::string name = *group.element + group.suffix;
  if (parts == 3) name += axes[part];
  if (parts == 4) name += quaternion[part];
  const auto [kind, cost] = sort_of(group.first.quantity);
  const int component = group.first.quantity == Quantity::state ? group.first.index : -1;
  return {std::move(name), group.unit, kind, cost, component};
}

simulate::Kind MechanismObservables::kind(size_t i) const {
  return sort_of(group_of(i).first.quantity).kind;
}

const MechanismObservables::Group& MechanismObservables::group_of(size_t i) const {
  const auto behind = std::ranges::upper_bound(groups_, i, {}, &Group::start);
  return *std::prev(behind);
}

MechanismObservables::Source MechanismObservables::source_of(size_t i) const {
  const Group& group = group_of(i);
  Source source = group.first;
  source.part += static_cast<int>(i - group.start);
  return source;
}

// Nearly all of them, so that the list is not twice as long as it has to be.
void MechanismObservables::reserve() {
  const Mechanism& m = problem_.mechanism();
  groups_.reserve(100 + m.model->parameters.size() +
                  static_cast<size_t>(m.nq + 2 * m.nv + 2 * m.nx) + 4 * m.model->joints.size() +
                  5 * m.model->points.size());
}

const std::string& MechanismObservables::keep(const std::string& text) {
  return *texts_.insert(text).first;
}

// The element's name stays where it is.
void MechanismObservables::add(const std::string& element, const char* suffix,
                               const std::string& unit, const Source& source, unsigned parts) {
  groups_.push_back({&element, suffix, keep(unit).c_str(), source, size_});
  size_ += parts;
}

void MechanismObservables::add_vector(const std::string& element, const char* suffix,
                                      const char* unit, Quantity quantity, int index) {
  add(element, suffix, unit, {quantity, index}, 3);
}

void MechanismObservables::add_states() {
  const integrate::Layout& layout = problem_.layout();
  for (int i = 0; i < layout.size(); ++i) {
    const integrate::Component& c = layout.components[static_cast<size_t>(i)];
    add(c.name, "", c.unit, {Quantity::state, i});
  }
  for (int i = 0; i < layout.nv; ++i) {
    const integrate::Component& c = layout.components[static_cast<size_t>(layout.nq + i)];
    add(c.name, "dot", c.unit + "2", {Quantity::acceleration, i});
  }
  for (int i = 0; i < layout.nx; ++i) {
    const integrate::Component& c =
        layout.components[static_cast<size_t>(layout.nq + layout.nv + i)];
    add(c.name, ".rate", (c.unit.empty() ? "1" : c.unit) + "/s", {Quantity::state_rate, i});
  }
}

void MechanismObservables::add_joints() {
  const Mechanism& m = problem_.mechanism();
  const auto add_reaction = [&](int joint) {
    const std::string& name = m.model->joints[static_cast<size_t>(joint)].name;
    add_vector(name, ".force", "N", Quantity::force, joint);
    add_vector(name, ".torque", "N m", Quantity::torque, joint);
    add_vector(name, ".local_force", "N", Quantity::local_force, joint);
    add_vector(name, ".local_torque", "N m", Quantity::local_torque, joint);
  };
  for (const model::TreeJoint& slot : m.joints) {
    const model::Joint& joint = m.model->joints[static_cast<size_t>(slot.joint)];
    if (!joint.motion.empty())
      for (int j = slot.iv; j < slot.iv + info(joint.type).nv; ++j)
        add(m.dof_names[static_cast<size_t>(j)], ".tau",
            m.turns[static_cast<size_t>(j)] ? "N m" : "N", {Quantity::actuator_force, j});
    add_reaction(slot.joint);
  }
  for (const model::CutJoint& cut : m.cuts) add_reaction(cut.joint);
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

void MechanismObservables::add_points() {
  const std::vector<model::Point>& points = problem_.mechanism().model->points;
  for (size_t i = 0; i < points.size(); ++i) {
    const std::string& name = points[i].name;
    const int index = static_cast<int>(i);
    add_vector(name, ".position", "m", Quantity::position, index);
    add_vector(name, ".velocity", "m/s", Quantity::velocity, index);
    add_vector(name, ".angular_velocity", "rad/s", Quantity::angular_velocity, index);
    add_vector(name, ".acceleration", "m/s2", Quantity::point_acceleration, index);
    add(name, ".orientation", "", {Quantity::orientation, index}, 4);
  }
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
