#include "couplet/model/model.hpp"

#include <algorithm>

namespace couplet::model {
namespace {

template <class Elements>
std::optional<int> find_by_name(const Elements& elements, std::string_view name) {
  const auto found = std::find_if(elements.begin(), elements.end(),
                                  [&](const auto& element) { return element.name == name; });
  if (found == elements.end()) return std::nullopt;
  return static_cast<int>(found - elements.begin());
}

}  // namespace

Model::Model() {
  bodies.push_back({"world", {}, false, 0, {}});
  points.push_back({"world", 0, {}, {}});
}

int Model::add_body(std::string body_name, const MassProperties& mass, SourceLocation where) {
  const int index = static_cast<int>(bodies.size());
  const int origin = add_point(body_name, index, {}, where);
  bodies.push_back({std::move(body_name), mass, false, origin, std::move(where)});
  return index;
}

int Model::add_point(std::string point_name, int body, const Pose& X_BP, SourceLocation where) {
  points.push_back({std::move(point_name), body, X_BP, std::move(where)});
  return static_cast<int>(points.size()) - 1;
}

Joint& Model::add_joint(std::string joint_name, JointType type, int from, int to, const Vec3& axis,
                        SourceLocation where) {
  Joint joint;
  joint.name = std::move(joint_name);
  joint.type = type;
  joint.from = from;
  joint.to = to;
  joint.R_axes = math::rotation_with_z(axis.normalized());
  joint.where = std::move(where);
  return joints.emplace_back(std::move(joint));
}

void Model::expect(size_t more_bodies, size_t more_points, size_t more_joints) {
  const auto reserve = [](auto& list, size_t more) {
    const size_t size =
        list.size();  // many small parts that come one by one still take linear time
    if (list.capacity() < size + more) list.reserve(std::max(size + more, size + size / 4));
  };
  reserve(bodies, more_bodies);
  reserve(points, more_points);
  reserve(joints, more_joints);
}

void Model::shrink() {
  const auto each = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  each(tables, parameters, states, bodies, points, joints, constraints, forces, rules, outputs,
       subsystems, derived);
}

std::optional<int> Model::find_body(std::string_view body_name) const {
  return find_by_name(bodies, body_name);
}
std::optional<int> Model::find_point(std::string_view point_name) const {
  return find_by_name(points, point_name);
}
std::optional<int> Model::find_joint(std::string_view joint_name) const {
  return find_by_name(joints, joint_name);
}
std::optional<int> Model::find_parameter(std::string_view parameter_name) const {
  return find_by_name(parameters, parameter_name);
}

}  // namespace couplet::model
