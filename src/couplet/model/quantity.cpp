#include "couplet/model/quantity.hpp"

#include <fmt/format.h>

#include <utility>

namespace couplet::model {

std::string Dimension::str() const {
  std::string above, below;
  const auto add = [](std::string& text, const char* name, int n) {
    if (n <= 0) return;
    if (!text.empty()) text += '*';
    text += name;
    if (n > 1) text += fmt::format("^{}", n);
  };
  const std::pair<const char*, int> powers[] = {
      {"kg", mass}, {"m", length}, {"rad", angle}, {"s", time}};
  for (const auto& [name, n] : powers) add(above, name, n);
  for (const auto& [name, n] : powers) add(below, name, -n);
  if (above.empty()) above = "1";
  if (below.empty()) return above;
  return above + "/" + (below.find('*') == std::string::npos ? below : "(" + below + ")");
}

bool Kind::accepts(const Dimension& got) const {
  if (anything || got == dimension) return true;
  Dimension without_angle = dimension;
  without_angle.angle = 0;
  return dimension.mass != 0 && got == without_angle;
}

}  // namespace couplet::model
