#include "couplet/formats/urdf/elements.hpp"

#include <fmt/format.h>

#include "couplet/base/text.hpp"
#include "couplet/formats/urdf/attributes.hpp"
#include "couplet/formats/urdf/text.hpp"

namespace couplet::formats::urdf {
namespace {

using math::MassProperties;
using math::Mat3;
using math::Pose;
using math::Vec3;
using model::JointType;

struct TypeName {
  const char* name;
  JointType type;
};
const TypeName joint_type_table[] = {
    {"revolute", JointType::revolute},   {"continuous", JointType::revolute},
    {"prismatic", JointType::prismatic}, {"fixed", JointType::weld},
    {"floating", JointType::free},       {"planar", JointType::planar}};

bool has_axis(JointType type) { return info(type).axes == model::JointInfo::Axes::one; }
bool has_one_freedom(JointType type) { return info(type).nv == 1; }

std::string owner_of(pugi::xml_node element) {
  const pugi::xml_attribute name = element.attribute("name");
  return fmt::format("{} {}", element.name(), name ? base::quoted(name.value()) : "without a name");
}

/// Inertia is given about the centre of mass, in the axes of the inertial frame C.
///   M in link axes:  com = p_LC,  I_L = R_LC I_C R_LCᵀ
MassProperties read_inertial(pugi::xml_node link, const Attributes& attributes) {
  const pugi::xml_node inertial = link.child("inertial");
  if (!inertial) return {};
  const Pose X_LC = attributes.origin(inertial);

  const pugi::xml_node mass_tag = inertial.child("mass");
  double mass = 0;
  if (!mass_tag)
    attributes.error(inertial, "<inertial> has no <mass>", "write <mass value=\"...\"/>, in kg");
  else
    mass = attributes.required_number(mass_tag, "value");
  if (mass < 0)
    attributes.error(mass_tag, mass_tag.attribute("value"), fmt::format("the mass is {} kg", mass),
                     "give a mass > 0, or leave <inertial> out of a massless link");

  const pugi::xml_node tag = inertial.child("inertia");
  if (!tag) {
    attributes.warning(inertial, "<inertial> has no <inertia>: taken as a point mass",
                       "write <inertia ixx=\"...\" ixy=\"0\" ixz=\"0\" iyy=\"...\" .../>");
    return {mass, X_LC.p, Mat3::Zero()};
  }
  const double xx = attributes.required_number(tag, "ixx");
  const double yy = attributes.required_number(tag, "iyy");
  const double zz = attributes.required_number(tag, "izz");
  const double xy = attributes.number(tag, "ixy", 0);
  const double xz = attributes.number(tag, "ixz", 0);
  const double yz = attributes.number(tag, "iyz", 0);
  Mat3 I_C;
  I_C << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return {mass, X_LC.p, X_LC.R * I_C * X_LC.R.transpose()};
}

JointType read_type(pugi::xml_node joint, const Attributes& attributes) {
  const std::optional<std::string> name = attributes.find_name(joint, "type");
  if (!name) return JointType::revolute;
  std::vector<std::string> known;
  for (const TypeName& entry : joint_type_table) {
    if (*name == entry.name) return entry.type;
    known.emplace_back(entry.name);
  }
  attributes.error(joint, joint.attribute("type"),
                   fmt::format("unknown joint type {}", base::quoted(*name)),
                   base::suggest(*name, known));
  return JointType::revolute;  // the likeliest, for the sake of further messages
}

/// The unit axis. Scaled before it is normalised, so that no length overflows or vanishes.
Vec3 read_axis(pugi::xml_node joint, const Attributes& attributes) {
  const pugi::xml_node tag = joint.child("axis");
  const Vec3 axis = attributes.vector(tag, "xyz", Vec3::UnitX());
  if (!axis.isZero(0)) return (axis / axis.cwiseAbs().maxCoeff()).normalized();
  attributes.error(tag, tag.attribute("xyz"), "the axis is zero",
                   "give a direction such as xyz=\"0 0 1\"");
  return Vec3::UnitX();
}

/// How many joints share a trait, and where the first one is.
struct Tally {
  int count = 0;
  base::SourceLocation first;
  void add(const base::SourceLocation& where) {
    if (count++ == 0) first = where;
  }
};

class RobotReader {
 public:
  RobotReader(const Xml& xml, base::Diagnostics& found) : xml_(xml), found_(found) {}

  void read_link(pugi::xml_node element) {
    const Attributes attributes(xml_, found_, owner_of(element));
    Link link;
    const std::optional<std::string> name = attributes.find_name(element, "name");
    link.mass = read_inertial(element, attributes);
    link.where = xml_.where(element);
    if (!name) return;
    link.name = *name;
    robot.links.push_back(std::move(link));
  }

