// A point stays on a curve of another body. The curve's parameter s is where the distance to the
// point is stationary: both directions normal to the curve there are closed.
#include <algorithm>
#include <array>
#include <cmath>

#include "couplet/constraints/entry.hpp"
#include "couplet/constraints/faults.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::constraints {
namespace {

using math::Pose;

class CurveRows final : public PairElement {
 public:
  explicit CurveRows(const Binding& b)
      : PairElement(b.point("on").body, b.point("point").body),
        X_AF_(b.point("on").X_BP),
        p_B_(b.point("point").X_BP.p),
        curve_(b.over(Expr::symbol("s"), b.element.expressions("curve"))),
        s_(b.element.number("s")) {
    start(b.now);
  }

  int position_rows() const override { return 2; }
  std::string direction(int row) const override {
    return row == 0 ? "first normal" : "second normal";
  }
  void evaluate(const BodyState& A, const BodyState& B, TimeAndParameters now, const char*,
                PairRow* rows) override;
  std::vector<double*> memory() override;

 private:
  /// Where the point was, and s there. Integrators go back and forth in time and far beyond steps
  /// that they reject later: the place to look first is that of the nearest point, not of the last
  /// one.
  struct Place {
    std::array<double, 3> p;  // in F
    double s;
  };

  void start(TimeAndParameters now);
  void choose_normals(TimeAndParameters now);
  std::span<const double> find(const Vec3& p_F, TimeAndParameters now);  // c, c', c'' there

