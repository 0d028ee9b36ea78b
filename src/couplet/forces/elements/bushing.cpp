// A bushing: springs and dampers in all six directions between two frames, F on `from` and G on
// `to`. With u the position of G in F and φ the rotation vector of G in F (axis times angle), both
// in the axes of F,
//   V = ½ uᵀ K u - f₀ᵀu + ½ φᵀ C φ - t₀ᵀφ
//   f = f₀ - K u - D u̇                 on G, at its origin
//   t = Jᵀ (t₀ - C φ - E φ̇)            on G
// J relates φ̇ to the angular velocity ω of G in F, in the axes of F:
//   φ̇ = J ω,   J = 1 - ½ φ× + β φ×φ×,   β = (1 - ½θ cot ½θ)/θ²,   θ = |φ|,
// the inverse of the left Jacobian of SO(3) (Chirikjian, Stochastic Models, Information Theory and
// Lie Groups 2, 2012, section 10.6). So t is conjugate to φ and energy is conserved at any angle. F
// feels the opposite force at the same place, and the opposite torque.
//
// At half a turn φ jumps to the other side: before that, the run ends.
#include <fmt/format.h>

#include <cmath>

#include "couplet/base/text.hpp"
#include "couplet/forces/entry.hpp"

namespace couplet::forces {
namespace {

constexpr double largest_angle = 3;  // rad

/// φ of a rotation.
Vec3 rotation_vector(const math::Mat3& R) {
  const math::Quaternion q = math::quaternion(R);  // w >= 0 or not: both are the same rotation
  const double sign = q[0] < 0 ? -1 : 1;
  const Vec3 x = sign * Vec3(q[1], q[2], q[3]);
  const double sine = x.norm();
  if (sine < 1e-8) return 2 * x;  // θ = 2 sin ½θ (1 + θ²/24 …)
  return 2 * std::atan2(sine, sign * q[0]) / sine * x;
}

double calc_beta(double angle) {
  const double square = angle * angle;
  if (angle < 1e-2) return 1.0 / 12 + square / 720;  // the next term is θ⁴/30240
  return (1 - 0.5 * angle / std::tan(0.5 * angle)) / square;
}

class Mount {
 public:
  explicit Mount(Binding& b)
      : name_(b.element.name),
        a_(static_cast<size_t>(b.point("from").body)),
        b_(static_cast<size_t>(b.point("to").body)),
        X_AF_(b.point("from").X_BP),
        X_BG_(b.point("to").X_BP) {
    for (const char* key : {"stiffness", "force", "angular-stiffness", "torque"})
      for (const Expr& e : b.expressions(key)) {
        conserves_ &= b.is_fixed(e);
        b.coefficients.push_back(e);
      }
    for (const char* key : {"damping", "angular-damping"})
      for (const Expr& e : b.expressions(key)) b.coefficients.push_back(e);
  }

  static constexpr bool reads_bodies = true;
  static constexpr size_t coefficients = 18;  // diagonals: K, f₀, C, t₀, D, E
  static constexpr auto own = nothing_own;
  static std::vector<Signal> list_signals(const model::Model&, const Element&) {
    std::vector<Signal> signals;
    add_vector(signals, "force", "N");
    add_vector(signals, "torque", "N m");
    add_vector(signals, "displacement", "m");
    add_vector(signals, "rotation", "rad");
    signals.push_back({"power", "W"});
    return signals;
  }

  void update(const Now& now, double*) {
    const BodyMotion &A = now.bodies[a_], &B = now.bodies[b_];
    const math::Pose X_WF = A.X_WB * X_AF_, X_WG = B.X_WB * X_BG_;
    R_WF_ = X_WF.R;
    p_ = X_WG.p;
    u_ = R_WF_.transpose() * (p_ - X_WF.p);
    udot_ = R_WF_.transpose() * (B.velocity_at(p_) - A.velocity_at(p_));
    w_ = R_WF_.transpose() * (B.w - A.w);
    phi_ = rotation_vector(R_WF_.transpose() * X_WG.R);
    const double angle = phi_.norm();
    if (angle > largest_angle)
      throw base::ComputationError(
          fmt::format("t = {:.9g}: bushing {} is turned by {:.3g} rad; it is made for less than "
                      "half a turn",
                      now.state.t, base::quoted(name_), angle));
    beta_ = calc_beta(angle);
  }
  void add_forces(const Now& now, const double* c, AppliedForces& out) const {
    const Vec3 force = R_WF_ * calc_force(c), torque = R_WF_ * calc_torque(c);
    add_force(now.bodies[b_], p_, force, out.on_bodies[b_]);
    add_force(now.bodies[a_], p_, -force, out.on_bodies[a_]);
    out.on_bodies[b_].head<3>() += torque;
    out.on_bodies[a_].head<3>() -= torque;
  }
  void add_potential_energy(const Now&, const double* c, double& energy) const {
    if (!conserves_) return;
    for (int i = 0; i < 3; ++i)
      energy +=
          (0.5 * c[i] * u_[i] - c[3 + i]) * u_[i] + (0.5 * c[6 + i] * phi_[i] - c[9 + i]) * phi_[i];
  }
  double* calc_signals(const Now&, const double* c, double* out) const {
    const Vec3 force = calc_force(c), torque = calc_torque(c);
    for (const Vec3* vector : {&force, &torque, &u_, &phi_})
      for (const double x : *vector) *out++ = x;
    *out++ = force.dot(udot_) + torque.dot(w_);
    return out;
  }

