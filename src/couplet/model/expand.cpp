#include "couplet/model/expand.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "couplet/base/text.hpp"
#include "couplet/symbolic/name.hpp"
#include "couplet/symbolic/substitute.hpp"

namespace couplet::model {
namespace {

using base::quoted;

struct Triple {
  Expr x = 0, y = 0, z = 0;
  const Expr& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};
Triple operator+(const Triple& a, const Triple& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Triple operator*(const Expr& s, const Triple& a) { return {s * a.x, s * a.y, s * a.z}; }
Triple cross(const Triple& a, const Triple& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// A frame that moves: its axes, origin, angular velocity and the velocity of its origin, in world
/// axes.
struct MovingFrame {
  Triple axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Triple p, w, v;

  Triple in_world(const Expr& x, const Expr& y, const Expr& z) const {
    return x * axes[0] + y * axes[1] + z * axes[2];
  }
  Triple in_world(const Vec3& a) const { return in_world(a.x(), a.y(), a.z()); }

  MovingFrame shifted(const Triple& by) const {
    MovingFrame out = *this;
    out.p = p + by;
    out.v = v + cross(w, by);
    return out;
  }
  MovingFrame operator*(const Pose& X) const {
    MovingFrame out = shifted(in_world(X.p));
    for (int k = 0; k < 3; ++k) out.axes[k] = in_world(X.R.col(k));
    return out;
  }
  /// Turned about its axis k.
  MovingFrame turned(int k, const Expr& angle, const Expr& rate) const {
    MovingFrame out = *this;
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Expr c = cos(angle), s = sin(angle);
    out.axes[i] = c * axes[i] + s * axes[j];
    out.axes[j] = c * axes[j] + Expr(-1) * s * axes[i];
    out.w = w + rate * axes[k];
    return out;
  }
  MovingFrame slid(int k, const Expr& way, const Expr& rate) const {
    MovingFrame out = shifted(way * axes[k]);
    out.v = out.v + rate * axes[k];
    return out;
  }
};

/// Motions of bodies as expressions of coordinates and speeds, made where somebody asks.
class BodyExpressions {
 public:
  explicit BodyExpressions(const Mechanism& m)
      : m_(m), carriers_(m.bodies.size(), -1), motions_(m.bodies.size()) {
    for (size_t k = 0; k < m.joints.size(); ++k)
      carriers_[static_cast<size_t>(m.joints[k].child_body)] = static_cast<int>(k);
  }

  Expr value(const PointQuantity& asked, const Point& point) {
    const MovingFrame frame = motion(point.body) * point.X_BP;
    switch (asked.kind) {
      case PointQuantity::Kind::position:
        return frame.p[asked.axis];
      case PointQuantity::Kind::velocity:
        return frame.v[asked.axis];
      case PointQuantity::Kind::angular_velocity:
        return frame.w[asked.axis];
    }
    return 0;
  }

 private:
  const MovingFrame& motion(int body) {
    std::vector<int> chain;  // joints from the body inwards
    for (int b = body; b != 0 && !known(b); b = slot_of(b).parent_body)
      chain.push_back(carriers_[static_cast<size_t>(b)]);
    if (!motions_[0]) motions_[0].emplace();
    for (size_t i = chain.size(); i-- > 0;) {
      const TreeJoint& slot = m_.joints[static_cast<size_t>(chain[i])];
      motions_[static_cast<size_t>(slot.child_body)] =
          across(*motions_[static_cast<size_t>(slot.parent_body)] * slot.X_PF, slot) * slot.X_MB;
    }
    return *motions_[static_cast<size_t>(body)];
  }
  bool known(int body) const { return motions_[static_cast<size_t>(body)].has_value(); }
  const TreeJoint& slot_of(int body) const {
    return m_.joints[static_cast<size_t>(carriers_[static_cast<size_t>(body)])];
  }

  // From F to M.
  MovingFrame across(MovingFrame frame, const TreeJoint& slot) const {
    const Joint& joint = m_.model->joints[static_cast<size_t>(slot.joint)];
    const JointInfo& type = info(joint.type);
    const auto q = [&](int i) {
      const Expr x = Expr::symbol(m_.coordinate_names[static_cast<size_t>(slot.iq + i)]);
      return slot.reversed ? -x : x;
    };
    const auto v = [&](int i) {
      const Expr x = Expr::symbol(m_.speed_names[static_cast<size_t>(slot.iv + i)]);
      return slot.reversed ? -x : x;
    };
    if (type.on_quaternion()) return across_quaternion(frame, type, q, v);
    for (size_t k = 0; k < type.primitives.size(); ++k) {
      const auto i = static_cast<int>(k), axis = static_cast<int>(type.primitives[k].axis);
      const Primitive::Kind kind = type.primitives[k].kind;
      if (kind != Primitive::Kind::prismatic) frame = frame.turned(axis, q(i), v(i));
      if (kind == Primitive::Kind::prismatic) frame = frame.slid(axis, q(i), v(i));
      if (kind == Primitive::Kind::screw)
        frame = frame.slid(axis, joint.pitch * q(i), joint.pitch * v(i));
    }
    return frame;
  }

  // Speeds are in the axes of M.
  static MovingFrame across_quaternion(const MovingFrame& frame, const JointInfo& type,
                                       const auto& q, const auto& v) {
    MovingFrame out = type.nq == 7 ? frame.shifted(frame.in_world(q(4), q(5), q(6))) : frame;
    const Expr w = q(0), x = q(1), y = q(2), z = q(3);
    out.axes[0] = frame.in_world(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y));
    out.axes[1] = frame.in_world(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x));
    out.axes[2] = frame.in_world(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y));
    out.w = frame.w + out.in_world(v(0), v(1), v(2));
    if (type.nv == 6) out.v = out.v + out.in_world(v(3), v(4), v(5));
    return out;
  }

