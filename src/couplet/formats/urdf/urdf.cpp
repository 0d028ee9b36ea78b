#include "couplet/formats/urdf.hpp"

#include <algorithm>
#include <tuple>

#include "couplet/formats/urdf/elements.hpp"
#include "couplet/formats/urdf/mimic.hpp"
#include "couplet/formats/urdf/model.hpp"
#include "couplet/formats/urdf/quantities.hpp"
#include "couplet/formats/urdf/schema.hpp"
#include "couplet/formats/urdf/tree.hpp"
#include "couplet/formats/urdf/xml.hpp"

namespace couplet::formats {
namespace {

/// In the order of the file; with strict, warnings are errors.
base::Diagnostics in_order(const base::Diagnostics& found, bool strict) {
  std::vector<base::Diagnostic> list = found.list();
  const auto position = [](const base::Diagnostic& d) {
    return std::tuple(d.where.line, d.where.column);
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto& a, const auto& b) { return position(a) < position(b); });
  base::Diagnostics ordered;
  for (const base::Diagnostic& d : list) {
    if (strict || d.severity == base::Severity::error)
      ordered.error(d.where, d.what, d.fix);
    else
      ordered.warning(d.where, d.what, d.fix);
  }
  return ordered;
}

}  // namespace

model::Model read_urdf(const std::string& path, const UrdfOptions& options,
                       base::Diagnostics& diagnostics) {
  return read_urdf_text(urdf::read_text_file(path), path, options, diagnostics);
}

model::Model read_urdf_text(const std::string& text, const std::string& file_name,
                            const UrdfOptions& options, base::Diagnostics& diagnostics) {
  base::Diagnostics found;
  const urdf::Xml xml(text, file_name);
  urdf::check_root(xml);
  urdf::check_schema(xml, found);
  urdf::Robot robot = urdf::read_robot(xml, found);
  urdf::set_quantities(options.set, robot, found);
  const urdf::Tree tree = urdf::find_tree(robot, found);
  const std::vector<std::optional<urdf::Follower>> followers = urdf::find_followers(robot, found);
  urdf::check_world_link(robot, tree, options, found);

  const base::Diagnostics ordered = in_order(found, options.strict);
  ordered.check();
  diagnostics.append(ordered);
  return urdf::make_model(robot, tree, followers, options);
}

}  // namespace couplet::formats
