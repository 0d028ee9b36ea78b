// Poses, velocities and Jacobians of all bodies in world axes.
#include "couplet/dynamics/minimal/recursions/composite.hpp"
#include "couplet/dynamics/minimal/recursions/link_composite.hpp"
#include "couplet/generate/forms.hpp"

namespace couplet::generate {
namespace {

using dynamics::MovingFrame;
using dynamics::V3;
// The algebra of the recursions has internal linkage, so it is not found through its arguments.
using dynamics::operator+;
using dynamics::operator*;
using dynamics::operator-;
using dynamics::cross;
using Vector = V3<Expr>;
using Frame = MovingFrame<Vector>;
using Link = ParametricLink<Expr>;

/// Axes and origins of all links in the world.
std::vector<Frame> world_frames(const Mechanism& mechanism, const SymbolicTree& tree,
                                const Arguments& in) {
  dynamics::Angles<Expr> angles(tree.links.size());
  const auto view = tree.view();
  dynamics::calc_angles(view, in.q.data(), angles.cosine.data(), angles.sine.data());
  std::vector<Frame> frames;
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link& link = tree.links[i];
    Frame B{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    if (link.parent >= 0) B = frames[static_cast<std::size_t>(link.parent)];
    dynamics::advance(view, link, in.q.data(), angles.cosine[i], angles.sine[i], B);
    frames.push_back(B);
  }
  return frames;
}

/// What a unit of one speed does to its link: angular velocity, velocity of the link's origin.
struct Axis {
  Vector w, v;
};
Axis world_axis(const Link& link, const Frame& B, int k) {
  Vector w, v;
  dynamics::motion_axis(link, k, w, v);
  return {along(B, w.x, w.y, w.z), along(B, v.x, v.y, v.z)};
}

Vector constant(const math::Vec3& x) { return {x.x(), x.y(), x.z()}; }

struct BodyFrame {
  Vector x, y, z, p;
};
BodyFrame body_frame(const model::BodyPlacement& body, const std::vector<Frame>& frames) {
  Frame B{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
  if (body.link >= 0) B = frames[static_cast<std::size_t>(body.link)];
  const auto axis = [&](int k) {
    const Vector a = constant(body.X_LB.R.col(k));
    return along(B, a.x, a.y, a.z);
  };
  const Vector r = constant(body.X_LB.p);
  return {axis(0), axis(1), axis(2), B.p + along(B, r.x, r.y, r.z)};
}

void append(const Vector& a, Form& to) { to.push_back(a.x), to.push_back(a.y), to.push_back(a.z); }

Formulas::Function kinematics(const Mechanism& mechanism, const SymbolicTree& tree,
                              const Arguments& in, const std::vector<Frame>& frames) {
  std::vector<Vector> w, v;  // of the links
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    Vector w_B{0, 0, 0}, v_B{0, 0, 0};
    if (link.parent >= 0) {
      const auto parent = static_cast<std::size_t>(link.parent);
      w_B = w[parent];
      v_B = v[parent] + cross(w_B, frames[i].p - frames[parent].p);
    }
    for (int k = 0; k < dynamics::freedoms(link); ++k) {
      const Axis axis = world_axis(link, frames[i], k);
      const Expr& rate = in.v[static_cast<std::size_t>(link.iv + k)];
      w_B = w_B + rate * axis.w;
      v_B = v_B + rate * axis.v;
    }
    w.push_back(w_B), v.push_back(v_B);
  }
  Form rotation, position, angular, linear;
  for (std::size_t b = 1; b < mechanism.bodies.size(); ++b) {
    const model::BodyPlacement& body = mechanism.bodies[b];
    const BodyFrame B = body_frame(body, frames);
    for (const auto part : {&Vector::x, &Vector::y, &Vector::z})
      append({B.x.*part, B.y.*part, B.z.*part}, rotation);
    append(B.p, position);
    if (body.link < 0) {
      append({0, 0, 0}, angular), append({0, 0, 0}, linear);
      continue;
    }
    const auto link = static_cast<std::size_t>(body.link);
    append(w[link], angular);
    append(v[link] + cross(w[link], B.p - frames[link].p), linear);
  }
  return {{"kinematics",
           {{"q", in.q_names}, {"v", in.v_names}},
           {{"rotation", rotation},
            {"position", position},
            {"angular_velocity", angular},
            {"velocity", linear}},
           1},
          "frames in the world, link by link",
          {}};
}

Formulas::Function jacobian(const Mechanism& mechanism, const SymbolicTree& tree,
                            const Arguments& in, const std::vector<Frame>& frames) {
  const int nv = mechanism.nv;
  Form J;
  for (std::size_t b = 1; b < mechanism.bodies.size(); ++b) {
    const model::BodyPlacement& body = mechanism.bodies[b];
    const BodyFrame B = body_frame(body, frames);
    Form rows(static_cast<std::size_t>(6 * nv));
    for (int i = body.link; i >= 0; i = tree.links[static_cast<std::size_t>(i)].parent) {
      const Link& link = tree.links[static_cast<std::size_t>(i)];
      const Frame& frame = frames[static_cast<std::size_t>(i)];
      for (int k = 0; k < dynamics::freedoms(link); ++k) {
        const Axis axis = world_axis(link, frame, k);
        Form column;
        append(axis.w, column), append(axis.v + cross(axis.w, B.p - frame.p), column);
        for (int r = 0; r < 6; ++r)
          rows[static_cast<std::size_t>(r * nv + link.iv + k)] =
              column[static_cast<std::size_t>(r)];
      }
    }
    J.insert(J.end(), rows.begin(), rows.end());
  }
  return {
      {"jacobian", {{"q", in.q_names}}, {{"J", J}}, 1}, "frames in the world, link by link", {}};
}

}  // namespace

std::vector<Formulas::Function> kinematics_functions(const Mechanism& mechanism,
                                                     const SymbolicTree& tree, bool with_jacobian) {
  const Arguments in(mechanism, false);
  const std::vector<Frame> frames = world_frames(mechanism, tree, in);
  return {with_jacobian ? jacobian(mechanism, tree, in, frames)
                        : kinematics(mechanism, tree, in, frames)};
}

}  // namespace couplet::generate
