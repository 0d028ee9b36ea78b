// Springs and dampers along the line between two points: with l their distance and e the direction
// from one to the other they pull each other with
//   F = k (l - l0) + d l̇ + f,      V = ½ k (l - l0)²
#include "couplet/forces/entry.hpp"

namespace couplet::forces {
namespace {

class Line {
 public:
  explicit Line(Binding& b) : a_(b.point("from")), b_(b.point("to")) {
    const Expr stiffness = b.expression("stiffness"), free_length = b.expression("length");
    conserves_ = b.is_fixed(stiffness) && b.is_fixed(free_length);
    for (const Expr& e : {stiffness, b.expression("damping"), free_length, b.expression("force")})
      b.coefficients.push_back(e);
  }

  static constexpr bool reads_bodies = true;
  static constexpr size_t coefficients = 4;  // k, d, l0, f
  static constexpr std::array own{"length", "rate"};
  static std::vector<Signal> list_signals(const model::Model&, const Element&) {
    return {{"pull", "N"}, {"length", "m"}, {"rate", "m/s"}, {"power", "W"}};
  }

  void update(const Now& now, double* out) {
    const BodyMotion &A = now.bodies[a_.body], &B = now.bodies[b_.body];
    p_a_ = A.X_WB * a_.p;
    p_b_ = B.X_WB * b_.p;
    const Vec3 d = p_b_ - p_a_;
    length_ = d.norm();
    direction_ = length_ > 0 ? Vec3(d / length_) : Vec3::Zero();
    rate_ = direction_.dot(B.velocity_at(p_b_) - A.velocity_at(p_a_));
    out[0] = length_;
    out[1] = rate_;
  }
  void add_forces(const Now& now, const double* c, AppliedForces& out) const {
    const double F = pull(c);
    add_force(now.bodies[a_.body], p_a_, F * direction_, out.on_bodies[a_.body]);
    add_force(now.bodies[b_.body], p_b_, -F * direction_, out.on_bodies[b_.body]);
  }
  void add_potential_energy(const Now&, const double* c, double& energy) const {
    const double stretch = length_ - c[2];
    if (conserves_) energy += 0.5 * c[0] * stretch * stretch;
  }
  double* calc_signals(const Now&, const double* c, double* out) const {
    const double F = pull(c);
    for (const double value : {F, length_, rate_, -F * rate_}) *out++ = value;
    return out;
  }

 private:
  struct End {
    explicit End(const model::Point& point)
        : body(static_cast<size_t>(point.body)), p(point.X_BP.p) {}
    size_t body;
    Vec3 p;  // in its axes
  };
  double pull(const double* c) const { return c[0] * (length_ - c[2]) + c[1] * rate_ + c[3]; }

  End a_, b_;
  bool conserves_;
  Vec3 p_a_, p_b_, direction_;  // world; zero direction where the ends coincide
  double length_ = 0, rate_ = 0;
};

std::optional<model::Fault> find_fault(const model::Model&, const Element& e) {
  if (e.point("from") != e.point("to")) return std::nullopt;
  return model::Fault{"connects a point with itself", "choose two points", "to"};
}

Entry make(const char* name, const char* doc, bool has_stiffness, bool has_damping,
           Examples examples) {
  using namespace model::keys;
  using model::Uses;
  std::vector<model::Key> keys{point("from", "one end"), point("to", "the other end")};
  const std::vector<const char*> own(Line::own.begin(), Line::own.end());
  if (has_stiffness) {
    keys.push_back(expression("stiffness", model::kinds::stiffness, Uses::states, "of the spring")
                       .naming(own));
    keys.push_back(
        expression("length", model::kinds::length, Uses::states, "where the spring is free"));
  }
  if (has_damping)
    keys.push_back(
        expression("damping", model::kinds::damping, Uses::states, "of the damper").naming(own));
  keys.push_back(expression("force", model::kinds::force, Uses::states,
                            "what pulls besides; > 0 pulls the points together")
                     .naming(own)
                     .or_else(0));
  return {{name, doc, keys, find_fault}, name, Form::nested, examples, behaviour<Line>()};
}

}  // namespace

template <>
const Entry& entry<struct Spring>() {
  static const Entry made =
      make("spring", "pulls two points together with stiffness*(length - free length) + force",
           true, false,
           {"{spring: {from: world.post, to: tube.tip, stiffness: 30 + 5*length, length: "
            "0.4 + 0.1*sin(t), force: rate - 2*pin.q}}",
            "{spring: {from: world.post, to: tube.tip, stiffness: 30, length: 40 cm}}"});
  return made;
}

template <>
const Entry& entry<struct Damper>() {
  static const Entry made =
      make("damper", "pulls two points together with damping*rate + force", false, true,
           {"{damper: {from: wheel.hub, to: stick, damping: 3*length, force: 2 + pin.v}}"});
  return made;
}

template <>
const Entry& entry<struct SpringDamper>() {
  static const Entry made = make(
      "spring-damper", "a spring and a damper between two points", true, true,
      {"{spring-damper: {from: wheel.hub, to: tube.tip, stiffness: 20, length: 0.3, damping: 2}}",
       "{spring-damper: {from: wheel.hub, to: tube.tip, stiffness: 20, length: 0.3, damping: 0}}"});
  return made;
}

}  // namespace couplet::forces