  const Mechanism& m_;
  std::vector<int> carriers_;  // of each body the joint that carries it, in the tree
  std::vector<std::optional<MovingFrame>> motions_;
};

std::string without_quotes(const std::string& symbol) {
  const std::vector<std::string> segments = symbolic::split_path(symbol);
  return fmt::format("{}", fmt::join(segments, "."));
}

/// An expression of a model, which may be replaced.
struct Place {
  Expr* value;
  SourceLocation where;
};

std::vector<Place> list_places(Model& model) {
  std::vector<Place> places;
  for (auto* elements : {&model.forces, &model.constraints})
    for (Element& element : *elements)
      for (Expr* e : find_expressions(element)) places.push_back({e, element.where});
  for (Joint& joint : model.joints)
    for (Expr& q : joint.motion) places.push_back({&q, joint.where});
  for (StateVariable& state : model.states) places.push_back({&state.rate, state.where});
  for (EventRule& rule : model.rules) {
    if (rule.condition) places.push_back({&*rule.condition, rule.where});
    for (auto* changes : {&rule.resets, &rule.switches})
      for (auto& [name, value] : *changes) places.push_back({&value, rule.where});
  }
  return places;
}

/// Replaces symbols by what `find` gives, in what it gives, too.
class Expander {
 public:
  explicit Expander(std::function<std::optional<Expr>(const std::string& symbol)> find)
      : find_(std::move(find)) {}

  /// Whether anything was found.
  bool expand(Expr& value, const SourceLocation& where) const {
    constexpr int deepest = 100;
    for (int depth = 0;; ++depth) {
      symbolic::Replacements found;
      for (const std::string& symbol : symbolic::find_symbols(value))
        if (const std::optional<Expr> by = find_(symbol)) found.emplace(Expr::symbol(symbol), *by);
      if (found.empty()) return depth > 0;
      if (depth == deepest)
        throw base::UserError(where, "outputs use each other in a circle: " + describe_cycle(value),
                              "break the circle");
      value = symbolic::substitute(value, found);
    }
  }

 private:
  // a → b → a, where replacing does not end; `path` led to the value.
  std::string describe_cycle(const Expr& value, std::vector<std::string> path = {}) const {
    for (const std::string& symbol : symbolic::find_symbols(value)) {
      const std::optional<Expr> by = find_(symbol);
      if (!by) continue;
      std::vector<std::string> longer = path;
      longer.push_back(without_quotes(symbol));
      const auto start = std::ranges::find(path, longer.back());
      if (start != path.end())
        return fmt::format("{}",
                           fmt::join(longer.begin() + (start - path.begin()), longer.end(), " → "));
      if (std::string cycle = describe_cycle(*by, longer); !cycle.empty()) return cycle;
    }
    return "";
  }

