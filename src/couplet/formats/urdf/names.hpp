// Names of links or joints, found in O(1), and the nearest one when there is none.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "couplet/base/diagnostics.hpp"
#include "couplet/base/text.hpp"

namespace couplet::formats::urdf {

class Names {
 public:
  /// `elements` have a name and a place, and outlive this. Says which names come twice.
  template <class Element>
  Names(const std::vector<Element>& elements, std::string_view kind, base::Diagnostics& found) {
    for (const Element& element : elements) {
      if (element.name.empty()) continue;  // an error when it was read
      const int index = static_cast<int>(&element - elements.data());
      const auto [first, is_new] = index_.try_emplace(element.name, index);
      if (is_new) {
        candidates_.push_back(element.name);
        total_size_ += element.name.size();
        continue;
      }
      unique_ = false;
      const int line = elements[static_cast<size_t>(first->second)].where.line;
      found.error(element.where,
                  fmt::format("there are two {}s named {}, the first in line {}", kind,
                              base::quoted(element.name), line),
                  fmt::format("give each {} its own name", kind));
    }
  }

  bool unique() const { return unique_; }
  std::optional<int> find(std::string_view name) const;

  /// The fix of a message about an unknown name. Its cost is O(sizes of all names × size of this),
  /// so it falls silent when a hostile file asks for too much of it.
  std::string suggest(std::string_view name);

 private:
  std::unordered_map<std::string_view, int> index_;
  std::vector<std::string> candidates_;  // in the order of the file
  bool unique_ = true;
  size_t total_size_ = 0;
  size_t effort_left_ = 50'000'000;  // letters compared
};

}  // namespace couplet::formats::urdf
