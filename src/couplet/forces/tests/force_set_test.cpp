#include "couplet/forces/force_set.hpp"

#include <gtest/gtest.h>

#include "couplet/symbolic/parse.hpp"

namespace couplet::forces {
namespace {

using model::JointType;

struct Fixture {
  model::Model model;
  int a, b;
  Fixture() {
    a = model.add_body("a", {2, Vec3::Zero(), math::Mat3::Identity()});
    b = model.add_body("b", {3, Vec3::Zero(), math::Mat3::Identity()});
    model.add_joint("slide", JointType::prismatic, 0, model.bodies[a].origin);
    model.add_joint("space", JointType::free, 0, model.bodies[b].origin);
  }
  Mechanism compile() const { return model::compile(model); }
};

std::vector<BodyMotion> motions(const Vec3& pa, const Vec3& va, const Vec3& pb, const Vec3& vb) {
  std::vector<BodyMotion> bodies(3);
  bodies[1].X_WB.p = pa, bodies[1].v = va;
  bodies[2].X_WB.p = pb, bodies[2].v = vb;
  return bodies;
}

TEST(ForceSet, SpringDamperPullsBothEndsEqually) {
  Fixture f;
  add_force(f.model, "line", "spring-damper",
            {{"from", f.model.bodies[f.a].origin},
             {"to", f.model.bodies[f.b].origin},
             {"stiffness", 10},
             {"damping", 4},
             {"length", 2}});
  const Mechanism mechanism = f.compile();
  ForceSet set(mechanism);
  AppliedForces out(mechanism);
  set.add_forces(mechanism.default_state(), motions({0, 0, 0}, {0, 0, 0}, {3, 0, 0}, {0.5, 7, 0}),
                 out);
  EXPECT_LT((out.on_bodies[1].tail<3>() - Vec3(10 * 1 + 4 * 0.5, 0, 0)).norm(), 1e-15);
  EXPECT_LT((out.on_bodies[1] + out.on_bodies[2]).norm(), 1e-15);
  // Ends that coincide have no direction: no force, and nothing that is not finite.
  out.set_zero();
  set.add_forces(mechanism.default_state(), motions({0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}),
                 out);
  EXPECT_EQ(out.on_bodies[1].norm(), 0);
}

TEST(ForceSet, JointForcesAreExpressionsOfTimeStatesAndParameters) {
  Fixture f;
  f.model.parameters.push_back({"k", 3, {}});
  add_force(
      f.model, "motor", "joint",
      {{"joint", 0}, {"damping", 2}, {"force", symbolic::parse("k*(1 - slide.q) + t + space.x")}});
  const Mechanism mechanism = f.compile();
  ForceSet set(mechanism);
  EXPECT_FALSE(set.needs_motions());
  State state = mechanism.default_state();
  state.t = 0.5;
  state.q[0] = 0.25;
  state.v[0] = -1;
  state.q[1 + 4] = 7;  // x of the free joint
  AppliedForces out(mechanism);
  set.add_forces(state, {}, out);
  EXPECT_DOUBLE_EQ(out.tau[0], 2 * 1 + 3 * 0.75 + 0.5 + 7);
  EXPECT_FALSE(out.any_on_bodies);
}

TEST(ForceSet, AppliedForceTurnsWithItsPointOrNot) {
  for (const bool in_point_axes : {false, true}) {
    Fixture f;
    const int tip =
        f.model.add_point("b.tip", f.b, {math::rotation(Vec3::UnitZ(), M_PI / 2), Vec3(1, 0, 0)});
    add_force(f.model, "push", "applied",
              {{"point", tip},
               {"force", std::array<Expr, 3>{1, 0, 0}},
               {"torque", std::array<Expr, 3>{0, 0, 5}},
               {"axes", std::string(in_point_axes ? "body" : "world")}});
    const Mechanism mechanism = f.compile();
    ForceSet set(mechanism);
    AppliedForces out(mechanism);
    set.add_forces(mechanism.default_state(), motions({0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}),
                   out);
    const Vec3 force_W = in_point_axes ? Vec3(0, 1, 0) : Vec3(1, 0, 0);
    EXPECT_LT((out.on_bodies[2].tail<3>() - force_W).norm(), 1e-15);
    EXPECT_LT((out.on_bodies[2].head<3>() - (Vec3(0, 0, 5) + Vec3(1, 0, 0).cross(force_W))).norm(),
              1e-15);
  }
}

TEST(ForceSet, PointGravityIsNewtonsLaw) {
  Fixture f;
  f.model.gravity = model::PointGravity{8, Vec3(0, 0, 1)};
  const Mechanism mechanism = f.compile();
  ForceSet set(mechanism);
  AppliedForces out(mechanism);
  const auto bodies = motions({0, 0, 3}, {0, 0, 0}, {0, 4, 1}, {0, 0, 0});
  set.add_forces(mechanism.default_state(), bodies, out);
  EXPECT_LT((out.on_bodies[1].tail<3>() - Vec3(0, 0, -2 * 8 / 4.0)).norm(), 1e-15);
  EXPECT_LT((out.on_bodies[2].tail<3>() - Vec3(0, -3 * 8 / 16.0, 0)).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(set.calc_potential_energy(mechanism.default_state(), bodies),
                   -2 * 8 / 2.0 - 3 * 8 / 4.0);
}

TEST(ForceSet, UnknownNamesAreExplained) {
  Fixture f;
  add_force(f.model, "motor", "joint", {{"joint", 0}, {"force", symbolic::parse("2*slid.q")}});
  const Mechanism mechanism = f.compile();
  try {
    ForceSet set(mechanism);
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_NE(std::string(error.what()).find("force 'motor' uses 'slid.q'"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("did you mean 'slide.q'?"), std::string::npos)
        << error.what();
  }
}

TEST(ForceSet, MotionsMayUseOnlyTimeAndParameters) {
  Fixture f;
  f.model.joints[0].motion = {symbolic::parse("sin(t) + space.x")};
  const Mechanism mechanism = f.compile();
  EXPECT_THROW(ForceSet set(mechanism), base::UserError);
}

}  // namespace
}  // namespace couplet::forces
