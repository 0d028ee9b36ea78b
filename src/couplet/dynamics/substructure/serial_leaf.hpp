// A small subsystem of rigid parts and joints without loops, condensed to its handles by the serial
// recursion: articulated inertias from the tips to a root, with one more column block for the
// forces on a second handle.
//
//   P⁺ = P - U D⁻¹ Uᵀ,  U = P S,  D = Sᵀ U                                [RBDA (7.2), (7.23)]
//   K⁺ = K - U D⁻¹ T,   T = Sᵀ K,  Ψ += Tᵀ D⁻¹ T                          K: 1 at the far handle
// At the root Φ = P⁻¹, or S D⁻¹ Sᵀ where a joint holds it to the world; Φ of the far handle is
// Ψ + Kᵀ Φ K. Less than a third of the operations of joining the parts one by one: J. H. Critchley,
// K. S. Anderson and A. Binani, ASME J. Comput. Nonlinear Dynam. 4, 2009.
#pragma once

#include <span>
#include <vector>

#include "couplet/math/spatial.hpp"

namespace couplet::dynamics {

/// A joint at a stage, about a point of it.
struct JointGeometry {
  math::Vec3 p = math::Vec3::Zero();
  math::Cols6 S{}, D{};  // how the first part may move beyond the second; orthonormal: how not
};

/// A part at a stage.
struct PartInertia {
  math::Mat3 turns = math::Mat3::Zero();  // J⁻¹ about the centre of mass
  double slides = 0;                      // 1/m
  math::Vec3 place = math::Vec3::Zero();  // of the centre of mass
};

class SerialLeaf {
 public:
  struct Step {
    int part, parent;  // a step after it; -1: the root
    int tie;           // to the parent; of the root to the world; -1: none
    int row;           // the tie's first one
    bool is_first;     // of the tie's parts
    bool on_path;      // between the far handle and the root
  };
  /// Tips first, the root last. `far`: the step of a handle that is not the root; -1: none.
  SerialLeaf(std::vector<Step> steps, bool root_is_handle, int far);

  int parts() const { return static_cast<int>(steps_.size()); }
  int handles() const { return (root_is_handle_ ? 1 : 0) + (far_ >= 0 ? 1 : 0); }
  double cost() const { return 350.0 * parts(); }  // multiplications, about

  /// Φ of the root and the far handle, those that are handles, row by row.
  void factorise(std::span<const PartInertia> parts, std::span<const JointGeometry> joints,
                 double* Phi);
  /// b of the handles, from forces on parts and γ.
  void join_loads(std::span<const PartInertia> parts, std::span<const JointGeometry> joints,
                  std::span<const double> f, std::span<const double> gamma, double* b);
  /// a of the parts and λ of the ties, from forces on the handles.
  void part_forces(std::span<const PartInertia> parts, std::span<const JointGeometry> joints,
                   const double* on_handles, std::span<double> a, std::span<double> lambda);

 private:
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  struct Data {
    Mat6 P, K;
    math::Cols6 S, U, D_inverse, T_transposed;  // nv columns; D⁻¹ in the first nv rows
    math::Vec6 Z, sigma, u, a;
  };
  void eliminate(const Step& step, Data& at, const math::Vec3& C, const JointGeometry& joint);
  void read_lambda(const Step& step, const Data& at, const math::Vec3& C,
                   const JointGeometry& joint, const math::Vec6& f, std::span<double> lambda) const;

  std::vector<Step> steps_;
  bool root_is_handle_;
  int far_;
  std::vector<Data> data_;
  Mat6 Psi_, Phi_root_;
  math::Vec6 beta_;
};

}  // namespace couplet::dynamics
