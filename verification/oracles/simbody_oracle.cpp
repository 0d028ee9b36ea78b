// Where Simbody's conventions differ from ours:
//   Slider moves along x: its frames are turned.
//   Planar has q = (angle, x, y).
//   Ball and Free have speeds in the axes of F: u = R_FM·v, and forces likewise. The acceleration
//   of the origin is then u̇ = R_FM·(v̇ + w × v).
#include "simbody_oracle.hpp"

#include <Simbody.h>

namespace couplet::oracles {
namespace {

using SimTK::MobilizedBody;
using SimTK::Rotation;
using SimTK::Transform;
using SimTK::Vec3;

Transform transform(const OraclePose& X) {
  const auto& R = X.rotation;
  const bool as_is = true;  // do not re-orthogonalise
  return {Rotation(SimTK::Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), as_is),
          Vec3(X.position[0], X.position[1], X.position[2])};
}

SimTK::Body::Rigid rigid_body(const OracleBody& body) {
  const auto& I = body.inertia;
  const Vec3 com(body.com[0], body.com[1], body.com[2]);
  const SimTK::Inertia central(I[0], I[4], I[8], I[1], I[2], I[5]);
  return SimTK::Body::Rigid(
      SimTK::MassProperties(body.mass, com, central.shiftFromMassCenter(-com, body.mass)));
}

/// Adds the body with the mobilizer of its joint.
SimTK::MobilizedBodyIndex add_body(MobilizedBody& parent, const OracleBody& b) {
  const Transform X_PF = transform(b.X_PF), X_BM = transform(b.X_BM);
  const SimTK::Body::Rigid rigid = rigid_body(b);
  if (b.joint_type == "weld") return MobilizedBody::Weld(parent, X_PF, rigid, X_BM);
  if (b.joint_type == "revolute") return MobilizedBody::Pin(parent, X_PF, rigid, X_BM);
  if (b.joint_type == "prismatic") {
    const bool as_is = true;
    const Transform x_to_z(Rotation(SimTK::Mat33(0, 1, 0, 0, 0, 1, 1, 0, 0), as_is));
    return MobilizedBody::Slider(parent, X_PF * x_to_z, rigid, X_BM * x_to_z);
  }
  if (b.joint_type == "screw") return MobilizedBody::Screw(parent, X_PF, rigid, X_BM, b.pitch);
  if (b.joint_type == "cylindrical") return MobilizedBody::Cylinder(parent, X_PF, rigid, X_BM);
  if (b.joint_type == "universal") return MobilizedBody::Universal(parent, X_PF, rigid, X_BM);
  if (b.joint_type == "gimbal") return MobilizedBody::Gimbal(parent, X_PF, rigid, X_BM);
  if (b.joint_type == "spherical") return MobilizedBody::Ball(parent, X_PF, rigid, X_BM);
  if (b.joint_type == "planar") return MobilizedBody::Planar(parent, X_PF, rigid, X_BM);
  if (b.joint_type == "xyz") return MobilizedBody::Translation(parent, X_PF, rigid, X_BM);
  if (b.joint_type == "free") return MobilizedBody::Free(parent, X_PF, rigid, X_BM);
  throw std::invalid_argument("unknown joint type '" + b.joint_type + "'");
}

/// A hinge is a ball whose x and y axes on A stay normal to z on B.
void add_loop(MobilizedBody& a, MobilizedBody& b, const OracleLoop& loop) {
  using namespace SimTK;
  const Transform X_AF = transform(loop.X_AF), X_BM = transform(loop.X_BM);
  if (loop.kind == "weld") {
    Constraint::Weld(a, X_AF, b, X_BM);
  } else if (loop.kind == "spherical") {
    Constraint::Ball(a, X_AF.p(), b, X_BM.p());
  } else if (loop.kind == "revolute") {
    Constraint::Ball(a, X_AF.p(), b, X_BM.p());
    Constraint::ConstantAngle(a, X_AF.x(), b, X_BM.z(), Pi / 2);
    Constraint::ConstantAngle(a, X_AF.y(), b, X_BM.z(), Pi / 2);
  } else if (loop.kind == "distance") {
    Constraint::Rod(a, X_AF.p(), b, X_BM.p(), loop.length);
  } else if (loop.kind == "plane") {
    Constraint::PointInPlane(a, X_AF.z(), SimTK::dot(X_AF.z(), X_AF.p()), b, X_BM.p());
  } else {
    throw std::invalid_argument("unknown kind of loop '" + loop.kind + "'");
  }
}

enum class Kind { velocity, acceleration, force };

Vec3 vec3(const double* x) { return {x[0], x[1], x[2]}; }
void put(double* to, const Vec3& x) { std::copy_n(&x[0], 3, to); }

/// R_FM·(v̇ + w × v) and its inverse are only needed where w and v are part of the joint.
struct Turning {
  Rotation R_FM;
  Vec3 w_FM_M, v_FM_M;
};

Turning turning(const double* q, const double* v, bool free) {
  const SimTK::Quaternion quaternion(q[0], q[1], q[2], q[3]);
  return {Rotation(quaternion), vec3(v), free ? vec3(v + 3) : Vec3(0)};
}

/// Simbody's components of one joint from ours.
void to_simbody(const std::string& type, Kind kind, const Turning* turn, int nv, const double* ours,
                double* theirs) {
  if (type == "spherical" || type == "free") {
    put(theirs, turn->R_FM * vec3(ours));
    if (type == "spherical") return;
    Vec3 linear = vec3(ours + 3);
    if (kind == Kind::acceleration) linear += turn->w_FM_M % turn->v_FM_M;
    put(theirs + 3, turn->R_FM * linear);
  } else if (type == "planar") {
    theirs[0] = ours[2], theirs[1] = ours[0], theirs[2] = ours[1];
  } else {
    std::copy_n(ours, nv, theirs);
  }
}

/// Our components of one joint from Simbody's.
void from_simbody(const std::string& type, Kind kind, const Turning* turn, int nv,
                  const double* theirs, double* ours) {
  if (type == "spherical" || type == "free") {
    put(ours, ~turn->R_FM * vec3(theirs));
    if (type == "spherical") return;
    Vec3 linear = ~turn->R_FM * vec3(theirs + 3);
    if (kind == Kind::acceleration) linear -= turn->w_FM_M % turn->v_FM_M;
    put(ours + 3, linear);
  } else if (type == "planar") {
    ours[0] = theirs[1], ours[1] = theirs[2], ours[2] = theirs[0];
  } else {
    std::copy_n(theirs, nv, ours);
  }
}

}  // namespace

