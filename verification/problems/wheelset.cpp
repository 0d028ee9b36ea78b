#include "problems/wheelset.hpp"

#include <Eigen/LU>
#include <array>
#include <cmath>

#include "couplet/base/diagnostics.hpp"

namespace couplet::verification {
namespace {

using Eigen::Vector2d, Eigen::Vector3d, Eigen::Vector4d;
using Vec5 = Eigen::Matrix<double, 5, 1>;

// Data of the test set, SI units; its π has eight digits.
constexpr double mass_ = 16.08, inertia_spin = 0.0605, inertia = 0.366, gravity = 9.81, speed = 30,
                 radius = 0.1, spring_x = 6400, spring_z = 6400, spring_arm = 0.19;
constexpr double cone = 0.0262, half_gauge = 0.1506, rail_radius = 0.06;
constexpr double friction = 0.12, shear_modulus = 7.92e10, poisson = 0.28, hertz_e = 1.3537956,
                 hertz_g = 0.7115218, kalker_11 = 4.72772197, kalker_22 = 4.27526987,
                 kalker_23 = 1.97203505, pi = 3.1415926;

/// A profile over the lateral coordinate: height and its derivatives.
struct Profile {
  double value, slope, curvature;
};

Profile wheel(double xi) {  // a cone
  const double slope = std::tan(cone);
  return {radius + slope * (half_gauge - std::abs(xi)), std::copysign(slope, -xi), 0};
}

Profile rail(double x) {  // a circle
  const double from_middle = std::abs(x) - half_gauge - std::sin(cone) * rail_radius;
  const double height2 = rail_radius * rail_radius - from_middle * from_middle;
  if (!(height2 > 0)) throw base::ComputationError("the wheelset is off the rails");
  const double height = std::sqrt(height2);
  return {height - radius - std::cos(cone) * rail_radius,
          std::copysign(1.0, x) * -from_middle / height,
          -rail_radius * rail_radius / (height * height2)};
}

/// Where one wheel touches its rail, side = 1 on the left, where ξ > 0, and -1 on the right.
struct Contact {
  double side, xi;
  double sin_psi, cos_psi, sin_theta, cos_theta, sin_phi, cos_phi;
  Profile wheel, rail;
  double delta;  // angle of the plane of contact

