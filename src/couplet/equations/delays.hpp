// delay(u, T): what u was T ago. Its past is kept as points of the accepted steps and between
// them, interpolated by polynomials of fifth degree that never cross a jump; jumps come back T
// later, as events.
#pragma once

#include <functional>

#include "couplet/equations/model.hpp"
#include "couplet/integrate/archive.hpp"

namespace couplet::equations {

class Delays {
 public:
  Delays() = default;
  Delays(const Model& model, const std::vector<Block>& blocks);
  bool empty() const { return list_.empty(); }

  /// At the beginning: before it arguments were what they are now. Throws ComputationError for a
  /// delay that is negative.
  void start(double t, std::vector<double>& slots);
  /// Delayed values at t into their slots. False: t is further than a delay beyond what is known.
  bool put(double t, std::vector<double>& slots) const;
  /// The arguments as they are now: a point of the past.
  void note(double t, std::vector<double>& slots);
  /// Behind an event: where they jumped, and what comes of it later.
  void note_event(double t, std::vector<double>& slots);
  /// Jumps that come back now have come.
  void pass(double t);
  double next_event(double t) const;
  double shortest() const;
  void archive(integrate::Archive& archive);

 private:
  struct Delay {
    int slot = 0;
    bool steady = false;  // its argument changes at events only
    double length = 0;    // s
    std::vector<double> t, u;
    std::vector<double> coming, generation;  // of jumps: when they come back; how often they did
    double passed = 0;                       // the last jump in t that has come back
    double returned = 0, returned_at = 0;    // how often it did, and when
  };
  bool evaluate(std::vector<double>& slots) const;
  double value(const Delay& delay, double s) const;
  void forget(Delay& delay, double t) const;

  std::vector<Delay> list_;
  Program program_;
  Function arguments_, lengths_;
  mutable std::vector<double> values_;
  double begin_ = 0;
};

}  // namespace couplet::equations
