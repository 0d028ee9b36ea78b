#include "couplet/dynamics/minimal/constraints/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"

namespace couplet::dynamics {
namespace {

using math::Pose;
constexpr const char* axis_names[] = {"x", "y", "z"};

}  // namespace

SmallTape::SmallTape(std::span<const symbolic::Expr> outputs,
                     std::span<const std::string> input_names)
    : tape_(outputs, input_names), outputs_(outputs.size()), registers_(tape_.register_count()) {}

std::span<const double> SmallTape::evaluate(std::span<const double> inputs) {
  tape_.evaluate(inputs, outputs_, registers_);
  return outputs_;
}

std::string CutElement::direction(int row) const {
  const model::Closure& equation = closure[static_cast<size_t>(row)];
  return equation.kind == model::Closure::Kind::along
             ? std::string("translation along ") + axis_names[equation.axis]
             : std::string("rotation about ") + axis_names[equation.turn()];
}

void CutElement::evaluate(const BodyState& A, const BodyState& B, TimeAndParameters,
                          const char* wanted, PairRow* rows) {
  const Pose X_WF = A.X() * X_AF, X_WM = B.X() * X_BM;
  for (const model::Closure& equation : closure) {
    PairRow& row = *rows++;
    if (!*wanted++) continue;
    const Vec3 axis = X_WF.R.col(equation.axis);
    row = equation.kind == model::Closure::Kind::along
              ? along(A, X_WF.p, axis, B, X_WM.p)
              : normal(A, axis, B, X_WM.R.col(equation.other));
  }
}

std::string LineElement::direction(int row) const {
  return std::string("translation along ") + axis_names[plane ? 2 : row];
}

void LineElement::evaluate(const BodyState& A, const BodyState& B, TimeAndParameters, const char*,
                           PairRow* rows) {
  const Pose X_WF = A.X() * X_AF;
  const Vec3 p = B.X() * p_B;
  if (plane) {
    rows[0] = along(A, X_WF.p, X_WF.R.col(2), B, p);
  } else {
    for (int k = 0; k < 2; ++k) rows[k] = along(A, X_WF.p, X_WF.R.col(k), B, p);
  }
}

void DistanceElement::evaluate(const BodyState& A, const BodyState& B, TimeAndParameters now,
                               const char*, PairRow* rows) {
  const std::span<const double> L = length.evaluate(now);
  rows[0] = distance(A, A.X() * p_A, B, B.X() * p_B, L[0], L[1], L[2]);
}

std::string CurveElement::direction(int row) const {
  return row == 0 ? "first normal" : "second normal";
}

// One normal in the plane of the curve, the other across it, all along: on a mechanism in that
// plane the second row is always the one that says nothing. Normals that turn about the tangent
// would let the first one vanish now and then, and its multiplier become infinite. The plane is
// that of c' and c'' where they are most different, of some places.
void CurveElement::choose_normals(TimeAndParameters now) {
  constexpr int samples = 16;
  inputs.assign(1, s);
  inputs.insert(inputs.end(), now.begin(), now.end());
  for (int k = 0; k < samples; ++k) {
    inputs[0] = s + 0.7 * k;
    const std::span<const double> c = curve.evaluate(inputs);
    const Vec3 slope(c[3], c[4], c[5]), bend(c[6], c[7], c[8]), binormal = slope.cross(bend);
    if (binormal.allFinite() && binormal.norm() > across.norm()) across = binormal;
  }
  if (across.norm() > 0) across.normalize();
}

namespace {

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

}  // namespace

void CurveElement::start(TimeAndParameters now) {
  choose_normals(now);
  inputs[0] = s;
  const std::span<const double> c = curve.evaluate(inputs);
  places.fill({{c[0], c[1], c[2]}, s});
}

std::vector<double*> CurveElement::memory() {
  std::vector<double*> list{&s, &next};
  for (Place& place : places)
    list.insert(list.end(), {&place.p[0], &place.p[1], &place.p[2], &place.s});
  return list;
}

// Newton on (p - c)·c' = 0.
std::span<const double> CurveElement::find(const Vec3& p_F, TimeAndParameters now) {
  constexpr int most = 50;
  constexpr double same = 1e-6;  // m: what derivatives by differences move
  const auto distance = [&](const Place& place) {
    return (p_F - Vec3(place.p.data())).squaredNorm();
  };
  Place* nearest = &*std::ranges::min_element(places, {}, distance);
  inputs.assign(1, nearest->s);
  inputs.insert(inputs.end(), now.begin(), now.end());
  std::span<const double> c = curve.evaluate(inputs);
  for (int k = 0; k < most; ++k) {
    const Vec3 d(p_F[0] - c[0], p_F[1] - c[1], p_F[2] - c[2]), slope(c[3], c[4], c[5]),
        bend(c[6], c[7], c[8]);
    double curvature = slope.squaredNorm() - d.dot(bend);
    if (curvature <= 0) curvature = slope.squaredNorm();  // Gauss-Newton where Newton would go away
    const double step = d.dot(slope) / curvature;
    if (!std::isfinite(step)) break;
    inputs[0] += step;
    c = curve.evaluate(inputs);
    if (std::abs(step) <= 1e-15 * (1 + std::abs(inputs[0]))) break;
  }
  s = inputs[0];
  if (distance(*nearest) > same * same) {
    nearest = &places[static_cast<size_t>(next)];
    next = std::fmod(next + 1, static_cast<double>(places.size()));
  }
  *nearest = {{p_F[0], p_F[1], p_F[2]}, s};
  return c;
}

// With p on the curve, p' = c' ṡ, and the normals' own turning does not count.
void CurveElement::evaluate(const BodyState& A, const BodyState& B, TimeAndParameters now,
                            const char*, PairRow* rows) {
  const Pose X_WF = A.X() * X_AF;
  const Vec3 p = B.X() * p_B;
  const std::span<const double> c = find(X_WF.R.transpose() * (p - X_WF.p), now);
  const Vec3 on_curve = X_WF * Vec3(c[0], c[1], c[2]), slope = X_WF.R * Vec3(c[3], c[4], c[5]),
             bend = X_WF.R * Vec3(c[6], c[7], c[8]);
  const math::Mat3 R = X_WF.R * frame_of_curve(Vec3(c[3], c[4], c[5]).normalized(), across);
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

std::string RollingElement::direction(int row) const {
  return row == 0 ? "contact" : row == 1 ? "slip along x" : "slip along y";
}

void RollingElement::evaluate(const BodyState& A, const BodyState& B, TimeAndParameters now,
                              const char*, PairRow* rows) {
  constexpr double flat = 1e-6;  // rad; there every point of the rim is as low as any other
  const Pose X_WF = A.X() * X_AF, X_WM = B.X() * X_BM;
  if (!ball && X_WF.R.col(2).cross(X_WM.R.col(2)).norm() < flat)
    throw base::ComputationError(
        fmt::format("t = {:.9g}: the wheel of {} lies flat: where it touches is not determined",
                    now[0], base::quoted(name)));
  const Contact contact{X_WF.R.col(2), ball ? Vec3::Zero() : Vec3(X_WM.R.col(2)), X_WF.p, X_WM.p,
                        radius};
  rolling(A, B, contact, X_WF.R.col(0), X_WF.R.col(1), rows);
}

}  // namespace couplet::dynamics
