// The mass matrix in factors, never formed: articulated inertias, one freedom at a time, in world
// axes.
//
// With all freedoms as screws S_j about one point of the world, nothing has to be moved between
// bodies:
//   U_j = P_j S_j,  D_j = S_jᵀ U_j,  P_parent += P_j - U_j D_j⁻¹ U_jᵀ        [RBDA (7.2), (7.23)]
// M⁻¹ = Φᵀ D⁻¹ Φ, where Φ takes a row of generalised forces inward: y_j = τ_j - S_jᵀ Z_j, Z_parent
// += Z_j + U_j y_j / D_j; with loads on the bodies in Z from the start it is the articulated-body
// algorithm. So r M⁻¹ sᵀ = Σ_j y_j(r) y_j(s) / D_j for any two rows, and a row with
// few entries only visits their ancestors (Otter et al. 1994, eq. 20). Freedoms with a prescribed
// motion do not yield: D⁻¹ = 0.
#pragma once

#include <vector>

#include "couplet/dynamics/minimal/kinematics.hpp"
#include "couplet/dynamics/minimal/recursions/types.hpp"
#include "couplet/forces/force_set.hpp"

namespace couplet::dynamics {

class MassFactor {
 public:
  explicit MassFactor(const Mechanism& mechanism);

  /// O(nv). Throws ComputationError, naming the freedom, when one has no inertia.
  void factorise(const State& state, const Kinematics& kinematics);

  /// What bodies take at v̇ = 0: forces of motion, less gravity and what is applied to them. After
  /// factorise, at the same state, with accelerations at v̇ = 0 in `kinematics`.
  void set_loads(const Kinematics& kinematics, const forces::AppliedForces& applied);
  /// v̇ of M v̇ + loads = τ: the articulated-body algorithm, second and third sweep. Entries of
  /// prescribed freedoms are input in vdot.
  void calc_vdot(const VecX& tau, VecX& vdot);

  /// x ← M⁻¹ x. Prescribed freedoms do not yield: their entries become 0.
  void solve(VecX& x);

  /// Freedom that carries freedom j, -1: the world. Always before j.
  int parent(int j) const { return parent_[static_cast<size_t>(j)]; }
  double D_inv(int j) const { return D_inv_[static_cast<size_t>(j)]; }

  /// y = Φ r on a set of freedoms that holds all ancestors of its members, ascending; r and y
  /// follow the set.
  void push(const int* freedoms, int n, const double* r, double* y);
  /// x ← Φᵀ x, the second half of M⁻¹ (x = D⁻¹ Φ τ).
  void pull(VecX& x);

 private:
  struct Screw {  // of motion (ω; v), or of force (n; f)
    V3<double> a, b;
  };
  struct Inertia {  // n = I ω + H v, f = Hᵀ ω + M v
    Sym3<double> I;
    Mat3x3<double> H;
    Sym3<double> M;
  };
  void add_bodies(const Kinematics& kinematics);

  const Mechanism& mechanism_;
  std::vector<int> parent_,
      node_;  // per freedom; per body: the freedom that carries it, -1: the world
  std::vector<char> prescribed_;
  std::vector<Inertia> P_;
  std::vector<Screw> S_, U_, Z_;
  std::vector<Screw> loads_;    // on what freedom j carries, without what others carry
  Vec3 origin_ = Vec3::Zero();  // of all screws
  std::vector<double> D_inv_;
};

}  // namespace couplet::dynamics
