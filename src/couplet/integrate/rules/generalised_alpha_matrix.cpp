#include <array>
#include <cmath>

#include "couplet/integrate/rules/generalised_alpha.hpp"

namespace couplet::integrate {
namespace {

// Of the parts of the matrix: by what δv̇', δv', δq and δx follow from the unknowns, times the scale
// of the row.
enum Coefficient {
  one,
  acceleration,
  speed,
  h_speed,
  h2_speed,
  h1,
  h2,
  x_q,
  x_v,
  x_lambda,
  coefficients
};

}  // namespace

AlphaMatrix::AlphaMatrix(Problem& problem, Level level, const ImplicitOptions& options,
                         Counts& counts)
    : problem_(problem),
      level_(level),
      options_(options),
      counts_(counts),
      form_(descriptor_of(problem, adapter_)),
      jacobian_(problem, form_, options, counts) {}

// Rows: force, x, algebraic, positions, velocities; columns: q, x, s, λ.
void AlphaMatrix::set_structure() {
  const Layout& layout = problem_.layout();
  const int nv = layout.nv, nx = layout.nx, m = form_.rows(), p = positions(),
            ns = form_.algebraic();
  const int x = nv, s = x + nx, lambda = s + ns;
  revision_ = form_.revision();
  jacobian_.set_structure();
  parts_.assign(static_cast<size_t>(jacobian_.entries()) + 1, 1);
  const DescriptorRows rows = rows_of(layout, form_);
  const DescriptorColumns columns = columns_of(layout, form_);
  std::vector<Placement> out;
  struct ByUnknown {
    int q, v, rest, lambda;
  };
  const auto add = [&](int row, int count, int to_row, const ByUnknown& coefficient) {
    place(jacobian_, {row, count, columns.q, nv, to_row, 0, coefficient.q}, out);
    place(jacobian_, {row, count, columns.v, nv, to_row, 0, coefficient.v}, out);
    place(jacobian_, {row, count, columns.x, nx, to_row, x, coefficient.rest}, out);
    place(jacobian_, {row, count, columns.s, ns, to_row, s, coefficient.rest}, out);
    place(jacobian_, {row, count, columns.lambda, m, to_row, lambda, coefficient.lambda}, out);
  };
  add(rows.force, nv, 0, {h2, h2_speed, h2, one});
  place(jacobian_, {rows.force, nv, columns.vdot, nv, 0, 0, acceleration}, out);
  add(rows.xdot, nx, x, {x_q, x_v, x_q, x_lambda});
  for (int i = 0; i < nx; ++i) out.push_back({jacobian_.entries(), x + i, x + i, one});
  add(rows.algebraic, ns, s, {one, speed, one, one});
  add(rows.position, p, lambda, {one, speed, one, one});
  add(rows.velocity + p, m - p, lambda + p, {h1, h_speed, h1, one});
  matrix_.set_structure(lambda + m, out, options_.sparse);
  factorised_for_ = 0;
}

void AlphaMatrix::differentiate(const DescriptorPoint& point) {
  jacobian_.differentiate(point, parts_);
  factorised_for_ = 0;
}

void AlphaMatrix::factorise(double h) {
  using namespace alpha;
  std::array<double, coefficients> values{};
  const double by_x = -h * gamma / by_mean;  // ∂x'/∂ẋ'
  values[one] = 1;
  values[acceleration] = by_mean / beta;
  values[speed] = gamma / (beta * h);
  values[h_speed] = gamma / beta;
  values[h2_speed] = h * gamma / beta;
  values[h1] = h;
  values[h2] = h * h;
  values[x_q] = by_x;
  values[x_v] = by_x * values[speed];
  values[x_lambda] = by_x / (h * h);
  factorised_for_ = 0;
  ++counts_.factorizations;
  if (const std::optional<int> column = matrix_.factorise(parts_, values)) throw singular(*column);
  factorised_for_ = h;
}

base::ComputationError AlphaMatrix::singular(int unknown) const {
  const Layout& layout = problem_.layout();
  const DescriptorColumns columns = columns_of(layout, form_);
  const int nv = layout.nv, s = nv + layout.nx, lambda = s + form_.algebraic();
  const int column = unknown < nv       ? unknown
                     : unknown < s      ? columns.x + unknown - nv
                     : unknown < lambda ? columns.s + unknown - s
                                        : columns.lambda + unknown - lambda;
  return singular_matrix(name_of_column(layout, form_, column));
}

}  // namespace couplet::integrate
