// Step drivers: how long the steps of a rule are, what happens at events, and when it ends.
#pragma once

#include <optional>
#include <set>

#include "couplet/integrate/events.hpp"
#include "couplet/integrate/step_size.hpp"
#include "couplet/integrate/stiffness.hpp"

namespace couplet::integrate {

/// Looks at a run while it happens.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A step was accepted; the rule interpolates within it.
  virtual void on_step(Rule& rule) = 0;
  /// An event is about to change y at t, and what the problem remembers.
  virtual void before_event(double /*t*/, const VecX& /*y*/) {}
  /// It has; `names` are the root functions that fired, empty at a time event.
  virtual void on_event(double /*t*/, const VecX& /*y*/,
                        const std::vector<std::string>& /*names*/) {}
  /// After each step and its event: the place for checkpoints. False ends the run.
  virtual bool go_on() { return true; }
};

struct DriverOptions {
  std::optional<double> step = {};                           // s: fixed; absent: by the tolerance
  double longest = std::numeric_limits<double>::infinity();  // s, of a variable step
  double first = std::numeric_limits<double>::infinity();    // s, of the first one, at most
  bool foresees = false;  // steps go no further than Problem::reach()
  int least_steps = 1;    // of a run by the tolerance: none is longer than such a part of it
};

/// What a run has to say, and when.
struct RunNote : EventNote {
  double t;  // s
};

enum class Ending {
  reached,      // the end time
  terminated,   // an event said so
  interrupted,  // the observer did
  failed,       // see message
};

struct Outcome {
  Ending ending = Ending::reached;
  std::string message;  // what failed: component, time, step
};

class Driver {
 public:
  /// Throws UserError when rule, problem and options do not fit together.
  Driver(Problem& problem, const RuleEntry& entry, const Tolerance& tolerance,
         const DriverOptions& options);

  void start(double t, const VecX& y);
  /// What cannot be computed ends the run as failed; rule() is where it got to.
  Outcome run(double t_end, Observer& observer);

  /// What the problem does at the end, once run() has reached it.
  void finish(Observer& observer);

  Rule& rule() { return *rule_; }
  double step() const { return h_; }  // s, of the next step
  /// Why it takes as many steps as it does: stiffness, conditions that switch without end.
  const std::vector<RunNote>& notes() const { return notes_; }

  /// All that the rest of the run depends on besides the problem; call it in Observer::go_on.
  void archive(Archive& archive);

 private:
  Outcome run_to(double t_end, Observer& observer);
  double target_of_step(double t_end) const;
  Trial try_step(double h);
  bool begin(Observer& observer, Outcome& outcome);
  bool jump(double stop);
  bool attempt(double target, Outcome& outcome);
  bool sees_step(double& target);
  bool handle_event(Observer& observer, const std::vector<int>& fired, bool time_event,
                    Outcome& outcome);
  void note_path();
  void note_change(std::string_view method);
  void look_for_stiffness();
  void note_pace(double then, double t_end);
  void look_for_chattering(double t_end, std::span<const int> fired);
  std::string find_endless_bounce(std::span<const int> fired);
  bool chatters(double t, std::span<const int> fired, const std::vector<std::string>& names);
  Outcome accumulation(double t, const std::vector<std::string>& names, bool bounces) const;
  std::string name_of(int component) const;
  std::string trouble(const std::string& what, double h) const;

  Problem& problem_;
  const RuleEntry& entry_;
  Tolerance tolerance_;
  DriverOptions options_;
  std::unique_ptr<Rule> rule_;
  PiController controller_;
  EventFinder finder_;
  double h_ = 0;
  bool begun_ = false;  // the time event at the start is over
  bool fresh_ = true;   // no step since it began or an event changed it
  double t_start_ = 0;  // of the grid of fixed steps
  double last_event_ = 0;
  std::string reason_;                 // why the last attempt could not be evaluated
  int quick_events_ = 0;               // in a row, with hardly any time between them
  std::set<std::string> quick_names_;  // of root functions in these

  struct Firings {  // of a root function
    int lately = 0;
    double since = 0;  // s
    bool told = false;
    long step = 0;  // of the last one
    int short_hops = 0;
  };
  StiffnessWatch watch_;
  bool told_stiff_ = false, told_unseen_ = false;
  std::vector<Firings> firings_;
  std::vector<RunNote> notes_;
};

}  // namespace couplet::integrate
