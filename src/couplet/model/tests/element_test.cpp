// Elements that are described by data: values, defaults and what is refused.
#include "couplet/model/element.hpp"

#include <gtest/gtest.h>

#include "couplet/model/model.hpp"

namespace couplet::model {
namespace {

const ElementType& spring() {
  static const ElementType type{
      "spring",
      "pulls two points together",
      {keys::point("from", "one end"), keys::point("to", "the other end"),
       keys::expression("stiffness", kinds::stiffness, Uses::states, "force per length"),
       keys::number("rest", kinds::length, "length without force").or_else(0),
       keys::axis("axis", "of its plane"), keys::point("wheel", "a thin disc").one_of(1),
       keys::point("ball", "a sphere").one_of(1)},
      nullptr};
  return type;
}

TEST(Element, ValuesAreOfTheTypeOfTheirKey) {
  const Element e = make_element(
      spring(), "s",
      {{"from", 3}, {"to", 4}, {"stiffness", 20}, {"axis", math::Vec3(0, 3, 4)}, {"ball", 5}});
  EXPECT_EQ(e.point("from"), 3);
  EXPECT_EQ(e.expression("stiffness"), Expr(20));
  EXPECT_EQ(e.number("rest"), 0);  // by default
  EXPECT_FALSE(e.has("wheel"));
  EXPECT_TRUE(e.has("ball"));
  EXPECT_LT((e.axes("axis").col(2) - Vec3(0, 0.6, 0.8)).norm(), 1e-15);
}

TEST(Element, WithoutAnAxisFramesAreNotTurned) {
  const Element e =
      make_element(spring(), "s", {{"from", 3}, {"to", 4}, {"stiffness", 20}, {"ball", 5}});
  EXPECT_EQ(e.axes("axis"), Mat3(Mat3::Identity()));
}

template <class Function>
std::string refusal(const Function& function) {
  try {
    function();
  } catch (const base::UserError& error) {
    return error.diagnostics()[0].what + " / " + error.diagnostics()[0].fix;
  }
  return "";
}

TEST(Element, RefusesWhatTheTypeDoesNotKnow) {
  EXPECT_EQ(refusal([] {
              make_element(spring(), "s", {{"form", 3}});
            }),
            "spring 's' has no key 'form' / did you mean 'from'?");
  EXPECT_EQ(refusal([] {
              make_element(spring(), "s", {{"from", 3}});
            }),
            "spring 's' has no 'to' / add the key to");
  EXPECT_EQ(refusal([] {
              make_element(spring(), "s", {{"from", 3}, {"to", 4}, {"stiffness", 1}});
            }),
            "spring 's' has 0 of its choices like 'wheel' / give one of them");
  EXPECT_EQ(refusal([] {
              make_element(spring(), "s", {{"from", 1.5}});
            }),
            "the value of 'from' in spring 's' is of another type / one end");
}

TEST(Element, DependsOnTheCoordinatesThatItNames) {
  static const ElementType gear{"gear",
                                "couples turns",
                                {keys::coordinates("joints", 2, Moves::turns, "that turn together"),
                                 keys::terms("sum", "of coordinates")},
                                nullptr};
  Model model;
  const MassProperties mass{1, Vec3::Zero(), Mat3::Identity()};
  model.add_body("a", mass);
  model.add_body("b", mass);
  model.add_joint("j", JointType::revolute, 0, 1);
  model.add_joint("k", JointType::cylindrical, 1, 2);
  const Element e = make_element(gear, "g",
                                 {{"joints", std::vector<Coordinate>{{0, 0}, {1, 0}}},
                                  {"sum", std::vector<Term>{{{1, 1}, 2}}}});
  EXPECT_EQ(find_expressions(model, e),
            (std::vector<Expr>{Expr::symbol("j.q"), Expr::symbol("k.q1"), Expr::symbol("k.q2")}));
  EXPECT_TRUE(is_angle(model, {1, 0}));
  EXPECT_FALSE(is_angle(model, {1, 1}));
}

}  // namespace
}  // namespace couplet::model
