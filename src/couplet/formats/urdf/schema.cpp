#include "couplet/formats/urdf/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "couplet/base/text.hpp"

namespace couplet::formats::urdf {
namespace {

using Names = std::vector<std::string>;

struct Tag {
  std::string name;
  Names attributes;
  Names children;
  Names skipped;  // children for drawing, contact, control and other programs
};

// The format, as Couplet sees it. http://wiki.ros.org/urdf/XML
const std::vector<Tag>& tags() {
  static const std::vector<Tag> all = {
      {"robot",
       {"name", "version"},
       {"link", "joint"},
       {"material", "transmission", "gazebo", "sensor", "ros2_control", "mujoco"}},
      {"link",
       {"name", "type"},
       {"inertial"},
       {"visual", "collision", "sensor", "contact", "self_collision_checking"}},
      {"inertial", {}, {"origin", "mass", "inertia"}, {}},
      {"origin", {"xyz", "rpy", "quat_xyzw"}, {}, {}},
      {"mass", {"value"}, {}, {}},
      {"inertia", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}, {}},
      {"joint",
       {"name", "type"},
       {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
       {"safety_controller", "calibration"}},
      {"parent", {"link"}, {}, {}},
      {"child", {"link"}, {}, {}},
      {"axis", {"xyz"}, {}, {}},
      {"limit",
       {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"},
       {},
       {}},
      {"dynamics", {"damping", "friction"}, {}, {}},
      {"mimic", {"joint", "multiplier", "offset"}, {}, {}},
  };
  return all;
}

const Tag& tag_named(std::string_view name) {
  return *std::find_if(tags().begin(), tags().end(), [&](const Tag& t) { return t.name == name; });
}

/// Position of `name` in `names`, or its size.
size_t index_of(const Names& names, std::string_view name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}
bool has(const Names& names, std::string_view name) { return index_of(names, name) < names.size(); }

/// ${expression} or $(command)
bool of_xacro(pugi::xml_attribute attribute) {
  const std::string_view value = attribute.value();
  const auto holds = [&](std::string_view open, char close) {
    const size_t start = value.find(open);
    return start != value.npos && value.find(close, start) != value.npos;
  };
  return holds("${", '}') || holds("$(", ')');
}
bool declares_namespace(std::string_view attribute_name) {
  return attribute_name.starts_with("xmlns") || attribute_name.starts_with("xsi:");
}

/// Walks over what the table knows, so it is never deeper than the table.
class SchemaCheck {
 public:
  SchemaCheck(const Xml& xml, base::Diagnostics& found) : xml_(xml), found_(found) {}

  void visit(pugi::xml_node element, const Tag& tag) {
    check_attributes(element, tag);
    std::vector<bool> seen(tag.children.size());
    for (pugi::xml_node child : element.children()) {
      const std::string_view name = child.name();
      const size_t index = index_of(tag.children, name);
      if (child.type() != pugi::node_element) {
        stray_text(element, tag);
      } else if (index < tag.children.size()) {
        const bool repeats = name == "link" || name == "joint";
        if (seen[index] && !repeats) second_element(child, tag);
        seen[index] = true;
        visit(child, tag_named(name));
      } else if (!has(tag.skipped, name)) {
        unknown_tag(child, tag);
      }
    }
  }

  void report() const {
    if (xacro_.count > 0)
      throw base::UserError(
          xacro_.first,
          fmt::format("{} is a macro of xacro ({} in this file)", xacro_.what, xacro_.count),
          "run xacro first: xacro robot.urdf.xacro > robot.urdf");
    for (const Note& n : notes_) {
      const std::string times = n.count > 1 ? fmt::format(" ({} times)", n.count) : "";
      found_.warning(n.first, n.what + times, n.fix);
    }
    if (unlisted_.count > 0)
      found_.warning(unlisted_.first, fmt::format("{} more unknown tags or attributes are ignored",
                                                  unlisted_.count));
  }

 private:
  struct Note {
    base::SourceLocation first;
    std::string what, fix;
    int count = 0;
  };
  static constexpr size_t max_notes = 20;

  /// One note for each kind of surprise, to be filled in when it comes for the first time.
  Note* find_new_note(const std::string& key, const base::SourceLocation& where) {
    if (const auto old = index_.find(key); old != index_.end()) {
      ++notes_[old->second].count;
      return nullptr;
    }
    if (notes_.size() == max_notes) {
      if (unlisted_.count++ == 0) unlisted_.first = where;
      return nullptr;
    }
    index_[key] = notes_.size();
    return &notes_.emplace_back(Note{where, {}, {}, 1});
  }

  void check_attributes(pugi::xml_node element, const Tag& tag) {
    std::vector<bool> seen(tag.attributes.size());
    for (pugi::xml_attribute attribute : element.attributes()) {
      const std::string_view name = attribute.name();
      const size_t index = index_of(tag.attributes, name);
      if (of_xacro(attribute)) note_xacro(xml_.where(element, attribute), attribute.value());
      if (index < tag.attributes.size()) {
        if (seen[index])
          found_.error(xml_.where(element, attribute),
                       fmt::format("<{}> has two attributes '{}'", tag.name, name),
                       "keep one of them");
        seen[index] = true;
      } else if (!declares_namespace(name)) {
        unknown_attribute(element, attribute, tag);
      }
    }
  }

  void unknown_attribute(pugi::xml_node element, pugi::xml_attribute attribute, const Tag& tag) {
    const std::string_view name = attribute.name();
    Note* note =
        find_new_note(fmt::format("{} {}", tag.name, name), xml_.where(element, attribute));
    if (!note) return;
    note->what =
        fmt::format("unknown attribute {} of <{}> is ignored", base::quoted(name), tag.name);
    if (!tag.attributes.empty()) note->fix = base::suggest(name, tag.attributes);
  }

  void unknown_tag(pugi::xml_node element, const Tag& parent) {
    const std::string_view name = element.name();
    if (name.starts_with("xacro:")) return note_xacro(xml_.where(element), name);
    Note* note = find_new_note(fmt::format("{}<{}", parent.name, name), xml_.where(element));
    if (!note) return;
    note->what = fmt::format("unknown tag {} in <{}> is ignored", base::quoted(name), parent.name);
    Names known = parent.children;
    known.insert(known.end(), parent.skipped.begin(), parent.skipped.end());
    if (!known.empty()) note->fix = base::suggest(name, known);
    for (const Tag& other : tags())
      if (has(other.children, name))
        note->fix = fmt::format("<{}> belongs inside <{}>", name, other.name);
  }

  void second_element(pugi::xml_node element, const Tag& parent) {
    Note* note = find_new_note(fmt::format("second {}<{}", parent.name, element.name()),
                               xml_.where(element));
    if (note)
      note->what = fmt::format("a second <{}> in <{}> is ignored", element.name(), parent.name);
  }

  void stray_text(pugi::xml_node element, const Tag& tag) {
    Note* note = find_new_note(fmt::format("text {}", tag.name), xml_.where(element));
    if (!note) return;
    note->what = fmt::format("text inside <{}> is ignored", tag.name);
    if (!tag.attributes.empty())
      note->fix =
          fmt::format("values are attributes: <{} {}=\"...\"/>", tag.name, tag.attributes[0]);
  }

  void note_xacro(const base::SourceLocation& where, std::string_view macro) {
    if (xacro_.count++ == 0) xacro_ = {where, base::quoted(macro), {}, 1};
  }

  const Xml& xml_;
  base::Diagnostics& found_;
  std::vector<Note> notes_;
  Note unlisted_, xacro_;
  std::unordered_map<std::string, size_t> index_;
};

struct OtherFormat {
  const char* root;
  const char* what;
  const char* fix;
};
constexpr OtherFormat other_formats[] = {
    {"sdf", "this is an SDF file", "convert it to URDF"},
    {"mujoco", "this is an MJCF file (MuJoCo)", "convert it to URDF"},
    {"mujocoinclude", "this is a part of an MJCF file (MuJoCo)", "convert the whole to URDF"},
    {"COLLADA", "this is a COLLADA mesh", "give the URDF that refers to it"},
    {"OpenSimDocument", "this is an OpenSim model", "convert it to URDF"},
    {"launch", "this is a ROS launch file", "give the URDF that it loads"},
    {"package", "this is a ROS package manifest", "give a URDF of the package"},
    {"html", "this is a web page", "download the raw file"},
    {"svg", "this is a drawing (SVG)", ""},
};

}  // namespace

void check_root(const Xml& xml) {
  const std::string_view name = xml.root().name();
  if (name == "robot") return;
  for (const OtherFormat& other : other_formats)
    if (name == other.root)
      throw base::UserError(xml.where(xml.root()), fmt::format("{}, not a URDF", other.what),
                            other.fix);
  throw base::UserError(xml.where(xml.root()),
                        fmt::format("the root element is {}, expected 'robot'", base::quoted(name)),
                        "a URDF starts with <robot name=\"...\">");
}

void check_schema(const Xml& xml, base::Diagnostics& found) {
  if (xml.has_dtd())
    found.warning(xml.where(xml.root()), "the DTD before this element is not read",
                  "write out the entities that it defines: they are not expanded");
  SchemaCheck check(xml, found);
  check.visit(xml.root(), tag_named("robot"));
  check.report();
}

}  // namespace couplet::formats::urdf
