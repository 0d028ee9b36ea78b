// A point stays in a plane of another body: one row along its normal.
#include "couplet/constraints/entry.hpp"
#include "couplet/constraints/faults.hpp"

namespace couplet::constraints {
namespace {

class PlaneRow final : public PairElement {
 public:
  explicit PlaneRow(const Binding& b)
      : PairElement(b.point("on").body, b.point("point").body),
        X_AF_(b.frame("on", "normal")),
        p_B_(b.point("point").X_BP.p) {}

  int position_rows() const override { return 1; }
  std::string direction(int) const override { return "translation along z"; }
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters, const char*,
                PairRow* rows) override {
    const math::Pose X_WF = A.X() * X_AF_;
    rows[0] = along(A, X_WF.p, X_WF.R.col(2), B, B.X() * p_B_);
  }

 private:
  math::Pose X_AF_;  // its z axis is the normal
  Vec3 p_B_;
};

}  // namespace

template <>
const Entry& entry<struct OnPlane>() {
  using namespace model::keys;
  static const Entry made({"on-plane",
                           "a point stays in a plane of another body",
                           {point("point", "that stays in the plane"), point("on", "in the plane"),
                            axis("normal", "of the plane, in the axes of `on`")},
                           [](const model::Model& model, const Element& e) {
                             return find_one_body(model, e.point("point"), e.point("on"));
                           }},
                          "{type: on-plane, point: tube.tip, on: wheel.hub, normal: [0, 3, 4]}",
                          [](const Binding& b) -> std::unique_ptr<PairElement> {
                            return std::make_unique<PlaneRow>(b);
                          },
                          {force});
  return made;
}

}  // namespace couplet::constraints
