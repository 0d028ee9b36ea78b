// q̇ = N(q) w seen from the speeds, for blocks in which N is not 1 (quaternions): what Newton's
// method on coordinates needs to work with positions along the speeds.
#pragma once

#include "couplet/integrate/jacobian/newton_matrix.hpp"

namespace couplet::integrate {

class Kinematics {
 public:
  explicit Kinematics(Problem& problem);

  /// Entries of K = N⁺ ∂(N(q) w)/∂q along the speeds: zero outside the curved blocks.
  int entries() const { return entries_; }
  /// K's places, at rows and columns of positions along the speeds; its parts begin at
  /// `first_part`.
  void place(int first_part, int coefficient, std::vector<Placement>& placements) const;
  /// N and N⁺ at y, and K into parts[first_part, …).
  void differentiate(double t, const VecX& y, std::vector<double>& parts, int first_part);

  /// along = N⁺ dq, and what is left of dq: a change of lengths of quaternions.
  template <class Vector>
  void split(Vector& dq, Vector& along) const;
  /// dq += N along.
  template <class Vector>
  void join(const Vector& along, Vector& dq) const;

 private:
  struct Curved {
    Block block;
    Eigen::MatrixXd N, N_inverse;  // nq x nv, nv x nq
  };
  Problem& problem_;
  std::vector<Block> flat_;
  std::vector<Curved> curved_;
  int entries_ = 0, widest_ = 0;  // speeds of the largest curved block
  VecX at_, y_, dq_, qdot_, moved_qdot_;
};

}  // namespace couplet::integrate
