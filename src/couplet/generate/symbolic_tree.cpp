#include "couplet/generate/symbolic_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"
#include "couplet/dynamics/minimal/recursions/link_composite.hpp"

namespace couplet::generate {
namespace {

using dynamics::CompositeLink;
using dynamics::V3;
// The algebra of the recursions has internal linkage, so it is not found through its arguments.
using dynamics::operator+;
using dynamics::operator*;
using math::Mat3;
using math::Vec3;

const std::vector<std::string> words{"mass", "com", "inertia", "length", "gravity"};

void check_words(std::span<const std::string> keep) {
  base::Diagnostics diagnostics;
  for (const std::string& word : keep)
    if (std::ranges::find(words, word) == words.end())
      diagnostics.error({}, fmt::format("{} cannot be kept", base::quoted(word)),
                        fmt::format("{}; choose from mass, com, inertia, length, gravity",
                                    base::suggest(word, words)));
  diagnostics.check();
}

class Builder {
 public:
  Builder(const Mechanism& mechanism, std::span<const std::string> keep)
      : mechanism_(mechanism), keep_(keep) {}

  SymbolicTree build() {
    tree_.frames = mechanism_.quaternion_frames;
    for (const model::Link& link : mechanism_.links) {
      ParametricLink<Expr> symbolic{link, {}};
      copy_numbers(link.x, symbolic.x);
      tree_.links.push_back(symbolic);
    }
    if (keeps("mass") || keeps("com") || keeps("inertia")) add_bodies();
    if (keeps("length")) name_lengths();
    const Vec3& g = mechanism_.uniform_gravity;
    tree_.base_acceleration = {-number("gravity", "gravity.x", g.x()),
                               -number("gravity", "gravity.y", g.y()),
                               -number("gravity", "gravity.z", g.z())};
    return std::move(tree_);
  }

 private:
  bool keeps(const char* word) const { return std::ranges::find(keep_, word) != keep_.end(); }

  /// A symbol if this kind of number is kept, else the number.
  Expr number(const char* word, const std::string& name, double value) {
    if (!keeps(word)) return value;
    tree_.parameters.push_back({name, value});
    return Expr::symbol(name);
  }

  static void copy_numbers(const model::LinkNumbers<double>& from, model::LinkNumbers<Expr>& to) {
    static_assert(sizeof(model::LinkNumbers<Expr>) == sizeof(Expr[24]));
    static_assert(sizeof(model::LinkNumbers<double>) == sizeof(double[24]));
    const double* in = &from.a;
    Expr* out = &to.a;
    for (int i = 0; i < 24; ++i) out[i] = in[i];
  }

  /// Inertial numbers as sums over the bodies on a link, in the user's own terms.
  void add_bodies() {
    for (ParametricLink<Expr>& link : tree_.links)
      link.x.mass = link.x.hx = link.x.hy = link.x.hz = link.x.Ixx = link.x.Ixy = link.x.Ixz =
          link.x.Iyy = link.x.Iyz = link.x.Izz = 0;
    for (std::size_t b = 1; b < mechanism_.bodies.size(); ++b) {
      const model::BodyPlacement& placed = mechanism_.bodies[b];
      if (placed.link >= 0) add_body(mechanism_.model->bodies[b], placed);
    }
  }

