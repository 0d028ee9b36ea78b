#include "couplet/integrate/stabilised_system.hpp"

#include <utility>

namespace couplet::integrate {
namespace {

// Differential rows are divided by j, and the unknowns λ and μ too: then neither the entries nor
// the condition of the Newton matrix depend on h as it becomes small. Coefficients of its parts:
enum Coefficient { one, by_j, minus_by_j, minus_one, coefficients };

}  // namespace

StabilisedSystem::StabilisedSystem(Problem& problem, const ImplicitOptions& options, Counts& counts)
    : problem_(problem),
      options_(options),
      counts_(counts),
      form_(descriptor_of(problem, adapter_)),
      jacobian_(problem, form_, options, counts),
      kinematics_(problem) {
  set_structure();
}

void StabilisedSystem::set_structure() {
  const Layout& layout = problem_.layout();
  const int nq = layout.nq, nv = layout.nv, nx = layout.nx, m = form_.rows(), p = form_.positions();
  revision_ = form_.revision();
  jacobian_.set_structure();
  at_ = {0,
         nq,
         nq + nv,
         nq + nv + nx,
         nq + nv + nx + m,
         nq + nv + nx + m + p,
         nq + nv + nx + m + p + form_.algebraic()};
  parts_.assign(static_cast<size_t>(jacobian_.entries() + kinematics_.entries() + 1), 0);
  parts_.back() = 1;
  real_.structured = complex_.structured = false;
  y_ = ydot_ = VecX::Zero(layout.size());
  point_ = {0, y_, VecX::Zero(nv), VecX::Zero(m), VecX::Zero(form_.algebraic()), VecX::Zero(p)};
}

// Rows and columns of the Newton matrix are those of z, but with positions along the speeds: nv of
// them, not nq.
std::vector<Placement> StabilisedSystem::make_placements() const {
  const Layout& layout = problem_.layout();
  const DescriptorRows rows = rows_of(layout, form_);
  const DescriptorColumns columns = columns_of(layout, form_);
  const int nv = layout.nv, nx = layout.nx, m = form_.rows(), p = form_.positions(),
            ns = form_.algebraic();
  const int v = nv, x = 2 * nv, lambda = x + nx, mu = lambda + m, s = mu + p;
  const int unit = static_cast<int>(parts_.size()) - 1;
  std::vector<Placement> out;
  const auto by_states_and_s = [&](int row, int count, int to_row, int coefficient) {
    place(jacobian_, {row, count, columns.q, columns.vdot, to_row, 0, coefficient}, out);
    place(jacobian_, {row, count, columns.s, ns, to_row, s, coefficient}, out);
  };
  for (int i = 0; i < nv; ++i)
    out.push_back({unit, i, i, one}), out.push_back({unit, i, v + i, minus_by_j});
  kinematics_.place(jacobian_.entries(), minus_by_j, out);
  place(jacobian_, {rows.velocity, p, columns.v, nv, 0, mu, minus_one, true}, out);  // Gᵀ

  by_states_and_s(rows.force, nv, v, by_j);
  place(jacobian_, {rows.force, nv, columns.vdot, nv, v, v, one}, out);
  place(jacobian_, {rows.force, nv, columns.lambda, m, v, lambda, one}, out);

  for (int i = 0; i < nx; ++i) out.push_back({unit, x + i, x + i, one});
  by_states_and_s(rows.xdot, nx, x, minus_by_j);
  place(jacobian_, {rows.xdot, nx, columns.lambda, m, x, lambda, minus_one}, out);

  by_states_and_s(rows.velocity, m, lambda, one);
  by_states_and_s(rows.position, p, mu, one);
  by_states_and_s(rows.algebraic, ns, s, one);
  return out;
}

void StabilisedSystem::calc_consistent(double t, const VecX& y, VecX& z, VecX& zdot) {
  if (outdated()) set_structure();
  problem_.calc_qdot(t, y, ydot_);
  form_.calc_consistent(t, y, ydot_, lambda_, s_);
  ++counts_.evaluations;
  if (outdated()) set_structure();
  z = zdot = VecX::Zero(size());
  z.head(at_.lambda) = y;
  zdot.head(at_.lambda) = ydot_;
  z.segment(at_.lambda, form_.rows()) = lambda_;
  z.tail(form_.algebraic()) = s_;
}

void StabilisedSystem::set_point(double t, const VecX& z, const VecX& zdot) {
  point_.t = t;
  point_.y = z.head(at_.lambda);
  point_.vdot = zdot.segment(at_.v, problem_.layout().nv);
  point_.lambda = z.segment(at_.lambda, form_.rows());
  point_.s = z.tail(form_.algebraic());
  point_.mu = z.segment(at_.mu, form_.positions());
}

void StabilisedSystem::calc_residual(double t, const VecX& z, const VecX& zdot, VecX& out) {
  const Layout& layout = problem_.layout();
  set_point(t, z, zdot);
  form_.calc_residual(point_, residual_);
  ++counts_.residuals;
  y_ = point_.y;
  if (form_.positions() > 0) y_.segment(at_.v, layout.nv) += residual_.normal;
  problem_.calc_qdot(t, y_, ydot_);
  out.head(layout.nq) = zdot.head(layout.nq) - ydot_.head(layout.nq);
  out.segment(at_.v, layout.nv) = residual_.force;
  out.segment(at_.x, layout.nx) = zdot.segment(at_.x, layout.nx) - residual_.xdot;
  out.segment(at_.lambda, form_.rows()) = residual_.velocity;
  out.segment(at_.mu, form_.positions()) = residual_.position;
  out.tail(form_.algebraic()) = residual_.algebraic;
}

void StabilisedSystem::differentiate(double t, const VecX& z, const VecX& zdot) {
  set_point(t, z, zdot);
  VecX mu;  // is no part of it
  std::swap(point_.mu, mu);
  jacobian_.differentiate(point_, parts_);
  std::swap(point_.mu, mu);
  kinematics_.differentiate(t, point_.y, parts_, jacobian_.entries());
}

template <class Scalar>
void StabilisedSystem::factorise(Scalar j, Factors<Scalar>& factors) {
  if (!factors.structured) {
    const int n = size() - problem_.layout().nq + problem_.layout().nv;
    factors.matrix.set_structure(n, make_placements(), options_.sparse);
    factors.along.setZero(problem_.layout().nv);
    factors.q.setZero(problem_.layout().nq);
    factors.reduced.setZero(n);
    factors.structured = true;
  }
  ++counts_.factorizations;
  factors.j = j;
  const Scalar values[coefficients] = {1, Scalar(1) / j, Scalar(-1) / j, -1};
  if (const std::optional<int> column = factors.matrix.factorise(parts_, values))
    throw singular_matrix(name_of(*column));
}

template <class Vector, class Scalar>
void StabilisedSystem::solve(Vector& r, Factors<Scalar>& f) {
  const int nq = problem_.layout().nq, nv = problem_.layout().nv;
  f.q = r.head(nq) / f.j;
  kinematics_.split(f.q, f.along);  // what remains in q changes the length of quaternions
  f.reduced.head(nv) = f.along;
  f.reduced.tail(size() - nq) = r.tail(size() - nq);
  f.reduced.segment(nv, at_.lambda - nq) /= f.j;
  f.matrix.solve(f.reduced);
  f.along = f.reduced.head(nv);
  kinematics_.join(f.along, f.q);
  r.head(nq) = f.q;
  r.tail(size() - nq) = f.reduced.tail(size() - nq);
  r.segment(at_.lambda, at_.s - at_.lambda) *= f.j;
}

void StabilisedSystem::factorise(double j) { factorise(j, real_); }
void StabilisedSystem::factorise(Complex j) { factorise(j, complex_); }
void StabilisedSystem::solve(VecX& r) { solve(r, real_); }
void StabilisedSystem::solve(ComplexVecX& r) { solve(r, complex_); }

void StabilisedSystem::forget() {
  real_.matrix.forget();
  complex_.matrix.forget();
}

std::string StabilisedSystem::name_of(int unknown) const {
  const Layout& layout = problem_.layout();
  const DescriptorColumns columns = columns_of(layout, form_);
  const int lambda = 2 * layout.nv + layout.nx, mu = lambda + form_.rows(),
            s = mu + form_.positions();
  const int column = unknown < lambda ? unknown
                     : unknown < mu   ? columns.lambda + unknown - lambda
                     : unknown < s    ? columns.lambda + unknown - mu
                                      : columns.s + unknown - s;
  return name_of_column(layout, form_, column);
}

}  // namespace couplet::integrate
