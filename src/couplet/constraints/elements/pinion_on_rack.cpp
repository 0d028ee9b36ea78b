// A pinion on one body rolls along a rack on another, wherever the two are in the mechanism: the
// teeth forbid sliding along the rack. With t the direction of the rack, n from the rack to the
// pinion and c the centre of the pinion, its lowest point ρ = -r n has no velocity along t relative
// to the rack:
//   0 = t·(v_B(c + ρ) - v_A(c + ρ)).
// That is the slip row of a ball of radius r, which turns about t × n only. What keeps the pinion
// at the rack are its bearings.
#include <fmt/format.h>

#include <cmath>

#include "couplet/constraints/entry.hpp"
#include "couplet/constraints/faults.hpp"

namespace couplet::constraints {
namespace {

/// A frame on the rack: x along it, y towards the pinion, z is the pinion's axis.
math::Mat3 rack_axes(const Element& e) {
  math::Mat3 R;
  R.col(0) = std::get<Vec3>(e.value("along"));
  R.col(2) = std::get<Vec3>(e.value("axis"));
  R.col(1) = R.col(2).cross(R.col(0));
  return R;
}

class PinionRow final : public PairElement {
 public:
  explicit PinionRow(const Binding& b)
      : PairElement(b.point("rack").body, b.point("pinion").body),
        X_AF_(b.point("rack").X_BP * math::Pose{rack_axes(b.element), Vec3::Zero()}),
        p_B_(b.point("pinion").X_BP.p),
        radius_(b.element.number("radius")) {}

  int position_rows() const override { return 0; }
  int slip_rows() const override { return 1; }
  std::string direction(int) const override { return "slip along the rack"; }
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters, const char*,
                PairRow* rows) override {
    const math::Pose X_WF = A.X() * X_AF_;
    const Contact contact{X_WF.R.col(1), Vec3::Zero(), X_WF.p, B.X() * p_B_, radius_};
    PairRow all[3];
    rolling(A, B, contact, X_WF.R.col(0), X_WF.R.col(2), all);
    rows[0] = all[1];
  }

 private:
  math::Pose X_AF_;
  Vec3 p_B_;
  double radius_;
};

std::optional<model::Fault> find_fault(const model::Model& model, const Element& e) {
  constexpr double oblique = 1e-6;  // what people lose by writing six digits
  if (auto fault = find_not_positive(e, "radius", "give a radius > 0")) return fault;
  const double cosine = std::get<Vec3>(e.value("along")).dot(std::get<Vec3>(e.value("axis")));
  if (std::abs(cosine) > oblique)
    return model::Fault{
        fmt::format("has a pinion whose axis is not normal to the rack (cosine {:.3g})", cosine),
        "give axes that are normal to each other", "axis"};
  return find_one_body(model, e.point("pinion"), e.point("rack"));
}

}  // namespace

template <>
const Entry& entry<struct PinionOnRack>() {
  using namespace model::keys;
  static const Entry made(
      {"pinion-on-rack",
       "a pinion on one body rolls along a rack on another",
       {point("pinion", "its centre"), number("radius", model::kinds::length, "of the pinion; > 0"),
        point("rack", "on the rack"),
        axis("along", "direction of the rack, in the axes of `rack`; x by default")
            .or_else(Vec3(Vec3::UnitX())),
        axis("axis",
             "of the pinion, in the axes of `rack`; the pinion is on the side axis × along")},
       find_fault},
      "{type: pinion-on-rack, pinion: tube.tip, radius: 20 cm, rack: wheel.hub, along: y, axis: x}",
      [](const Binding& b) -> std::unique_ptr<PairElement> {
        return std::make_unique<PinionRow>(b);
      },
      {force});
  return made;
}

}  // namespace couplet::constraints
