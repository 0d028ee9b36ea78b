// Derivatives of inverse and forward dynamics by differentiating the formulas.
//
//   ∂v̇/∂x = -M⁻¹ ∂ID/∂x at v̇ = FD(q, v, τ),   ∂v̇/∂τ = M⁻¹
// Inverse dynamics is differentiated, because its formulas have no divisions and are the shortest.
// Derivatives with respect to q are taken along the speeds, dq = N(q) δ: for joints without
// quaternions that is q itself, and there are nv columns in any case.
#include <map>

#include "couplet/generate/forms.hpp"
#include "couplet/symbolic/differentiate.hpp"

namespace couplet::generate {
namespace {

using symbolic::CFunction;

/// Columns N(q)·e of q̇ = N(q) v as (coordinate, factor), for each speed.
std::vector<std::vector<std::pair<int, Expr>>> speed_directions(const Mechanism& mechanism,
                                                                const Arguments& in) {
  std::vector<std::vector<std::pair<int, Expr>>> columns(static_cast<std::size_t>(mechanism.nv));
  for (const model::Link& link : mechanism.links) {
    const auto iv = static_cast<std::size_t>(link.iv);
    if (link.frame < 0) {
      columns[iv] = {{link.iq, 1}};
      continue;
    }
    // q̇ = ½ q ∘ (0, w) with w in the axes of the moving side
    const auto q = [&](int k) { return in.q[static_cast<std::size_t>(link.iq + k)]; };
    const Expr w = 0.5 * q(0), x = 0.5 * q(1), y = 0.5 * q(2), z = 0.5 * q(3);
    const Expr turn[3][4] = {{-x, w, z, -y}, {-y, -z, w, x}, {-z, y, -x, w}};
    for (std::size_t k = 0; k < 3; ++k)
      for (int i = 0; i < 4; ++i) columns[iv + k].emplace_back(link.iq + i, turn[k][i]);
    if (link.kind != model::LinkKind::free) continue;
    // ṗ = R v
    const Expr W = q(0), X = q(1), Y = q(2), Z = q(3);
    const Expr R[3][3] = {{1 - 2 * (Y * Y + Z * Z), 2 * (X * Y - W * Z), 2 * (X * Z + W * Y)},
                          {2 * (X * Y + W * Z), 1 - 2 * (X * X + Z * Z), 2 * (Y * Z - W * X)},
                          {2 * (X * Z - W * Y), 2 * (Y * Z + W * X), 1 - 2 * (X * X + Y * Y)}};
    for (std::size_t k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) columns[iv + 3 + k].emplace_back(link.iq + 4 + i, R[i][k]);
  }
  return columns;
}

/// ∂f/∂x as columns.
std::vector<Form> columns_of(const Form& f, const std::vector<Expr>& x) {
  std::vector<Form> columns(x.size(), Form(f.size()));
  for (const symbolic::JacobianEntry& entry : symbolic::differentiate(f, x))
    columns[entry.column][entry.row] = entry.value;
  return columns;
}

std::vector<Form> along_speeds(const std::vector<Form>& by_q, const Mechanism& mechanism,
                               const Arguments& in) {
  std::vector<Form> columns;
  for (const auto& direction : speed_directions(mechanism, in)) {
    Form column(static_cast<std::size_t>(mechanism.nv));
    for (const auto& [coordinate, factor] : direction)
      for (std::size_t i = 0; i < column.size(); ++i)
        column[i] += factor * by_q[static_cast<std::size_t>(coordinate)][i];
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Row by row.
Form matrix(const std::vector<Form>& columns, std::size_t rows, double factor = 1) {
  Form all;
  for (std::size_t i = 0; i < rows; ++i)
    for (const Form& column : columns) all.push_back(factor * column[i]);
  return all;
}

struct InverseGradients {
  std::vector<Form> by_q, by_v, by_p;  // columns
  Form M;                              // lower triangle
};

InverseGradients differentiate_inverse(const Mechanism& mechanism, const SymbolicTree& tree,
                                       const Arguments& in) {
  InverseGradients out;
  const Form tau = inverse_form(mechanism, tree, in, in.vdot, &out.M);
  std::vector<Expr> parameters;
  for (const Parameter& p : tree.parameters) parameters.push_back(Expr::symbol(p.name));
  out.by_q = along_speeds(columns_of(tau, in.q), mechanism, in);
  out.by_v = columns_of(tau, in.v);
  out.by_p = columns_of(tau, parameters);
  return out;
}

}  // namespace

std::vector<Formulas::Function> gradient_functions(const Mechanism& mechanism,
                                                   const SymbolicTree& plain,
                                                   const SymbolicTree& regrouped) {
  const Arguments in(mechanism, false);
  const auto n = static_cast<std::size_t>(mechanism.nv);
  const SymbolicTree& tree = regrouped;
  const InverseGradients inverse = differentiate_inverse(mechanism, tree, in);
  Form M = inverse.M;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) M[i * n + j] = M[j * n + i];
  std::vector<CFunction::Output> of_tau{{"dtau_dq", matrix(inverse.by_q, n)},
                                        {"dtau_dv", matrix(inverse.by_v, n)},
                                        {"dtau_dvdot", M}};
  if (!plain.parameters.empty()) of_tau.push_back({"dtau_dp", matrix(inverse.by_p, n)});

  // The accelerations at which forward dynamics is differentiated.
  const Form vdot = composite_form(mechanism, tree, in);
  symbolic::Replacements at;
  for (std::size_t i = 0; i < n; ++i) at[in.vdot[i]] = vdot[i];
  std::vector<Expr> flat;
  for (const std::vector<Form>* columns : {&inverse.by_q, &inverse.by_v, &inverse.by_p})
    for (const Form& column : *columns) flat.insert(flat.end(), column.begin(), column.end());
  flat = symbolic::substitute(flat, at);
  std::vector<Form> sides;
  for (std::size_t k = 0; k < flat.size(); k += n)
    sides.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(k),
                       flat.begin() + static_cast<std::ptrdiff_t>(k + n));
  const std::size_t given = sides.size();
  for (std::size_t k = 0; k < n; ++k) {
    sides.emplace_back(n);
    sides.back()[k] = 1;
  }
  solve(mechanism.nv, inverse.M, sides);
  const auto part = [&](std::size_t first, std::size_t count, double factor) {
    const auto begin = sides.begin() + static_cast<std::ptrdiff_t>(first);
    return matrix({begin, begin + static_cast<std::ptrdiff_t>(count)}, n, factor);
  };
  std::vector<CFunction::Output> of_vdot{{"dvdot_dq", part(0, n, -1)},
                                         {"dvdot_dv", part(n, n, -1)},
                                         {"dvdot_dtau", part(given, n, 1)}};
  if (!plain.parameters.empty()) of_vdot.push_back({"dvdot_dp", part(2 * n, given - 2 * n, -1)});

  const char* form = "derivatives of Newton-Euler, inertias regrouped";
  return {{{"forward_gradients",
            {{"q", in.q_names}, {"v", in.v_names}, {"tau", in.tau_names}},
            of_vdot,
            1},
           std::string(form) + ", and LTDL",
           {}},
          {{"inverse_gradients",
            {{"q", in.q_names}, {"v", in.v_names}, {"vdot", in.vdot_names}},
            of_tau,
            1},
           form,
           {}}};
}

}  // namespace couplet::generate
