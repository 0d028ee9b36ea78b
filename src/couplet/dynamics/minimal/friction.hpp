// Coulomb friction in joints: forces that depend on those that the joints transmit, f(t, q, v, λ)
// of Arnold 1998, eq. 1.
//
//   φ = -(arm N + c) s    arm = μ where a joint slides, μ r where it turns; N = |P F|, the force F
//                         through the joint without its part along the sliding freedoms; c a
//                         constant
//   s = v / √(v² + v_s²) with a stick speed v_s; s ∈ Sign(v) without: while the joint slips, s =
//   v/|v|; while it sticks, φ
//       is whatever keeps v̇ = 0, and at most arm_s N + c, arm_s = μ_s or μ_s r
// With a stick speed and μ_s > μ: arm + (arm_s - arm) exp(-(v/10 v_s)⁴) instead of arm.
// F and v̇ are affine in φ, through v̇ and λ. Unknown are x = (N, h), h the forces that hold:
//   0 = N_i - |F_i⁰ + D_i x|,   0 = a + A x
// Newton's matrix ((1 - n_iᵀ D_i), (A)), n_i = F_i/|F_i|, is matrix (2) of Arnold 1998, with Γ = Gᵀ
// - f_λ, after v̇ and λ are eliminated by responses to unit forces. Where it is singular friction
// has no solution, or several (Painlevé).
#pragma once

#include <functional>
#include <span>

#include "couplet/dynamics/minimal/recursive.hpp"
#include "couplet/math/dense_lu.hpp"
#include "couplet/math/least_squares.hpp"

namespace couplet::dynamics {

/// Freedoms of a joint that resist together: one, or all turns of a ball joint, or the slides in a
/// plane.
struct FrictionGroup {
  std::string name;
  int joint;           // index in Model::joints
  int load;            // index of the force that presses on it
  int iv, n;           // freedoms
  double arm;          // μ or μ r
  double static_arm;   // μ_s or μ_s r, the same while it sticks
  double constant;     // c, N or N m
  double stick_speed;  // rad/s or m/s; 0: set-valued
  bool driven;         // its motion is prescribed

  // Of the set-valued law.
  bool sticks = false;
  Vec3 direction = Vec3::Zero();  // slips: where to
  // At the last solution.
  Vec3 force = Vec3::Zero();  // φ
  double reserve = 0;         // arm N + c - |φ|, of what sticks with the static arm

  double hold(double N) const { return static_arm * N + constant; }  // at most
  /// Of the force that holds, as an unknown.
  double unit() const { return static_arm > 0 ? static_arm : 1; }

  bool switches() const { return stick_speed == 0 && !driven; }  // between sticking and slipping
  Vec3 speed(const VecX& v) const;
  Vec3 slip(const VecX& v) const;  // s
  double arm_at(const VecX& v) const;
};

class JointFriction {
 public:
  /// v̇ and the forces on joints (read_loads) for given φ.
  using Response = std::function<void(const VecX& phi, VecX& vdot, VecX& loads)>;

  explicit JointFriction(const Mechanism& mechanism);

  bool empty() const { return groups_.empty(); }
  std::vector<FrictionGroup>& groups() { return groups_; }
  const std::vector<FrictionGroup>& groups() const { return groups_; }

  /// Forces on joints that an inverse dynamics has found, 3 numbers each.
  void read_loads(const InverseWorkspace<double>& inverse, VecX& loads) const;

  /// Sticking or slipping is what the groups say; otherwise each evaluation decides.
  void remember() { remembers_ = true; }
  /// Decides which groups stick and where the others slip to. Groups in `released` had to hold more
  /// than they can. Throws ComputationError, naming the joint and the time, when no choice lasts.
  void decide(const State& state, std::span<const size_t> released, const Response& response);
  /// How often decide may change its mind: usually 4 times for each group, and 4 times.
  void limit_changes(size_t most) { most_changes_ = most; }

  /// Freedoms that something else holds with v̇ = 0.
  void set_held(std::span<const int> freedoms) { held_.assign(freedoms.begin(), freedoms.end()); }
  double held_force(size_t k) const { return held_forces_[static_cast<Eigen::Index>(k)]; }

  /// φ, with the forces of what is held. Throws ComputationError, naming the joint, when there is
  /// no solution.
  const VecX& solve(const State& state, const Response& response);
  /// Whether φ follows from v and the forces on joints: nothing sticks or is held.
  bool is_explicit() const;
  /// tau += φ where it does.
  void add_forces(const VecX& v, const VecX& loads, VecX& tau) const;

 private:
  struct Load {
    int joint, link;
    math::Mat3 P;  // link axes
  };
  struct Column {
    int iv, group, k;  // group -1: something else holds entry k of held_
    double s, arm;     // slips by this, with this arm; 0 where it is held
    int unknown;       // index in x
  };

  void add_joint(const Mechanism& mechanism, const model::TreeJoint& slot);
  void choose_columns();
  void respond(const Response& response);
  void balance(const State& state);
  void form(const State& state);
  double constant_force(const Column& column) const;
  double calc_residual(const VecX& x, VecX& r);
  void newton(double t);
  void keep_forces();
  double acceleration(const FrictionGroup& group) const;
  bool rests(const FrictionGroup& group, const State& state) const;
  size_t find_contradiction(const State& state) const;
  [[noreturn]] void explain(double t) const;

  const Mechanism& mechanism_;
  std::vector<Load> loads_;
  std::vector<FrictionGroup> groups_;
  std::vector<int> held_;
  bool remembers_ = false;
  size_t most_changes_ = 0;

  std::vector<Column> columns_;
  VecX phi_, vdot_, pressed_, held_forces_;
  MatX a_, F_;  // of the columns, and of all loads: first without φ, then the change per column
  MatX D_, A_, J_;  // by the unknowns
  VecX F0_, a0_, x_, tried_, r_, r_tried_, step_, on_columns_;
  int unknowns_ = 0;
  math::DenseLu<double> lu_;
  math::LeastSquares smallest_{1e-10};
};

}  // namespace couplet::dynamics
