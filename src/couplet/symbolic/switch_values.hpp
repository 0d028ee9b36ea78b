// Switches (switches.hpp) while time goes on: what each is now, where one has to change, and to
// what. Conditions that depend on the time alone change at times that are known beforehand.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "couplet/symbolic/first_time.hpp"
#include "couplet/symbolic/switches.hpp"
#include "couplet/symbolic/tape.hpp"

namespace couplet::symbolic {

/// Inputs are the values of all that expressions use; the switches are among them.
class SwitchValues {
 public:
  /// `inputs`: names of all that expressions use, the time first, the symbols of the switches side
  /// by side. `names`: of each switch, for people.
  SwitchValues(std::vector<Switch> switches, std::vector<std::string> names,
               const std::vector<std::string>& inputs);

  size_t size() const { return states_.size(); }  // root functions
  std::string name(size_t root) const;
  std::vector<Expr> root_functions() const;
  /// Of what has no jump there, as min, max, abs and tables have none.
  bool is_kink(size_t root) const { return switches_[gaps_[states_[root]].owner].is_kink; }
  /// Not negative while switches may stay as they are; 1 for those of the time.
  void calc_roots(std::span<const double> inputs, double* roots);
  /// The first change after t of a condition of the time.
  double next_time(double t) const;

  /// All switches from what the inputs say.
  void start(std::span<double> inputs);
  /// Changes those whose root functions are given, and no others.
  void flip(std::span<double> inputs, std::span<const size_t> fired) const;
  /// Changes those whose root functions became negative, or whose time is t, and then those that
  /// depend on them. Throws ComputationError when they do not settle.
  void change(std::span<double> inputs, std::span<const size_t> fired);
  /// What is known of times to come, for a run that is to go on to the same bits.
  std::vector<double> memory() const;
  /// Takes the inputs as they are, after they were loaded, and what was known. False: this is no
  /// memory of these switches.
  bool restore(std::span<double> inputs, std::span<const double> memory);
  /// Switches as they are, in their order.
  std::span<double> values(std::span<double> inputs) const;

 private:
  struct Gap {
    size_t owner, index;  // a switch, and which of its gaps
  };
  void settle(std::span<double> inputs);
  void find_times(std::span<double> inputs);

  std::vector<Switch> switches_;
  std::vector<std::string> names_;
  std::vector<Gap> gaps_;                           // of all switches
  std::vector<size_t> states_;                      // gaps that are root functions
  std::vector<size_t> timed_;                       // gaps that depend on the time alone
  std::vector<std::optional<FirstTime>> searches_;  // of each of these; absent: it is linear
  std::vector<double> times_;  // s, when these become negative; infinite: never
  std::optional<Tape> gap_tape_, rate_tape_, value_tape_;
  size_t first_ = 0;  // of the inputs: the first switch
  std::vector<double> gap_values_, rate_values_, values_, registers_;
};

}  // namespace couplet::symbolic
