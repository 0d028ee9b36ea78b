// The mechanisms that every engine is measured on, and the states it is measured at. The numbers
// come from a seeded generator and are the same with every compiler, so that published figures
// stay comparable.
//
//   chainN       fixed base, N revolute joints about x, y, z in turn, at random places
//   humanoid36   floating base that carries two legs of 6, two arms of 7 and a trunk of 4
//                revolute joints: 36 degrees of freedom
#pragma once

#include <string>
#include <vector>

#include "small_algebra.hpp"

namespace couplet::bench {

constexpr Vec3 gravity{0, 0, -9.81};  // m/s², in the world's axes

/// A rigid body B and the revolute joint to its parent P. Frame F is the joint's place on P; B is F
/// turned by q about `axis`. The first body of a floating model has a free joint instead.
struct Body {
  int parent;          // index of P; -1 is the world
  int axis;            // 0 = x, 1 = y, 2 = z
  Vec3 p_PF_P;         // m
  Quaternion quat_PF;  // orientation of F in P ...
  Mat3 R_PF;           // ... and the same as a matrix
  double mass;         // kg
  Vec3 p_BC_B;         // centre of mass C, m
  Vec3 principal;      // principal moments of inertia about C, kg m²
  Quaternion quat_BI;  // principal axes I in B
  Mat3 inertia_BC_B;   // inertia about C in B axes, kg m²
};

struct Model {
  std::string name;
  bool floating = false;
  std::vector<Body> bodies;  // parents first, depth first

  int first_joint() const { return floating ? 1 : 0; }  // index of the first revolute body
  int joint_count() const { return static_cast<int>(bodies.size()) - first_joint(); }
  int freedoms() const { return joint_count() + (floating ? 6 : 0); }
};

Model make_chain(int joints);
Model make_humanoid();
std::vector<Model> make_models();  // chain6, chain7, chain20, humanoid36, chain100, chain1000

/// One input of an evaluation. The base has a pose in the world and a motion at its origin in its
/// own axes (A_WB_B is the spatial acceleration, the derivative of V_WB_B); a fixed base ignores
/// it. No force acts on the base.
struct Sample {
  Vec3 p_WB_W;
  Quaternion quat_WB;
  Vec3 v_WB_B, w_WB_B;                  // linear, angular velocity
  Vec3 a_WB_B, alpha_WB_B;              // linear, angular part of A_WB_B
  std::vector<double> q, v, tau, vdot;  // one entry per revolute joint
};

constexpr int pool_size = 1000;  // so many different states that no engine can reuse the last one
std::vector<Sample> make_samples(const Model& model, int count = pool_size);

}  // namespace couplet::bench
