// Which joints are cut, what is said when that cannot be, and bodies that are split so that a joint
// keeps its coordinates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "couplet/model/cut_joint.hpp"
#include "couplet/model/spanning_tree.hpp"

namespace couplet::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const MassProperties some_mass{2, Vec3(0.1, 0.2, 0.3), Vec3(1, 2, 2.5).asDiagonal()};

/// Bodies a, b, c, … and joints between them, by name.
struct Builder {
  Model model;

  int body(const std::string& name) {
    if (const auto found = model.find_body(name)) return *found;
    return model.add_body(name, some_mass);
  }
  Joint& joint(const std::string& name, const std::string& from, const std::string& to,
               JointType type = JointType::revolute) {
    const int a = model.bodies[body(from)].origin, b = model.bodies[body(to)].origin;
    return model.add_joint(name, type, a, b);
  }
};

// world - a - b - c - world
Builder four_bar() {
  Builder bar;
  bar.joint("j1", "world", "a");
  bar.joint("j2", "a", "b");
  bar.joint("j3", "b", "c");
  bar.joint("j4", "c", "world");
  return bar;
}

std::optional<Fault> no_fault(const Model&, const Element&) { return std::nullopt; }

Element force_in(int joint) {
  static const ElementType motor{"joint", "", {keys::joint("joint", "")}, no_fault};
  return make_element(motor, "motor", {{"joint", joint}});
}

std::vector<std::string> names_of_cuts(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const CutJoint& cut : mechanism.cuts)
    names.push_back(mechanism.model->joints[cut.joint].name);
  return names;
}

std::vector<std::string> loop_of(const Mechanism& mechanism, size_t cut) {
  std::vector<std::string> names;
  for (const int joint : find_loop(mechanism, mechanism.cuts[cut]))
    names.push_back(mechanism.model->joints[joint].name);
  return names;
}

