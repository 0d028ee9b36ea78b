#include "couplet/formats/urdf/names.hpp"

namespace couplet::formats::urdf {

std::optional<int> Names::find(std::string_view name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::string Names::suggest(std::string_view name) {
  const size_t effort = name.size() * total_size_;
  if (effort > effort_left_) return {};
  effort_left_ -= effort;
  return base::suggest(name, candidates_);
}

}  // namespace couplet::formats::urdf
