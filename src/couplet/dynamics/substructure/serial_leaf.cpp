#include "couplet/dynamics/substructure/serial_leaf.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

namespace couplet::dynamics {
namespace {

using math::Cols6;
using math::Vec3;
using math::Vec6;
using Mat6 = Eigen::Matrix<double, 6, 6>;

Vec3 cross(const Vec3& a, const Vec3& b) { return a.cross(b); }

/// A force at C as one at C - r.
void push(const Vec3& r, Vec6& F) { F.head<3>() += cross(r, F.tail<3>()); }
/// A motion at p as one at p + r.
void pull(const Vec3& r, Vec6& V) { V.tail<3>() += cross(V.head<3>(), r); }

/// X P Xᵀ, for forces at C seen from C - r.
void push(const Vec3& r, Mat6& P) {
  for (int j = 0; j < 6; ++j) P.block<3, 1>(0, j) += cross(r, P.block<3, 1>(3, j));
  for (int i = 0; i < 6; ++i)
    P.block<1, 3>(i, 0) += cross(r, P.block<1, 3>(i, 3).transpose()).transpose();
}

/// The inverse of a small positive definite matrix, by Gauss and Jordan.
void invert(Cols6& A, Eigen::Index n) {
  for (Eigen::Index k = 0; k < n; ++k) {
    const double pivot = 1 / A(k, k);
    A(k, k) = 1;
    for (Eigen::Index j = 0; j < n; ++j) A(k, j) *= pivot;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = A(i, k);
      A(i, k) = 0;
      for (Eigen::Index j = 0; j < n; ++j) A(i, j) -= factor * A(k, j);
    }
  }
}

/// Of an inertia whose parts may differ by many powers of ten: scaled, and with pivots.
Mat6 inverse_of(const Mat6& P) {
  const Vec6 scale = P.diagonal().cwiseSqrt().cwiseInverse();
  const Mat6 scaled = scale.asDiagonal() * P * scale.asDiagonal();
  Mat6 inverse = scaled.ldlt().solve(Mat6::Identity());
  inverse = scale.asDiagonal() * inverse * scale.asDiagonal();
  return 0.5 * (inverse + inverse.transpose());
}

size_t index_of(int k) { return static_cast<size_t>(k); }

}  // namespace

SerialLeaf::SerialLeaf(std::vector<Step> steps, bool root_is_handle, int far)
    : steps_(std::move(steps)),
      root_is_handle_(root_is_handle),
      far_(far),
      data_(steps_.size(), Data{Mat6::Zero(),
                                Mat6::Zero(),
                                {},
                                {},
                                {},
                                {},
                                Vec6::Zero(),
                                Vec6::Zero(),
                                Vec6::Zero(),
                                Vec6::Zero()}) {}

// ---- Inertias.

/// S at C, U, D⁻¹, and of the path T and Ψ.
void SerialLeaf::eliminate(const Step& step, Data& here, const Vec3& C,
                           const JointGeometry& joint) {
  const Eigen::Index nv = joint.S.cols();
  here.S.resize(6, nv), here.U.resize(6, nv);
  here.D_inverse.resize(6, nv), here.T_transposed.resize(6, nv);
  for (Eigen::Index k = 0; k < nv; ++k) {
    Vec6 S = joint.S.col(k);
    pull(C - joint.p, S);
    here.S.col(k) = step.is_first ? S : Vec6(-S);
    here.U.col(k).noalias() = here.P * here.S.col(k);
  }
  for (Eigen::Index k = 0; k < nv; ++k)
    for (Eigen::Index j = 0; j < nv; ++j) here.D_inverse(j, k) = here.S.col(j).dot(here.U.col(k));
  invert(here.D_inverse, nv);
  if (!step.on_path) return;
  for (Eigen::Index k = 0; k < nv; ++k)
    here.T_transposed.col(k).noalias() = here.K.transpose() * here.S.col(k);
  for (Eigen::Index k = 0; k < nv; ++k)
    for (Eigen::Index j = 0; j < nv; ++j)
      Psi_.noalias() +=
          here.D_inverse(j, k) * here.T_transposed.col(j) * here.T_transposed.col(k).transpose();
}