class SimbodyOracle::Engine {
 public:
  explicit Engine(const OracleTree& tree)
      : tree_(tree),
        matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, Vec3(tree.gravity[0], tree.gravity[1], tree.gravity[2])),
        joint_forces_(forces_, matter_) {
    matter_.setShowDefaultGeometry(false);
    for (const OracleBody& body : tree.bodies) {
      MobilizedBody& parent =
          body.parent < 0 ? matter_.updGround() : matter_.updMobilizedBody(index_.at(body.parent));
      index_.push_back(add_body(parent, body));
    }
    const auto body = [this](int index) -> MobilizedBody& {
      return index < 0 ? matter_.updGround() : matter_.updMobilizedBody(index_.at(index));
    };
    for (const OracleLoop& loop : tree.loops) add_loop(body(loop.a), body(loop.b), loop);
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
  }

  std::vector<double> forward(const OracleState& state, const std::vector<double>& tau) {
    set_state(state);
    joint_forces_.setAllMobilityForces(state_, theirs(state, tau, Kind::force));
    system_.realize(state_, SimTK::Stage::Acceleration);
    return ours(state, state_.getUDot(), Kind::acceleration);
  }

  std::vector<double> inverse(const OracleState& state, const std::vector<double>& vdot) {
    set_state(state);
    system_.realize(state_, SimTK::Stage::Velocity);
    SimTK::Vector residual;
    matter_.calcResidualForceIgnoringConstraints(state_, SimTK::Vector(),
                                                 gravity_.getBodyForces(state_),
                                                 theirs(state, vdot, Kind::acceleration), residual);
    return ours(state, residual, Kind::force);
  }

 private:
  /// Calls f(joint type, its turning or null, nv, offset in our v, offset in Simbody's u).
  template <class F>
  void for_each_joint(const OracleState& state, F&& f) const {
    int q = 0, v = 0;
    for (std::size_t i = 0; i < index_.size(); ++i) {
      const std::string& type = tree_.bodies[i].joint_type;
      const JointSize size = joint_size(type);
      Turning turn;
      const bool turns = type == "spherical" || type == "free";
      if (turns) turn = turning(&state.q[q], &state.v[v], type == "free");
      if (size.nv > 0)
        f(type, turns ? &turn : nullptr, size.nv, v,
          static_cast<int>(matter_.getMobilizedBody(index_[i]).getFirstUIndex(state_)));
      q += size.nq;
      v += size.nv;
    }
  }

  void set_state(const OracleState& state) {
    int q = 0;
    for (std::size_t i = 0; i < index_.size(); ++i) {
      const std::string& type = tree_.bodies[i].joint_type;
      const int nq = joint_size(type).nq;
      const MobilizedBody& joint = matter_.getMobilizedBody(index_[i]);
      for (int k = 0; k < nq; ++k)
        joint.setOneQ(state_, type == "planar" ? (k + 1) % 3 : k, state.q[q + k]);
      q += nq;
    }
    state_.updU() = theirs(state, state.v, Kind::velocity);
  }

  SimTK::Vector theirs(const OracleState& state, const std::vector<double>& x, Kind kind) const {
    SimTK::Vector u(state_.getNU());
    for_each_joint(state, [&](const std::string& type, const Turning* turn, int nv, int at,
                              int to) { to_simbody(type, kind, turn, nv, &x[at], &u[to]); });
    return u;
  }

  std::vector<double> ours(const OracleState& state, const SimTK::Vector& u, Kind kind) const {
    std::vector<double> x(u.size());
    for_each_joint(state, [&](const std::string& type, const Turning* turn, int nv, int to,
                              int at) { from_simbody(type, kind, turn, nv, &u[at], &x[to]); });
    return x;
  }

  friend class SimbodyOracle;
  OracleTree tree_;
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::Gravity gravity_;
  SimTK::Force::DiscreteForces joint_forces_;
  SimTK::State state_;
  std::vector<SimTK::MobilizedBodyIndex> index_;  // per body
};

SimbodyOracle::SimbodyOracle(const OracleTree& tree) : engine_(std::make_unique<Engine>(tree)) {}
SimbodyOracle::~SimbodyOracle() = default;

std::vector<double> SimbodyOracle::forward_dynamics(const OracleState& state,
                                                    const std::vector<double>& tau) {
  check_sizes(engine_->tree_, state, tau);
  return engine_->forward(state, tau);
}

std::vector<double> SimbodyOracle::inverse_dynamics(const OracleState& state,
                                                    const std::vector<double>& vdot) {
  check_sizes(engine_->tree_, state, vdot);
  return engine_->inverse(state, vdot);
}

}  // namespace couplet::oracles
