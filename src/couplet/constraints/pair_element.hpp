// A constraint between two bodies: it gives its rows at the present state of bodies A and B.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "couplet/constraints/pair_row.hpp"

namespace couplet::constraints {

/// Time first, then the model's parameters.
using TimeAndParameters = std::span<const double>;

class PairElement {
 public:
  PairElement(int a, int b) : body_a(a), body_b(b) {}
  virtual ~PairElement() = default;

  const int body_a, body_b;  // forces are reported as they act on B

  /// Rows with a position, then rows of velocities only (rolling without slip); at most six.
  virtual int position_rows() const = 0;
  virtual int slip_rows() const { return 0; }
  /// What a row closes, for people: "translation along x".
  virtual std::string direction(int row) const = 0;
  /// All rows, or those of the position rows whose `wanted` is not 0. Allocates nothing.
  virtual void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters now,
                        const char* wanted, PairRow* rows) = 0;
  /// What is remembered between evaluations.
  virtual std::vector<double*> memory() { return {}; }
};

}  // namespace couplet::constraints
