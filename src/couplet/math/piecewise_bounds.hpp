// What a piecewise polynomial can be between two places, in few operations however many pieces lie
// there.
#pragma once

#include "couplet/math/piecewise.hpp"

namespace couplet::math {

class PiecewiseBounds {
 public:
  explicit PiecewiseBounds(PiecewisePolynomial p);

  struct Range {
    double low, high;  // NaN where the table has no value
  };
  Range range(double a, double b) const;
  /// The same where pieces before `first` and behind `last` are these two, continued.
  Range range(double a, double b, size_t first, size_t last) const;

 private:
  size_t piece_of(double x) const;
  Range of_piece(size_t piece, double a, double b) const;
  Range of_pieces(size_t first, size_t last) const;  // whole ones

  PiecewisePolynomial p_;
  std::vector<Range> tree_;  // node i covers 2i and 2i + 1; the leaves are the pieces
};

}  // namespace couplet::math