  void read_joint(pugi::xml_node element) {
    const Attributes attributes(xml_, found_, owner_of(element));
    Joint joint;
    joint.name = attributes.find_name(element, "name").value_or("");
    joint.type = read_type(element, attributes);
    joint.parent = read_end(element, "parent", attributes);
    joint.child = read_end(element, "child", attributes);
    joint.X_PC = attributes.origin(element);
    if (has_axis(joint.type)) joint.axis = read_axis(element, attributes);
    joint.where = xml_.where(element);
    read_range(element, attributes, joint);
    read_dynamics(element, attributes, joint);
    read_mimic(element, attributes, joint);
    robot.joints.push_back(std::move(joint));
  }

  /// What many joints have in common is said once.
  void report_tallies() {
    if (unlimited_.count > 0)
      found_.warning(unlimited_.first,
                     fmt::format("{} revolute or prismatic joint{} without lower and upper limit: "
                                 "{} without stops",
                                 unlimited_.count, unlimited_.count == 1 ? "" : "s",
                                 unlimited_.count == 1 ? "it moves" : "they move"),
                     "write <limit lower=\"...\" upper=\"...\"/>, or type=\"continuous\"");
  }

  Robot robot;

 private:
  Reference read_end(pugi::xml_node joint, const char* which, const Attributes& attributes) {
    const pugi::xml_node tag = joint.child(which);
    if (!tag) {
      attributes.error(joint, fmt::format("there is no <{}>", which),
                       fmt::format("write <{} link=\"...\"/>", which));
      return {};
    }
    return {attributes.find_name(tag, "link").value_or(""), xml_.where(tag, tag.attribute("link"))};
  }

  /// Lower and upper end; one that is not written is 0, as URDF says. Neither: the joint has no
  /// stops.
  void read_range(pugi::xml_node element, const Attributes& attributes, Joint& joint) {
    const bool continuous = element.attribute("type").value() == std::string_view("continuous");
    if (continuous || !has_one_freedom(joint.type)) return;
    const pugi::xml_node limit = element.child("limit");
    if (limit.attribute("lower") || limit.attribute("upper"))
      joint.range = {attributes.bound(limit, "lower", 0), attributes.bound(limit, "upper", 0)};
    else
      unlimited_.add(joint.where);
  }

  void read_dynamics(pugi::xml_node element, const Attributes& attributes, Joint& joint) {
    const pugi::xml_node tag = element.child("dynamics");
    joint.damping = attributes.number(tag, "damping", 0);
    joint.friction = attributes.number(tag, "friction", 0);
    for (const auto& [value, name] :
         {std::pair(joint.damping, "damping"), std::pair(joint.friction, "friction")})
      if (value != 0 && info(joint.type).nv > 1)
        attributes.warning(tag,
                           fmt::format("the {} of a joint with several freedoms is ignored", name));
    if (joint.friction < 0)
      attributes.error(tag, tag.attribute("friction"),
                       fmt::format("the friction is {}", joint.friction),
                       "give a force or torque >= 0");
    if (!has_one_freedom(joint.type)) joint.damping = joint.friction = 0;
  }

  void read_mimic(pugi::xml_node element, const Attributes& attributes, Joint& joint) {
    const pugi::xml_node tag = element.child("mimic");
    if (!tag) return;
    const std::optional<std::string> leader = attributes.find_name(tag, "joint");
    const double multiplier = attributes.number(tag, "multiplier", 1);
    const double offset = attributes.number(tag, "offset", 0);
    if (joint.type == JointType::weld)
      return attributes.warning(tag, "the <mimic> of a fixed joint is ignored");
    if (!has_one_freedom(joint.type))
      return attributes.error(tag, "a joint with several freedoms cannot mimic",
                              "use <mimic> in revolute, continuous and prismatic joints");
    if (leader)
      joint.mimic = {{*leader, xml_.where(tag, tag.attribute("joint"))}, multiplier, offset};
  }

  const Xml& xml_;
  base::Diagnostics& found_;
  Tally unlimited_;
};

}  // namespace

Robot read_robot(const Xml& xml, base::Diagnostics& found) {
  RobotReader reader(xml, found);
  const pugi::xml_node root = xml.root();
  reader.robot.where = xml.where(root);
  if (const std::string_view name = root.attribute("name").value(); is_utf8(name))
    reader.robot.name = name;
  if (reader.robot.name.empty())
    found.warning(reader.robot.where, "the robot has no name", "write <robot name=\"...\">");
  if (!root.child("link")) {
    const bool semantic = root.child("group") || root.child("disable_collisions");
    found.error(reader.robot.where, "the robot has no <link>",
                semantic ? "this looks like an SRDF: give the URDF that belongs to it"
                         : "write at least one <link name=\"...\"/>");
  }
  for (pugi::xml_node element : root.children()) {
    if (found.full()) break;
    if (element.name() == std::string_view("link")) reader.read_link(element);
    if (element.name() == std::string_view("joint")) reader.read_joint(element);
  }
  reader.report_tallies();
  return std::move(reader.robot);
}

}  // namespace couplet::formats::urdf
