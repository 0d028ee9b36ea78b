// The stabilised index-2 form of a constrained system: C.W. Gear, B. Leimkuhler, G.K. Gupta,
// "Automatic integration of Euler-Lagrange equations with constraints", J. Comput. Appl. Math.
// 12/13, 1985.
//
//   q̇ = N(q) (v + Gᵀ μ)              0 = G v + g_t
//   0 = M v̇ - f + Gᵀ λ               0 = g(t, q, s)
//   ẋ = b                            0 = c
//
// as one system F(t, z, ż) = 0 in z = (q, v, x, λ, μ, s), with its Newton matrix j ∂F/∂ż + ∂F/∂z
// for real and complex j ~ 1/h. μ is zero at the solution; rows that constrain speeds only have
// none.
#pragma once

#include "couplet/integrate/explicit_descriptor.hpp"
#include "couplet/integrate/implicit.hpp"
#include "couplet/integrate/jacobian/kinematics.hpp"

namespace couplet::integrate {

class StabilisedSystem {
 public:
  using Complex = std::complex<double>;
  using ComplexVecX = Eigen::Matrix<Complex, Eigen::Dynamic, 1>;

  StabilisedSystem(Problem& problem, const ImplicitOptions& options, Counts& counts);

  /// Where the parts of z begin.
  struct Places {
    int q, v, x, lambda, mu, s, end;
  };
  const Places& places() const { return at_; }
  int size() const { return at_.end; }
  /// The sizes are no longer those of the form: call calc_consistent next.
  bool outdated() const { return revision_ != form_.revision(); }

  /// z and ż from y, with sizes and structure taken anew if need be; λ̇, μ̇ and ṡ are zero.
  void calc_consistent(double t, const VecX& y, VecX& z, VecX& zdot);
  void calc_residual(double t, const VecX& z, const VecX& zdot, VecX& out);

  /// ∂F/∂z and ∂F/∂ż at a point.
  void differentiate(double t, const VecX& z, const VecX& zdot);
  /// Only what the form gives, M and G, where the last residual was evaluated.
  void refresh() { jacobian_.refresh(parts_); }
  /// The Newton matrix from these. Throws ComputationError with the name of an unknown when it is
  /// singular.
  void factorise(double j);
  void factorise(Complex j);
  /// r becomes the solution.
  void solve(VecX& r);
  void solve(ComplexVecX& r);
  /// What comes next does not depend on what was factorised before.
  void forget();

 private:
  template <class Scalar>
  struct Factors {
    NewtonMatrix<Scalar> matrix;
    Scalar j{};
    typename NewtonMatrix<Scalar>::Vector along, q, reduced;
    bool structured = false;
  };
  void set_structure();
  std::vector<Placement> make_placements() const;
  void set_point(double t, const VecX& z, const VecX& zdot);
  template <class Scalar>
  void factorise(Scalar j, Factors<Scalar>& factors);
  template <class Vector, class Scalar>
  void solve(Vector& r, Factors<Scalar>& factors);
  std::string name_of(int unknown) const;

  Problem& problem_;
  ImplicitOptions options_;
  Counts& counts_;
  std::unique_ptr<ExplicitDescriptor> adapter_;
  DescriptorForm& form_;
  DescriptorJacobian jacobian_;
  Kinematics kinematics_;
  Places at_{};
  int revision_ = -1;
  std::vector<double> parts_;  // of the Newton matrix: those of the form, of the kinematics, and 1
  Factors<double> real_;
  Factors<Complex> complex_;
  DescriptorPoint point_;
  DescriptorResidual residual_;
  VecX y_, ydot_, lambda_, s_;
};

}  // namespace couplet::integrate
