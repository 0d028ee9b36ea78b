// The gate: all that a time integrator may know of a model. A mechanism in joint coordinates, a
// translated equation model and a set of particles look the same from here on.
//
// States are y = (q, v, x): positions on their manifold, velocities, first-order states; each part
// may be empty.   q̇ = N(q) v,   v̇ = a(t, q, v, x),   ẋ = b(t, q, v, x).
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "couplet/integrate/archive.hpp"
#include "couplet/integrate/descriptor.hpp"

namespace couplet::integrate {

struct Component {
  std::string name, unit;
  double nominal = 1;  // a magnitude below which only the absolute error counts
};

/// Coordinates and the speeds that drive them: q̇[iq, iq + nq) = N v[iv, iv + nv).
struct Block {
  int iq, nq, iv, nv;  // nq = nv: N = 1; otherwise a quaternion is among them

  bool flat() const { return nq == nv; }
};

struct Layout {
  int nq = 0, nv = 0, nx = 0;
  std::vector<Component> components;  // nq + nv + nx, without those that are made
  std::vector<Block> blocks;          // all of q and v in order; empty: q̇ = v

  int made = 0;  // of so many, the first ones, names and units are made when somebody asks
  std::function<Component(int)> make = {};

  int size() const { return nq + nv + nx; }
  Component component(int i) const { return i < made ? make(i) : listed(i); }
  double nominal(int i) const { return i < made ? 1 : listed(i).nominal; }

 private:
  const Component& listed(int i) const { return components[static_cast<size_t>(i - made)]; }
};

/// How the run goes on after an event.
enum class Verdict { go_on, stop };

/// What people want to know of an event, such as a joint that came to rest.
struct EventNote {
  std::string what;  // "at rest"
  std::string element;
  std::string advice = {};  // empty: there is nothing to do about it
};

/// A step as points at equal distances, for what happens between them.
struct StepCurve {
  double t = 0, h = 0;  // s: where it begins, how long it is
  std::array<VecX, 5> y;
};

/// Where a motion begins, and what of a guess had to change for it.
struct Start {
  struct Change {  // of a value that was given and does not fit
    std::string name, unit;
    double from, to;
  };

  VecX y;
  double gap = 0;  // m or rad: how open the constraints were
  std::vector<Change> positions, speeds;
  std::vector<EventNote> notes;
};

/// How far y is from the constraints: largest entries of g and of G v + g_t.
struct Residuals {
  double position = 0, velocity = 0;
};

/// What a problem is, for people.
struct Description {
  std::string name;
  int degrees_of_freedom = 0;
  std::string formalism;  // how its equations are formed and solved
  std::string note;       // how that works at present; empty: nothing to say
  bool constrained = false;
};

class Problem {
 public:
  virtual ~Problem() = default;

  virtual const Layout& layout() const = 0;

  /// q̇, the first nq entries of ydot. Allocates nothing.
  virtual void calc_qdot(double t, const VecX& y, VecX& ydot) = 0;
  /// v̇ and ẋ, the other entries of ydot. Allocates nothing.
  virtual void calc_rates(double t, const VecX& y, VecX& ydot) = 0;

  /// q moved along speeds, q exp(dq): the first nq entries of y change. Only problems with
  /// quaternions need their own.
  virtual void move(const VecX& dq, VecX& y) { y.head(layout().nq) += dq; }

  /// The descriptor form, for rules that work on it; null: there is none, and rates are all there
  /// is.
  virtual DescriptorForm* descriptor() { return nullptr; }

  /// Back to the manifold: unit quaternions, prescribed motions, constraints.
  virtual void project(double /*t*/, VecX& /*y*/) {}
  /// How near the point last evaluated or projected is to one where constraints depend on each
  /// other: the sine of the smallest angle between them. 1: far.
  virtual double sine() const { return 1; }

  /// A step to (t, y) was taken. Asked of problems with root functions.
  virtual void note_step(double /*t*/, const VecX& /*y*/) {}