std::string complaint_about(Model model) {
  try {
    compile(std::move(model));
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Loops, AreCutFarFromTheWorld) {
  const Mechanism mechanism = compile(four_bar().model);
  EXPECT_EQ(mechanism.nv, 3);
  EXPECT_THAT(names_of_cuts(mechanism), ElementsAre("j3"));
  EXPECT_THAT(loop_of(mechanism, 0), ElementsAre("j2", "j1", "j4", "j3"));  // b - a - world - c - b
  EXPECT_EQ(mechanism.joint_slot[2], -1);
}

TEST(Loops, AreCutWhereFewestEquationsAreLeft) {
  Builder bar = four_bar();
  bar.model.joints[0].type = JointType::universal;
  bar.model.joints[1].type = JointType::cylindrical;
  EXPECT_THAT(names_of_cuts(compile(bar.model)),
              ElementsAre("j2"));  // of two with two freedoms, the farther one
  bar.model.joints[2].type = JointType::spherical;
  EXPECT_THAT(names_of_cuts(compile(bar.model)), ElementsAre("j3"));
}

TEST(Loops, OfManyFourBarsAreShort) {
  constexpr int n = 40;
  Builder ladder;
  for (int i = 0; i <= n; ++i)
    ladder.joint("A" + std::to_string(i), "world", "up" + std::to_string(i));
  for (int i = 0; i < n; ++i) {
    const std::string number = std::to_string(i);
    ladder.joint("B" + number, "up" + number, "over" + number);
    ladder.joint("C" + number, "over" + number, "up" + std::to_string(i + 1));
  }
  const Mechanism mechanism = compile(ladder.model);
  ASSERT_EQ(mechanism.cuts.size(), n);
  for (size_t i = 0; i < n; ++i) EXPECT_EQ(loop_of(mechanism, i).size(), 4u);
}

TEST(Loops, OfALadderGoDownBothRailsToTheWorld) {
  constexpr int n = 20;  // two rails of links, a rung between each pair of them
  Builder ladder;
  for (int i = 0; i < n; ++i) {
    const auto name = [&](const char* side, int k) {
      return k < 0 ? "world" : side + std::to_string(k);
    };
    ladder.joint("l" + std::to_string(i), name("left", i - 1), name("left", i));
    ladder.joint("r" + std::to_string(i), name("right", i - 1), name("right", i));
    ladder.joint("m" + std::to_string(i), name("left", i), "rung" + std::to_string(i));
    ladder.joint("n" + std::to_string(i), "rung" + std::to_string(i), name("right", i));
  }
  const Mechanism mechanism = compile(ladder.model);
  ASSERT_EQ(mechanism.cuts.size(), n);
  for (size_t i = 0; i < n; ++i)  // the tree goes up both rails, a rung hangs on one of them
    EXPECT_EQ(loop_of(mechanism, i).size(), 2 * (i + 1) + 2);
}

TEST(Loops, OfSixBarsAreCutOppositeTheWorld) {  // as Bricard's
  Builder ring;
  const std::vector<std::string> bodies = {"world", "r1", "r2", "r3", "r4", "r5", "world"};
  for (size_t i = 0; i < 6; ++i) ring.joint("j" + std::to_string(i), bodies[i], bodies[i + 1]);
  EXPECT_THAT(names_of_cuts(compile(ring.model)), ElementsAre("j3"));
}

TEST(Loops, ADoorMayHangOnTwoHinges) {
  Builder door;
  door.joint("upper", "world", "door");
  door.joint("lower", "world", "door");
  const Mechanism mechanism = compile(door.model);
  EXPECT_THAT(names_of_cuts(mechanism), ElementsAre("lower"));
  EXPECT_THAT(loop_of(mechanism, 0), ElementsAre("upper", "lower"));
  EXPECT_EQ(mechanism.nv, 1);
}

TEST(Loops, AreCutWhereTheUserSays) {
  Builder bar = four_bar();
  bar.model.joints[0].cut = true;
  EXPECT_THAT(names_of_cuts(compile(bar.model)), ElementsAre("j1"));
  bar = four_bar();
  bar.model.joints[2].cut = false;
  EXPECT_THAT(names_of_cuts(compile(bar.model)), ElementsAre("j2"));
}

TEST(Loops, CannotBeCutWhereThereIsNone) {
  Builder bar = four_bar();
  bar.joint("tail", "c", "d").cut = true;
  EXPECT_EQ(complaint_about(bar.model),
            "error: joint 'tail' is to be cut, but no other joint would hold body 'd'\n"
            "  fix: remove `cut: true`; of a loop, one joint is cut");
  bar = four_bar();
  bar.model.joints[1].cut = bar.model.joints[2].cut = true;
  EXPECT_THAT(complaint_about(bar.model),
              HasSubstr("joint 'j2' is to be cut, but no other joint would hold body 'b'"));
}

TEST(Loops, MustBeCutSomewhere) {
  Builder bar = four_bar();
  for (Joint& joint : bar.model.joints) joint.cut = false;
  bar.joint("tail", "c", "d");
  EXPECT_EQ(complaint_about(bar.model),
            "error: joints 'j3', 'j4', 'j1', 'j2' form a loop, and none of them may be cut\n"
            "  fix: remove `cut: false` from one of them");
}

TEST(Loops, KeepJointsThatCannotBeTurnedRoundPointingOutward) {
  Builder bar;  // the ball joint points inward on any tree that holds it and j1, j2
  bar.joint("j1", "world", "a");
  bar.joint("j2", "a", "b");
  bar.joint("ball", "c", "b", JointType::universal);
  bar.joint("j4", "world", "c", JointType::spherical);
  const Mechanism mechanism =
      compile(bar.model);  // spherical has more freedoms, but then `ball` would be reversed
  EXPECT_THAT(names_of_cuts(mechanism), ElementsAre("ball"));

  Builder chain;
  chain.joint("j1", "world", "a");
  chain.joint("ball", "b", "a", JointType::spherical);
  EXPECT_THAT(complaint_about(chain.model), HasSubstr("swap `from` and `to`"));
}

TEST(Loops, LeaveTreesAsTheyAre) {  // depth first in the order of the file
  Builder tree;
  tree.joint("b", "world", "b", JointType::spherical);
  tree.joint("a", "b", "a");
  tree.joint("c", "world", "c", JointType::weld);
  tree.joint("d", "c", "d", JointType::planar);
  tree.joint("e", "b", "e", JointType::free);
  const Mechanism mechanism = compile(tree.model);
  std::vector<std::string> order;
  for (const TreeJoint& slot : mechanism.joints)
    order.push_back(mechanism.model->joints[slot.joint].name);
  EXPECT_THAT(order, ElementsAre("b", "a", "e", "c", "d"));
  EXPECT_FALSE(mechanism.constrained());
}

// ---- joints that keep their coordinates

TEST(SplitBodies, JointsWithoutFeaturesAreCutFirst) {
  Builder bar = four_bar();
  bar.model.joints[2].limits = {{-1, 1}};
  bar.model.forces.emplace_back(force_in(1));
  const Mechanism mechanism = compile(bar.model);
  EXPECT_THAT(names_of_cuts(mechanism), ElementsAre("j4"));
  EXPECT_EQ(mechanism.model->bodies.size(), 4u);
}

/// A four-bar whose joints all matter: what each of them has, in the order of
/// `Builder::model.joints`.
Builder busy_four_bar() {
  Builder bar = four_bar();
  bar.model.joints[0].q0 = {0.3};
  bar.model.joints[1].friction = Friction{.coefficient = 0.1, .radius = 0.01};
  bar.model.outputs.push_back({"angle", "rad", 2 * Expr::symbol("j3.q"), {}});
  bar.model.joints[3].motion = {Expr::symbol("t")};
  return bar;
}

TEST(SplitBodies, EveryFeatureKeepsItsJoint) {
  const auto kept =
      [](auto change) {  // j4 is to be cut, and has something that needs its coordinates
        Builder bar = four_bar();
        bar.model.joints[3].cut = true;
        change(bar.model, bar.model.joints[3]);
        const Mechanism mechanism = compile(bar.model);
        EXPECT_EQ(mechanism.cuts.size(), 1u);
        return mechanism.joint_slot[3] >= 0 &&
               mechanism.model->joints[mechanism.cuts[0].joint].type == JointType::weld;
      };
  EXPECT_FALSE(kept([](Model&, Joint&) {}));
  EXPECT_TRUE(kept([](Model&, Joint& j) { j.limits = {{-1, 1}}; }));
  EXPECT_TRUE(
      kept([](Model&, Joint& j) { j.friction = Friction{.coefficient = 0.1, .radius = 0.01}; }));
  EXPECT_TRUE(kept([](Model&, Joint& j) { j.motion = {Expr::symbol("t")}; }));
  EXPECT_TRUE(kept([](Model&, Joint& j) { j.q0 = {0.1}; }));
  EXPECT_TRUE(kept([](Model&, Joint& j) { j.v0 = {0.1}; }));
  EXPECT_TRUE(kept([](Model&, Joint& j) { j.type = JointType::screw, j.pitch = 0.1; }));
  EXPECT_TRUE(kept([](Model&, Joint& j) { j.mimic = Mimic{0, 2, 0}; }));
  EXPECT_TRUE(kept([](Model& m, Joint&) { m.joints[0].mimic = Mimic{3, 2, 0}; }));
  EXPECT_TRUE(kept([](Model& m, Joint&) { m.forces.emplace_back(force_in(3)); }));
  EXPECT_TRUE(kept([](Model& m, Joint&) {
    static const ElementType push{
        "push", "", {keys::expression("force", kinds::force, Uses::states, "")}, no_fault};
    m.forces.push_back(make_element(push, "push", {{"force", Expr::symbol("j4.q")}}));
  }));
  EXPECT_TRUE(kept([](Model& m, Joint&) {
    static const ElementType relation{
        "relation",
        "",
        {keys::expression("value", kinds::any, Uses::positions, "")},
        [](const Model&, const Element&) -> std::optional<Fault> { return std::nullopt; }};
    m.constraints.push_back(make_element(relation, "c", {{"value", Expr::symbol("j4.q")}}));
  }));
  EXPECT_TRUE(kept([](Model& m, Joint&) {
    EventRule rule;
    rule.resets.emplace_back("j4.v", 0);
    m.rules.push_back(rule);
  }));
}

TEST(SplitBodies, HalvesAreNamedAndJoinedByACutWeld) {
  Builder bar = busy_four_bar();
  bar.model.joints[2].cut = true;
  const Mechanism mechanism = compile(bar.model);
  const Model& model = *mechanism.model;
  EXPECT_THAT(names_of_cuts(mechanism), ElementsAre("c (split)"));
  ASSERT_EQ(model.bodies.size(), 5u);
  EXPECT_EQ(model.bodies[4].name, "c (half)");
  EXPECT_EQ(model.bodies[4].half_of, 3);
  EXPECT_EQ(model.points[model.joints[2].to].body, 4);
  EXPECT_GE(mechanism.joint_slot[2], 0);
  EXPECT_EQ(mechanism.nv, 4);
  EXPECT_THAT(loop_of(mechanism, 0), ElementsAre("j4", "j1", "j2", "j3", "c (split)"));
}

TEST(SplitBodies, TheWeldIsInTheFrameOfItsJoint) {
  for (const bool backwards : {false, true}) {
    Builder bar = four_bar();
    Joint& joint = bar.model.joints[2];
    joint.cut = true;
    joint.limits = {{-1, 1}};
    joint.R_axes = math::rotation(Vec3::UnitX(), 0.5);
    if (backwards) bar.model.bodies[3].mass = {};  // then b is split
    const Pose X_BP{math::rotation(Vec3::UnitY(), 0.3), Vec3(1, 2, 3)};
    const int body = backwards ? 2 : 3;
    (backwards ? joint.from : joint.to) = bar.model.add_point("p", body, X_BP);
    const Mechanism mechanism = compile(bar.model);
    const CutJoint& weld = mechanism.cuts.at(0);
    EXPECT_EQ(mechanism.model->joints[weld.joint].split_for, 2);
    EXPECT_EQ(weld.from_body, body);
    EXPECT_EQ(weld.to_body, 4);
    const Pose expected = X_BP * Pose{bar.model.joints[2].R_axes, Vec3::Zero()};
    for (const Pose& X : {weld.X_AF, weld.X_BM}) {
      EXPECT_LT((X.R - expected.R).norm(), 1e-15);
      EXPECT_LT((X.p - expected.p).norm(), 1e-15);
    }
  }
}

TEST(SplitBodies, MessagesNameTheWholeBody) {
  Builder bar;  // all have features, and the ball joint points to the world
  bar.joint("j1", "world", "a").q0 = {0.1};
  bar.joint("j2", "a", "b").q0 = {0.1};
  bar.joint("ball", "b", "world", JointType::spherical).friction =
      Friction{.coefficient = 0.1, .radius = 0.01};
  EXPECT_EQ(complaint_about(bar.model),
            "error: spherical joint 'ball' points from body 'b' back to body 'world', which "
            "carries it; a spherical joint "
            "can be run through in one direction only\n  fix: swap `from` and `to`");
}

TEST(CutJoints, AreNamedWhenTheirCoordinatesAreAskedFor) {
  Builder bar = four_bar();
  bar.model.joints[3].cut = true;
  bar.model.joints[3].name = "far end";
  const Mechanism mechanism = compile(bar.model);
  for (const std::string name :
       {"far end", "far end.q", "'far end'.q", "far end.v", "far end.vdot"})
    try {
      check_has_coordinates(mechanism, Expr::symbol(name).name());
      ADD_FAILURE() << name;
    } catch (const base::UserError& error) {
      EXPECT_STREQ(error.what(),
                   "error: joint 'far end' closes a loop and has no coordinates of its own\n"
                   "  fix: write `cut: false` at this joint, so that another one is cut");
    }
  for (const char* name : {"j1", "j1.q", "far", "far end.force.x", "far end.q2"})
    EXPECT_NO_THROW(check_has_coordinates(mechanism, name)) << name;
}

TEST(SplitBodies, TheHalfIsOnTheSideThatCanCarryIt) {
  Builder bar = four_bar();  // j4 goes from c to the world, which cannot be split
  bar.model.joints[3].cut = true;
  bar.model.joints[3].limits = {{-1, 1}};
  EXPECT_EQ(compile(bar.model).model->bodies[4].name, "c (half)");

  bar = four_bar();  // c weighs nothing: half of it would neither
  bar.model.joints[2].cut = true;
  bar.model.joints[2].limits = {{-1, 1}};
  bar.model.bodies[3].mass = {};
  EXPECT_EQ(compile(bar.model).model->bodies[4].name, "b (half)");
}

TEST(SplitBodies, MassCentreAndInertiaStayTheSame) {
  Builder star;  // one body with three legs: two of them close loops, and every joint matters
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i);
    star.joint("foot" + number, "world", "leg" + number).limits = {{-1, 1}};
    star.joint("hip" + number, "leg" + number, "plate").limits = {{-1, 1}};
  }
  const Mechanism mechanism = compile(star.model);
  ASSERT_EQ(mechanism.cuts.size(), 2u);
  EXPECT_THAT(names_of_cuts(mechanism), ElementsAre("plate (split)", "plate (split 2)"));
  const int plate = *mechanism.model->find_body("plate");
  MassProperties total;
  for (const Body& body : mechanism.model->bodies)
    if (body.half_of == plate || body.name == "plate") {
      EXPECT_NEAR(body.mass.mass, some_mass.mass / 3, 1e-15);
      total = total + body.mass;
    }
  EXPECT_NEAR(total.mass, some_mass.mass, 1e-15);
  EXPECT_LT((total.com - some_mass.com).norm(), 1e-15);
  EXPECT_LT((total.inertia - some_mass.inertia).norm(), 1e-15);
}

TEST(SplitBodies, NamesThatAreTakenAreAvoided) {
  Builder bar = busy_four_bar();
  bar.model.joints[2].cut = true;
  bar.joint("c (split)", "world", "c (half)");
  const Mechanism mechanism = compile(bar.model);
  EXPECT_THAT(names_of_cuts(mechanism), ElementsAre("c (split 2)"));
  EXPECT_TRUE(mechanism.model->find_body("c (half 2)"));
}

}  // namespace
}  // namespace couplet::model