 private:
  using Diagonal = Eigen::Map<const Vec3>;
  static Vec3 times(const double* c, const Vec3& x) { return Diagonal(c).cwiseProduct(x); }

  /// J x, or Jᵀ x.
  Vec3 jacobian(const Vec3& x, double sign) const {
    const Vec3 turned = phi_.cross(x);
    return x - sign * 0.5 * turned + beta_ * phi_.cross(turned);
  }
  Vec3 calc_force(const double* c) const {
    return Diagonal(c + 3) - times(c, u_) - times(c + 12, udot_);
  }
  Vec3 calc_torque(const double* c) const {
    const Vec3 phidot = jacobian(w_, 1);
    return jacobian(Diagonal(c + 9) - times(c + 6, phi_) - times(c + 15, phidot), -1);
  }

  std::string name_;
  size_t a_, b_;
  math::Pose X_AF_, X_BG_;
  bool conserves_ = true;
  // At the state at hand; all but R_WF and p in the axes of F.
  math::Mat3 R_WF_;
  Vec3 p_;  // origin of G, world
  Vec3 u_, udot_, w_, phi_;
  double beta_ = 0;
};

std::optional<model::Fault> find_fault(const model::Model& model, const Element& e) {
  const int body = model.points[static_cast<size_t>(e.point("from"))].body;
  if (body == model.points[static_cast<size_t>(e.point("to"))].body)
    return model::Fault{fmt::format("connects body {} with itself",
                                    base::quoted(model.bodies[static_cast<size_t>(body)].name)),
                        "choose points on two bodies", "to"};
  for (size_t i = 2; i < e.type->keys.size(); ++i)
    if (e.has(e.type->keys[i].name)) return std::nullopt;
  return model::Fault{"exerts nothing", "write stiffness: [x, y, z]"};
}

}  // namespace

template <>
const Entry& entry<struct Bushing>() {
  using namespace model::keys;
  using namespace model::kinds;
  constexpr auto uses = model::Uses::states;
  static const Entry made(
      {"bushing",
       "springs and dampers in all six directions between two frames",
       {point("from", "the frame that its axes are those of"), point("to", "the frame it carries"),
        expressions("stiffness", stiffness, uses, "along the axes, [x, y, z]").or_nothing(),
        expressions("damping", damping, uses, "along the axes").or_nothing(),
        expressions("force", force, uses, "preload along the axes, on `to`").or_nothing(),
        expressions("angular-stiffness", angular_stiffness, uses, "about the axes").or_nothing(),
        expressions("angular-damping", angular_damping, uses, "about the axes").or_nothing(),
        expressions("torque", torque, uses, "preload about the axes, on `to`").or_nothing()},
       find_fault},
      "bushing", Form::nested,
      {"{bushing: {from: wheel.hub, to: tube.tip, stiffness: [30, 20 + t, 40], damping: [1, 2, "
       "3*pin.q], force: [0.1, 0.2, -0.3], angular-stiffness: [3, 4, 5], angular-damping: [0.1, "
       "0.2, 0.3], torque: [0.3, -0.1, 0.2]}}",
       "{bushing: {from: wheel.hub, to: tube.tip, stiffness: [30, 20, 40], force: [0.1, 0.2, "
       "-0.3], "
       "angular-stiffness: [3, 4, 5], torque: [0.3, -0.1, 0.2]}}"},
      behaviour<Mount>());
  return made;
}

}  // namespace couplet::forces
