#include "couplet/integrate/jacobian/kinematics.hpp"

#include <cmath>

#include "couplet/math/dense_lu.hpp"

namespace couplet::integrate {

Kinematics::Kinematics(Problem& problem) : problem_(problem) {
  const Layout& layout = problem.layout();
  if (layout.blocks.empty()) flat_.push_back({0, layout.nq, 0, layout.nv});
  for (const Block& block : layout.blocks) {
    if (block.flat()) {
      flat_.push_back(block);
      continue;
    }
    curved_.push_back({block, Eigen::MatrixXd::Zero(block.nq, block.nv),
                       Eigen::MatrixXd::Zero(block.nv, block.nq)});
    entries_ += block.nv * block.nv;
    widest_ = std::max(widest_, block.nv);
  }
  at_ = y_ = qdot_ = moved_qdot_ = VecX::Zero(layout.size());
  dq_ = VecX::Zero(layout.nv);
}

void Kinematics::place(int first_part, int coefficient, std::vector<Placement>& placements) const {
  for (const Curved& curved : curved_)
    for (int j = 0; j < curved.block.nv; ++j)
      for (int i = 0; i < curved.block.nv; ++i)
        placements.push_back({first_part++, curved.block.iv + i, curved.block.iv + j, coefficient});
}

// Blocks do not depend on each other: one evaluation serves the k-th speed of all.
void Kinematics::differentiate(double t, const VecX& y, std::vector<double>& parts,
                               int first_part) {
  if (curved_.empty()) return;
  const int nq = problem_.layout().nq, nv = problem_.layout().nv;
  at_ = y;
  dq_.setZero();
  problem_.move(dq_, at_);  // onto unit quaternions, if that is what the problem does: else
                            // differences would show it
  y_ = at_;
  for (int k = 0; k < widest_; ++k) {
    y_.segment(nq, nv).setZero();
    for (const Curved& c : curved_)
      if (k < c.block.nv) y_[nq + c.block.iv + k] = 1;
    problem_.calc_qdot(t, y_, qdot_);
    for (Curved& c : curved_)
      if (k < c.block.nv) c.N.col(k) = qdot_.segment(c.block.iq, c.block.nq);
  }
  for (Curved& c : curved_) {
    math::DenseLu<double> factor;
    factor.compute(c.N.transpose() * c.N);
    c.N_inverse = factor.solve_columns(c.N.transpose());
  }

  const double step = std::sqrt(std::numeric_limits<double>::epsilon());
  problem_.calc_qdot(t, at_, qdot_);
  for (int k = 0; k < widest_; ++k) {
    dq_.setZero();
    for (const Curved& c : curved_)
      if (k < c.block.nv) dq_[c.block.iv + k] = step;
    y_ = at_;
    problem_.move(dq_, y_);
    problem_.calc_qdot(t, y_, moved_qdot_);
    int first = first_part;
    for (const Curved& c : curved_) {
      for (int i = 0; i < c.block.nv && k < c.block.nv; ++i)
        parts[static_cast<size_t>(first + k * c.block.nv + i)] =
            c.N_inverse.row(i).dot((moved_qdot_ - qdot_).segment(c.block.iq, c.block.nq)) / step;
      first += c.block.nv * c.block.nv;
    }
  }
}

template <class Vector>
void Kinematics::split(Vector& dq, Vector& along) const {
  for (const Block& b : flat_) {
    along.segment(b.iv, b.nv) = dq.segment(b.iq, b.nq);
    dq.segment(b.iq, b.nq).setZero();
  }
  for (const Curved& c : curved_) {
    const Block& b = c.block;
    along.segment(b.iv, b.nv).noalias() = c.N_inverse * dq.segment(b.iq, b.nq);
    dq.segment(b.iq, b.nq).noalias() -= c.N * along.segment(b.iv, b.nv);
  }
}

template <class Vector>
void Kinematics::join(const Vector& along, Vector& dq) const {
  for (const Block& b : flat_) dq.segment(b.iq, b.nq) += along.segment(b.iv, b.nv);
  for (const Curved& c : curved_)
    dq.segment(c.block.iq, c.block.nq).noalias() += c.N * along.segment(c.block.iv, c.block.nv);
}

template void Kinematics::split(VecX&, VecX&) const;
template void Kinematics::join(const VecX&, VecX&) const;
using Complex = NewtonMatrix<std::complex<double>>::Vector;
template void Kinematics::split(Complex&, Complex&) const;
template void Kinematics::join(const Complex&, Complex&) const;

}  // namespace couplet::integrate