  void add_body(const model::Body& body, const model::BodyPlacement& placed) {
    const math::MassProperties& x = body.mass;
    const auto named = [&](const char* what) { return body.name + "." + what; };
    const Expr mass = number("mass", named("mass"), x.mass);
    const V3<Expr> com{number("com", named("com.x"), x.com.x()),
                       number("com", named("com.y"), x.com.y()),
                       number("com", named("com.z"), x.com.z())};
    const dynamics::Sym3<Expr> central{number("inertia", named("inertia.xx"), x.inertia(0, 0)),
                                       number("inertia", named("inertia.xy"), x.inertia(0, 1)),
                                       number("inertia", named("inertia.xz"), x.inertia(0, 2)),
                                       number("inertia", named("inertia.yy"), x.inertia(1, 1)),
                                       number("inertia", named("inertia.yz"), x.inertia(1, 2)),
                                       number("inertia", named("inertia.zz"), x.inertia(2, 2))};
    const Mat3& R = placed.X_LB.R;
    const Vec3& p = placed.X_LB.p;
    const dynamics::Mat3x3<Expr> R_LB{R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1),
                                      R(1, 2), R(2, 0), R(2, 1), R(2, 2)};
    const V3<Expr> c = R_LB * com + V3<Expr>{p.x(), p.y(), p.z()};  // in the link
    const dynamics::Sym3<Expr> I = dynamics::rotated(R_LB, central);
    model::LinkNumbers<Expr>& to = tree_.links[static_cast<std::size_t>(placed.link)].x;
    to.mass += mass;
    to.hx += mass * c.x, to.hy += mass * c.y, to.hz += mass * c.z;
    to.Ixx += I.xx + mass * (c.y * c.y + c.z * c.z);
    to.Iyy += I.yy + mass * (c.x * c.x + c.z * c.z);
    to.Izz += I.zz + mass * (c.x * c.x + c.y * c.y);
    to.Ixy += I.xy - mass * c.x * c.y;
    to.Ixz += I.xz - mass * c.x * c.z;
    to.Iyz += I.yz - mass * c.y * c.z;
  }

  /// Lengths that are zero stay so: they say that axes meet.
  void name_lengths() {
    for (ParametricLink<Expr>& link : tree_.links) {
      if (link.frame >= 0) continue;
      const std::string owner = mechanism_.dof_names[static_cast<std::size_t>(link.iv)];
      const auto length = [&](const char* letter, Expr& x) {
        if (!x.is_constant(0)) x = number("length", owner + "." + letter, x.value());
      };
      model::LinkNumbers<Expr>& x = link.x;
      length("a", x.a), length("e", x.e), length("b", x.b), length("d", x.d);
      // p = Tz(b) Rz(β) T(a, e, 0) Rx(α) Tz(d)
      const Expr y = x.e - x.sin_alpha * x.d;
      x.px = x.cos_beta * x.a - x.sin_beta * y;
      x.py = x.sin_beta * x.a + x.cos_beta * y;
      x.pz = x.b + x.cos_alpha * x.d;
    }
  }

  const Mechanism& mechanism_;
  std::span<const std::string> keep_;
  SymbolicTree tree_;
};

/// Rounding of the frames' construction, which would cost operations: what is below it in a link
/// and all that it carries.
void remove_rounding(SymbolicTree& tree) {
  const auto moments = [](model::LinkNumbers<Expr>& x) { return std::array{&x.hx, &x.hy, &x.hz}; };
  const auto inertias = [](model::LinkNumbers<Expr>& x) {
    return std::array{&x.Ixx, &x.Ixy, &x.Ixz, &x.Iyy, &x.Iyz, &x.Izz};
  };
  std::vector<double> moment(tree.links.size()), inertia(tree.links.size());
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    ParametricLink<Expr>& link = tree.links[i];
    const auto take = [](const Expr* e, double& largest) {
      if (e->is_constant()) largest = std::max(largest, std::fabs(e->value()));
    };
    for (const Expr* e : moments(link.x)) take(e, moment[i]);
    for (const Expr* e : inertias(link.x)) take(e, inertia[i]);
    if (link.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(link.parent);
    moment[parent] = std::max(moment[parent], moment[i]);
    inertia[parent] = std::max(inertia[parent], inertia[i]);
  }
  const auto snap = [](Expr& e, double scale) {
    if (e.is_constant() && std::fabs(e.value()) < 1e-15 * scale) e = 0;
  };
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    ParametricLink<Expr>& link = tree.links[i];
    for (Expr* e : moments(link.x)) snap(*e, moment[i]);
    for (Expr* e : inertias(link.x)) snap(*e, inertia[i]);
    for (Expr* e : {&link.x.a, &link.x.e, &link.x.b, &link.x.d, &link.x.px, &link.x.py, &link.x.pz})
      snap(*e, 1);
    // Quarter turns, exactly as the sine and the cosine know them.
    constexpr double quarter = 1.57079632679489661923;
    if (Expr& angle = link.x.theta0; angle.is_constant()) {
      const double k = std::round(angle.value() / quarter);
      if (std::fabs(angle.value() - k * quarter) < 1e-15) angle = k * quarter;
    }
  }
}

}  // namespace