  Pose X_AF_;
  Vec3 p_B_;
  SmallTape curve_;             // c, c', c'' of s, time and parameters (time is not used)
  double s_;                    // at the start, then at the last evaluation
  Vec3 across_ = Vec3::Zero();  // in F, normal to the plane that the curve bends in
  std::array<Place, 32> places_{};
  double next_ = 0;               // of `places_`, to be replaced
  std::vector<double> inputs_{};  // scratch
};

// One normal in the plane of the curve_, the other across_ it, all along: on a mechanism in that
// plane the second row is always the one that says nothing. Normals that turn about the tangent
// would let the first one vanish now and then, and its multiplier become infinite. The plane is
// that of c' and c'' where they are most different, of some places.
void CurveRows::choose_normals(TimeAndParameters now) {
  constexpr int samples = 16;
  inputs_.assign(1, s_);
  inputs_.insert(inputs_.end(), now.begin(), now.end());
  for (int k = 0; k < samples; ++k) {
    inputs_[0] = s_ + 0.7 * k;
    const std::span<const double> c = curve_.evaluate(inputs_);
    const Vec3 slope(c[3], c[4], c[5]), bend(c[6], c[7], c[8]), binormal = slope.cross(bend);
    if (binormal.allFinite() && binormal.norm() > across_.norm()) across_ = binormal;
  }
  if (across_.norm() > 0) across_.normalize();
}

// Columns: two normals and the tangent. Where that is along `across`, and on straight lines, any
// two will do.
math::Mat3 frame_of_curve(const Vec3& tangent, const Vec3& across) {
  const Vec3 in_plane = across.cross(tangent);
  if (in_plane.norm() < 0.1) return math::rotation_with_z(tangent);
  math::Mat3 R;
  R.col(0) = in_plane.normalized();
  R.col(1) = tangent.cross(R.col(0));
  R.col(2) = tangent;
  return R;
}

void CurveRows::start(TimeAndParameters now) {
  choose_normals(now);
  inputs_[0] = s_;
  const std::span<const double> c = curve_.evaluate(inputs_);
  places_.fill({{c[0], c[1], c[2]}, s_});
}

std::vector<double*> CurveRows::memory() {
  std::vector<double*> list{&s_, &next_};
  for (Place& place : places_)
    list.insert(list.end(), {&place.p[0], &place.p[1], &place.p[2], &place.s});
  return list;
}

// Newton on (p - c)·c' = 0.
std::span<const double> CurveRows::find(const Vec3& p_F, TimeAndParameters now) {
  constexpr int most = 50;
  constexpr double same = 1e-6;  // m: what derivatives by differences move
  const auto distance = [&](const Place& place) {
    return (p_F - Vec3(place.p.data())).squaredNorm();
  };
  Place* nearest = &*std::ranges::min_element(places_, {}, distance);
  inputs_.assign(1, nearest->s);
  inputs_.insert(inputs_.end(), now.begin(), now.end());
  std::span<const double> c = curve_.evaluate(inputs_);
  for (int k = 0; k < most; ++k) {
    const Vec3 d(p_F[0] - c[0], p_F[1] - c[1], p_F[2] - c[2]), slope(c[3], c[4], c[5]),
        bend(c[6], c[7], c[8]);
    double curvature = slope.squaredNorm() - d.dot(bend);
    if (curvature <= 0) curvature = slope.squaredNorm();  // Gauss-Newton where Newton would go away
    const double step = d.dot(slope) / curvature;
    if (!std::isfinite(step)) break;
    inputs_[0] += step;
    c = curve_.evaluate(inputs_);
    if (std::abs(step) <= 1e-15 * (1 + std::abs(inputs_[0]))) break;
  }
  s_ = inputs_[0];
  if (distance(*nearest) > same * same) {
    nearest = &places_[static_cast<size_t>(next_)];
    next_ = std::fmod(next_ + 1, static_cast<double>(places_.size()));
  }
  *nearest = {{p_F[0], p_F[1], p_F[2]}, s_};
  return c;
}

// With p on the curve, p' = c' ṡ, and the normals' own turning does not count.
void CurveRows::evaluate(const BodyState& A, const BodyState& B, TimeAndParameters now, const char*,
                         PairRow* rows) {
  const Pose X_WF = A.X() * X_AF_;
  const Vec3 p = B.X() * p_B_;
  const std::span<const double> c = find(X_WF.R.transpose() * (p - X_WF.p), now);
  const Vec3 on_curve = X_WF * Vec3(c[0], c[1], c[2]), slope = X_WF.R * Vec3(c[3], c[4], c[5]),
             bend = X_WF.R * Vec3(c[6], c[7], c[8]);
  const math::Mat3 R = X_WF.R * frame_of_curve(Vec3(c[3], c[4], c[5]).normalized(), across_);
  const RelativePoint relative(A, B, p);
  const double rate = relative.velocity.dot(slope) / slope.squaredNorm();
  for (int k = 0; k < 2; ++k) {
    rows[k] = {};
    rows[k].error = R.col(k).dot(p - on_curve);
    rows[k].force = R.col(k);
    rows[k].point = p;
    rows[k].bias = R.col(k).dot(relative.acceleration - rate * rate * bend);
  }
}

std::optional<model::Fault> find_fault(const model::Model& model, const Element& e) {
  bool moves = false;
  for (const Expr& x : e.expressions("curve"))
    for (const std::string& name : symbolic::find_symbols(x)) moves |= name == "s";
  if (!moves)
    return model::Fault{"has a curve that does not depend on s", "give [x, y, z] as functions of s",
                        "curve"};
  return find_one_body(model, e.point("point"), e.point("on"));
}

}  // namespace

template <>
const Entry& entry<struct OnCurve>() {
  using namespace model::keys;
  static const Entry made(
      {"on-curve",
       "a point stays on a curve of another body",
       {point("point", "that stays on the curve"), point("on", "in whose axes the curve is given"),
        expressions("curve", model::kinds::length, model::Uses::variable,
                    "[x, y, z] of s and parameters")
            .of("s", "a curve"),
        number("s", model::kinds::any, "where to look for the point at first").or_else(0)},
       find_fault},
      "{type: on-curve, point: tube.tip, on: wheel.hub, curve: [cos(s), sin(s), 0.2*s], s: 0.4}",
      [](const Binding& b) -> std::unique_ptr<PairElement> {
        return std::make_unique<CurveRows>(b);
      },
      {force});
  return made;
}

}  // namespace couplet::constraints