  std::function<std::optional<Expr>(const std::string& symbol)> find_;
};

std::unordered_map<std::string, const Expr*> index_outputs(const Model& model) {
  std::unordered_map<std::string, const Expr*> found;
  for (const Output& output : model.outputs)
    found.emplace(Expr::symbol(output.name).name(), &output.value);
  for (const Parameter& parameter : model.parameters)  // these have the name first
    found.erase(Expr::symbol(parameter.name).name());
  for (const StateVariable& state : model.states) found.erase(Expr::symbol(state.name).name());
  return found;
}

bool uses_points(Model& model) {
  std::vector<Expr> all;
  for (const Place& place : list_places(model)) all.push_back(*place.value);
  return std::ranges::any_of(symbolic::find_symbols(all), [](const std::string& symbol) {
    return split_point_quantity(without_quotes(symbol)).has_value();
  });
}

// Numbers of the geometry are constants from now on.
void fix_geometry(Model& model, const SourceLocation& user) {
  for (const Derived& derived : model.derived) {
    if (derived.kind != Derived::Kind::point && derived.kind != Derived::Kind::axes) continue;
    for (const std::string& symbol : symbolic::find_symbols(derived.inputs))
      for (Parameter& parameter : model.parameters)
        if (Expr::symbol(parameter.name).name() == symbol) parameter.fixed_by = user;
  }
  for (const EventRule& rule : model.rules)
    for (const auto& [name, value] : rule.switches) {
      const std::optional<int> index = model.find_parameter(name);
      if (!index || model.parameters[static_cast<size_t>(*index)].fixed_by.str() != user.str())
        continue;
      throw base::UserError(
          rule.where,
          fmt::format("rule {}: parameter {} cannot change while the model moves: the position of "
                      "a point depends on it, and {} uses that",
                      quoted(rule.name), quoted(name), user.str()),
          "switch a parameter that only forces use");
    }
}

}  // namespace

std::optional<PointQuantity> split_point_quantity(std::string_view name) {
  using enum PointQuantity::Kind;
  if (name.size() < 3 || name[name.size() - 2] != '.') return std::nullopt;
  const int axis = name.back() - 'x';
  if (axis < 0 || axis > 2) return std::nullopt;
  name.remove_suffix(2);
  constexpr std::pair<std::string_view, PointQuantity::Kind> endings[] = {
      {".position", position}, {".angular_velocity", angular_velocity}, {".velocity", velocity}};
  for (const auto& [ending, kind] : endings)
    if (name.ends_with(ending) && name.size() > ending.size())
      return PointQuantity{kind, std::string(name.substr(0, name.size() - ending.size())), axis};
  return std::nullopt;
}

Dimension dimension_of(PointQuantity::Kind kind) {
  switch (kind) {
    case PointQuantity::Kind::position:
      return kinds::length.dimension;
    case PointQuantity::Kind::velocity:
      return kinds::speed.dimension;
    case PointQuantity::Kind::angular_velocity:
      return kinds::angular_speed.dimension;
  }
  return {};
}

void expand_outputs(Model& model) {
  if (model.outputs.empty()) return;
  const auto outputs = index_outputs(model);
  const Expander expander([&](const std::string& symbol) -> std::optional<Expr> {
    const auto found = outputs.find(symbol);
    return found == outputs.end() ? std::nullopt : std::optional(*found->second);
  });
  for (const Place& place : list_places(model)) expander.expand(*place.value, place.where);
  for (const Element& constraint : model.constraints)  // what outputs may have brought in
    if (const std::optional<Fault> fault = constraint.type->find_fault(model, constraint))
      throw base::UserError(
          constraint.where,
          fmt::format("{} {} {}", constraint.type->name, quoted(constraint.name), fault->what),
          fault->fix);
}

void expand_points(const Mechanism& mechanism, Model& model) {
  if (!uses_points(model)) return;
  std::unordered_map<std::string_view, const Point*> points;
  for (const Point& point : model.points) points.emplace(point.name, &point);
  BodyExpressions bodies(mechanism);
  const Expander expander([&](const std::string& symbol) -> std::optional<Expr> {
    const std::optional<PointQuantity> asked = split_point_quantity(without_quotes(symbol));
    if (!asked) return std::nullopt;
    const auto found = points.find(asked->point);
    return found == points.end() ? std::nullopt
                                 : std::optional(bodies.value(*asked, *found->second));
  });
  std::optional<SourceLocation> user;
  for (const Place& place : list_places(model))
    if (expander.expand(*place.value, place.where) && !user) user = place.where;
  if (user) fix_geometry(model, *user);
}

}  // namespace couplet::model
