// Force elements of one class, bound to a mechanism and evaluated together: one virtual call for
// all of them, a plain loop inside.
//
// An element is a class as ForceElement says. It is made from a Binding, where it asks for its
// coefficients: these become outputs of one tape that all elements share, and it gets their values,
// in the same order, whenever it is evaluated.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "couplet/forces/applied_forces.hpp"

namespace couplet::forces {

using model::Element;
using symbolic::Expr;

/// An element of a model that is being bound.
struct Binding {
  const Mechanism& mechanism;
  const model::Model& model;
  const Element& element;
  std::vector<Expr>& coefficients;  // to be added to

  const model::Point& point(std::string_view key) const {
    return model.points[static_cast<size_t>(element.point(key))];
  }
  /// The value of a key; 0 where it is not given, or the type has no such key.
  Expr expression(std::string_view key) const;
  std::array<Expr, 3> expressions(std::string_view key) const;
  /// Whether it stays as it is while the mechanism moves: of parameters only, and of no condition
  /// that changes at events.
  bool is_fixed(const Expr& e) const;
};

/// A state at which elements are evaluated.
struct Now {
  const State& state;
  std::span<const BodyMotion> bodies;  // may be empty where no element reads them
};

/// Something that can be recorded of an element, as <element>.<name>.
struct Signal {
  std::string name, unit;
};
/// A vector: force.x, force.y, force.z.
void add_vector(std::vector<Signal>& list, const std::string& name, const char* unit);

/// What a force element is. Its evaluation allocates nothing.
template <class E>
concept ForceElement = std::constructible_from<E, Binding&> &&
    requires(E e, const Now& now, const double* c, double* out, AppliedForces& forces,
             double& energy, const model::Model& model, const Element& element) {
  { E::reads_bodies } -> std::convertible_to<bool>;
  { E::coefficients } -> std::convertible_to<size_t>;  // as many as it asked for
  { E::own.size() } -> std::same_as<size_t>;           // names that its expressions may use of it
  { E::list_signals(model, element) } -> std::same_as<std::vector<Signal>>;
  // First of all at a state: where it is, and the values of its own names.
  { e.update(now, out) } -> std::same_as<void>;
  { e.add_forces(now, c, forces) } -> std::same_as<void>;
  // Adds nothing where it does not conserve energy.
  { e.add_potential_energy(now, c, energy) } -> std::same_as<void>;
  // One value each, and where the next one belongs. The last is the power that the element
  // gives to the mechanism, W.
  { e.calc_signals(now, c, out) } -> std::same_as<double*>;
};

class Batch {
 public:
  virtual ~Batch() = default;
  virtual void add(Binding& binding) = 0;
  /// `own`, `c` and `out` are those of all its elements, one element after another.
  virtual void update(const Now& now, double* own) = 0;
  virtual void add_forces(const Now& now, const double* c, AppliedForces& out) = 0;
  virtual void add_potential_energy(const Now& now, const double* c, double& energy) = 0;
  virtual double* calc_signals(const Now& now, const double* c, double* out) = 0;
};

template <ForceElement E>
class BatchOf final : public Batch {
 public:
  void add(Binding& binding) override { elements_.emplace_back(binding); }
  void update(const Now& now, double* own) override {
    for (E& element : elements_) element.update(now, own), own += E::own.size();
  }
  void add_forces(const Now& now, const double* c, AppliedForces& out) override {
    for (E& element : elements_) element.add_forces(now, c, out), c += E::coefficients;
  }
  void add_potential_energy(const Now& now, const double* c, double& energy) override {
    for (E& element : elements_) element.add_potential_energy(now, c, energy), c += E::coefficients;
  }
  double* calc_signals(const Now& now, const double* c, double* out) override {
    for (E& element : elements_) out = element.calc_signals(now, c, out), c += E::coefficients;
    return out;
  }

 private:
  std::vector<E> elements_;
};

/// The names of an element that its expressions cannot use.
inline constexpr std::array<const char*, 0> nothing_own{};

}  // namespace couplet::forces
