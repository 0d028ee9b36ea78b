// A model that is there already, as one read from a URDF, becomes part of another one: elements get
// new indices and longer names.
#include "couplet/formats/yaml/reader.hpp"

namespace couplet::formats::yaml {
namespace {

class Inserter {
 public:
  Inserter(const model::Model& from, std::string prefix, int mount, Reading& reading)
      : from_(from), prefix_(std::move(prefix)), mount_(mount), reading_(reading) {}

  void run() {
    reading_.points.emplace(prefix_ + "world", mount_);
    add_bodies();
    add_points();
    const int first = static_cast<int>(model().joints.size());
    for (model::Joint joint : from_.joints) {
      joint.name = prefix_ + joint.name;
      joint.from = points_[static_cast<size_t>(joint.from)];
      joint.to = points_[static_cast<size_t>(joint.to)];
      if (joint.mimic) joint.mimic->joint += first;
      reading_.joints.emplace(joint.name, static_cast<int>(model().joints.size()));
      model().joints.push_back(std::move(joint));
    }
    for (model::Element force : from_.forces) {
      force.name = prefix_ + force.name;
      renumber(force, first);
      model().forces.push_back(std::move(force));
    }
  }

 private:
  model::Model& model() { return reading_.model; }

  // Their own points come with them, in the order of the points.
  void add_bodies() {
    const int world_body = model().points[static_cast<size_t>(mount_)].body;
    bodies_.assign(from_.bodies.size(), world_body);
    for (size_t b = 1; b < from_.bodies.size(); ++b) {
      bodies_[b] = static_cast<int>(model().bodies.size());
      model::Body body = from_.bodies[b];
      body.name = prefix_ + body.name;
      body.imported = true;
      model().bodies.push_back(std::move(body));
    }
  }

  void add_points() {
    const math::Pose X_mount = model().points[static_cast<size_t>(mount_)].X_BP;
    points_.assign(from_.points.size(), mount_);
    for (size_t p = 1; p < from_.points.size(); ++p) {
      const model::Point& point = from_.points[p];
      const math::Pose X = point.body == 0 ? X_mount * point.X_BP : point.X_BP;
      points_[p] = model().add_point(prefix_ + point.name, bodies_[static_cast<size_t>(point.body)],
                                     X, point.where);
      reading_.points.emplace(prefix_ + point.name, points_[p]);
    }
    for (size_t b = 1; b < from_.bodies.size(); ++b)
      model().bodies[static_cast<size_t>(bodies_[b])].origin =
          points_[static_cast<size_t>(from_.bodies[b].origin)];
  }

  void renumber(model::Element& element, int first_joint) const {
    for (size_t k = 0; k < element.values.size(); ++k) {
      if (element.values[k].index() == 0) continue;
      const model::ValueType type = element.type->keys[k].type;
      if (type == model::ValueType::point)
        element.values[k] = points_[static_cast<size_t>(std::get<int>(element.values[k]))];
      if (type == model::ValueType::joint)
        element.values[k] = std::get<int>(element.values[k]) + first_joint;
    }
  }

  const model::Model& from_;
  std::string prefix_;
  int mount_;
  Reading& reading_;
  std::vector<int> bodies_, points_;  // old index → new
};

}  // namespace

void insert_model(const model::Model& part, const std::string& prefix, int mount,
                  Reading& reading) {
  Inserter(part, prefix, mount, reading).run();
}

}  // namespace couplet::formats::yaml
