// The links of a mechanism with numbers that are expressions: constants, or what the user wants to
// change at run time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "couplet/dynamics/minimal/workspace.hpp"
#include "couplet/symbolic/expr.hpp"

namespace couplet::generate {

using dynamics::ParametricLink;
using model::Mechanism;
using symbolic::Expr;

/// A number of the model that stays an argument of the generated code.
struct Parameter {
  std::string name;  // body.mass, body.com.x, body.inertia.xy, joint.a, gravity.z, …
  double value;      // in the model
};

struct SymbolicTree {
  std::vector<ParametricLink<Expr>> links;
  std::vector<model::FrameNumbers> frames;
  dynamics::V3<Expr> base_acceleration;  // of the world: -g
  std::vector<Parameter> parameters;

  dynamics::Tree<ParametricLink<Expr>> view() const {
    return {static_cast<int>(links.size()), links.data(), frames.data()};
  }
};

/// What can be kept:
///   mass     of each body; its centre of mass and its inertia about that stay
///   com      p_BoBcm_B of each body
///   inertia  about the centre of mass, in the body's axes
///   length   a, d (and b, e) between the axes of neighbouring joints, see mechanism.hpp
///   gravity
/// Throws UserError for another word.
SymbolicTree make_symbolic_tree(const Mechanism& mechanism, std::span<const std::string> keep = {});

/// The same motions with fewer numbers: what turning a link about its axis does not change belongs
/// to its parent just as well: mass and moment on the axis, and an inertia diag(J, J, 0).
/// [M. Gautier, W. Khalil, IEEE Trans. Robotics Autom. 6(3), 1990; HINTS 10 measured 6 to 18 %]
/// Joint forces stay the same, forces through joints do not.
void regroup(SymbolicTree& tree);

/// Turns the x axis of each outermost link towards its centre of mass, which makes numbers zero.
/// The link's own axes are then not those of the mechanism: not with forces on links.
void turn_tips(SymbolicTree& tree);

}  // namespace couplet::generate
