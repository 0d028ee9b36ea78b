// A wheel (a thin disc about its axis) or a ball rolls without slip on a plane of another body: one
// row keeps contact, two forbid sliding.
#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/constraints/entry.hpp"
#include "couplet/constraints/faults.hpp"

namespace couplet::constraints {
namespace {

using math::Pose;

class RollingRows final : public PairElement {
 public:
  explicit RollingRows(const Binding& b) : RollingRows(b, b.element.has("ball")) {}

  int position_rows() const override { return 1; }
  int slip_rows() const override { return 2; }
  std::string direction(int row) const override {
    return row == 0 ? "contact" : row == 1 ? "slip along x" : "slip along y";
  }
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters now, const char*,
                PairRow* rows) override {
    constexpr double flat = 1e-6;  // rad; there every point of the rim is as low as any other
    const Pose X_WF = A.X() * X_AF_, X_WM = B.X() * X_BM_;
    if (!ball_ && X_WF.R.col(2).cross(X_WM.R.col(2)).norm() < flat)
      throw base::ComputationError(
          fmt::format("t = {:.9g}: the wheel of {} lies flat: where it touches is not determined",
                      now[0], base::quoted(name_)));
    const Contact contact{X_WF.R.col(2), ball_ ? Vec3::Zero() : Vec3(X_WM.R.col(2)), X_WF.p, X_WM.p,
                          radius_};
    rolling(A, B, contact, X_WF.R.col(0), X_WF.R.col(1), rows);
  }

 private:
  RollingRows(const Binding& b, bool ball)
      : PairElement(b.point("on").body, b.point(ball ? "ball" : "wheel").body),
        name_(b.element.name),
        X_AF_(b.frame("on", "normal")),
        X_BM_(b.frame(ball ? "ball" : "wheel", "axis")),
        radius_(b.element.number("radius")),
        ball_(ball) {}

  std::string name_;
  Pose X_AF_;  // plane: z is its normal
  Pose X_BM_;  // wheel: z is its axis
  double radius_;
  bool ball_;
};

std::optional<model::Fault> find_fault(const model::Model& model, const Element& e) {
  if (auto fault = find_not_positive(e, "radius", "give a radius > 0")) return fault;
  return find_one_body(model, e.point(e.has("ball") ? "ball" : "wheel"), e.point("on"));
}

}  // namespace

template <>
const Entry& entry<struct Rolling>() {
  using namespace model::keys;
  static const Entry made(
      {"rolling",
       "a wheel or a ball rolls on a plane of another body, without slip",
       {point("wheel", "centre of a thin disc").one_of(1),
        point("ball", "centre of a ball").one_of(1), number("radius", model::kinds::length, "> 0"),
        point("on", "in the plane"),
        axis("axis", "of the wheel, in the axes of `wheel`").with("wheel"),
        axis("normal", "of the plane, in the axes of `on`")},
       find_fault},
      "{type: rolling, wheel: tube.tip, radius: 30 cm, on: world.post, axis: [2, 1, 2], normal: y}",
      [](const Binding& b) -> std::unique_ptr<PairElement> {
        return std::make_unique<RollingRows>(b);
      },
      {force});
  return made;
}

}  // namespace couplet::constraints
