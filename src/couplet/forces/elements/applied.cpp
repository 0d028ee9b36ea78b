// A force and a torque at a point of a body, in world axes or in those of the point.
#include "couplet/forces/entry.hpp"

namespace couplet::forces {
namespace {

class AtPoint {
 public:
  explicit AtPoint(Binding& b)
      : body_(static_cast<size_t>(b.point("point").body)),
        X_BP_(b.point("point").X_BP),
        turns_(b.element.choice("axes") == "body") {
    for (const char* key : {"force", "torque"})
      for (const Expr& e : b.expressions(key)) b.coefficients.push_back(e);
  }

  static constexpr bool reads_bodies = true;
  static constexpr size_t coefficients = 6;
  static constexpr auto own = nothing_own;
  static std::vector<Signal> list_signals(const model::Model&, const Element&) {
    std::vector<Signal> signals;
    add_vector(signals, "force", "N");
    add_vector(signals, "torque", "N m");
    signals.push_back({"power", "W"});
    return signals;
  }

  void update(const Now&, double*) const {}
  void add_forces(const Now& now, const double* c, AppliedForces& out) const {
    const Acting at = acting(now, c);
    add_force(now.bodies[body_], at.p, at.force, out.on_bodies[body_]);
    out.on_bodies[body_].head<3>() += at.torque;
  }
  void add_potential_energy(const Now&, const double*, double&) const {}
  double* calc_signals(const Now& now, const double* c, double* out) const {
    const Acting at = acting(now, c);
    for (const Vec3* vector : {&at.force, &at.torque})
      for (const double x : *vector) *out++ = x;
    const BodyMotion& body = now.bodies[body_];
    *out++ = at.force.dot(body.velocity_at(at.p)) + at.torque.dot(body.w);
    return out;
  }

 private:
  struct Acting {
    Vec3 p, force, torque;  // world axes
  };
  Acting acting(const Now& now, const double* c) const {
    const math::Pose X_WP = now.bodies[body_].X_WB * X_BP_;
    Acting at{X_WP.p, Vec3(c[0], c[1], c[2]), Vec3(c[3], c[4], c[5])};
    if (turns_) at.force = X_WP.R * at.force, at.torque = X_WP.R * at.torque;
    return at;
  }

  size_t body_;
  math::Pose X_BP_;
  bool turns_;  // with the point
};

std::optional<model::Fault> find_fault(const model::Model&, const Element& e) {
  if (e.has("force") || e.has("torque")) return std::nullopt;
  return model::Fault{"needs force or torque", "write force: [x, y, z]"};
}

}  // namespace

template <>
const Entry& entry<struct Applied>() {
  using namespace model::keys;
  using model::Uses;
  static const Entry made(
      {"applied",
       "a force and a torque at a point of a body",
       {point("point", "where it acts"),
        expressions("force", model::kinds::force, Uses::states, "[x, y, z]").or_nothing(),
        expressions("torque", model::kinds::torque, Uses::states, "[x, y, z]").or_nothing(),
        choice("axes", {"world", "body"}, "of force and torque; body: those of the point")
            .or_else(std::string("world"))},
       find_fault},
      "applied force", Form::nested,
      {"{applied: {point: tube.tip, force: [2*t, -rail.v, 1], torque: [0.1, pin.q, -0.3], axes: "
       "body}}"},
      behaviour<AtPoint>());
  return made;
}

}  // namespace couplet::forces
