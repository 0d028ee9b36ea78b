// A point stays on a straight line of another body: two rows normal to it.
#include "couplet/constraints/entry.hpp"
#include "couplet/constraints/faults.hpp"

namespace couplet::constraints {
namespace {

class LineRows final : public PairElement {
 public:
  explicit LineRows(const Binding& b)
      : PairElement(b.point("on").body, b.point("point").body),
        X_AF_(b.frame("on", "axis")),
        p_B_(b.point("point").X_BP.p) {}

  int position_rows() const override { return 2; }
  std::string direction(int row) const override {
    return row == 0 ? "translation along x" : "translation along y";
  }
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters, const char*,
                PairRow* rows) override {
    const math::Pose X_WF = A.X() * X_AF_;
    const Vec3 p = B.X() * p_B_;
    for (int k = 0; k < 2; ++k) rows[k] = along(A, X_WF.p, X_WF.R.col(k), B, p);
  }

 private:
  math::Pose X_AF_;  // its z axis is the line
  Vec3 p_B_;
};

}  // namespace

template <>
const Entry& entry<struct OnLine>() {
  using namespace model::keys;
  static const Entry made(
      {"on-line",
       "a point stays on a line of another body",
       {point("point", "that stays on the line"), point("on", "on the line"),
        axis("axis", "direction of the line, in the axes of `on`")},
       [](const model::Model& model, const Element& e) {
         return find_one_body(model, e.point("point"), e.point("on"));
       }},
      "{type: on-line, point: tube.tip, on: wheel.hub, axis: [1, 2, 2]}",
      [](const Binding& b) -> std::unique_ptr<PairElement> {
        return std::make_unique<LineRows>(b);
      },
      {force}, "on-plane");
  return made;
}

}  // namespace couplet::constraints