  double gap() const {
    return rail.value - xi * sin_phi + wheel.value * cos_phi * cos_psi;
  }                   // less y
  Vec5 row() const {  // of G
    const double r = wheel.value, along = cos_theta * sin_psi + cos_psi * sin_phi * sin_theta;
    Vec5 row;
    row << rail.slope, -1, 0, -rail.slope * (r * along + cos_phi * sin_theta * xi),
        -cos_psi * r * sin_phi - cos_phi * xi +
            rail.slope * cos_theta * (cos_phi * cos_psi * r - sin_phi * xi);
    return row;
  }
  Vector2d conditions() const {  // normals of wheel and rail are parallel
    const double across = wheel.slope * cos_phi - sin_phi * cos_psi;
    return {rail.slope * (wheel.slope * sin_phi + cos_phi * cos_psi) + across * cos_theta +
                sin_theta * sin_psi,
            across * sin_theta - cos_theta * sin_psi};
  }
};

Contact contact_of(double side, const VecX& y, double psi, double xi) {
  Contact c{side,
            xi,
            std::sin(psi),
            std::cos(psi),
            std::sin(y[3]),
            std::cos(y[3]),
            std::sin(y[4]),
            std::cos(y[4]),
            wheel(xi),
            {},
            0};
  c.rail = rail(y[0] + xi * c.cos_theta * c.cos_phi +
                c.wheel.value * (c.cos_theta * c.sin_phi * c.cos_psi - c.sin_theta * c.sin_psi));
  const double across = (c.wheel.slope * c.cos_phi - c.sin_phi * c.cos_psi) * c.cos_theta +
                        c.sin_psi * c.sin_theta,
               up = c.wheel.slope * c.sin_phi + c.cos_psi * c.cos_phi;
  c.delta = std::atan(-side * across / up);
  return c;
}

using Contacts = std::array<Contact, 2>;

Contacts contacts_of(const VecX& y, const Vector4d& s) {
  return {contact_of(1, y, s[0], s[1]), contact_of(-1, y, s[2], s[3])};
}

// Normal forces from the constraint forces E = -λ, which act along (x, y) in the sum of both sides.
Vector2d normal_forces(const Contacts& at, const Vector2d& lambda) {
  const Vec5 sum = -lambda[0] * at[0].row() - lambda[1] * at[1].row();
  const double sl = std::sin(at[0].delta), cl = std::cos(at[0].delta), sr = std::sin(at[1].delta),
               cr = std::cos(at[1].delta), determinant = -sl * cr - sr * cl;
  return Vector2d(cr * sum[0] - sr * sum[1], -cl * sum[0] - sl * sum[1]) / determinant;
}

// Creep force of one side in the frame of the track: Kalker's linear theory, saturated by tanh.
Vector3d creep_force(const VecX& y, const Contact& c, double normal) {
  const double r = c.wheel.value, sd = std::sin(c.delta), cd = std::cos(c.delta),
               st = std::sin(y[3] / cd), ct = std::cos(y[3] / cd), spin = speed / radius + y[10],
               yaw = y[8], roll = y[9];
  const double out = c.xi * c.sin_phi - r * c.cos_phi * c.cos_psi;
  const Vector3d slip(
      -spin * r * (st * c.cos_psi + ct * c.sin_phi * c.sin_psi) + y[5] -
          yaw * (r * (st * c.sin_phi * c.cos_psi + ct * c.sin_psi) + c.xi * st * c.cos_phi) -
          roll * ct * out,
      spin * r * c.cos_phi * c.sin_psi + y[6] +
          roll * (c.xi * c.cos_phi + r * c.sin_phi * c.cos_psi),
      -spin * r * (ct * c.cos_psi - st * c.sin_phi * c.sin_psi) + speed + y[7] -
          yaw * (c.xi * ct * c.cos_phi + r * (ct * c.sin_phi * c.cos_psi - st * c.sin_psi)) +
          roll * st * out);
  const double rolling = (slip - 2 * Vector3d(y[5], y[6], y[7] + speed)).norm() / 2;
  const double creep_x = (st * slip[0] + ct * slip[2]) / rolling,
               creep_y = (ct * cd * slip[0] + c.side * sd * slip[1] - st * cd * slip[2]) / rolling,
               creep_spin = (-c.side * sd * spin + cd * yaw) / rolling;

  const double by_wheel = 0.5 / (r * std::sqrt(1 + c.wheel.slope * c.wheel.slope)),
               by_rail = -0.5 * c.rail.curvature / std::pow(1 + c.rail.slope * c.rail.slope, 1.5);
  const double ellipse =
      std::cbrt(3 * std::abs(normal) * (1 - poisson) * hertz_e /
                (2 * pi * (by_wheel + by_rail) * shear_modulus * std::sqrt(hertz_g)));
  const double most = friction * normal, stiffness = shear_modulus * ellipse * ellipse / most;
  double tx = -most * std::tanh(stiffness * kalker_11 * creep_x),
         ty = -most *
              std::tanh(stiffness * (kalker_22 * creep_y + ellipse * kalker_23 * creep_spin));
  if (const double size = std::hypot(tx, ty); size > std::abs(most))
    tx *= std::abs(most) / size, ty *= std::abs(most) / size;
  return {st * tx + ct * cd * ty, c.side * sd * ty, ct * tx - st * cd * ty};
}

struct Forces {
  Vec5 f;       // on q, without those of the constraints
  double spin;  // torque about the axle
};

Forces calc_forces(const VecX& y, const Contacts& at, const Vector2d& lambda) {
  const Vector2d normal = normal_forces(at, lambda);
  const double sp = at[0].sin_phi, cp = at[0].cos_phi, st = at[0].sin_theta, ct = at[0].cos_theta,
               yaw = y[8], roll = y[9], spin = speed / radius + y[10],
               yaw_spring = -2 * spring_arm * spring_arm * spring_z * y[3];
  Forces out;
  out.f << -2 * spring_x * y[0], -mass_ * gravity, -2 * spring_z * y[2],
      inertia * yaw * roll * sp - inertia_spin * spin * roll -
          (inertia_spin - inertia) * yaw * sp * roll + cp * yaw_spring,
      inertia_spin * spin * yaw * cp + (inertia_spin - inertia) * yaw * yaw * sp * cp;
  out.spin = -inertia_spin * yaw * roll * cp + sp * yaw_spring;
  for (size_t i = 0; i < 2; ++i) {
    const Contact& c = at[i];
    const double r = c.wheel.value, ss = c.sin_psi, cs = c.cos_psi;
    const Vector3d T = creep_force(y, c, normal[static_cast<int>(i)]);
    out.f.head<3>() += T;
    out.f[3] +=
        T.dot(Vector3d(-c.xi * st - r * ss * ct * cp, -r * ss * sp, -c.xi * ct + r * ss * st * cp));
    out.f[4] += T.dot(Vector3d(-c.xi * ct * sp + r * cs * ct * cp, c.xi * cp + r * cs * sp,
                               c.xi * st * sp - r * cs * st * cp));
    out.spin += T.dot(r * Vector3d(-cs * st - ss * ct * sp, ss * cp, -cs * ct + ss * st * sp));
  }
  return out;
}

Vec5 mass(const VecX& y) {
  Vec5 m;
  m << mass_, mass_, mass_, inertia * std::cos(y[4]), inertia;
  return m;
}

}  // namespace

Wheelset::Wheelset() : found_(7.6e-6, 0.149, -7.4e-6, -0.152), lambda_(80, 80) {
  layout_ = {5,
             5,
             1,
             {{"x", "m", 1e-2},
              {"y", "m", 1e-4},
              {"z", "m", 1e-4},
              {"theta", "rad", 1e-2},
              {"phi", "rad", 1e-3},
              {"x.v", "m/s", 0.1},
              {"y.v", "m/s", 1e-3},
              {"z.v", "m/s", 1e-2},
              {"theta.v", "rad/s", 0.1},
              {"phi.v", "rad/s", 1e-2},
              {"beta", "rad/s", 0.1}},
             {}};
  // Columns: q 0, v 5, β 10, v̇ 11, λ 16, s 18.
  pattern_.columns = 22;
  const auto add = [&](std::initializer_list<std::pair<int, int>> ranges) {
    std::vector<int> row;
    for (const auto& [first, count] : ranges)
      for (int k = 0; k < count; ++k) row.push_back(first + k);
    pattern_.rows.push_back(row);
  };
  for (int i = 0; i < 5; ++i) add({{0, 11}, {11 + i, 1}, {16, 6}});
  add({{0, 11}, {16, 6}});
  for (const int first : {18, 18, 20, 20}) add({{0, 5}, {first, 2}});
  for (const int first : {18, 20}) add({{0, 5}, {first, 2}});
  for (const int first : {18, 20}) add({{0, 10}, {first, 2}});
}

VecX Wheelset::start() {
  VecX y = VecX::Zero(11);
  y.head<5>() << 1.4941e-3, 4.0089e-7, 1.1241e-6, -2.8573e-4, 2.6459e-4;
  return y;
}

void Wheelset::calc_qdot(double, const VecX& y, VecX& ydot) { ydot.head<5>() = y.segment<5>(5); }

void Wheelset::calc_rates(double t, const VecX& y, VecX& ydot) {
  calc_consistent(t, y, ydot, scratch_lambda_, scratch_s_);
}

// Newton's method on either side by itself, with differences.
Vector4d Wheelset::find_contacts(const VecX& y) {
  for (int i = 0; i < 2; ++i) {
    const double side = i == 0 ? 1 : -1;
    double &psi = found_[2 * i], &xi = found_[2 * i + 1];
    for (int k = 0; k < 20; ++k) {
      constexpr double e = 1e-7;
      const Vector2d c = contact_of(side, y, psi, xi).conditions();
      Eigen::Matrix2d J;
      J.col(0) = (contact_of(side, y, psi + e, xi).conditions() - c) / e;
      J.col(1) = (contact_of(side, y, psi, xi + e).conditions() - c) / e;
      const Vector2d step = J.inverse() * c;
      psi -= step[0];
      xi -= step[1];
      if (step.lpNorm<Eigen::Infinity>() < 1e-14) break;
    }
  }
  return found_;
}

Wheelset::Rows Wheelset::rows_at(const VecX& y) {
  const Contacts at = contacts_of(y, find_contacts(y));
  Rows G;
  G << at[0].row().transpose(), at[1].row().transpose();
  return G;
}

void Wheelset::solve(const VecX& y, const Rows& A, const Vector2d& right, VecX& ydot,
                     VecX& lambda) {
  const Contacts at = contacts_of(y, find_contacts(y));
  Rows G;
  G << at[0].row().transpose(), at[1].row().transpose();
  const Vec5 m = mass(y);
  Forces forces;
  Vec5 vdot;
  const auto left = [&](const Vector2d& l) -> Vector2d {
    forces = calc_forces(y, at, l);
    vdot = (forces.f - G.transpose() * l).cwiseQuotient(m);
    return A * vdot - right;
  };
  for (int k = 0; k < 50; ++k) {
    constexpr double e = 1e-5;
    const Vector2d r = left(lambda_);
    Eigen::Matrix2d J;
    for (int j = 0; j < 2; ++j) J.col(j) = (left(lambda_ + e * Vector2d::Unit(j)) - r) / e;
    const Vector2d step = J.inverse() * r;
    lambda_ -= step;
    if (step.norm() < 1e-11 * lambda_.norm()) break;
  }
  left(lambda_);
  ydot.segment<5>(5) = vdot;
  ydot[10] = forces.spin / inertia_spin - std::sin(y[4]) * vdot[3];
  lambda = lambda_;
}

// d(G v)/dt at v̇ = 0 is a derivative along v; taken over times in which positions move by a small
// part of the contact.
void Wheelset::calc_consistent(double, const VecX& y, VecX& ydot, VecX& lambda, VecX& s) {
  const Vec5 v = y.segment<5>(5);
  const double e = 1e-6 / std::max(1e-3, v.norm());
  VecX ahead = y, behind = y;
  ahead.head<5>() += e * v;
  behind.head<5>() -= e * v;
  const Vector2d bias = (rows_at(ahead) - rows_at(behind)) * v / (2 * e);
  solve(y, rows_at(y), -bias, ydot, lambda);
  s = found_;
}

void Wheelset::calc_half_explicit(double, const VecX& y, double, const VecX& next, double h,
                                  VecX& ydot, VecX& lambda) {
  const Rows A = rows_at(next);
  solve(y, A, -A * next.segment<5>(5) / h, ydot, lambda);
}

void Wheelset::calc_residual(const integrate::DescriptorPoint& point,
                             integrate::DescriptorResidual& out) {
  const VecX& y = point.y;
  const Contacts at = contacts_of(y, point.s);
  const Forces forces = calc_forces(y, at, point.lambda);
  const Vec5 f = forces.f - point.lambda[0] * at[0].row() - point.lambda[1] * at[1].row(),
             m = mass(y);
  out.force = m.cwiseProduct(point.vdot) - f;
  out.xdot.resize(1);
  out.xdot[0] = forces.spin / inertia_spin - std::sin(y[4]) * f[3] / m[3];
  out.algebraic.resize(4);
  out.algebraic << at[0].conditions(), at[1].conditions();
  out.position.resize(2);
  out.velocity.resize(2);
  for (int i = 0; i < 2; ++i) {
    const Contact& c = at[static_cast<size_t>(i)];
    out.position[i] = c.gap() - y[1];
    out.velocity[i] = c.row().dot(y.segment<5>(5));
  }
  if (point.mu.size() > 0) out.normal = point.mu[0] * at[0].row() + point.mu[1] * at[1].row();
}

// Along M⁻¹Gᵀ: positions by Newton's method, then velocities.
void Wheelset::project(double, VecX& y) {
  const Vec5 m = mass(y);
  for (int k = 0; k < 20; ++k) {
    const Contacts at = contacts_of(y, find_contacts(y));
    const Rows G = rows_at(y);
    const Vector2d g(at[0].gap() - y[1], at[1].gap() - y[1]);
    const Eigen::Matrix<double, 5, 2> W = m.cwiseInverse().asDiagonal() * G.transpose();
    const Vec5 step = W * (G * W).inverse() * g;
    y.head<5>() -= step;
    if (step.lpNorm<Eigen::Infinity>() < 1e-15) break;
  }
  const Rows G = rows_at(y);
  const Eigen::Matrix<double, 5, 2> W = m.cwiseInverse().asDiagonal() * G.transpose();
  y.segment<5>(5) -= W * (G * W).inverse() * (G * y.segment<5>(5));
}

}  // namespace couplet::verification
