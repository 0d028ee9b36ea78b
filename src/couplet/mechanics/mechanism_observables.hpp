// What can be recorded of a mechanism:
//
//   pivot.q · pivot.v · pivot.vdot · pivot.tau          coordinates, speeds, accelerations,
//                                                       prescribed forces
//   tip.position.x · .velocity · .acceleration · .angular_velocity · tip.orientation.w
//                                                       of a point, world axes
//   pivot.force.x · pivot.torque.x                      of a joint on the body of its `to`, world
//                                                       axes; local_: its axes
//   rod.force · slot.force.x · belt.fan.tau             of constraints: pull, force at the point,
//                                                       force on a freedom
//   spring.pull · motor.torque · wind.force.x · wind.power
//                                                       of force elements: their entries say what
//   energy.kinetic · energy.potential · energy.total · momentum.linear.x · momentum.angular.x
//   parameters by their names
#pragma once

#include <set>

#include "couplet/mechanics/mechanism_problem.hpp"
#include "couplet/simulate/observables.hpp"

namespace couplet::mechanics {

class MechanismObservables final : public simulate::Observables {
 public:
  explicit MechanismObservables(MechanismProblem& problem);

  size_t size() const override { return size_; }
  simulate::Observable at(size_t i) const override;
  simulate::Kind kind(size_t i) const override;
  const std::vector<simulate::Output>& outputs() const override { return outputs_; }
  std::unique_ptr<simulate::Probe> choose(std::span<const size_t> wanted) override;
  void check_expected(std::string_view name, const base::SourceLocation& where) const override;

  enum class Quantity {
    state,
    acceleration,
    state_rate,      // of a first-order state
    actuator_force,  // of a prescribed freedom
    position,        // of a point, as the next four
    velocity,
    angular_velocity,
    point_acceleration,
    orientation,
    force,  // of a joint, as the next three
    torque,
    local_force,
    local_torque,
    pull,  // of a constraint, as the next three
    constraint_force,
    constraint_torque,
    freedom_force,
    force_signal,  // of a force element
    position_residual,
    velocity_residual,
    kinetic_energy,
    potential_energy,
    total_energy,
    linear_momentum,
    angular_momentum,
    parameter,
  };
  /// Where a value is found.
  struct Source {
    Quantity quantity;
    int index = 0;  // of the freedom, point, joint, constraint, signal or parameter
    int part = 0;   // x, y, z of a vector; w, x, y, z of an orientation; which of the freedoms
  };

 private:
  /// Neighbours in the list of all, so that it is short however many bodies there are.
  struct Group {
    enum Elements {
      component,  // of y: itself, its derivative or its rate, as `first` says
      joint,      // of the tree in its order: all that it transmits
      point,      // of the model: all that moves
      one,        // a quantity of one element, which the rest is about
    } elements;
    Source first;  // of the first of them
    size_t start;  // in the list of all
    const std::string* name = nullptr;
    const char *suffix = "", *unit = "";
    unsigned parts = 1;
  };
  /// What stands at a place of the list.
  struct Place {
    std::string element;
    const char* suffix;
    std::string unit;
    Source source;
    unsigned parts;  // 3: x, y, z of a vector; 4: w, x, y, z of an orientation
  };

  const std::string& keep(const std::string& text);
  void add(Group::Elements elements, const Source& first, size_t values);
  void add(const std::string& element, const char* suffix, const std::string& unit,
           const Source& source, unsigned parts = 1);
  void add_vector(const std::string& element, const char* suffix, const char* unit,
                  Quantity quantity, int index);
  Place find(size_t i) const;
  Place find_component(Quantity quantity, size_t k) const;
  void add_states();
  void add_joints();
  void add_constraints();
  void add_forces();
  void add_totals();

  MechanismProblem& problem_;
  std::vector<Group> groups_;  // few, whatever the number of bodies
  size_t size_ = 0;
  std::set<std::string> texts_;  // names that nobody else has, suffixes and units: few
  std::vector<simulate::Output> outputs_;
};

}  // namespace couplet::mechanics
