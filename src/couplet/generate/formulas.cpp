#include "couplet/generate/formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "couplet/dynamics/minimal/only_trees.hpp"
#include "couplet/dynamics/minimal/recursions/forward.hpp"
#include "couplet/dynamics/minimal/recursions/link_composite.hpp"
#include "couplet/generate/forms.hpp"

namespace couplet::generate {
namespace {

using symbolic::CFunction;
using Function = Formulas::Function;

constexpr WhatEntry entries[] = {
    {What::forward, "forward", "accelerations vdot from q, v and the generalised forces tau"},
    {What::inverse, "inverse", "generalised forces tau from q, v and vdot"},
    {What::mass_matrix, "mass-matrix", "M(q), row by row"},
    {What::bias, "bias", "h(q, v) of M vdot + h = tau: gravity, centrifugal and Coriolis forces"},
    {What::kinematics, "kinematics", "pose and velocity of every body"},
    {What::jacobian, "jacobian", "velocity of every body per unit of each speed"},
    {What::gradients, "gradients",
     "derivatives of vdot with respect to q, v, tau and of tau with respect to q, v, vdot"},
};

// Beyond this the n³ of composite inertias never wins, and takes long to write down.
constexpr int longest_composite = 64;

// Where bodies are follows from the coordinates of the tree, which the loops close, all the same.
void check_supported(const Mechanism& mechanism, What what) {
  const bool geometry = what == What::kinematics || what == What::jacobian;
  if (!geometry || !mechanism.constrained())
    dynamics::check_is_tree(mechanism, "generated formulas");
  if (what == What::gradients) dynamics::check_is_free(mechanism, "gradients of accelerations");
}

std::size_t operations(const symbolic::OpCounts& counts) {
  return counts.multiplications + counts.additions;
}

void count_operations(Function& function) {
  std::vector<Expr> all;
  for (const CFunction::Output& output : function.code.outputs)
    all.insert(all.end(), output.values.begin(), output.values.end());
  function.counts = symbolic::op_counts(all);
}

/// The cheapest form is written down again when the others are gone: what they have in common would
/// stand in the order in which the others made it, far from where this one uses it.
using Maker = std::function<Function()>;
Function make_cheapest(const std::vector<Maker>& makers) {
  const auto operations_of = [](const Maker& make) {
    Function form = make();
    count_operations(form);
    return operations(form.counts);
  };
  return (*std::ranges::min_element(makers, {}, operations_of))();
}

std::vector<CFunction::Input> inputs(const Arguments& in, const char* third) {
  std::vector<CFunction::Input> arrays{{"q", in.q_names}, {"v", in.v_names}};
  if (std::string_view(third) == "tau") arrays.push_back({"tau", in.tau_names});
  if (std::string_view(third) == "vdot") arrays.push_back({"vdot", in.vdot_names});
  if (!in.forces.empty()) arrays.push_back({"body_forces", in.force_names});
  return arrays;
}

Function forward_function(const Mechanism& mechanism, const SymbolicTree& plain,
                          const SymbolicTree& regrouped, const Arguments& in) {
  std::vector<CFunction::Input> arrays = inputs(in, "tau");
  if (mechanism.has_prescribed()) arrays.push_back({"prescribed", in.vdot_names});
  const auto articulated = [&](const SymbolicTree& tree, const char* form) {
    return [&, form]() -> Function {
      Form tau_out = in.tau;
      std::vector<CFunction::Output> outputs{
          {"vdot", articulated_form(mechanism, tree, in, tau_out)}};
      if (mechanism.has_prescribed()) outputs.push_back({"tau_out", tau_out});
      return {{"forward", arrays, outputs, 1}, form, {}};
    };
  };
  const auto composite = [&](const SymbolicTree& tree, const char* form) {
    return [&, form]() -> Function {
      return {{"forward", arrays, {{"vdot", composite_form(mechanism, tree, in)}}, 1}, form, {}};
    };
  };
  // Forces through joints are felt by prescribed ones only along their axes: regrouping is
  // harmless.
  std::vector<Maker> makers{articulated(plain, "articulated bodies"),
                            articulated(regrouped, "articulated bodies, inertias regrouped")};
  if (mechanism.nv <= longest_composite && !mechanism.has_prescribed()) {
    makers.emplace_back(composite(plain, "composite inertias and LTDL"));
    makers.emplace_back(composite(regrouped, "composite inertias and LTDL, inertias regrouped"));
  }
  return make_cheapest(makers);
}

Function inverse_function(const Mechanism& mechanism, const SymbolicTree& plain,
                          const SymbolicTree& regrouped, const Arguments& in, bool bias) {
  const std::vector<Expr> vdot = bias ? std::vector<Expr>(in.vdot.size()) : in.vdot;
  const auto newton_euler = [&](const SymbolicTree& tree, const char* form) {
    return [&, form]() -> Function {
      return {{bias ? "bias" : "inverse",
               inputs(in, bias ? "" : "vdot"),
               {{bias ? "h" : "tau", inverse_form(mechanism, tree, in, vdot)}},
               1},
              form,
              {}};
    };
  };
  return make_cheapest({newton_euler(plain, "Newton-Euler"),
                        newton_euler(regrouped, "Newton-Euler, inertias regrouped")});
}

Function mass_matrix_function(const Mechanism& mechanism, const SymbolicTree& plain,
                              const SymbolicTree& regrouped, const Arguments& in) {
  const int n = mechanism.nv;
  const auto composite = [&](const SymbolicTree& tree, const char* form) {
    return [&, form]() -> Function {
      Form M;
      inverse_form(mechanism, tree, in, in.vdot, &M);
      for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) M[i * n + j] = M[j * n + i];
      return {{"mass_matrix", {{"q", in.q_names}}, {{"M", M}}, 1}, form, {}};
    };
  };
  return make_cheapest({composite(plain, "composite inertias"),
                        composite(regrouped, "composite inertias, regrouped")});
}

}  // namespace

