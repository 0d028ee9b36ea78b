// Where functions along a step become negative, between the five points that are looked at, too.
#pragma once

#include <array>
#include <optional>

#include "couplet/integrate/problem.hpp"

namespace couplet::integrate {

class Falls {
 public:
  static constexpr int parts = 4;  // of a step, at whose ends the functions are looked at

  struct Sample {
    double t;
    VecX g;
  };
  struct Value {  // of one function
    double t, g;
  };
  struct Fall {
    Value before, after;
  };
  /// What is looked at.
  class Functions {
   public:
    virtual ~Functions() = default;
    virtual double value(double t, int i) = 0;
    /// See Problem::is_crooked and Problem::find_change.
    virtual bool is_crooked(int i) const = 0;
    virtual std::optional<std::array<double, 2>> find_change(int i, double from, double to,
                                                             bool negative) = 0;
  };
  std::array<Sample, parts + 1> samples;  // of the step at hand
  double resolution = 0;                  // s: times closer than this are one

  /// In one of the four parts of the step: two values, the first not negative and the second
  /// negative.
  std::optional<Fall> find(Functions& functions, int i, int part) const;
  /// A time between them at which the function is negative and shortly before which it is not.
  double locate(Functions& functions, int i, Value before, Value after) const;

 private:
  std::optional<Value> find_excursion(Functions& functions, int i, int part) const;
  std::optional<Fall> find_first_of_many(Functions& functions, int i, int part) const;
};

}  // namespace couplet::integrate
