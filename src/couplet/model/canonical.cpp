#include "couplet/model/canonical.hpp"

#include <cmath>

namespace couplet::model {
namespace {

// Below this sine the common normal of two axes is too far away to be a good origin: distances grow
// as 1 / sin α and inertias with their square.
constexpr double well_conditioned = 0.2;
// Below this sine two axes are parallel to the last bit.
constexpr double parallel = 1e-15;

bool has_axis(const Link& link) {
  return link.kind == LinkKind::revolute || link.kind == LinkKind::helical;
}

// B of a link from the axis of one child, given as a line in G; false when ill conditioned.
bool align(const Pose& X_GChild, Pose& X_GB) {
  const Vec3 axis = X_GChild.R.col(2), origin = X_GChild.p;
  const Vec3 normal = Vec3::UnitZ().cross(axis);
  const double sine = normal.norm();
  Vec3 x;
  double s = 0;
  if (sine >= well_conditioned) {
    x = normal / sine;
    s = origin.cross(axis).dot(normal) / (sine * sine);  // foot of the common normal on our axis
  } else if (sine <= parallel) {
    x = Vec3(origin.x(), origin.y(), 0);
    if (x.norm() < 1e-12 * origin.norm() || x.norm() == 0)
      return false;  // same axis: any x will do
    x.normalize();
  } else {
    return false;
  }
  X_GB.R << x.x(), -x.y(), 0, x.y(), x.x(), 0, 0, 0, 1;
  X_GB.p = Vec3(0, 0, s);
  return true;
}

// Removes the rounding of right angles, so that zeros in the drawing are zeros in the numbers.
double snap(double x) {
  constexpr double rounding = 4e-16;
  for (const double exact : {-1.0, 0.0, 1.0})
    if (std::abs(x - exact) < rounding) return exact;
  return x;
}

}  // namespace

Mat3 turn_z_to(Primitive::Axis axis) {
  Mat3 C;
  switch (axis) {  // cyclic permutations of the axes: exact
    case Primitive::Axis::x:
      C << 0, 0, 1, 1, 0, 0, 0, 1, 0;
      break;
    case Primitive::Axis::y:
      C << 0, 1, 0, 0, 0, 1, 1, 0, 0;
      break;
    case Primitive::Axis::z:
      C.setIdentity();
      break;
  }
  return C;
}

std::vector<int> find_heirs(const std::vector<Link>& links) {
  std::vector<int> weight(links.size(), 1), heir(links.size(), -1);
  for (size_t i = links.size(); i-- > 0;) {
    const int parent = links[i].parent;
    if (parent < 0) continue;
    weight[parent] += weight[i];
    if (has_axis(links[i]) && (heir[parent] < 0 || weight[i] >= weight[heir[parent]]))
      heir[parent] = static_cast<int>(i);
  }
  return heir;
}

// The child that carries most links decides, since its branch is evaluated with the plain kernel.
void choose_link_frames(const std::vector<Link>& links, const std::vector<int>& heirs,
                        std::vector<RawLink>& raw) {
  for (size_t i = 0; i < links.size(); ++i)
    if (has_axis(links[i]) && heirs[i] >= 0) align(raw[heirs[i]].X_PG, raw[i].X_GB);
}

void set_link_pose(const Pose& X_PB, Link& link) {
  const Mat3& R = X_PB.R;
  LinkNumbers<double>& x = link.x;

  // R = Rz(β) Rx(α) Rz(θ0)
  const double sine = std::hypot(R(0, 2), R(1, 2));
  const bool is_parallel = sine <= parallel;
  double beta = is_parallel ? 0.0 : std::atan2(R(0, 2), -R(1, 2));
  if (std::abs(beta) < 4e-16) beta = 0;
  x.cos_beta = snap(std::cos(beta));
  x.sin_beta = snap(std::sin(beta));
  x.cos_alpha = snap(is_parallel ? (R(2, 2) > 0 ? 1.0 : -1.0) : R(2, 2));
  x.sin_alpha = snap(is_parallel ? 0.0 : sine);
  const Mat3 Rz_beta = math::rotation(Vec3::UnitZ(), beta);
  Mat3 Rx_alpha;
  Rx_alpha << 1, 0, 0, 0, x.cos_alpha, -x.sin_alpha, 0, x.sin_alpha, x.cos_alpha;
  const Mat3 Rz_theta = (Rz_beta * Rx_alpha).transpose() * R;
  x.theta0 = std::atan2(Rz_theta(1, 0), Rz_theta(0, 0));

  // p = Tz(b) Rz(β) (a, e, 0) + d * axis, with axis = Rz(β) (0, -sin α, cos α)
  const Vec3 p = Rz_beta.transpose() * X_PB.p;
  x.a = p.x();
  if (is_parallel) {
    x.d = x.cos_alpha * p.z();
    x.e = p.y();
    x.b = 0;
  } else if (sine >= well_conditioned) {
    x.d = -p.y() / x.sin_alpha;
    x.e = 0;
    x.b = p.z() - x.d * x.cos_alpha;
  } else {
    x.d = 0;
    x.e = p.y();
    x.b = p.z();
  }
  const double size = X_PB.p.norm() + std::abs(x.d);
  for (double* length : {&x.a, &x.e, &x.b, &x.d})
    if (std::abs(*length) < 1e-15 * size) *length = 0;  // rounding of the common normal
  x.px = X_PB.p.x(), x.py = X_PB.p.y(), x.pz = X_PB.p.z();
  link.plain = x.b == 0 && x.e == 0 && beta == 0;
}

}  // namespace couplet::model
