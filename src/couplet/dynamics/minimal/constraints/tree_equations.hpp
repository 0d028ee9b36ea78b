// The equations of motion of a tree before anything is eliminated, freedom by freedom: as many
// entries as freedoms, however long its chains are.
//
//   A_j - X_j A_parent - S_j v̇_j      = 0         acceleration of what freedom j carries, less what
//                                                 it is at v̇ = 0
//   F_j - I_j A_j - Σ X_cᵀ F_c        = load_j    force through freedom j; c: freedoms on it
//   S_jᵀ F_j                          = τ_j       or v̇_j = known
//
// Each freedom's screws are about its own point, in world axes. Eliminating F and A makes M of it;
// which order is best, a sparse factorisation finds (Baraff, SIGGRAPH 1996, with multipliers of
// joints in place of F).
#pragma once

#include <vector>

#include "couplet/dynamics/minimal/stage.hpp"

namespace couplet::dynamics {

class TreeEquations {
 public:
  explicit TreeEquations(const Mechanism& mechanism);

  int size() const { return unknowns * static_cast<int>(nodes_.size()); }
  /// Where v̇_j is among the unknowns, and S_jᵀ F_j = τ_j among the equations.
  static int place(int freedom) { return unknowns * freedom + 12; }
  static int place_of_A(int freedom) { return unknowns * freedom; }
  static int place_of_F(int freedom) { return unknowns * freedom + 6; }
  static int freedom_of(int unknown) { return unknown / unknowns; }

  /// The freedom that carries a body, -1: the world; and the point that its screws are about.
  int carrier(int body) const { return carrier_[static_cast<size_t>(body)]; }
  const Vec3& origin(int freedom) const { return nodes_[static_cast<size_t>(freedom)].origin; }

  /// Takes inertias, screws and loads at a stage, with accelerations at v̇ = 0 in its kinematics.
  void form(const Stage& stage);
  /// put(row, column, value) for every entry, in an order that does not change.
  template <class Put>
  void for_entries(const Put& put) const;
  /// The right-hand side; vdot is read where it is prescribed.
  void set_rhs(const VecX& tau, const VecX& vdot, VecX& rhs) const;
  /// S_jᵀ F_j of a solution: what freedom j takes.
  double force(int freedom, const VecX& solution) const;

 private:
  static constexpr int unknowns = 13;  // of a freedom: A, F, v̇
  struct Node {
    int parent;  // -1: the world
    bool prescribed, carries;
    Vec3 origin, arm;  // of its screws; from that of the parent
    Vec6 S, load;
    Eigen::Matrix<double, 6, 6> I;
  };

  const Mechanism& mechanism_;
  std::vector<int> carrier_;  // of a body: a freedom, -1: the world
  std::vector<Node> nodes_;
};

template <class Put>
void TreeEquations::for_entries(const Put& put) const {
  for (size_t j = 0; j < nodes_.size(); ++j) {
    const Node& node = nodes_[j];
    const int A = unknowns * static_cast<int>(j), F = A + 6, v = A + 12;
    for (int r = 0; r < 6; ++r) {
      put(A + r, A + r, 1);
      put(A + r, v, -node.S[r]);
      put(F + r, F + r, 1);
      if (!node.prescribed) put(v, F + r, node.S[r]);
      for (int c = 0; c < 6 && node.carries; ++c)
        if (r < 3 || c < 3 || r == c) put(F + r, A + c, -node.I(r, c));
    }
    if (node.prescribed) put(v, v, 1);
    if (node.parent < 0) continue;
    const int Ap = unknowns * node.parent, Fp = Ap + 6;
    for (int r = 0; r < 6; ++r) {
      put(A + r, Ap + r, -1);
      put(Fp + r, F + r, -1);
    }
    for (int x = 0; x < 3; ++x) {  // α × arm, and arm × f
      const int y = (x + 1) % 3, z = (x + 2) % 3;
      put(A + 3 + x, Ap + y, -node.arm[z]);
      put(A + 3 + x, Ap + z, node.arm[y]);
      put(Fp + x, F + 3 + z, -node.arm[y]);
      put(Fp + x, F + 3 + y, node.arm[z]);
    }
  }
}

}  // namespace couplet::dynamics
