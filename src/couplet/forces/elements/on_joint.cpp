// A spring, a damper and a motor on one freedom of a joint:
//   τ = -k (q - q0) - d v + f,      V = ½ k (q - q0)²
#include "couplet/forces/entry.hpp"

namespace couplet::forces {
namespace {

const model::JointInfo& type_of(const model::Model& model, const Element& e) {
  return model::info(model.joints[static_cast<size_t>(e.joint("joint"))].type);
}

class OnFreedom {
 public:
  explicit OnFreedom(Binding& b) {
    const int slot = b.mechanism.joint_slot[static_cast<size_t>(b.element.joint("joint"))];
    base::ensure(slot >= 0, "a joint with a force is never cut");
    const model::TreeJoint& joint = b.mechanism.joints[static_cast<size_t>(slot)];
    const int freedom = b.element.freedom("dof");
    iq_ = type_of(b.model, b.element).on_quaternion() ? joint.iq : joint.iq + freedom;
    iv_ = joint.iv + freedom;
    const Expr stiffness = b.expression("stiffness"), rest = b.expression("rest");
    conserves_ = b.is_fixed(stiffness) && b.is_fixed(rest);
    const char* force = b.element.has("torque") ? "torque" : "force";
    for (const Expr& e : {stiffness, rest, b.expression("damping"), b.expression(force)})
      b.coefficients.push_back(e);
  }

  static constexpr bool reads_bodies = false;
  static constexpr size_t coefficients = 4;  // k, q0, d, f
  static constexpr auto own = nothing_own;
  static std::vector<Signal> list_signals(const model::Model& model, const Element& e) {
    const bool turns = type_of(model, e).angular >> e.freedom("dof") & 1;
    return {turns ? Signal{"torque", "N m"} : Signal{"force", "N"}, {"power", "W"}};
  }

  void update(const Now&, double*) const {}
  void add_forces(const Now& now, const double* c, AppliedForces& out) const {
    out.tau[iv_] += tau(now, c);
  }
  void add_potential_energy(const Now& now, const double* c, double& energy) const {
    const double stretch = now.state.q[iq_] - c[1];
    if (conserves_) energy += 0.5 * c[0] * stretch * stretch;
  }
  double* calc_signals(const Now& now, const double* c, double* out) const {
    *out++ = tau(now, c);
    *out++ = tau(now, c) * now.state.v[iv_];
    return out;
  }

 private:
  double tau(const Now& now, const double* c) const {
    return -c[0] * (now.state.q[iq_] - c[1]) - c[2] * now.state.v[iv_] + c[3];
  }

  int iq_, iv_;
  bool conserves_;
};

std::optional<model::Fault> find_fault(const model::Model& model, const Element& e) {
  using model::Fault;
  const model::JointInfo& type = type_of(model, e);
  if (!e.has("stiffness") && !e.has("rest") && !e.has("damping") && !e.has("force") &&
      !e.has("torque"))
    return Fault{"needs stiffness, damping or a force", "write torque: 3 N*m, or an expression"};
  if (e.has("force") && e.has("torque"))
    return Fault{"has both a force and a torque", "keep one of them", "torque", true};
  if (e.has("torque") && type.angular == 0)
    return Fault{"slides; it has no torque", "write force", "torque", true};
  if (e.has("rest") && !e.has("stiffness"))
    return Fault{"has a rest position but no stiffness",
                 "add a stiffness, or remove the rest position", "rest", true};
  if (e.has("stiffness") && type.on_quaternion())
    return Fault{"cannot have a stiffness: it has no angles",
                 "write a torque as expression, or use springs between points", "stiffness", true};
  return std::nullopt;
}

model::ElementType describe() {
  using namespace model::keys;
  using model::OfFreedom;
  return {"joint",
          "a spring, a damper and a motor on one freedom of a joint",
          {joint("joint", "whose freedom it acts on"),
           freedom("dof", "which one: the name of its coordinate, for quaternions of its speed"),
           of_freedom("stiffness", OfFreedom::stiffness, "not on quaternions"),
           of_freedom("rest", OfFreedom::position, "where the spring is free"),
           of_freedom("damping", OfFreedom::damping, "times the speed"),
           of_freedom("force", OfFreedom::force, "what the motor exerts"),
           of_freedom("torque", OfFreedom::force, "the same, on a freedom that turns")},
          find_fault};
}

}  // namespace

template <>
const Entry& entry<struct OnJoint>() {
  static const Entry made(describe(), "joint force", Form::nested,
                          {"{joint: {joint: bore, dof: q1, stiffness: 4, rest: 0.2, damping: 0.5, "
                           "torque: sin(t) - q2}}",
                           "{joint: {joint: bore, dof: q2, stiffness: 4, rest: 0.2}}"},
                          behaviour<OnFreedom>());
  return made;
}

// `elbow.torque.x` is what the joint transmits: what its keys exert needs another name.
const Entry& entry_of_joint_keys() {
  static const Entry made = [] {
    Behaviour does = behaviour<OnFreedom>();
    does.list_signals = [](const model::Model& model, const Element& e) {
      std::vector<Signal> signals = OnFreedom::list_signals(model, e);
      signals[0].name = "effort";
      return signals;
    };
    return Entry(describe(), "joint", Form::nested, {""}, does);
  }();
  return made;
}

}  // namespace couplet::forces
