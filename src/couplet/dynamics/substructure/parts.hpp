// A mechanism as parts and ties: bodies that are welded together are one part, joints tie two, and
// what closes loops ties any number.
//
// Accelerations are those beyond what bodies have at v̇ = 0, about the parts' centres of mass C,
// world axes: a joint asks for δA_child - δA_parent = S v̇ (at its point), and has no bias.
//   m, J of a part:  f = (J δα, m δa) + what it takes at v̇ = 0 less what is applied
// A body that many things hang on is several parts, equal and welded, so that they are joined side
// by side.
#pragma once

#include "couplet/dynamics/minimal/stage.hpp"
#include "couplet/dynamics/substructure/assembly.hpp"
#include "couplet/dynamics/substructure/joint_space.hpp"

namespace couplet::dynamics {

/// Rows between bodies or freedoms, beside those of joints in the tree.
struct OuterRows {
  const ConstraintSet* set = nullptr;  // null: none
  std::vector<int> rows;               // that count
  bool mimics = false;                 // ties of the mechanism's mimic joints
};

/// Those that make a motion complete: of constraints that count, or of mimic joints in a tree
/// (null).
inline OuterRows all_rows(const ConstraintSolver* constraints) {
  if (!constraints) return {.set = nullptr, .rows = {}, .mimics = true};
  return {.set = &constraints->set(), .rows = constraints->rows()};
}

class Parts {
 public:
  Parts(const Mechanism& mechanism, OuterRows outer);

  int count() const { return static_cast<int>(parts_.size()); }
  const std::vector<Tie>& ties() const { return ties_; }
  /// Some body by itself has no inertia in some direction.
  bool lacks_inertia() const { return lacks_inertia_; }

  /// Takes inertias, rows and loads at a stage, with accelerations at v̇ = 0 in `kinematics`.
  void form(const Kinematics& kinematics, const forces::AppliedForces& applied);
  /// Φ and R of them all. A part that turns or slides without inertia gets a little, which
  /// `calc_residual` knows nothing of.
  void fill(Assembly& assembly) const;

  /// Forces on parts: of τ, and with `loads` what acts on bodies.
  void calc_forces(const VecX& tau, bool loads, std::span<double> f);
  /// What the largest force gives the largest mass, m/s².
  double calc_usual_acceleration(std::span<const double> f) const;
  /// γ of the ties: v̇ where it is prescribed, and with `biased` the bias of `outer` rows.
  void calc_gamma(const VecX& vdot, const VecX* bias, std::span<double> gamma) const;
  /// What a and λ leave of the equations: forces, and rows.
  void calc_residual(const Assembly& assembly, std::span<const double> f,
                     std::span<const double> gamma, std::span<const double> a,
                     std::span<const double> lambda, std::span<double> force,
                     std::span<double> row) const;

  /// v̇ of joints that are not prescribed; τ of those that are.
  void read_motion(std::span<const double> a, std::span<const double> lambda, VecX& tau,
                   VecX& vdot) const;
  /// λ of the outer rows, in their order.
  void read_lambda(std::span<const double> lambda, VecX& out) const;

 private:
  struct Rigid {  // bodies on one link
    std::vector<int> bodies;
    int first_part = 0, parts = 0;
    double mass = 0;
    Vec3 com = Vec3::Zero();                  // in the first body's frame
    math::Mat3 inertia = math::Mat3::Zero();  // about it, in its axes
    math::Mat3 turns = math::Mat3::Zero();    // inverse, with what was added
    double slides = 0;
    // At the stage.
    Vec3 C = Vec3::Zero();
    math::Mat3 J = math::Mat3::Zero(), J_inverse = math::Mat3::Zero();
    Vec6 load = Vec6::Zero();
  };
  struct JointTie {
    int parent = -1, child = -1;  // parts; -1: the world
    int iv, nv, tie = -1;         // -1: it ties nothing
    bool prescribed;
    Vec3 p = Vec3::Zero();
    math::Cols6 S{};
    JointSpace space{};
    Vec6 F = Vec6::Zero();  // of τ, on the child
  };
  struct Hold {  // on a part
    int tie, end;
  };
  struct Push {  // of a joint on a part
    int joint;
    double sign;
  };
  struct Part {
    int rigid;
    std::vector<Hold> holds{};
    std::vector<Push> pushes{};
  };
  struct OuterTie {
    int tie, first, rows;                                    // of outer_.rows
    int a = -1, b = -1;                                      // parts, of rows between bodies
    std::vector<int> joints, ends_of_parent, ends_of_child;  // of a relation; -1: the world
  };

  void add_rigid_bodies();
  void add_inertia_where_there_is_none();
  void list_holds();
  void count_connections(std::vector<int>& connections) const;
  int take_part(int rigid);
  void add_joints();
  void add_outer();
  int rigid_of(int body) const { return rigid_of_body_[static_cast<size_t>(body)]; }
  void form_load(Rigid& rigid, const Kinematics& kinematics, const forces::AppliedForces& applied);
  void form_joint(JointTie& joint, const Kinematics& kinematics);
  const Rigid& rigid(int part) const {
    return rigids_[static_cast<size_t>(parts_[static_cast<size_t>(part)].rigid)];
  }
  double share(int part) const { return 1.0 / rigid(part).parts; }
  void fill_joint(const JointTie& joint, Assembly& assembly) const;
  void fill_outer(const OuterTie& outer, Assembly& assembly) const;

  const Mechanism& mechanism_;
  OuterRows outer_;
  std::vector<int> rigid_of_body_;  // -1: the world
  std::vector<Rigid> rigids_;
  std::vector<Part> parts_;
  std::vector<JointTie> joints_;
  std::vector<int> joint_of_freedom_;
  std::vector<OuterTie> outer_ties_;
  std::vector<int> welds_;  // ties between parts of one body
  std::vector<Tie> ties_;
  std::vector<size_t> first_row_;  // of ties
  bool lacks_inertia_ = false;
  std::vector<int> taken_;  // connections of each rigid body so far
  SparseRows mimics_;       // as rows, where they are ties
};

}  // namespace couplet::dynamics