SymbolicTree make_symbolic_tree(const Mechanism& mechanism, std::span<const std::string> keep) {
  check_words(keep);
  SymbolicTree tree = Builder(mechanism, keep).build();
  remove_rounding(tree);
  return tree;
}

void regroup(SymbolicTree& tree) {
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    ParametricLink<Expr>& link = tree.links[i];
    model::LinkNumbers<Expr>& x = link.x;
    const bool turns = link.kind == model::LinkKind::revolute;
    const bool slides = link.kind == model::LinkKind::helical && x.sigma.is_constant(0);
    CompositeLink<Expr> part{};
    if (turns) {
      part = {x.mass, {0, 0, x.hz}, {x.Iyy, 0, 0, x.Iyy, 0, 0}};
      x.mass = x.hz = 0;
      x.Ixx -= x.Iyy;
      x.Iyy = 0;
    } else if (slides) {  // it never turns against its parent
      part = {0, {0, 0, 0}, {x.Ixx, x.Ixy, x.Ixz, x.Iyy, x.Iyz, x.Izz}};
      x.Ixx = x.Ixy = x.Ixz = x.Iyy = x.Iyz = x.Izz = 0;
    } else {
      continue;
    }
    if (link.parent < 0) continue;  // it belongs to the world and never moves
    const Expr at = 0;              // the slide, which an inertia without mass does not feel
    const Expr c = turns ? Expr(1) : cos(x.theta0), s = turns ? Expr(0) : sin(x.theta0);
    ParametricLink<Expr> joint = link;
    joint.iq = 0;
    dynamics::push(joint, &at, c, s, part);
    model::LinkNumbers<Expr>& to = tree.links[static_cast<std::size_t>(link.parent)].x;
    to.mass += part.mass;
    to.hx += part.h.x, to.hy += part.h.y, to.hz += part.h.z;
    to.Ixx += part.I.xx, to.Ixy += part.I.xy, to.Ixz += part.I.xz;
    to.Iyy += part.I.yy, to.Iyz += part.I.yz, to.Izz += part.I.zz;
  }
  remove_rounding(tree);
}

void turn_tips(SymbolicTree& tree) {
  std::vector<char> carries(tree.links.size(), 0);
  for (const ParametricLink<Expr>& link : tree.links)
    if (link.parent >= 0) carries[static_cast<std::size_t>(link.parent)] = 1;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    ParametricLink<Expr>& link = tree.links[i];
    model::LinkNumbers<Expr>& x = link.x;
    if (carries[i] || link.kind != model::LinkKind::revolute) continue;
    if (!x.hx.is_constant() || !x.hy.is_constant() || x.hy.is_constant(0)) continue;
    const double angle = std::atan2(x.hy.value(), x.hx.value());
    CompositeLink<Expr> body{
        x.mass, {x.hx, x.hy, x.hz}, {x.Ixx, x.Ixy, x.Ixz, x.Iyy, x.Iyz, x.Izz}};
    dynamics::turn_z(Expr(std::cos(angle)), Expr(-std::sin(angle)), body);
    x.hx = body.h.x, x.hy = 0;
    x.Ixx = body.I.xx, x.Ixy = body.I.xy, x.Ixz = body.I.xz;
    x.Iyy = body.I.yy, x.Iyz = body.I.yz, x.Izz = body.I.zz;
    x.theta0 += angle;
  }
  remove_rounding(tree);
}

}  // namespace couplet::generate
