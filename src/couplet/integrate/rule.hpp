// An integration rule takes one step; how long it should be is the driver's business.
//
// A rule stands on a step between two points, `from` and `to`. attempt(h) computes `to`; accept()
// makes it the point that the next attempt starts from. Before and after accept(), interpolate()
// gives the solution between the two.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "couplet/integrate/leap.hpp"
#include "couplet/integrate/problem.hpp"

namespace couplet::integrate {

/// |error_i| ≤ absolute * nominal_i + relative * |y_i|, per component and step. Both zero: steps
/// are fixed, and errors need not be estimated.
struct Tolerance {
  double relative = 1e-6, absolute = 1e-6;

  bool given() const { return relative > 0 || absolute > 0; }
};

struct Counts {
  long evaluations = 0;  // of v̇ and ẋ
  long steps = 0, rejections = 0, events = 0;
  long residuals = 0, jacobians = 0,
       factorizations = 0;  // of implicit rules; residuals include those for Jacobians
};

/// What came out of an attempt.
struct Trial {
  double error = 0;   // in units of the tolerance; a step is good up to 1
  double h_next = 0;  // s, the rule's own wish for the next step; 0: the driver's choice
  bool finite = true;
  bool may_grow = true;  // false: its error is round-off, which says nothing about longer steps
  double clear = 0;  // s: of a step that would see a singular position from farther; 0: it is good
};

class Rule {
 public:
  Rule(Problem& problem, const Tolerance& tolerance);
  virtual ~Rule() = default;

  /// Begins (again) at a point; `h` is a good first step if it is not 0.
  virtual void start(double t, const VecX& y, double h);
  /// Computes `to`, h later; a rule with its own control may stop short of it.
  virtual Trial attempt(double h) = 0;
  /// Makes `to` end at t, inside the step just attempted: an event is there.
  virtual void shorten(double t);
  virtual void accept() { accepted_ = true; }

  /// y at a time between `from` and `to`. By default the quartic through both ends, their
  /// derivatives and one inside: an error of O(h⁵), for one evaluation per step.
  virtual void interpolate(double t, VecX& y);
  /// The same on the constraints; as it is where they would lead to another branch (branch.hpp).
  void find_between(double t, VecX& y);

  /// In how many parts of a step five points show what the solution does: more than one where steps
  /// are long against the motion.
  virtual int looks() const { return 1; }

  double t() const { return here().t; }
  const VecX& y() { return settled(here()).y; }
  double t_from() const { return from_.t; }
  double t_to() const { return to_.t; }
  const VecX& y_to() { return settled(to_).y; }
  /// ẏ at the current point; evaluated once.
  const VecX& ydot();

  /// Of a rule that chooses among others: the one that it steps with at present.
  virtual std::string_view method() const { return {}; }

  const Counts& counts() const { return counts_; }
  Counts& counts() { return counts_; }
  /// Puts the end of the step on a time that h, rounded, may have missed by an ulp.
  void set_end(double t) { to_.t = t; }
  /// The component whose error was largest in the last attempt.
  int worst_component() const { return worst_; }

  /// Everything that the next step depends on. A rule that cannot save its history begins anew at
  /// every checkpoint, whether the run is interrupted or not.
  virtual void archive(Archive& archive);
  virtual bool restarts_at_checkpoints() const { return false; }

 protected:
  struct Point {
    double t = 0;
    VecX y, ydot;
    double sine = 1;  // Problem::sine() where ydot was evaluated
    bool ydot_known = false;
    bool loose = false;  // not projected yet
  };

  Point& settled(Point& point) {
    if (point.loose) problem_.project(point.t, point.y);
    point.loose = false;
    return point;
  }
  void evaluate(double t, const VecX& y, VecX& ydot);
  const VecX& ydot_at(Point& point);
  enum class Needs { point, rates };
  /// Begins an attempt: `from` is the current point afterwards, and has its derivative if needed.
  void begin_attempt(Needs needs = Needs::rates);
  enum class Projection { now, when_seen };
  /// Ends an attempt: the new y is in to_.y; projects it. False if it is not finite.
  bool end_attempt(double h, Projection projection = Projection::now);
  /// Makes `to` the point of the dense output at t.
  void end_between(double t);
  void note_sine() { sine_ = std::min(sine_, problem_.sine()); }
  /// The same of an evaluation at t, from where the step sees what is near.
  void note_sine(double t);
  /// Whether round-off exceeds the tolerance of a step where constraints are so near to depending
  /// on each other.
  bool is_blurred(double sine, double h) const;
  /// Trial::clear of the attempt that ends.
  double find_clear_length(double h);
  /// Takes out of the error of a step what round-off may have done to it (round_off.hpp).
  /// Where it is large without that.
  void forgive_round_off(double h, VecX& error);
  /// max |error_i| / scale_i, and which component it is.
  double error_norm(const VecX& error);

  Problem& problem_;
  Tolerance tolerance_;
  VecX nominal_;
  Point from_, to_;
  Counts counts_;
  int worst_ = 0;
  Leap leap_;
  double sine_ = 1;        // the smallest of the points of this attempt
  bool forgiven_ = false;  // some of the errors of this attempt were round-off

 private:
  void set_end(double t, const VecX& y);
  Point& here() { return accepted_ ? to_ : from_; }
  const Point& here() const { return accepted_ ? to_ : from_; }

  bool accepted_ = false;
  bool quartic_known_ = false;
  VecX quartic_, inner_ydot_;  // for interpolation
  VecX between_;
  VecX predicted_;  // the end of a step before its projection
};

/// Who chooses the length of a step.
enum class StepControl { fixed, error, own };

/// What a rule asks its problem for.
enum class Asks {
  rates,      // v̇ and ẋ
  both,       // the same, of a problem that has positions and velocities: it treats them apart
  stages,     // half-explicit stages of the descriptor form
  residuals,  // the equations of the descriptor form as they stand, which it solves itself
};

struct RuleEntry {
  const char* name;
  const char* doc;
  int order;            // of y; convergence is measured against it
  int error_order;      // the error estimate of a step is O(h^error_order); 0: there is none
  StepControl control;  // fixed: has no error estimate; own: takes only a tolerance
  double share;         // of the run's tolerance that one step may take: errors of steps add up
  Asks asks;
  std::unique_ptr<Rule> (*make)(Problem&, const Tolerance&);
  double finest = 1e-14;  // relative tolerance: below it, errors are round-off
  double reach = 0;       // h |λ| that it is stable to, where λ < 0; 0: unlimited, or not known
};

/// The entry of a rule by the name that rules.cpp gives it: rule_entry<struct Radau5Rule>().
template <class Name>
const RuleEntry& rule_entry();
/// The maker of a class that needs nothing else.
template <class R>
std::unique_ptr<Rule> make_as(Problem& problem, const Tolerance& tolerance) {
  return std::make_unique<R>(problem, tolerance);
}

std::span<const RuleEntry> rules();
/// One more, before any of them is used: rules() and references to entries end with it.
void add_rule(const RuleEntry& entry);
/// Throws UserError with the nearest name when there is none.
const RuleEntry& check_rule(std::string_view name);
/// Throws UserError when the problem lacks what the rule needs.
std::unique_ptr<Rule> make_rule(const RuleEntry& entry, Problem& problem,
                                const Tolerance& tolerance);

}  // namespace couplet::integrate
