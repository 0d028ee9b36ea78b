// The recursions on expressions, form by form. Internal to this room.
#pragma once

#include "couplet/generate/formulas.hpp"

namespace couplet::generate {

/// The symbols of a state and what acts on it.
struct Arguments {
  std::vector<std::string> q_names, v_names, tau_names, vdot_names, force_names;
  std::vector<Expr> q, v, tau, vdot, forces;  // forces: 6 per link, or none

  explicit Arguments(const Mechanism& mechanism, bool body_forces);
};

using Form = std::vector<Expr>;

/// v̇; where a joint is prescribed its v̇ is given, and its force is put into `tau_out`.
Form articulated_form(const Mechanism& mechanism, const SymbolicTree& tree, const Arguments& in,
                      Form& tau_out);
Form composite_form(const Mechanism& mechanism, const SymbolicTree& tree, const Arguments& in);

/// τ of v̇; `M` (row by row, its lower triangle) if asked for.
Form inverse_form(const Mechanism& mechanism, const SymbolicTree& tree, const Arguments& in,
                  const std::vector<Expr>& vdot, Form* M = nullptr);

/// x ← M⁻¹ x for each of the right-hand sides.
void solve(int n, Form M, std::vector<Form>& right_hand_sides);

// motion.cpp
std::vector<Formulas::Function> kinematics_functions(const Mechanism& mechanism,
                                                     const SymbolicTree& tree, bool jacobian);
// gradients.cpp
std::vector<Formulas::Function> gradient_functions(const Mechanism& mechanism,
                                                   const SymbolicTree& plain,
                                                   const SymbolicTree& regrouped);

}  // namespace couplet::generate