void SerialLeaf::factorise(std::span<const PartInertia> parts,
                           std::span<const JointGeometry> joints, double* Phi) {
  Psi_.setZero();
  for (size_t k = 0; k < steps_.size(); ++k) {
    const PartInertia& part = parts[index_of(steps_[k].part)];
    Data& here = data_[k];
    here.P.setZero();
    here.P.topLeftCorner<3, 3>() = part.turns.inverse();
    here.P.bottomRightCorner<3, 3>().diagonal().setConstant(1 / part.slides);
    here.K.setZero();
    if (static_cast<int>(k) == far_) here.K.setIdentity();
  }
  for (size_t k = 0; k + 1 < steps_.size(); ++k) {
    const Step& step = steps_[k];
    Data &here = data_[k], &parent = data_[index_of(step.parent)];
    const Vec3& C = parts[index_of(step.part)].place;
    eliminate(step, here, C, joints[index_of(step.tie)]);
    const Vec3 r = C - parts[index_of(steps_[index_of(step.parent)].part)].place;
    Mat6 P = here.P;
    for (Eigen::Index i = 0; i < here.S.cols(); ++i) {
      Vec6 scaled = Vec6::Zero();
      for (Eigen::Index j = 0; j < here.S.cols(); ++j)
        scaled += here.D_inverse(j, i) * Vec6(here.U.col(j));
      P.noalias() -= scaled * here.U.col(i).transpose();
    }
    push(r, P);
    parent.P += P;
    if (!step.on_path) continue;
    Mat6 K = here.K;
    for (Eigen::Index i = 0; i < here.S.cols(); ++i) {
      Vec6 scaled = Vec6::Zero();
      for (Eigen::Index j = 0; j < here.S.cols(); ++j)
        scaled += here.D_inverse(j, i) * Vec6(here.U.col(j));
      K.noalias() -= scaled * here.T_transposed.col(i).transpose();
    }
    for (int j = 0; j < 6; ++j) K.block<3, 1>(0, j) += cross(r, K.block<3, 1>(3, j));
    parent.K += K;
  }
  const Step& last = steps_.back();
  Data& root = data_.back();
  if (last.tie >= 0) {
    eliminate(last, root, parts[index_of(last.part)].place, joints[index_of(last.tie)]);
    Phi_root_.setZero();
    for (Eigen::Index k = 0; k < root.S.cols(); ++k)
      for (Eigen::Index j = 0; j < root.S.cols(); ++j)
        Phi_root_.noalias() += root.D_inverse(j, k) * root.S.col(j) * root.S.col(k).transpose();
  } else {
    Phi_root_ = inverse_of(root.P);
  }
  Mat6 across = Mat6::Zero(), of_far = Psi_;
  if (far_ >= 0) {
    across.noalias() = Phi_root_ * root.K;
    if (last.tie < 0) of_far.noalias() += root.K.transpose() * across;
  }
  const int n = 6 * handles(), first = root_is_handle_ ? 6 : 0;
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> out(Phi, n, n);
  if (root_is_handle_) out.topLeftCorner<6, 6>() = Phi_root_;
  if (far_ < 0) return;
  out.block<6, 6>(first, first) = of_far;
  if (!root_is_handle_) return;
  out.block<6, 6>(0, 6) = across;
  out.block<6, 6>(6, 0) = across.transpose();
}

// ---- Loads.