std::span<const WhatEntry> whats() { return entries; }

const WhatEntry* find_what(std::string_view name) {
  const auto* found =
      std::ranges::find_if(entries, [&](const WhatEntry& entry) { return name == entry.name; });
  return found == std::end(entries) ? nullptr : found;
}

std::vector<std::string> numbered(const char* name, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(name + std::to_string(i));
  return names;
}

std::vector<Expr> symbols(const std::vector<std::string>& names) {
  std::vector<Expr> all;
  for (const std::string& name : names) all.push_back(Expr::symbol(name));
  return all;
}

// Names with a colon cannot be those of a parameter.
Arguments::Arguments(const Mechanism& mechanism, bool body_forces)
    : q_names(numbered("q:", mechanism.nq)),
      v_names(numbered("v:", mechanism.nv)),
      tau_names(numbered("tau:", mechanism.nv)),
      vdot_names(numbered("vdot:", mechanism.nv)),
      force_names(numbered("F:", body_forces ? 6 * static_cast<int>(mechanism.links.size()) : 0)),
      q(symbols(q_names)),
      v(symbols(v_names)),
      tau(symbols(tau_names)),
      vdot(symbols(vdot_names)),
      forces(symbols(force_names)) {}

Form articulated_form(const Mechanism& mechanism, const SymbolicTree& tree, const Arguments& in,
                      Form& tau_out) {
  Form vdot = in.vdot;  // prescribed entries are read
  tau_out = in.tau;
  dynamics::RecursiveWorkspace<Expr> workspace(mechanism);
  const auto view = tree.view();
  dynamics::forward_dynamics(
      view,
      dynamics::ForwardProblem<Expr>{in.q.data(), in.v.data(), in.tau.data(),
                                     in.forces.empty() ? nullptr : in.forces.data(),
                                     tree.base_acceleration, vdot.data(), tau_out.data()},
      workspace.pointers(), dynamics::NoLimbs(view, {}, nullptr));
  return vdot;
}

Form inverse_form(const Mechanism& mechanism, const SymbolicTree& tree, const Arguments& in,
                  const std::vector<Expr>& vdot, Form* M) {
  Form tau(static_cast<std::size_t>(mechanism.nv));
  dynamics::InverseWorkspace<Expr> workspace(mechanism);
  const auto view = tree.view();
  dynamics::inverse_dynamics(
      view,
      dynamics::InverseProblem<Expr>{in.q.data(), in.v.data(), vdot.data(),
                                     in.forces.empty() ? nullptr : in.forces.data(),
                                     tree.base_acceleration, tau.data()},
      workspace.pointers(), dynamics::NoLimbs(view, {}, nullptr));
  if (!M) return tau;
  M->resize(tau.size() * tau.size());
  std::vector<dynamics::CompositeLink<Expr>> composites(tree.links.size());
  dynamics::composite_mass_matrix(view, mechanism.nv, in.q.data(), workspace.pointers(),
                                  composites.data(), M->data());
  return tau;
}

Form composite_form(const Mechanism& mechanism, const SymbolicTree& tree, const Arguments& in) {
  Form M;
  const Form h = inverse_form(mechanism, tree, in, std::vector<Expr>(in.vdot.size()), &M);
  std::vector<Form> x(1);
  for (std::size_t i = 0; i < h.size(); ++i) x[0].push_back(in.tau[i] - h[i]);
  solve(mechanism.nv, std::move(M), x);
  return x[0];
}

void solve(int n, Form M, std::vector<Form>& right_hand_sides) {
  dynamics::factor_inward(n, M.data());
  for (Form& x : right_hand_sides) dynamics::solve_inward(n, M.data(), x.data());
}

Formulas make_formulas(const Mechanism& mechanism, const Request& request) {
  check_supported(mechanism, request.what);
  const SymbolicTree plain = make_symbolic_tree(mechanism, request.keep);
  SymbolicTree regrouped = plain;
  if (!request.body_forces) turn_tips(regrouped);
  regroup(regrouped);
  const Arguments in(mechanism, request.body_forces);
  Formulas out;
  out.parameters = plain.parameters;
  switch (request.what) {
    case What::forward:
      out.functions = {forward_function(mechanism, plain, regrouped, in)};
      break;
    case What::inverse:
    case What::bias:
      out.functions = {
          inverse_function(mechanism, plain, regrouped, in, request.what == What::bias)};
      break;
    case What::mass_matrix:
      out.functions = {mass_matrix_function(mechanism, plain, regrouped, in)};
      break;
    case What::kinematics:
    case What::jacobian:
      out.functions = kinematics_functions(mechanism, plain, request.what == What::jacobian);
      break;
    case What::gradients:
      out.functions = gradient_functions(mechanism, plain, regrouped);
      break;
  }
  std::vector<std::string> names;
  for (const Parameter& parameter : out.parameters) names.push_back(parameter.name);
  for (Function& function : out.functions) {
    if (!names.empty()) function.code.inputs.push_back({"p", names});
    count_operations(function);
  }
  return out;
}

}  // namespace couplet::generate