  /// Whether points inside of accepted steps are wanted, before note_step: of what has a memory.
  virtual bool wants_path() const { return false; }
  virtual void note_between(double /*t*/, const VecX& /*y*/) {}
  /// Whether something happens when the run has reached its end, or has been ended by the model.
  virtual bool has_end() const { return false; }
  virtual void handle_end(double /*t*/, VecX& /*y*/) {}

  // ---- Events: what happens when a root function becomes negative, or when a time is reached.
  virtual int root_count() const { return 0; }
  virtual void calc_roots(double /*t*/, const VecX& /*y*/, VecX& /*roots*/) {}
  virtual std::string root_name(int /*root*/) const { return {}; }
  /// Whether it may change its sign more often than the motion bends, so that only find_change()
  /// knows.
  virtual bool is_crooked(int /*root*/) const { return false; }
  /// Between two places of the curve, 0 … 4, at the first of which a crooked function is negative
  /// or not: two between which it is the first to change its sign, once.
  virtual std::optional<std::array<double, 2>> find_change(int /*root*/, const StepCurve& /*curve*/,
                                                           double /*from*/, double /*to*/,
                                                           bool /*negative*/) {
    return std::nullopt;
  }
  /// Whether it changes speeds, as a bounce does.
  virtual bool is_bounce(int /*root*/) const { return false; }
  /// Whether rates did not jump where it fired last: it may fire as often as it likes.
  virtual bool is_kink(int /*root*/) const { return false; }
  /// Whether events of it that accumulate are the problem's to end, as those of stops are.
  virtual bool settles(int /*root*/) const { return false; }
  /// The first time event after t; infinity when there is none.
  virtual double next_time_event(double /*t*/) const {
    return std::numeric_limits<double>::infinity();
  }
  /// Whether one is at t itself, where a run begins.
  virtual bool is_due(double /*t*/) const { return false; }
  /// How far a step from t may go, up to `end`, and still see what forces of the time alone do.
  virtual double reach(double /*t*/, double end) { return end; }
  /// Whether there are smooth functions of the motion that may do more than the ends of a step
  /// show.
  virtual bool has_narrow() const { return false; }
  /// Up to when the ends of a step from `from` to `to` show what they do
  /// between them. `who`, if it is not the end: an element that does more.
  virtual double seen(double /*t*/, const VecX& /*from*/, double end, const VecX& /*to*/,
                      std::string& /*who*/) {
    return end;
  }
  /// Changes y, and whatever the problem remembers. `fired`: root functions that crossed zero at t;
  /// empty at a time event.
  virtual Verdict handle_event(double /*t*/, VecX& /*y*/, std::span<const int> /*fired*/) {
    return Verdict::go_on;
  }

  // ---- The beginning.
  /// Where the model says that the motion begins; it need not be consistent.
  virtual VecX guess() const { return VecX::Zero(layout().size()); }
  /// Consistent values near a guess. Throws UserError where what was given is not possible,
  /// ComputationError where there are none to be found; both name the element.
  virtual Start make_start(double t, const VecX& guess) {
    Start start;
    start.y = guess;
    project(t, start.y);
    return start;
  }
  /// Whether rates depend on the time other than by what next_time_event() tells. Nothing in y says
  /// what a force of the time will do next, so long steps may pass over it.
  virtual bool depends_on_time() const { return true; }
  /// The rule begins with steps in which y changes by less than this, as multi-step rules do.
  virtual void set_resolution(double /*change*/) {}

  // ---- What to say of a run.
  virtual Description describe() const { return {}; }
  /// Of the constraints, after the last projection.
  virtual Residuals residuals() const { return {}; }
  /// Of the last event.
  virtual std::vector<EventNote> notes() const { return {}; }
  /// A condition that events should have kept and that does not hold at a point; empty: there is
  /// none. `tolerance`: the absolute one of the run.
  virtual std::string find_violation(double /*t*/, const VecX& /*y*/, double /*tolerance*/) const {
    return {};
  }
  /// What a run that failed at a point may owe to it, to follow the message; empty: nothing.
  virtual std::string explain_failure(double /*t*/, const VecX& /*y*/) { return {}; }

  /// What the problem remembers besides y (modes, switched parameters), for checkpoints.
  virtual void archive(Archive&) {}
};

}  // namespace couplet::integrate