void SerialLeaf::join_loads(std::span<const PartInertia> parts,
                            std::span<const JointGeometry> joints, std::span<const double> f,
                            std::span<const double> gamma, double* b) {
  beta_.setZero();
  for (size_t k = 0; k < steps_.size(); ++k)
    data_[k].Z = -Eigen::Map<const Vec6>(&f[6 * index_of(steps_[k].part)]);
  for (size_t k = 0; k < steps_.size(); ++k) {
    const Step& step = steps_[k];
    Data& here = data_[k];
    if (step.tie < 0) break;  // a root that floats
    const Vec3& C = parts[index_of(step.part)].place;
    const JointGeometry& joint = joints[index_of(step.tie)];
    const Eigen::Index nv = joint.S.cols();
    // What the joint asks for beside S v̇, and u = -SᵀZ.
    here.sigma.setZero();
    for (Eigen::Index r = 0; r < joint.D.cols(); ++r)
      here.sigma -= (step.is_first ? 1 : -1) * gamma[index_of(step.row) + static_cast<size_t>(r)] *
                    Vec6(joint.D.col(r));
    pull(C - joint.p, here.sigma);
    Vec6 x = Vec6::Zero(), left = Vec6::Zero();  // D⁻¹ u, D⁻¹ (u - Uᵀσ)
    for (Eigen::Index i = 0; i < nv; ++i) here.u[i] = -here.S.col(i).dot(here.Z);
    for (Eigen::Index i = 0; i < nv; ++i)
      for (Eigen::Index j = 0; j < nv; ++j) {
        x[i] += here.D_inverse(i, j) * here.u[j];
        left[i] += here.D_inverse(i, j) * (here.u[j] - here.U.col(j).dot(here.sigma));
      }
    if (step.parent < 0) {
      here.a = here.sigma;
      for (Eigen::Index i = 0; i < nv; ++i) here.a += left[i] * Vec6(here.S.col(i));
      break;
    }
    Vec6 Z = here.Z + here.P * here.sigma;
    for (Eigen::Index i = 0; i < nv; ++i) Z += left[i] * Vec6(here.U.col(i));
    push(C - parts[index_of(steps_[index_of(step.parent)].part)].place, Z);
    data_[index_of(step.parent)].Z += Z;
    if (!step.on_path) continue;
    beta_ += here.K.transpose() * here.sigma;
    for (Eigen::Index i = 0; i < nv; ++i) beta_ += left[i] * Vec6(here.T_transposed.col(i));
  }
  Data& root = data_.back();
  if (steps_.back().tie < 0) root.a.noalias() = -(Phi_root_ * root.Z);
  if (root_is_handle_) Eigen::Map<Vec6>{b} = root.a;
  if (far_ >= 0)
    Eigen::Map<Vec6>{b + (root_is_handle_ ? 6 : 0)} = beta_ + root.K.transpose() * root.a;
}

void SerialLeaf::part_forces(std::span<const PartInertia> parts,
                             std::span<const JointGeometry> joints, const double* on_handles,
                             std::span<double> a, std::span<double> lambda) {
  Vec6 on_root = Vec6::Zero(), on_far = Vec6::Zero();
  if (root_is_handle_) on_root = Eigen::Map<const Vec6>(on_handles);
  if (far_ >= 0) on_far = Eigen::Map<const Vec6>(on_handles + (root_is_handle_ ? 6 : 0));
  for (size_t k = steps_.size(); k-- > 0;) {
    const Step& step = steps_[k];
    Data& here = data_[k];
    const Vec3& C = parts[index_of(step.part)].place;
    Vec6 f = step.on_path ? Vec6(here.K * on_far) : Vec6(Vec6::Zero());  // seen from here
    if (step.parent < 0) f += on_root;
    if (step.tie < 0) {
      here.a.noalias() = Phi_root_ * (f - here.Z);
    } else {
      const Eigen::Index nv = here.S.cols();
      Vec6 x = here.sigma;
      if (step.parent >= 0) {
        Vec6 carried = data_[index_of(step.parent)].a;
        pull(C - parts[index_of(steps_[index_of(step.parent)].part)].place, carried);
        x += carried;
      }
      Vec6 left;
      for (Eigen::Index i = 0; i < nv; ++i)
        left[i] = here.u[i] + here.S.col(i).dot(f) - here.U.col(i).dot(x);
      here.a = x;
      for (Eigen::Index i = 0; i < nv; ++i)
        for (Eigen::Index j = 0; j < nv; ++j)
          here.a += here.D_inverse(i, j) * left[j] * Vec6(here.S.col(i));
      read_lambda(step, here, C, joints[index_of(step.tie)], f, lambda);
    }
    Eigen::Map<Vec6> out(&a[6 * index_of(step.part)]);
    out = here.a;
  }
}

/// The force that the joint takes, F = P a + Z - f on the part, is ∓D λ.
void SerialLeaf::read_lambda(const Step& step, const Data& here, const Vec3& C,
                             const JointGeometry& joint, const Vec6& f,
                             std::span<double> lambda) const {
  Vec6 F = here.P * here.a + here.Z - f;
  push(C - joint.p, F);
  for (Eigen::Index r = 0; r < joint.D.cols(); ++r)
    lambda[index_of(step.row) + static_cast<size_t>(r)] =
        (step.is_first ? -1 : 1) * joint.D.col(r).dot(F);
}

}  // namespace couplet::dynamics
