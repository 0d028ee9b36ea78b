// What constraints make of round-off: that of the largest coordinate or speed reaches all others.
// Neither Newton's method nor an error estimate can see less.
#pragma once

#include "couplet/integrate/problem.hpp"

namespace couplet::integrate {

class RoundOff {
 public:
  explicit RoundOff(const Layout& layout) : nq_(layout.nq), size_(layout.size()) {}

  /// Of the states y; more unknowns may follow them.
  template <class Vector>
  void set(const Vector& y) {
    q_ = few * largest(y, 0, nq_);
    others_ = few * largest(y, nq_, size_ - nq_);
  }
  double of(int i) const { return i < nq_ ? q_ : others_; }
  /// A change of the states is nothing but round-off.
  template <class Vector>
  bool covers(const Vector& change) const {
    return largest(change, 0, nq_) <= q_ && largest(change, nq_, size_ - nq_) <= others_;
  }

 private:
  static constexpr double few = 10 * std::numeric_limits<double>::epsilon();
  template <class Vector>
  static double largest(const Vector& x, int first, int count) {
    return count ? x.segment(first, count).template lpNorm<Eigen::Infinity>() : 0;
  }

  int nq_, size_;
  double q_ = 0, others_ = 0;
};

/// Near a singular position, where rows of G are only an angle of sine s apart, constraints that
/// are closed to ε leave positions ε/s open along the normal, hence speeds |v| ε/s² and
/// accelerations |v|² ε/s³. Steps that are shortened for its sake come to more points that are so
/// near.
class NearSingular {
 public:
  template <class Speeds>
  NearSingular(double sine, double h, const Speeds& v) {
    const double s = std::max(sine, least), largest = v.template lpNorm<Eigen::Infinity>();
    speeds_ = few * largest / (s * s) * (1 + h * largest / s);
    positions_ = few / s + h * speeds_;
  }
  double of_positions() const { return positions_; }
  double of_speeds() const { return speeds_; }

 private:
  static constexpr double few = 10 * std::numeric_limits<double>::epsilon();
  static constexpr double least = 1e-4;  // nearer than this, nothing is to be trusted
  double positions_, speeds_;
};

}  // namespace couplet::integrate
